/* io.h: reads and writes whole pieces, however few bytes the kernel moves at a time (io.c). */
#ifndef REPRISE_RECORDING_IO_H
#define REPRISE_RECORDING_IO_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* Writes everything, or returns false with errno. */
bool write_all(int fd, uint64_t offset, const void *bytes, size_t length);

/* Reads until length or the end of the file; the number of bytes, or -1 with errno. */
ssize_t read_upto(int fd, uint64_t offset, void *bytes, size_t length);

/* Opens a regular file for reading, and nothing else: no link, pipe or device. -1 with errno, EINVAL for the others. */
int open_regular(int folder, const char *name, uint64_t *length);

/* Joins two parts of a path; false when it is too long. out has RECORDING_PATH_MAX bytes. */
bool join_path(char *out, const char *folder, const char *name);

#endif
