/* descriptors.h: the numbers of the descriptors that the engine keeps (descriptors.c). */
#ifndef REPRISE_ENGINE_DESCRIPTORS_H
#define REPRISE_ENGINE_DESCRIPTORS_H

#include "engine/base/thread.h"

/* How many of them there are. The numbers of the last two are the program's if they are not needed. */
static inline unsigned descriptor_count(void) {
  if (replaying()) return FD_COUNT;
  return in_sphere() || config.counters ? FD_SOCKET : FD_REGION;
}
/* Where the program's file really is: on FD_PROGRAM, unless the limit on descriptors leaves no way to put it there. */
extern int descriptor_of_program;
static inline bool descriptor_reserved(long fd) {
  return (unsigned)(int)fd - (unsigned)engine_fd < descriptor_count() || (int)fd == descriptor_of_program;
}

/* Puts an open file on a reserved descriptor and closes fd. 0 or -errno (fd is still open then). */
long descriptor_reserve(int fd, int which);
/* The same for the program's file, which stays where it is if that fails. */
void descriptor_keep_program(int fd);
/* System calls on reserved descriptors: EBADF, or done around them. execute: asked whether the call is an execve, which it then performs. */
bool descriptors_call(struct thread *thread, const struct call *call, long *result,
                      bool (*execute)(struct thread *, const struct call *, long *));

#endif
