/* scratch.h: files without a name (scratch.c). */
#ifndef REPRISE_RECORDING_SCRATCH_H
#define REPRISE_RECORDING_SCRATCH_H

/* A file in memory, closed by execve; where there is no memfd_create, one without a name in /dev/shm or a folder for temporary
 * files. -1 with errno. */
int scratch_file(const char *name);

#endif
