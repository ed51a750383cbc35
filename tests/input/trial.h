/* trial.h: holds the table of system calls against the kernel.
 *
 * A case puts a system call's arguments into a memory filled with a pattern. The trial performs the call, once per
 * pattern, on the memory itself and on copies (input/bounce.h), and compares: a byte that changed must have been reported as written; a byte reported as written (and not
 * as perhaps written) that never changes, whatever the pattern, was not. */
#ifndef REPRISE_TESTS_INPUT_TRIAL_H
#define REPRISE_TESTS_INPUT_TRIAL_H

#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "input/input.h"

enum { TRIAL_MEMORY = 1 << 16, ANY_RESULT = 0x7fffffff };

struct trial {
  uint8_t *memory; /* TRIAL_MEMORY bytes of the pattern, and unmapped pages around them */
  long nr, args[6];
  long expect;                   /* 0: any success; negative: this error; ANY_RESULT: whatever comes */
  uint32_t semaphores;           /* for semctl */
  size_t outgoing;               /* bytes that the table must report as read; checked unless (size_t)-1 */
  size_t used;                   /* of the memory, by place() */
  void (*after)(struct trial *); /* cleans up */
  int fds[8];
};

typedef void trial_case(struct trial *t);

/* Room for an argument, apart from all others. */
void *place(struct trial *t, size_t bytes);
/* Room with contents. */
void *put(struct trial *t, const void *bytes, size_t count);
char *put_string(struct trial *t, const char *string);
/* The call to try; unused arguments are 0. */
void call6(struct trial *t, long nr, long a, long b, long c, long d, long e, long f);
#define CALL(t, nr, a, b, c, d, e, f) \
  call6(t, nr, (long)(a), (long)(b), (long)(c), (long)(d), (long)(e), (long)(f))

/* Runs the case under each pattern. */
void trial_run(const char *name, trial_case *setup);
#define TRY(name) trial_run(#name, name)
/* A check of another kind. */
void trial_check(const char *name, bool good);
/* Set-up that must not fail. */
long must(long result);
/* Prints "N passed, N failed"; the exit status. */
int trial_end(void);

#endif
