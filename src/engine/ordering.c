/* ordering.c: replaying a thread's order log. See ordering.h; the rules are order/replay.h.
 *
 * Whoever waits looks now and then whether anybody can ever come: when all wait for each other, or for one whose log has ended, the
 * replay has diverged, and is ended with a line that says who waits for whom. */
#include "engine/ordering.h"

#include "engine/baton.h"
#include "engine/lib.h"
#include "engine/log.h"
#include "engine/sphere.h"

enum {
  RETIRED = UINT16_MAX,
  NO_SLOT = UINT16_MAX,
  SPINS = 2000,
  SPINS_PER_REQUEST = 250,
  ROUNDS_TO_BE_SURE = 4
};

void order_tick(struct thread *thread) {
  if (!in_parallel()) return;
  thread->rthread->ticks++;
  if (replaying()) arch_set_stop(thread, MIN(arch_stop(thread), order_stop(thread)));
}

void order_write(struct thread *thread, uintptr_t address, size_t bytes) {
  if (!in_parallel()) return;
  if (recording())
    permissions_take_range(thread, address, bytes, true);
  else
    order_gate(thread);
}

/* -- The log ----------------------------------------------------------------------------------------------------------- */

/* The next step; false at the end of the log. */
static bool read_step(struct rthread *rthread) {
  static const struct order_scheme *const schemes[] = {[ENGINE_DAG] = &order_dag,
                                                       [ENGINE_NAMED] = &order_named,
                                                       [ENGINE_SCALAR] = &order_scalar,
                                                       [ENGINE_ARCS] = &order_arcs};
  rthread->reader.scheme = schemes[config.order];
  for (;;) {
    size_t count;
    const uint8_t *bytes = ring_content(&rthread->order, &count);
    int used = order_decode(&rthread->reader, &rthread->step, bytes, count);
    if (used < 0) sphere_fail(OUTCOME_DAMAGED, "the order log of thread %u is damaged", rthread->number);
    if (used > 0) {
      ring_consume(&rthread->order, (size_t)used);
      rthread->step_passed = false;
      return true;
    }
    if (!ring_await(&rthread->order, count)) return false;
  }
}

/* Those who wait for the slot are to look again. */
static void tell(uint32_t slot) {
  atomic_fetch_add(&region->news[slot].changes, 1);
  if (atomic_load(&region->news[slot].waiters)) region_wake(&region->news[slot].changes, INT32_MAX);
}

static struct rthread *thread_in(uint32_t slot) {
  for (uint32_t i = 0; i < REGION_SLOTS; i++) {
    struct rthread *rthread = &region->slots[i];
    if (atomic_load(&rthread->state) == SLOT_LIVE && rthread->order_slot == slot) return rthread;
  }
  return NULL;
}

/* -- Arcs: others may wait for any position -------------------------------------------------------------------------------- */

static struct thread *residents[REGION_SLOTS]; /* threads of this process, by their slots in the recording */

static uint64_t clock_now(const struct thread *thread) {
  const struct rthread *rthread = thread->rthread;
  return rthread->last_clock + order_position(thread) - rthread->last_position;
}

static void publish_clock(struct thread *thread) {
  unsigned me = thread->rthread->order_slot;
  if (me == NO_SLOT) return;
  residents[me] = thread;
  order_replay_publish(&region->board, me, clock_now(thread));
  uint64_t wanted = atomic_load(&region->news[me].wanted);
  if (wanted && wanted <= clock_now(thread)) {
    atomic_compare_exchange_strong(&region->news[me].wanted, &wanted, 0);
    tell(me);
  }
}

/* The instruction count at which somebody wants to be told. */
static uint64_t wanted_stop(const struct thread *thread) {
  const struct rthread *rthread = thread->rthread;
  uint64_t wanted = atomic_load(&region->news[rthread->order_slot].wanted);
  if (wanted <= clock_now(thread)) wanted = 0; /* it was told, or will be */
  return wanted ? wanted - rthread->last_clock + rthread->last_position - rthread->ticks : UINT64_MAX;
}

/* Makes the slot's thread come by, and tell when it has come so far. */
static void want(unsigned slot, uint64_t clock) {
  uint64_t wanted = atomic_load(&region->news[slot].wanted);
  while ((!wanted || clock < wanted) &&
         !atomic_compare_exchange_weak(&region->news[slot].wanted, &wanted, clock)) {
  }
  if (residents[slot]) {
    arch_request(residents[slot]);
    return;
  }
  const struct rthread *other = thread_in(slot);
  if (other && other->tid) kick_thread(other->pid, other->tid);
}

static uint64_t clock_wanted(const struct order_step *step, unsigned slot) {
  for (unsigned i = 0; i < step->waits; i++)
    if (step->wait[i].slot == slot && step->wait[i].kind == ORDER_WAIT_CLOCK) return step->wait[i].value;
  return 0;
}

/* -- Births ------------------------------------------------------------------------------------------------------------------ */

void order_adopt(struct rthread *child) {
  child->order_slot = NO_SLOT;
  child->order_ended = !read_step(child);
  if (child->order_ended) return; /* it was killed before it did anything */
  child->order_slot = child->step.slot;
  child->last_clock = child->step.clock;
  order_replay_publish(&region->board, child->order_slot, child->step.clock);
  order_replay_spawn(&region->board, child->order_slot);
  tell(child->order_slot);
}

/* -- Waiting ------------------------------------------------------------------------------------------------------------- */

/* The slot that the thread waits for and that has not come so far yet; ORDER_NOBODY: it runs, or is about to. */
static unsigned awaited(const struct rthread *rthread) {
  uint32_t waits_for = atomic_load(&rthread->waits_for);
  if (!waits_for || waits_for == RETIRED) return ORDER_NOBODY;
  return order_replay_waits_for(&region->board, rthread->order_slot, &rthread->step);
}

/* Whether nobody runs any more. */
static bool all_wait(void) {
  for (uint32_t i = 0; i < REGION_SLOTS; i++) {
    struct rthread *rthread = &region->slots[i];
    if (atomic_load(&rthread->state) != SLOT_LIVE || atomic_load(&rthread->waits_for) == RETIRED) continue;
    if (awaited(rthread) == ORDER_NOBODY) return false;
  }
  return true;
}

/* Whether those that wait for each other, from this thread on, do so in a circle, or for one that comes no further. What a
 * thread waits for stays so once it is there, so a circle is one for ever. */
static bool is_circle(const struct rthread *from) {
  const struct rthread *at = from;
  for (unsigned i = 0; i <= REGION_SLOTS; i++) {
    unsigned slot = awaited(at);
    if (slot == ORDER_NOBODY) return false;
    at = thread_in(slot);
    if (!at) return false;
    if (at == from || atomic_load(&at->waits_for) == RETIRED) return true;
  }
  return true;
}

static _Noreturn void report_stuck(void) {
  char text[900];
  size_t n = 0;
  for (uint32_t i = 0; i < REGION_SLOTS && n + 80 < sizeof text; i++) {
    struct rthread *rthread = &region->slots[i];
    if (atomic_load(&rthread->state) != SLOT_LIVE) continue;
    uint32_t waits_for = atomic_load(&rthread->waits_for);
    const struct rthread *other = waits_for && waits_for != RETIRED ? thread_in(waits_for - 1) : NULL;
    n += format(text + n, sizeof text - n, "%sthread %u at position %lu ", n ? ", " : "", rthread->number,
                rthread->order.position);
    if (!waits_for)
      n += format(text + n, sizeof text - n, "runs");
    else if (waits_for == RETIRED)
      n += format(text + n, sizeof text - n, "has nothing more to do");
    else if (other)
      n += format(text + n, sizeof text - n, "waits for thread %u", other->number);
    else
      n += format(text + n, sizeof text - n, "waits for one that is not there");
  }
  sphere_fail(OUTCOME_DIVERGED, "replay diverged: threads wait for each other: %s", text);
}

static void wait_for_step(struct thread *thread) {
  struct rthread *rthread = thread->rthread;
  unsigned me = rthread->order_slot, rounds = 0;
  const struct order_step *step = &rthread->step;
  for (unsigned spins = 0; spins < SPINS; spins++) {
    unsigned slot = order_replay_waits_for(&region->board, me, step);
    if (slot == ORDER_NOBODY) return;
    if (config.order == ENGINE_ARCS && spins % SPINS_PER_REQUEST == 0) want(slot, clock_wanted(step, slot));
    arch_relax();
  }
  for (;;) {
    unsigned slot = order_replay_waits_for(&region->board, me, step);
    if (slot == ORDER_NOBODY) break;
    uint32_t seen = atomic_load(&region->news[slot].changes);
    if (atomic_exchange(&rthread->waits_for, slot + 1) != slot + 1)
      LOG(threads, "R-thread %u, slot %u, at %lu: waits for slot %u", rthread->number, me,
          order_position(thread), slot);
    atomic_fetch_add(&region->news[slot].waiters, 1);
    if (config.order == ENGINE_ARCS) want(slot, clock_wanted(step, slot));
    if (order_replay_waits_for(&region->board, me, step) == slot)
      region_wait(&region->news[slot].changes, seen);
    atomic_fetch_sub(&region->news[slot].waiters, 1);
    bool hopeless = atomic_load(&region->news[slot].changes) == seen && (is_circle(rthread) || all_wait());
    rounds = hopeless ? rounds + 1 : 0;
    if (rounds >= ROUNDS_TO_BE_SURE) report_stuck();
  }
  atomic_store(&rthread->waits_for, 0);
}

/* Whether all threads of the process, 0: of all processes, have come to the ends of their logs. */
static bool all_retired(int32_t pid) {
  for (uint32_t i = 0; i < REGION_SLOTS; i++) {
    struct rthread *rthread = &region->slots[i];
    if (atomic_load(&rthread->state) == SLOT_LIVE && (!pid || rthread->pid == pid) &&
        atomic_load(&rthread->waits_for) != RETIRED)
      return false;
  }
  return true;
}

/* The process was killed in the recording. */
static _Noreturn void leave(const struct rthread *own, bool first) {
  int32_t pid = own->pid;
  if (first) sphere_fail(OUTCOME_LOG_ENDS, NULL);
  for (uint32_t i = 0; i < REGION_SLOTS; i++) {
    struct rthread *rthread = &region->slots[i];
    if (rthread->pid == pid) rthread_end(rthread);
  }
  for (;;) os_call1(__NR_exit_group, 0);
}

/* The recording knows no more of the thread: it was ended from outside here, with its process or with the whole sphere. */
void order_lost(struct thread *thread) {
  struct rthread *rthread = thread->rthread;
  static _Atomic uint32_t never;
  LOG(threads, "its order log ends");
  if (rthread->order_slot != NO_SLOT) {
    order_replay_end(&region->board, rthread->order_slot);
    tell(rthread->order_slot);
  }
  atomic_store(&rthread->waits_for, RETIRED);
  for (;;) {
    bool first = !rthread->process; /* with it the replay ends, as soon as nobody else is left */
    if (all_retired(first ? 0 : rthread->pid)) leave(rthread, first);
    region_wait(&never, 0);
  }
}

/* -- The gate ---------------------------------------------------------------------------------------------------------------- */

static void log_step(const struct rthread *rthread) {
  const struct order_step *step = &rthread->step;
  char text[300] = "";
  size_t n = 0;
  if (!(config.log_channels >> LOG_order & 1)) return;
  for (unsigned i = 0; i < step->waits && n + 40 < sizeof text; i++)
    n += format(text + n, sizeof text - n, ", after slot %u (%lu)", step->wait[i].slot, step->wait[i].value);
  for (unsigned i = 0; i < step->signals && n + 40 < sizeof text; i++)
    n += format(text + n, sizeof text - n, ", before slot %u", step->signal[i]);
  LOG(order, "slot %u: from %lu to %lu, clock %lu%s", rthread->order_slot, step->from, step->until,
      step->clock, text);
}

/* Goes through all steps at the thread's position. False: the log ends there. */
static bool pass_steps(struct thread *thread) {
  struct rthread *rthread = thread->rthread;
  uint64_t position = order_position(thread);
  unsigned me = rthread->order_slot;
  atomic_store(&rthread->order.position, position);
  if (config.order == ENGINE_ARCS) publish_clock(thread);
  for (;;) {
    if (rthread->order_ended) return false;
    if (!rthread->step_known) {
      rthread->order_ended = !read_step(rthread);
      rthread->step_known = !rthread->order_ended;
      if (rthread->step_known) log_step(rthread);
      continue;
    }
    struct order_step *step = &rthread->step;
    if (step->ends && step->from == position) {
      rthread->order_ended = true;
      return false;
    }
    if (step->from < position && !rthread->step_passed)
      replay_diverged(thread, "it has run past where it waited for others (%lu)", step->from);
    if (!rthread->step_passed) {
      if (step->from > position) return true;
      order_replay_arrive(&region->board, me, step);
      if (step->arrive) tell(me);
      wait_for_step(thread);
      order_replay_pass(&region->board, me, step);
      rthread->step_passed = true;
    }
    if (step->until > position) return true;
    if (step->until < position)
      replay_diverged(thread, "it has run past where others waited for it (%lu)", step->until);
    order_replay_done(&region->board, me, step);
    rthread->last_clock = step->clock;
    rthread->last_position = position;
    if (step->clock) tell(me);
    for (unsigned i = 0; i < step->signals; i++) tell(me);
    rthread->step_known = false;
  }
}

void order_gate(struct thread *thread) {
  if (!pass_steps(thread)) order_lost(thread);
}

uint64_t order_stop(const struct thread *thread) {
  const struct rthread *rthread = thread->rthread;
  uint64_t wanted = config.order == ENGINE_ARCS ? wanted_stop(thread) : UINT64_MAX;
  if (!rthread->step_known) return wanted;
  uint64_t stop = (rthread->step_passed ? rthread->step.until : rthread->step.from) - rthread->ticks;
  return MIN(stop, wanted);
}

void order_finish(struct thread *thread) {
  struct rthread *rthread = thread->rthread;
  if (pass_steps(thread)) replay_diverged(thread, "it ends before its order log does");
  if (rthread->order_slot == NO_SLOT) return;
  order_replay_end(&region->board, rthread->order_slot);
  tell(rthread->order_slot);
  rthread->order_slot = NO_SLOT;
}

void order_retire_others(struct thread *thread) {
  for (uint32_t i = 0; i < REGION_SLOTS; i++) {
    struct rthread *other = &region->slots[i];
    if (other != thread->rthread && atomic_load(&other->state) == SLOT_LIVE &&
        other->pid == thread->rthread->pid)
      atomic_store(&other->waits_for, RETIRED);
  }
}
