/* file_state.h: what a file is, and files without a name, where calls for that may be missing (file_state.c). */
#ifndef REPRISE_ENGINE_FILE_STATE_H
#define REPRISE_ENGINE_FILE_STATE_H

#include <linux/stat.h>

/* The names that the filter of a confined replay (confine.c) lets through. It knows them by their addresses, in memory of the engine that nobody can change, so whoever opens
 * one of these files in replay names it by the very array. */
extern const char own_maps[], own_first_maps[], own_pagemap[];
/* The empty name, of the file that a descriptor is. */
extern const char no_name[];

/* Type, mode, size, time of change, device and inode of a file below directory, or of that descriptor itself if path is empty.
 * 0 or -errno. */
long file_state(int directory, const char *path, struct statx *info);
/* A memory file, closed by execve. Its descriptor or -errno. */
long scratch_file(const char *name);

#endif
