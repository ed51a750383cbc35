/* live_parallel.c: see live_parallel.h.
 *
 * A thread that runs comes to a safepoint, parks and rests there. One that waits in a call that works on copies is parked and rests already; it goes on
 * waiting, and rests when it comes back. So when all rest nobody changes what the program sees, no log grows, and no request is under way: parked threads answer none. The maker
 * is parked as well, because others need blocks of it before they come to a safepoint.
 *
 * All episodes end there. So a replay that begins at the checkpoint has whole episodes only, and waits for none that is not in its log: the manager notes on the board that all
 * earlier ones are completed. */
#include "engine/turns/live_parallel.h"

#include "engine/base/lib.h"
#include "engine/order/hand_over.h"
#include "engine/order/permissions.h"
#include "engine/order/rthreads.h"
#include "engine/region/live.h"

static struct region_checkpoint *checkpoint(void) {
  return &region->checkpoint;
}

void live_park(struct thread *thread) {
  permissions_park(thread);
  live_rests(thread);
}

void live_unpark(struct thread *thread) {
  live_wakes(thread);
  permissions_unpark(thread);
}

/* -- The maker ------------------------------------------------------------------------------------------------------------------ */

/* Asks the threads that run to come to a safepoint. */
static void summon(const struct rthread *own) {
  for (uint32_t i = 0; i < region_slots(region); i++) {
    struct rthread *other = &region->slots[i];
    if (other == own || atomic_load(&other->state) != SLOT_LIVE) continue;
    if (!atomic_load(&other->checkpoint.at_rest)) permissions_is_parked(other);
  }
}

/* Until all others rest; not for long, if one does not come: it may be in a call that keeps its blocks. */
static enum checkpoint_refusal await_others(const struct rthread *own) {
  enum { NANOSECONDS_MOST = 20000000, LOOKS_PER_CALL = 100 };
  uint64_t end = live_now() + NANOSECONDS_MOST;
  enum checkpoint_refusal refusal = CHECKPOINT_LATE;
  for (int i = 0; refusal == CHECKPOINT_LATE; i++) {
    if (i % LOOKS_PER_CALL == 0) summon(own);
    refusal = live_look_at_others(own);
    if (refusal != CHECKPOINT_LATE || live_now() > end) break;
    os_call0(__NR_sched_yield);
  }
  return refusal;
}

static void end_episodes(void) {
  for (unsigned i = 0; i < atomic_load(&region->directory_slots); i++) {
    struct order_recorder *recorder = &region->directory[i].recorder;
    if (!order_is_alive(recorder)) continue;
    lock_recorder_of(i);
    order.scheme->end(&order, recorder);
    unlock_recorder(&directory, i);
  }
}

/* True if this thread is to make it: one does. The last one may have been killed. */
static bool takes_it(struct thread *thread) {
  uint32_t maker = atomic_load(&checkpoint()->maker);
  if (maker && !task_is_dead((int32_t)maker)) return false;
  return atomic_compare_exchange_strong(&checkpoint()->maker, &maker, (uint32_t)thread->rthread->tid);
}

/* All others are stopped, if they come to it soon; else the manager will want one again. One that was killed does not come. */
static enum checkpoint_refusal make_with_others(struct thread *thread) {
  live_park(thread);
  atomic_store(&checkpoint()->freezes, 1);
  enum checkpoint_refusal refusal = await_others(thread->rthread);
  bool made = !refusal;
  if (refusal) {
    atomic_store(&checkpoint()->wish, CHECKPOINT_NONE);
  } else {
    end_episodes();
    made = live_make(thread);
  }
  live_thaw();
  live_unpark(thread);
  if (!made) rthreads_end_gone(thread);
  return refusal;
}

static void make(struct thread *thread) {
  enum checkpoint_refusal refusal = live_refusal();
  atomic_store(&checkpoint()->refusal, refusal ? refusal : make_with_others(thread));
}

void live_safepoint(struct thread *thread) {
  if (atomic_load_explicit(&checkpoint()->freezes, memory_order_relaxed)) {
    live_park(thread);
    live_unpark(thread);
  }
  if (!live_is_wanted(thread) || !takes_it(thread)) return;
  if (live_is_wanted(thread)) make(thread);
  atomic_store(&checkpoint()->maker, 0);
}
