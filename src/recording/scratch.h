/* scratch.h: files without a name (scratch.c). */
#ifndef REPRISE_RECORDING_SCRATCH_H
#define REPRISE_RECORDING_SCRATCH_H

#include <stdint.h>

/* A file in memory, closed by execve; where there is no memfd_create, one without a name in /dev/shm or a folder for temporary
 * files, if possible one with room for as many bytes. -1 with errno. */
int scratch_file(const char *name, uint64_t bytes);

/* How many bytes more fit into the file system of such a file. */
uint64_t scratch_room(int fd);

#endif
