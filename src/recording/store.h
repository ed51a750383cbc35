/* store.h: contents that the recordings of the default place share (store.c). */
#ifndef REPRISE_RECORDING_STORE_H
#define REPRISE_RECORDING_STORE_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>
#include <time.h>

/* A mapped file's identity from stat(2). A file that was changed has another identity. Its padding is zero, too. */
struct file_identity {
  dev_t device;
  ino_t inode;
  off_t size;
  struct timespec modified, changed;
};

/* The store for a recording that is made at path, as a descriptor; -1 when it has none, because it is elsewhere or a store can't be made. */
int store_open(const char *path);

/* Puts the content of that hash into a folder under this name, if the store has the same bytes as the open file. */
bool store_take(int store, const uint8_t hash[16], int original, int folder, const char *name);

/* The same for the content that a file of this identity had when it was noted, without a look at the file. */
bool store_take_known(int store, const struct file_identity *identity, uint8_t hash[16], int folder,
                      const char *name);

/* Notes that files of this identity have the content of that hash, which is a file of a folder, if the store has that very file. Failures are
 * ignored. */
void store_note(int store, const struct file_identity *identity, const uint8_t hash[16], int folder,
                const char *name);

/* Puts a file of a folder into the store; if the store has got the content meanwhile, its copy replaces the file. Failures are ignored. */
void store_give(int store, const uint8_t hash[16], int folder, const char *name);

/* Removes contents that no recording uses any more from this owner's store beside the recording at path, which may be gone. */
void store_sweep(const char *path, uid_t owner);

#endif
