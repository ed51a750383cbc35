/* rest.c: rest, and the part of each thread in a checkpoint. See rest.h.
 *
 * The thread that has the turn makes the checkpoint. It freezes all threads at rest, waits until all others are at rest, has one thread of every other
 * process make the vessel of that process, makes the vessel of its own, and then tells the manager, which copies the region. A thread at rest may wake
 * up meanwhile, because its time is over; it clears its at_rest mark, and goes on only if the checkpoint does not freeze threads then. */
#include "engine/region/rest.h"

#include "engine/base/lib.h"
#include "engine/base/log.h"
#include "engine/region/debug.h"
#include "engine/region/endings.h"
#include "engine/region/rings.h"

const struct vessel_maker *vessel_maker;

static struct region_checkpoint *checkpoint(void) {
  return &region->checkpoint;
}

/* -- At rest ------------------------------------------------------------------------------------------------------------- */

static void get_up(struct thread *thread) {
  struct rthread *own = thread->rthread;
  for (;;) {
    atomic_store(&own->checkpoint.at_rest, 0);
    if (!atomic_load(&checkpoint()->freezes)) return;
    atomic_store(&own->checkpoint.at_rest, 1);
    /* In a runner the region already says that the vessel is made. */
    if (atomic_load(&own->checkpoint.forks) && !vessel_maker->make(thread)) {
      atomic_store(&own->checkpoint.forks, 0);
      region_wake(&own->checkpoint.forks, INT32_MAX);
    }
    region_wait(&checkpoint()->freezes, 1);
  }
}

void rest(struct thread *thread, uint32_t times) {
  _Atomic uint32_t *turn = &thread->rthread->turn;
  if (!has_checkpoints()) {
    region_wait_longer(turn, 0, times);
    return;
  }
  struct arch_mark mark;
  /* cppcheck-suppress autoVariables ; only while this function waits */
  thread->mark = &mark;
  os_call4(__NR_rt_sigprocmask, SIG_SETMASK, 0, &thread->rest_mask, sizeof thread->rest_mask);
  if (arch_mark(&mark)) {
    vessel_maker->resumed(thread);
  } else {
    thread->rthread->checkpoint.shares_memory = !vessel_maker->is_alone();
    atomic_store(&thread->rthread->checkpoint.at_rest, 1);
    region_wait_longer(turn, 0, times);
    if (debugged() && debug_is_to_divert(thread)) vessel_maker->divert(thread);
  }
  get_up(thread);
}

/* -- A checkpoint ---------------------------------------------------------------------------------------------------------- */

/* Threads whose process ends without them are not part of the checkpoint. */
static bool counts(const struct rthread *own, const struct rthread *other) {
  return other != own && atomic_load(&other->state) == SLOT_LIVE && !atomic_load(&other->dismissed);
}

static bool memory_is_lent(void) {
  for (uint32_t i = 0; i < region_slots(region); i++) {
    const struct rthread *rthread = &region->slots[i];
    if (atomic_load(&rthread->state) == SLOT_LIVE &&
        (rthread->vforks || atomic_load(&rthread->parallel.borrows)))
      return true;
  }
  return !vessel_maker->is_alone();
}

/* How many others rest; -1: not all of them yet. */
static int others_at_rest(const struct rthread *own, bool *lent) {
  int count = 0;
  for (uint32_t i = 0; i < region_slots(region); i++) {
    const struct rthread *other = &region->slots[i];
    if (!counts(own, other)) continue;
    if (!atomic_load(&other->checkpoint.at_rest)) return -1;
    *lent |= other->checkpoint.shares_memory;
    count++;
  }
  return count;
}

/* Waits for a while until all threads rest, and checks that no process shares its memory. */
static enum checkpoint_refusal freeze(const struct rthread *own) {
  enum { LOOKS_MOST = 200000 };
  atomic_store(&checkpoint()->freezes, 1);
  for (int i = 0; i < LOOKS_MOST; i++) {
    bool lent = false;
    int count = others_at_rest(own, &lent);
    if (lent) return CHECKPOINT_BORROWED;
    if (count >= 0) {
      atomic_store(&checkpoint()->missing, (uint32_t)count + 1);
      return CHECKPOINT_POSSIBLE;
    }
    os_call0(__NR_sched_yield);
  }
  return CHECKPOINT_LATE;
}

static void thaw(void) {
  atomic_store(&checkpoint()->freezes, 0);
  region_wake(&checkpoint()->freezes, INT32_MAX);
}

/* True if the thread is the first of its process in the region. */
static bool leads(const struct rthread *own, const struct rthread *rthread) {
  for (const struct rthread *other = region->slots; other < rthread; other++)
    if (counts(own, other) && other->pid == rthread->pid) return false;
  return true;
}

static void make_other_vessels(const struct rthread *own) {
  for (uint32_t i = 0; i < region_slots(region); i++) {
    struct rthread *other = &region->slots[i];
    if (!counts(own, other) || other->pid == own->pid || !leads(own, other)) continue;
    checkpoint()->processes++;
    atomic_store(&other->checkpoint.forks, 1);
    region_wake(&other->turn, INT32_MAX);
    region_wake(&checkpoint()->freezes, INT32_MAX);
    while (atomic_load(&other->checkpoint.forks)) {
      region_wait(&other->checkpoint.forks, 1);
      if (atomic_load(&other->checkpoint.forks) && task_state(other->tid) == 'X')
        sphere_fail(OUTCOME_FAILED, "a process was killed while a checkpoint was made");
    }
  }
}

static enum checkpoint_refusal may_be_made(const struct rthread *own) {
  if (atomic_load(&checkpoint()->refusal) == CHECKPOINT_UNFORKED) return CHECKPOINT_UNFORKED;
  if (memory_is_lent()) return CHECKPOINT_BORROWED;
  enum checkpoint_refusal refusal = freeze(own);
  if (refusal) thaw();
  return refusal;
}

/* A runner finds the region as it was when the manager copied it: frozen, until all threads are there. */
static void await_others(void) {
  while (atomic_load(&checkpoint()->freezes)) region_wait(&checkpoint()->freezes, 1);
}

static void make(struct thread *thread) {
  struct rthread *own = thread->rthread;
  uint32_t refusal = may_be_made(own);
  atomic_store(&checkpoint()->refusal, refusal);
  if (refusal) return;
  checkpoint()->processes = 1;
  make_other_vessels(own);
  if (vessel_maker->make(thread)) {
    await_others();
    if (debugged()) debug_restarted(thread);
    return;
  }
  int64_t error = region_ask(REQUEST_CHECKPOINT, 0);
  if (error) sphere_fail(OUTCOME_FAILED, "no checkpoint could be made (error %ld)", (long)-error);
  thaw();
}

/* Where a debugged replay begins and ends it stops whatever is wanted: a checkpoint before the one or behind the other would have it stop there twice, or never. */
static bool is_between_ends(void) {
  return !debugged() || (region->debug.begun && region->debug.stop.reason != DEBUG_ENDS);
}

void rest_point(struct thread *thread) {
  struct region_checkpoint *wanted = checkpoint();
  uint32_t wish = atomic_load(&wanted->wish);
  uint64_t point = atomic_load_explicit(&wanted->points, memory_order_relaxed) + 1;
  if (debugged()) debug_at_rest_point(thread);
  atomic_store_explicit(&wanted->points, point, memory_order_relaxed);
  if (!wish || point < atomic_load(&wanted->at_point)) return;
  if (atomic_load(&region->turns_over)) return; /* no thread has the turn */
  if (!is_between_ends()) return;
  wanted->moment.turn = atomic_load(&region->turns);
  wanted->moment.thread = thread->number;
  wanted->moment.position = arch_position(thread);
  if (wish == CHECKPOINT_MAKE) make(thread);
  if (wish == CHECKPOINT_MAKE) return;
  region_ask(REQUEST_HALT, 0);
  region_wait_for_death();
}
