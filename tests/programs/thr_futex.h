/* thr_futex.h: the futex system call by its own name, returning -errno as the kernel does. */
#ifndef TESTS_PROGRAMS_THR_FUTEX_H
#define TESTS_PROGRAMS_THR_FUTEX_H

#include <errno.h>
#include <linux/futex.h>
#include <stdatomic.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static inline long futex(void *word, int op, uint32_t value, const void *timeout_or_count, void *word2,
                         uint32_t value3) {
  long result = syscall(SYS_futex, word, op, value, timeout_or_count, word2, value3);
  return result == -1 ? -errno : result;
}

#endif
