/* lock.c: the engine's mutual-exclusion lock, and how its sleepers are woken.
 *
 * The word names the holder and says whether a thread may be asleep, so an uncontended take and release never enter the kernel. A
 * signal only queues itself and returns, so a sleep that it ends is simply begun again.
 *
 * A process that shares our memory, a child of vfork above all, may be killed while it holds the lock. The kernel then clears its
 * kernel_tid: waiting threads check that now and then, take the lock over and repair the data that it guards. */
#include <linux/futex.h>
#include <stdatomic.h>

#include "contract/region.h"
#include "engine/base/arch.h"
#include "engine/base/lib.h"
#include "engine/base/os.h"
#include "engine/base/slots.h"

enum {
  FREE,
  GONE = INT32_MAX - 1,
  EARLY = INT32_MAX
}; /* else one more than the number of the holder's slot */
#define SLEEPERS 0x80000000u

long os_futex_wake(_Atomic uint32_t *word, int waiters) {
  return os_call3(__NR_futex, word, FUTEX_WAKE_PRIVATE, waiters);
}

/* Before the first thread has its slot there is no other thread. */
static uint32_t holder_of(const struct thread *thread) {
  return thread ? (uint32_t)slot_index(thread) + 1 : (uint32_t)EARLY;
}

static void count(_Atomic uint32_t *counter) {
  atomic_store_explicit(counter, atomic_load_explicit(counter, memory_order_relaxed) + 1,
                        memory_order_relaxed);
}

void thread_slept(const _Atomic uint32_t *word, uint32_t seen) {
  const struct thread *self = arch_self();
  if (!self || !self->rthread) return;
  struct region_watch *watch = &self->rthread->watch;
  atomic_store_explicit(&watch->word, (uintptr_t)word, memory_order_relaxed);
  atomic_store_explicit(&watch->pc, arch_pc(self), memory_order_relaxed);
  atomic_store_explicit(&watch->position, arch_position(self), memory_order_relaxed);
  count(atomic_load(word) == seen ? &watch->looks : &watch->moves);
}

static bool is_dead(uint32_t holder) {
  if (holder == GONE || holder == EARLY) return holder == GONE;
  return slot_is_left(slot_at(holder - 1));
}

/* A thread that has slept takes the lock with sleepers: there may be others that it does not know of. */
static void take_contended(struct lock *lock, uint32_t own) {
  struct {
    long seconds, nanoseconds;
  } patience = {0, 10000000};
  for (;;) {
    uint32_t seen = atomic_load_explicit(&lock->word, memory_order_relaxed);
    if (seen == FREE) {
      if (atomic_compare_exchange_strong_explicit(&lock->word, &seen, own | SLEEPERS, memory_order_acquire,
                                                  memory_order_relaxed))
        return;
      continue;
    }
    if (!(seen & SLEEPERS) && !atomic_compare_exchange_strong(&lock->word, &seen, seen | SLEEPERS)) continue;
    seen |= SLEEPERS;
    os_call4(__NR_futex, &lock->word, FUTEX_WAIT_PRIVATE, seen, &patience);
    thread_slept(&lock->word, seen);
    if (atomic_load(&lock->word) == seen && is_dead(seen & ~SLEEPERS) &&
        atomic_compare_exchange_strong(&lock->word, &seen, own | SLEEPERS)) {
      if (lock->mend) lock->mend();
      return;
    }
  }
}

void lock_take(struct lock *lock) {
  uint32_t seen = FREE, own = holder_of(arch_self());
  if (!atomic_compare_exchange_strong_explicit(&lock->word, &seen, own, memory_order_acquire,
                                               memory_order_relaxed))
    take_contended(lock, own);
}

void lock_release(struct lock *lock) {
  if (atomic_exchange_explicit(&lock->word, FREE, memory_order_release) & SLEEPERS)
    os_futex_wake(&lock->word, 1);
}

void lock_left_by(struct lock *lock, const struct thread *dead) {
  uint32_t seen = atomic_load(&lock->word);
  while ((seen & ~SLEEPERS) == holder_of(dead) &&
         !atomic_compare_exchange_weak(&lock->word, &seen, (seen & SLEEPERS) | GONE))
    continue;
}
