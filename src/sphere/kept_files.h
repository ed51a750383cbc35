/* kept_files.h: the files that a recorded sphere maps (keep.c). */
#ifndef REPRISE_SPHERE_KEPT_FILES_H
#define REPRISE_SPHERE_KEPT_FILES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "recording/recording.h"

/* All files that were mapped, by device and inode. */
struct keep {
  struct kept_object *objects;
  size_t count;
};

/* Prepares this process, after the program was started. */
void keep_begin(void);
/* Keeps the file on a descriptor of a process: its number, with REQUEST_EXPOSED where that applies, or -errno; -EIO with the error: the recording is
 * at its end. changes: it is open
 * for writing there. */
int64_t keep_file(struct keep *keep, struct recording_writer *writer, int32_t pid, int fd, bool changes,
                  struct recording_error *error);
/* A file that was kept is going to be changed by the sphere: 0 or -errno. */
int64_t keep_changes(struct keep *keep, struct recording_writer *writer, uint32_t number,
                     struct recording_error *error);
/* The number of the file that is mapped from there, UINT32_MAX: none is known; true if the sphere has changed any, or may. */
uint32_t keep_number(const struct keep *keep, uint64_t device, uint64_t inode);
bool keep_has_changes(const struct keep *keep);
/* Keeps them all with another recording as well, under the same numbers. */
int keep_again_in(const struct keep *keep, struct recording_writer *writer, struct recording_error *error);
/* At the end: reports files that another program has changed. */
void keep_end(struct keep *keep, struct recording_writer *writer);

#endif
