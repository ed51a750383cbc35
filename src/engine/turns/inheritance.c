/* inheritance.c: mutexes that inherit priority, while recording.
 *
 * The kernel sets their waiters' bit and hands them over on its own, regardless of the baton or permissions. So the engine changes the
 * word itself, in turn, as the kernel would, and waits as for an ordinary futex. A lock that is released with waiters
 * has no owner but keeps the bit, and the first thread that tries gets it: the kernel, too, lets a lock be
 * stolen. The owner does not inherit any priority.
 *
 * In parallel the word is the caller's for writing, and every call has one tick here: what is done to the word before it waits is
 * told apart from what is done after.
 *
 * The word is always waited for as a shared one, because a dying owner wakes it so (thread_exit.c). */
#include <linux/futex.h>

#include "engine/base/lib.h"
#include "engine/code/code.h"
#include "engine/order/baton.h"
#include "engine/order/thread_order.h"
#include "engine/region/endings.h"
#include "engine/region/journal.h"
#include "engine/region/turns.h"
#include "engine/turns/inheritance.h"

enum { TIMEOUT_WORDS = 2 };

struct attempt {
  struct thread *thread;
  uintptr_t word;
  uint32_t value; /* of the word, as it was read last */
  long timeout[TIMEOUT_WORDS];
  bool limited;  /* there is a timeout … */
  bool realtime; /* … on this clock */
};

static bool read_word(struct attempt *a) {
  return a->word % sizeof a->value == 0 && !safe_copy(&a->value, (const void *)a->word, sizeof a->value);
}

/* The thread has the baton, or the permission: no other thread writes the word. */
static bool write_word(struct attempt *a, uint32_t value) {
  return !copy_to_app(a->word, &value, sizeof value);
}

static bool exists(uint32_t tid) {
  return os_call2(__NR_tkill, tid, 0) != -ESRCH;
}

/* Takes the lock if it is free: 0; else the reason, -EAGAIN if another thread owns it. */
static long try_lock(struct attempt *a) {
  uint32_t own = (uint32_t)a->thread->tid;
  if (!read_word(a)) return a->word % sizeof a->value ? -EINVAL : -EFAULT;
  uint32_t owner = a->value & FUTEX_TID_MASK;
  if (owner == own) return -EDEADLK;
  if (owner) return exists(owner) ? -EAGAIN : -ESRCH;
  return write_word(a, own | (a->value & (FUTEX_WAITERS | FUTEX_OWNER_DIED))) ? 0 : -EFAULT;
}

/* Sets the waiters' bit. It comes before the call's result in the log, and before the turn is released. */
static bool announce(struct attempt *a) {
  if (a->value & FUTEX_WAITERS) return true;
  a->value |= FUTEX_WAITERS;
  if (!write_word(a, a->value)) return false;
  record_copy_in(a->thread, a->word, &a->value, sizeof a->value);
  return true;
}

static long wait(struct attempt *a, long (*perform)(struct thread *, const struct call *)) {
  struct call inner = {.nr = __NR_futex,
                       .args = {(long)a->word, FUTEX_WAIT_BITSET | (a->realtime ? FUTEX_CLOCK_REALTIME : 0),
                                a->value, a->limited ? (long)a->timeout : 0, 0, (long)~0U}};
  a->thread->record.keeps_shared = false;
  order_tick(a->thread);
  turns->waits_at(a->thread, a->word);
  turns->leave(a->thread);
  long result = perform(a->thread, &inner);
  turns->take(a->thread);
  turns->take_memory(a->thread, a->word, sizeof a->value, true);
  turns->waited_at(a->thread, a->word, !result || result == -EAGAIN);
  return result;
}

/* A call that does not wait. */
static long at_once(struct attempt *a, long result) {
  order_tick(a->thread);
  return result;
}

static long lock(struct attempt *a, long (*perform)(struct thread *, const struct call *)) {
  long result = try_lock(a);
  if (result != -EAGAIN) return at_once(a, result);
  if (!announce(a)) return at_once(a, -EFAULT);
  result = wait(a, perform);
  if (result == -EINTR) return CALL_INTERRUPTED; /* no signal ends it, whatever the handler's flags */
  if (result && result != -EAGAIN) return result;
  /* If another thread was faster the call is made again, so that each wait is a call of its own in the log. */
  result = try_lock(a);
  return result == -EAGAIN ? CALL_INTERRUPTED : result;
}

/* The word changes before a thread is woken: a thread that is about to wait for the old value finds out. If the wake-up finds no waiter,
 * there is none as long as the turn lasts. */
static long unlock(struct attempt *a) {
  if (!read_word(a)) return -EFAULT;
  if ((a->value & FUTEX_TID_MASK) != (uint32_t)a->thread->tid) return -EPERM;
  if (!write_word(a, a->value & FUTEX_WAITERS)) return -EFAULT;
  if (!(a->value & FUTEX_WAITERS)) return 0;
  long woken = os_call3(__NR_futex, a->word, FUTEX_WAKE, 1);
  if (woken <= 0)
    write_word(a, 0);
  else
    turns->woke(a->thread);
  return 0;
}

bool inheritance_concerns(const struct call *call) {
  if (call->nr != __NR_futex) return false;
  switch (call->args[1] & FUTEX_CMD_MASK) {
    case FUTEX_LOCK_PI:
    case FUTEX_LOCK_PI2:
    case FUTEX_TRYLOCK_PI:
    case FUTEX_UNLOCK_PI:
    case FUTEX_WAIT_REQUEUE_PI:
    case FUTEX_CMP_REQUEUE_PI:
      return true;
    default:
      return false;
  }
}

long inheritance_call(struct thread *thread, const struct call *call,
                      long (*perform)(struct thread *, const struct call *)) {
  long command = call->args[1] & FUTEX_CMD_MASK;
  struct attempt a = {.thread = thread, .word = (uintptr_t)call->args[0]};
  if (sync_on())
    sphere_fail(OUTCOME_UNSUPPORTED, "mutexes that inherit priority can't be recorded yet with --order=sync");
  switch (command) {
    case FUTEX_LOCK_PI:
    case FUTEX_LOCK_PI2:
      a.realtime = command == FUTEX_LOCK_PI || call->args[1] & FUTEX_CLOCK_REALTIME;
      a.limited = call->args[3];
      if (a.limited && safe_copy(a.timeout, (const void *)call->args[3], sizeof a.timeout))
        return at_once(&a, -EFAULT);
      return lock(&a, perform);
    case FUTEX_TRYLOCK_PI:
      return at_once(&a, try_lock(&a));
    case FUTEX_UNLOCK_PI:
      return at_once(&a, unlock(&a));
    default:
      return at_once(&a, -ENOSYS); /* as where such mutexes can't be waited for with a condition */
  }
}
