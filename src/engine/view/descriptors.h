/* descriptors.h: the numbers of the descriptors that the engine keeps (descriptors.c). */
#ifndef REPRISE_ENGINE_DESCRIPTORS_H
#define REPRISE_ENGINE_DESCRIPTORS_H

#include "engine/base/thread.h"

/* The program may use the numbers of those that come last if the engine does not need them. */
static inline unsigned descriptors_first(void) {
  if (replaying()) return FD_CODE;
  return in_sphere() || config.counters ? FD_SOCKET : FD_REGION;
}
/* The reserved descriptors lie among so many numbers; and so many there are. */
static inline unsigned descriptor_count(void) {
  return config.keeps_code ? FD_COUNT : descriptors_first();
}
static inline unsigned descriptors_open(void) {
  return descriptors_first() + config.keeps_code;
}
/* The descriptor of the program's file: FD_PROGRAM, unless the limit on descriptors forbids that number. */
extern int descriptor_of_program;
static inline bool descriptor_reserved(long fd) {
  unsigned which = (unsigned)(int)fd - (unsigned)engine_fd;
  bool code = config.keeps_code && which == FD_CODE;
  return which < descriptors_first() || code || (int)fd == descriptor_of_program;
}

/* Puts an open file on a reserved descriptor and closes fd. 0 or -errno (fd is still open then). */
long descriptor_reserve(int fd, int which);
/* The same for the program's file, which stays where it is if that fails. */
void descriptor_keep_program(int fd);
/* The process has no such file: none is opened by it. */
void descriptor_keeps_no_program(void);
/* System calls on reserved descriptors: EBADF, or performed on the others only. execute: performs the call if it is an execve, else returns false. */
bool descriptors_call(struct thread *thread, const struct call *call, long *result,
                      bool (*execute)(struct thread *, const struct call *, long *));

#endif
