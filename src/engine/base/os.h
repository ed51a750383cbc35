/* os.h: the kernel as the engine sees it: raw system calls that return -errno, and nothing else.
 *
 * arch_syscall6 comes from the architecture. Numbers come from the kernel's own headers. */
#ifndef REPRISE_ENGINE_OS_H
#define REPRISE_ENGINE_OS_H

#include <asm/unistd.h>
#include <linux/errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "engine/base/arch_syscall.h"

#define os_call0(nr) arch_syscall6(nr, 0, 0, 0, 0, 0, 0)
#define os_call1(nr, a) arch_syscall6(nr, (long)(a), 0, 0, 0, 0, 0)
#define os_call2(nr, a, b) arch_syscall6(nr, (long)(a), (long)(b), 0, 0, 0, 0)
#define os_call3(nr, a, b, c) arch_syscall6(nr, (long)(a), (long)(b), (long)(c), 0, 0, 0)
#define os_call4(nr, a, b, c, d) arch_syscall6(nr, (long)(a), (long)(b), (long)(c), (long)(d), 0, 0)
#define os_call5(nr, a, b, c, d, e) \
  arch_syscall6(nr, (long)(a), (long)(b), (long)(c), (long)(d), (long)(e), 0)
#define os_call6(nr, a, b, c, d, e, f) \
  arch_syscall6(nr, (long)(a), (long)(b), (long)(c), (long)(d), (long)(e), (long)(f))

static inline bool os_failed(long result) {
  return (unsigned long)result > -4096UL;
}

/* A mutual-exclusion lock on a futex word: 0 free, else its holder. Signals never take locks, so it need not be
 * recursive. (lock.c) */
struct lock {
  _Atomic uint32_t word;
  void (*mend)(
      void); /* called with the lock held that a process was killed with; NULL: what it guards is never in pieces */
};
void lock_take(struct lock *lock);
void lock_release(struct lock *lock);
/* The thread was killed and another will get its slot: if it had the lock, the lock has no holder. */
struct thread;
void lock_left_by(struct lock *lock, const struct thread *dead);

/* After a sleep on a word that another thread, not the manager, was to change: notes it for the watchdog (region_watch). A
 * sleep by region_wait is noted there. */
void thread_slept(const _Atomic uint32_t *word, uint32_t seen);

/* What sendmsg and recvmsg are given, which the kernel's headers leave to a C library. */
struct kernel_message {
  void *name;
  uint32_t name_length;
  struct iovec *parts;
  size_t part_count;
  void *control;
  size_t control_length;
  uint32_t flags;
};

long os_futex_wake(_Atomic uint32_t *word, int waiters); /* private */

unsigned os_processors(void); /* that the process may use */

#endif
