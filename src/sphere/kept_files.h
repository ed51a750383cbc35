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
/* At the end: reports files that another program has changed. */
void keep_end(struct keep *keep, struct recording_writer *writer);

#endif
