/* region_lock.c: the lock of the region, and stops that wait until a process does not hold it. See rthreads.h and stops.h. */
#include "engine/order/rthreads.h"

#include "engine/order/stops.h"
#include "engine/region/rings.h"
#include "engine/region/turns.h"

/* True if the owner has yielded the lock for a stop, and its process has stopped. */
static bool is_left(uint32_t lock) {
  return lock & LOCK_YIELDS && stops_done((int32_t)(lock & ~(LOCK_SLEEPERS | LOCK_YIELDS)));
}

/* Releases a lock that this thread has yielded, unless another thread has taken it meanwhile. */
static void release_yielded(_Atomic uint32_t *lock) {
  uint32_t own = (uint32_t)os_call0(__NR_gettid) | LOCK_YIELDS, seen = atomic_load(lock);
  while ((seen & ~LOCK_SLEEPERS) == own)
    if (atomic_compare_exchange_strong(lock, &seen, 0)) {
      if (seen & LOCK_SLEEPERS) region_wake(lock, 1);
      return;
    }
}

void region_lock(void) {
  arch_self()->region_lock.inside = true;
  region_take(&region->lock, is_left);
}

void region_yield(void) {
  arch_self()->region_lock.yields = true;
  atomic_fetch_or(&region->lock, LOCK_YIELDS);
}

/* Obeys a stop that came meanwhile before it frees the lock, and checks again afterwards: from then on the handler obeys. */
void region_unlock(void) {
  struct thread *self = arch_self();
  for (;;) {
    if (self->record.stop_signal && turns->alone) stops_serve(self);
    if (self->region_lock.yields) {
      stops_mark(self->rthread->pid, STOP_NONE);
      release_yielded(&region->lock);
    } else {
      region_release(&region->lock);
    }
    self->region_lock.yields = false;
    self->region_lock.inside = false;
    if (!self->record.stop_signal || !turns->alone) return;
    if (atomic_load(&region->holder) == slot_of(self->rthread) + 1) return;
    region_lock();
  }
}
