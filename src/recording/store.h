/* store.h: contents that the recordings of the default place share (store.c). */
#ifndef REPRISE_RECORDING_STORE_H
#define REPRISE_RECORDING_STORE_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/* The store for a recording that is made at path, as a descriptor; -1 when it has none, because it is elsewhere or nobody can make one. */
int store_open(const char *path);

/* Puts the content of that hash into a folder under this name, if the store has the same bytes as the open file. */
bool store_take(int store, const uint8_t hash[16], int original, int folder, const char *name);

/* Puts a file of a folder into the store; if its content has come there meanwhile, that one takes the file's place. Does what it can. */
void store_give(int store, const uint8_t hash[16], int folder, const char *name);

/* Removes what no recording uses any more from the store of this owner beside the recording at path, which may be gone. */
void store_sweep(const char *path, uid_t owner);

#endif
