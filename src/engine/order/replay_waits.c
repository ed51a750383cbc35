/* replay_waits.c: waiting in a replay in parallel. See replay_waits.h; the conditions are those of order/replay.h.
 *
 * A predecessor has mostly come far enough already, or does within the time that going to sleep would take: so a waiter spins for a while
 * (patience.h).
 *
 * Before it sleeps it registers where the thread that can end its wait looks: for a token in its own slot, with the sender's slot; for a
 * clock in the slot that will publish it, as the least clock wanted there. No thread is woken for less, and none twice.
 *
 * A sleeping thread checks now and then whether its wait can ever end: when all threads wait for each other, or for one whose log has ended, the
 * replay has diverged, and ends with a line that says which thread waits for which. */
#include "engine/order/replay_waits.h"

#include "contract/schemes.h"
#include "engine/base/lib.h"
#include "engine/base/log.h"
#include "engine/base/patience.h"
#include "engine/order/baton.h"
#include "engine/order/serial.h"
#include "engine/order/thread_order.h"
#include "engine/region/endings.h"
#include "engine/region/rest.h"

enum { LOOKS_PER_REQUEST = 150, ROUNDS_TO_BE_SURE = 4 };

static struct thread
    *residents[REGION_SLOTS]; /* arcs: threads of this process, by their slots in the recording */

static struct patience patience_of[REGION_SLOTS]; /* of this process's threads, by the region's slots */

/* -- Telling ------------------------------------------------------------------------------------------------------------ */

static void wake(struct region_news *news) {
  atomic_fetch_add(&news->changes, 1);
  region_wake(&news->changes, INT32_MAX);
}

void order_tell(unsigned slot) {
  if (atomic_load(&region->news[slot].waiters) || atomic_load(&region->news[slot].wanted))
    wake(&region->news[slot]);
}

void order_tell_token(unsigned slot, unsigned from) {
  uint32_t sender = from + 1;
  struct region_news *news = &region->news[slot];
  if (atomic_load(&news->sender) == sender && atomic_compare_exchange_strong(&news->sender, &sender, 0))
    wake(news);
}

void order_tell_clock(unsigned slot, uint64_t clock) {
  struct region_news *news = &region->news[slot];
  uint64_t wanted = atomic_load(&news->wanted);
  if (wanted && wanted <= clock && atomic_compare_exchange_strong(&news->wanted, &wanted, 0)) wake(news);
}

void order_move_in(struct rthread *rthread) {
  atomic_store(&region->news[rthread->replay.slot].resident, slot_of(rthread) + 1);
}

void order_move_out(unsigned slot) {
  atomic_store(&region->news[slot].resident, 0);
}

/* Not one that waits for the slot to be its own. */
static struct rthread *thread_in(uint32_t slot) {
  uint32_t resident = atomic_load(&region->news[slot].resident);
  struct rthread *rthread = resident ? &region->slots[resident - 1] : NULL;
  return rthread && atomic_load(&rthread->state) == SLOT_LIVE ? rthread : NULL;
}

/* -- Arcs: others may wait for any position -------------------------------------------------------------------------------- */

static uint64_t clock_now(const struct thread *thread) {
  const struct rthread *rthread = thread->rthread;
  return rthread->replay.last_clock + order_position(thread) - rthread->replay.last_position;
}

void order_come_by(struct thread *thread) {
  unsigned me = thread->rthread->replay.slot;
  if (me == ORDER_NOBODY) return;
  uint64_t clock = clock_now(thread);
  residents[me] = thread;
  order_replay_publish(&region->board, me, clock);
  order_tell_clock(me, clock);
}

uint64_t order_wanted_stop(const struct thread *thread) {
  const struct rthread *rthread = thread->rthread;
  if (rthread->replay.slot == ORDER_NOBODY) return UINT64_MAX; /* its log was cut off before it began */
  uint64_t wanted = atomic_load(&region->news[rthread->replay.slot].wanted);
  if (wanted <= clock_now(thread)) return UINT64_MAX; /* none, or it was told, or will be */
  return wanted - rthread->replay.last_clock + rthread->replay.last_position - rthread->ticks;
}

static void want(unsigned slot, uint64_t clock) {
  uint64_t wanted = atomic_load(&region->news[slot].wanted);
  while ((!wanted || clock < wanted) &&
         !atomic_compare_exchange_weak(&region->news[slot].wanted, &wanted, clock)) {
  }
}

/* Makes the slot's thread come to a safepoint, the only place where it publishes its clock. The child of a fork has its parent's table. */
static void summon(const struct rthread *by, unsigned slot) {
  struct rthread *other = thread_in(slot);
  if (!other || !other->tid) return;
  if (other->pid == by->pid && residents[slot] && residents[slot]->rthread == other) {
    arch_request(residents[slot]);
    return;
  }
  atomic_store(&other->replay.summoned,
               1); /* a process that replays may not signal another: the manager does it */
  region_doorbell();
}

/* -- Whether it can ever end --------------------------------------------------------------------------------------------------- */

/* A thread of the process, besides this one, that has not come to the end of its log, or whose log was cut off. */
static struct rthread *straggler(const struct rthread *rthread) {
  for (uint32_t i = 0; i < region_slots(region); i++) {
    struct rthread *other = &region->slots[i];
    if (other == rthread || atomic_load(&other->state) != SLOT_LIVE || other->pid != rthread->pid) continue;
    if (atomic_load(&other->replay.waits_for) != ORDER_RETIRED || order_is_cut_off(other)) return other;
  }
  return NULL;
}

/* The child for which the kernel holds the thread. */
static struct rthread *borrower(const struct rthread *rthread) {
  for (uint32_t i = 0; i < region_slots(region); i++) {
    struct rthread *child = &region->slots[i];
    if (atomic_load(&child->state) == SLOT_LIVE &&
        atomic_load(&child->parallel.borrows) == slot_of(rthread) + 1)
      return child;
  }
  return NULL;
}

/* The slot that the thread waits for and that has not come so far yet; ORDER_NOBODY: it runs, or is about to. */
static unsigned awaited(const struct rthread *rthread) {
  uint32_t waits_for = atomic_load(&rthread->replay.waits_for);
  if (!waits_for || waits_for == ORDER_RETIRED || waits_for == ORDER_ROOM || waits_for == ORDER_VALUE)
    return ORDER_NOBODY;
  if (waits_for == ORDER_LEAVES || waits_for == ORDER_HELD) {
    const struct rthread *other = waits_for == ORDER_HELD ? borrower(rthread) : straggler(rthread);
    if (!other) return ORDER_NOBODY;
    bool never_began =
        other->replay.slot == ORDER_NOBODY && atomic_load(&other->replay.waits_for) == ORDER_RETIRED;
    return never_began ? rthread->replay.slot : other->replay.slot; /* for ever */
  }
  return order_replay_waits_for(&region->board, rthread->replay.slot, &rthread->step);
}

/* True if the thread makes no more steps: its log has ended, or it was killed from outside. */
static bool is_gone(const struct rthread *rthread) {
  return atomic_load(&rthread->replay.waits_for) == ORDER_RETIRED || !rthread_is_alive(rthread);
}

/* True if the thread can't go on by itself. A thread that is being ended with its process leaves its slot to a thread that waits for one. */
static bool is_stuck(const struct rthread *rthread) {
  uint32_t waits_for = atomic_load(&rthread->replay.waits_for);
  if (waits_for == ORDER_ROOM || waits_for == ORDER_VALUE) return true;
  if (atomic_load(&rthread->dismissed)) return !rthread_is_alive(rthread);
  return awaited(rthread) != ORDER_NOBODY || is_gone(rthread);
}

/* True if no thread runs any more. */
static bool all_wait(void) {
  for (uint32_t i = 0; i < region_slots(region); i++) {
    const struct rthread *rthread = &region->slots[i];
    if (atomic_load(&rthread->state) == SLOT_LIVE && !is_stuck(rthread)) return false;
  }
  return true;
}

/* True if the chain of waits from this thread on is a circle, or ends at a thread that makes no more steps. A condition that once
 * holds stays true, so a circle is one for ever. */
static bool is_circle(const struct rthread *from) {
  const struct rthread *at = from;
  for (unsigned i = 0; i <= REGION_SLOTS; i++) {
    unsigned slot = awaited(at);
    if (slot == ORDER_NOBODY) return false;
    at = thread_in(slot);
    if (!at) return false;
    if (at == from || is_gone(at)) return true;
  }
  return true;
}

bool order_is_cut_off(const struct rthread *rthread) {
  return atomic_load(&rthread->ring.broken) || atomic_load(&rthread->order_log.ring.broken);
}

/* A thread may wait for a step that is in the lost part of a log. */
static bool any_is_cut_off(void) {
  for (uint32_t i = 0; i < region_slots(region); i++)
    if (order_is_cut_off(&region->slots[i])) return true;
  return false;
}

/* True if a thread waits for one that was never born … */
static bool one_is_missing(void) {
  for (uint32_t i = 0; i < region_slots(region); i++) {
    const struct rthread *rthread = &region->slots[i];
    if (atomic_load(&rthread->state) != SLOT_LIVE) continue;
    unsigned slot = awaited(rthread);
    if (slot != ORDER_NOBODY && !thread_in(slot)) return true;
  }
  return false;
}

/* … and one that was killed in the recording, whose log has nothing more, not even its end. */
static const struct rthread *find_killed(void) {
  for (uint32_t i = 0; i < region_slots(region); i++) {
    const struct rthread *rthread = &region->slots[i];
    if (atomic_load(&rthread->state) == SLOT_LIVE &&
        atomic_load(&rthread->replay.waits_for) == ORDER_RETIRED && !rthread->input.next_bytes &&
        atomic_load(&rthread->ring.head) == atomic_load(&rthread->ring.tail))
      return rthread;
  }
  return NULL;
}

static _Noreturn void report_stuck(struct thread *thread) {
  char text[480];
  size_t n = 0;
  if (any_is_cut_off()) sphere_fail(OUTCOME_LOG_ENDS, NULL);
  const struct rthread *killed = find_killed();
  if (killed && one_is_missing()) /* the limit of baton_pass */
    sphere_fail(
        OUTCOME_LOG_ENDS,
        "thread %u was killed before it had logged the birth of a thread that others wait for: this is as "
        "far as can be replayed",
        killed->number);
  for (uint32_t i = 0; i < region_slots(region) && n + 80 < sizeof text; i++) {
    const struct rthread *rthread = &region->slots[i];
    if (atomic_load(&rthread->state) != SLOT_LIVE) continue;
    uint32_t waits_for = atomic_load(&rthread->replay.waits_for);
    unsigned slot = awaited(rthread);
    const struct rthread *other = slot == ORDER_NOBODY ? NULL : thread_in(slot);
    n += format(text + n, sizeof text - n, "%sthread %u at position %lu ", n ? ", " : "", rthread->number,
                rthread->order_log.ring.position);
    if (!waits_for)
      n += format(text + n, sizeof text - n, rthread_is_alive(rthread) ? "runs" : "was killed");
    else if (waits_for == ORDER_RETIRED)
      n += format(text + n, sizeof text - n, "has nothing more to do");
    else if (waits_for == ORDER_ROOM)
      n += format(text + n, sizeof text - n, "waits for a slot to be free");
    else if (waits_for == ORDER_VALUE)
      n += format(text + n, sizeof text - n, "waits for a value that it read in the recording");
    else if (other)
      n += format(text + n, sizeof text - n, "waits for %sthread %u",
                  waits_for == ORDER_LEAVES ? "the end of " : "", other->number);
    else
      n += format(text + n, sizeof text - n, "waits for one that is not there");
  }
  replay_diverged(thread, "threads wait for each other: %s", text);
}

/* -- Waiting ------------------------------------------------------------------------------------------------------------- */

static bool is_crowded(void) {
  return atomic_load(&region->live) - atomic_load(&region->sleepers) > os_processors();
}

static bool looks_for_a_while(const struct rthread *rthread) {
  unsigned me = rthread->replay.slot, slot;
  struct patience *patience = &patience_of[slot_of(rthread)];
  const struct order_wait *missing;
  patience_begin(patience);
  while ((missing = order_replay_missing(&region->board, me, &rthread->step, &slot))) {
    if (!patience_lasts(patience, is_crowded)) return false;
    if (engine_has_arcs(config.order) && patience->looks % LOOKS_PER_REQUEST == 0) {
      want(slot, missing->value);
      summon(rthread, slot);
    }
  }
  patience_pays(patience);
  return true;
}

/* Sleeps until the awaited slot has news. False: the time is over. */
static bool sleep(const struct rthread *whose, const struct order_wait *missing, unsigned slot) {
  unsigned me = whose->replay.slot, still;
  bool token = missing->kind == ORDER_WAIT_TOKENS, end = missing->kind == ORDER_WAIT_ENDS;
  struct region_news *news = &region->news[token ? me : slot];
  uint32_t seen = atomic_load(&news->changes);
  if (token)
    atomic_store(&news->sender, slot + 1);
  else if (end)
    atomic_fetch_add(&news->waiters, 1);
  else
    want(slot, missing->value);
  if (engine_has_arcs(config.order)) summon(whose, slot);
  atomic_fetch_add(&region->sleepers, 1);
  if (order_replay_missing(&region->board, me, &whose->step, &still) == missing && still == slot)
    region_wait(&news->changes, seen);
  atomic_fetch_sub(&region->sleepers, 1);
  if (token) atomic_store(&news->sender, 0);
  if (end) atomic_fetch_sub(&news->waiters, 1);
  return atomic_load(&news->changes) != seen;
}

/* After a wait that brought nothing. Where logs were cut off, threads that can still run do so up to the ends of their logs. A thread that has found
 * that it waits in vain checks again until it is sure. */
static void despair(struct thread *thread, const struct rthread *whose, bool in_vain, unsigned *rounds) {
  if (in_vain && !*rounds && !region_look_is_due(&region->looked)) return;
  bool hopeless = in_vain && (all_wait() || (is_circle(whose) && !any_is_cut_off()));
  *rounds = hopeless ? *rounds + 1 : 0;
  if (*rounds >= ROUNDS_TO_BE_SURE) report_stuck(thread);
}

static void wait_until_ready(struct thread *thread, struct rthread *whose) {
  unsigned me = whose->replay.slot, slot, rounds = 0;
  const struct order_wait *missing;
  while ((missing = order_replay_missing(&region->board, me, &whose->step, &slot))) {
    if (atomic_exchange(&whose->replay.waits_for, slot + 1) != slot + 1)
      LOG(threads, "R-thread %u, slot %u, at %lu: waits for slot %u", whose->number, me,
          order_position(thread), slot);
    despair(thread, whose, !sleep(whose, missing, slot), &rounds);
  }
  atomic_store(&whose->replay.waits_for, 0);
}

void order_wait(struct thread *thread) {
  struct rthread *rthread = thread->rthread;
  if (rthread->step.waits && !looks_for_a_while(rthread)) wait_until_ready(thread, rthread);
}

/* Others may wait for what the thread has done so far. */
void order_wait_for_value(struct thread *thread, bool (*holds)(void *context), void *context) {
  enum { YIELDS = 200 };
  struct rthread *rthread = thread->rthread;
  struct patience *patience = &patience_of[slot_of(rthread)];
  order_come_by(thread);
  patience_begin(patience);
  while (patience_lasts(patience, is_crowded))
    if (holds(context)) {
      patience_pays(patience);
      return;
    }
  for (unsigned i = 0; i < YIELDS && !holds(context); i++) os_call0(__NR_sched_yield);
  atomic_store(&rthread->replay.waits_for, ORDER_VALUE);
  for (unsigned rounds = 0; !holds(context);) {
    rest(thread, 1);
    despair(thread, rthread, !holds(context), &rounds);
  }
  atomic_store(&rthread->replay.waits_for, 0);
}

void order_wait_for_place(struct thread *thread, struct rthread *child) {
  if (child->replay.slot == ORDER_NOBODY) return;
  serial_wait_for_place(thread, child);
  wait_until_ready(thread, child);
}

void order_wait_for_ever(struct thread *thread) {
  for (unsigned rounds = 0;;) {
    rest(thread, 1);
    despair(thread, thread->rthread, true, &rounds);
  }
}

/* A retired thread has created all its children. So if the search finds no straggler, and no thread was born meanwhile, there is none. */
void order_wait_for_others(struct thread *thread) {
  struct rthread *rthread = thread->rthread;
  unsigned rounds = 0;
  serial_wait_for_others(thread);
  atomic_store(&rthread->replay.waits_for, ORDER_LEAVES);
  for (;;) {
    uint32_t seen = atomic_load(&region->retirements), births = region->threads;
    if (straggler(rthread)) {
      region_wait(&region->retirements, seen);
      despair(thread, rthread, atomic_load(&region->retirements) == seen, &rounds);
    } else if (region->threads == births) {
      break;
    }
  }
  atomic_store(&rthread->replay.waits_for, 0);
}
