/* files.h: the descriptors the engine keeps, and the files through which a program could see the engine (files.c). */
#ifndef REPRISE_ENGINE_FILES_H
#define REPRISE_ENGINE_FILES_H

#include "engine/thread.h"

/* Three descriptors belong to the engine, from engine_fd on. For the application they are not open. */
enum { FD_ENGINE, FD_CONFIG, FD_PROGRAM, FD_COUNT };
/* Where the program's file really is: on FD_PROGRAM, unless the limit on descriptors leaves no way to put it there. */
extern int files_program_fd;
static inline bool files_reserved(long fd) {
  return (unsigned)(int)fd - (unsigned)engine_fd < FD_COUNT || (int)fd == files_program_fd;
}

/* Puts an open file on a reserved descriptor and closes fd. 0 or -errno (fd is still open then). */
long files_reserve(int fd, int which);
/* The same for the program's file, which stays where it is if that fails. */
void files_keep_program(int fd);
/* Copies a path from the application: its length, -EFAULT or -ENAMETOOLONG. */
long files_copy_path(char path[ENGINE_PATH_MAX], uintptr_t from);
/* If path names the executable of a process that runs under the engine (/proc/…/exe), writes the path of its real
 * program over it and returns true. path holds ENGINE_PATH_MAX bytes. */
bool files_real_program(int directory, char *path);
/* System calls on those descriptors and files. */
bool files_call(struct thread *thread, const struct call *call, long *result);

#endif
