/* file_state.h: what a file is, and files without a name, where calls for that may be missing (file_state.c). */
#ifndef REPRISE_ENGINE_FILE_STATE_H
#define REPRISE_ENGINE_FILE_STATE_H

#include <linux/stat.h>

/* The names that the filter of a confined replay (confine.c) lets through. It knows them by their addresses, in read-only memory of the engine, so code that opens
 * one of these files in replay must pass this very array. */
extern const char own_maps[], own_first_maps[], own_pagemap[];
/* The empty name, for the file of a descriptor itself. */
extern const char no_name[];

/* Type, mode, size, time of change, device and inode of a file below directory, or of that descriptor itself if path is empty.
 * 0 or -errno. */
long file_state(int directory, const char *path, struct statx *info);
/* A memory file, closed by execve. Its descriptor or -errno. */
long scratch_file(const char *name);

#endif
