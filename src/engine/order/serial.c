/* serial.c: turns in a serial replay of a parallel order. See serial.h.
 *
 * The thread that has the turn is the only one that changes the board, begins and ends steps, and chooses its successor, so the state it chooses by is
 * the same in every replay. Events outside the turns (a killed process leaves, the kernel releases the parent of
 * a vfork, the manager frees a slot) must not affect the choice: a candidate is known by the state that a thread with the turn has given it, never by
 * whether its thread has come to wait already, and by its number, never by its slot. A turn waits in rthread.turn for a thread that is late.
 *
 * When no candidate is ready, none ever will be. Then all threads fall back to the waits of replay_waits.c, which find out why and say so. */
#include "engine/order/serial.h"

#include "engine/base/lib.h"
#include "engine/order/replay_waits.h"
#include "engine/order/rthreads.h"
#include "engine/region/debug.h"
#include "engine/region/rest.h"
#include "engine/region/rings.h"

/* In rthread.serial. */
enum serial_state {
  SERIAL_OUT,   /* takes no turns */
  SERIAL_RUNS,  /* has the turn */
  SERIAL_STEP,  /* is at a step; ready when that is */
  SERIAL_PLACE, /* is about to make a child, whose slot has to be free; ready when the child's first step is */
  SERIAL_LEAVES,  /* ends its process; ready when all its other threads are at the ends of their logs */
  SERIAL_HELD,    /* is in the kernel until its child lets it go */
  SERIAL_RESUMES, /* was let go; ready */
};

/* -- Who is next ----------------------------------------------------------------------------------------------------- */

static bool step_is_ready(const struct rthread *rthread) {
  return order_replay_ready(&region->board, rthread->replay.slot, &rthread->step);
}

/* Threads that were killed before their first step never take a turn. Threads whose logs were cut off ran on, to an unknown position. */
static bool is_last_of_process(const struct rthread *rthread) {
  for (uint32_t i = 0; i < region_slots(region); i++) {
    const struct rthread *other = &region->slots[i];
    if (other == rthread || atomic_load(&other->state) != SLOT_LIVE || other->pid != rthread->pid) continue;
    if (atomic_load(&other->serial.state) != SERIAL_OUT) return false;
    if (atomic_load(&other->replay.waits_for) == ORDER_RETIRED && order_is_cut_off(other)) return false;
  }
  return true;
}

static bool is_ready(const struct rthread *rthread) {
  switch (atomic_load(&rthread->serial.state)) {
    case SERIAL_STEP:
      return step_is_ready(rthread);
    case SERIAL_PLACE:
      return step_is_ready(&region->slots[rthread->serial.child]);
    case SERIAL_LEAVES:
      return is_last_of_process(rthread);
    default:
      return true; /* SERIAL_RESUMES */
  }
}

static bool is_candidate(const struct rthread *rthread) {
  if (atomic_load(&rthread->state) != SLOT_LIVE) return false;
  uint32_t state = atomic_load(&rthread->serial.state);
  return state != SERIAL_OUT && state != SERIAL_RUNS && state != SERIAL_HELD;
}

/* Threads that have begun their step already, or have none to pass, come first. */
static uint64_t clock_of(const struct rthread *rthread) {
  bool has_clock = config.order == ENGINE_DAG || config.order == ENGINE_SCALAR;
  return has_clock && atomic_load(&rthread->serial.state) == SERIAL_STEP ? rthread->step.clock : 0;
}

static bool comes_before(const struct rthread *a, const struct rthread *b) {
  uint64_t of_a = clock_of(a), of_b = clock_of(b);
  return of_a != of_b ? of_a < of_b : a->number < b->number;
}

static struct rthread *choose(void) {
  struct rthread *best = NULL;
  for (uint32_t i = 0; i < region_slots(region); i++) {
    struct rthread *rthread = &region->slots[i];
    if (is_candidate(rthread) && (!best || comes_before(rthread, best)) && is_ready(rthread)) best = rthread;
  }
  return best;
}

/* -- Turns -------------------------------------------------------------------------------------------------------------- */

static void fall_back(void) {
  atomic_store(&region->turns_over, 1);
  for (uint32_t i = 0; i < region_slots(region); i++) region_wake(&region->slots[i].turn, INT32_MAX);
}

static void pass_turn(void) {
  if (atomic_load(&region->turns_over)) return;
  struct rthread *next = choose();
  if (!next) {
    atomic_store(&region->holder, 0);
    fall_back();
    return;
  }
  region_count_turn(region, next->number, atomic_load(&next->order_log.ring.position));
  atomic_store(&region->holder, slot_of(next) + 1);
  atomic_store(&next->turn, 1);
  region_wake(&next->turn, 1);
}

static void await_turn(struct thread *thread) {
  struct rthread *own = thread->rthread;
  uint32_t given = 1;
  if (debugged()) debug_rests(arch_self());
  while (!atomic_compare_exchange_strong(&own->turn, &given, 0) && !atomic_load(&region->turns_over)) {
    given = 1;
    rest(thread, atomic_load(&region->live));
  }
  if (debugged()) debug_runs(arch_self());
  atomic_store(&own->serial.state, SERIAL_RUNS);
}

/* Passes the turn on, unless the thread is new, and waits for it, in the state that says when it may come. */
static void take_turns(struct thread *thread, enum serial_state state) {
  struct rthread *own = thread->rthread;
  if (has_checkpoints() && atomic_load(&own->serial.state) == SERIAL_RUNS) rest_point(thread);
  if (atomic_exchange(&own->serial.state, state) == SERIAL_RUNS) pass_turn();
  await_turn(thread);
}

/* -- What threads do ------------------------------------------------------------------------------------------------------ */

void serial_found(struct rthread *first) {
  if (!in_series()) return;
  atomic_store(&first->turn, 0);
  atomic_store(&first->serial.state, SERIAL_RUNS);
}

static uint32_t count_live(void) {
  uint32_t count = 0;
  for (uint32_t i = 0; i < region_slots(region); i++)
    count += atomic_load(&region->slots[i].state) == SLOT_LIVE;
  return count;
}

/* Nobody has the turn yet, so no thread is born or ends meanwhile. */
void serial_come_back(struct thread *thread, bool has_step) {
  if (!in_series()) return;
  atomic_store(&thread->rthread->turn, 0); /* what a replay in chunks begins with */
  atomic_store(&thread->rthread->serial.state, has_step ? SERIAL_STEP : SERIAL_OUT);
  if (atomic_fetch_add(&region->came_back, 1) + 1 == count_live()) pass_turn();
  if (has_step) await_turn(thread);
}

void serial_adopt(struct rthread *child) {
  if (in_series()) atomic_store(&child->serial.state, SERIAL_STEP);
}

void serial_step(struct thread *thread) {
  if (in_series()) take_turns(thread, SERIAL_STEP);
}

void serial_wait_for_place(struct thread *thread, struct rthread *child) {
  if (!in_series() || step_is_ready(child)) return;
  thread->rthread->serial.child = slot_of(child);
  take_turns(thread, SERIAL_PLACE);
}

void serial_wait_for_others(struct thread *thread) {
  if (in_series()) take_turns(thread, SERIAL_LEAVES);
}

void serial_hold(struct thread *thread) {
  if (!in_series()) return;
  atomic_store(&thread->rthread->serial.state, SERIAL_HELD);
  pass_turn();
}

void serial_resume(struct thread *thread) {
  if (in_series()) await_turn(thread);
}

void serial_let_go(uint32_t lender) {
  if (in_series() && lender) atomic_store(&region->slots[lender - 1].serial.state, SERIAL_RESUMES);
}

void serial_leave(struct rthread *rthread) {
  if (!in_series()) return;
  if (debugged() && arch_self()->rthread == rthread) debug_rests(arch_self()); /* for ever */
  bool runs = atomic_exchange(&rthread->serial.state, SERIAL_OUT) == SERIAL_RUNS;
  serial_let_go(atomic_load(&rthread->parallel.borrows));
  if (runs) pass_turn();
}

bool serial_has_followers(const struct rthread *rthread, bool group) {
  for (uint32_t i = 0; i < region_slots(region); i++) {
    const struct rthread *other = &region->slots[i];
    bool ends = other == rthread || (group && other->pid == rthread->pid);
    if (atomic_load(&other->state) == SLOT_LIVE && !ends && atomic_load(&other->serial.state) != SERIAL_OUT)
      return true;
  }
  return false;
}
