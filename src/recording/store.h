/* store.h: contents that the recordings of the default place share (store.c). */
#ifndef REPRISE_RECORDING_STORE_H
#define REPRISE_RECORDING_STORE_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/* The store for a recording that is made at path, as a descriptor; -1 when it has none, because it is elsewhere or a store can't be made. */
int store_open(const char *path);

/* Puts the content of that hash into a folder under this name, if the store has the same bytes as the open file. */
bool store_take(int store, const uint8_t hash[16], int original, int folder, const char *name);

/* Puts a file of a folder into the store; if the store has got the content meanwhile, its copy replaces the file. Failures are ignored. */
void store_give(int store, const uint8_t hash[16], int folder, const char *name);

/* Removes contents that no recording uses any more from this owner's store beside the recording at path, which may be gone. */
void store_sweep(const char *path, uid_t owner);

#endif
