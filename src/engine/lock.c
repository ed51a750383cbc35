/* lock.c: the engine's mutual-exclusion lock and the two futex operations it stands on.
 *
 * The word says whether anyone may be asleep, so an uncontended take and release never enter the kernel. A
 * signal only queues itself and returns, so a sleep that it ends is simply begun again. */
#include <linux/futex.h>
#include <stdatomic.h>

#include "engine/os.h"

enum { FREE, HELD, HELD_WITH_SLEEPERS };

long os_futex_wait(_Atomic uint32_t *word, uint32_t expected) {
  return os_call4(__NR_futex, word, FUTEX_WAIT_PRIVATE, expected, 0);
}

long os_futex_wake(_Atomic uint32_t *word, int waiters) {
  return os_call3(__NR_futex, word, FUTEX_WAKE_PRIVATE, waiters);
}

void lock_take(struct lock *lock) {
  uint32_t seen = FREE;
  if (atomic_compare_exchange_strong_explicit(&lock->word, &seen, HELD, memory_order_acquire,
                                              memory_order_relaxed))
    return;
  /* Whoever has slept takes the lock as "with sleepers": there may be others it knows nothing of. */
  while (atomic_exchange_explicit(&lock->word, HELD_WITH_SLEEPERS, memory_order_acquire) != FREE)
    os_futex_wait(&lock->word, HELD_WITH_SLEEPERS);
}

void lock_release(struct lock *lock) {
  if (atomic_exchange_explicit(&lock->word, FREE, memory_order_release) == HELD_WITH_SLEEPERS)
    os_futex_wake(&lock->word, 1);
}
