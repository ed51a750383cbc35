/* live.c: the recorded threads' part in a checkpoint of the running program. See live.h; threads/live_vessel.c makes the copy of the process. */
#include "engine/region/live.h"

#include <linux/mman.h>
#include <linux/time.h>

#include "engine/base/lib.h"
#include "engine/region/endings.h"
#include "engine/region/rest.h"
#include "engine/region/rings.h"

static struct region_checkpoint *checkpoint(void) {
  return &region->checkpoint;
}

/* -- At rest ---------------------------------------------------------------------------------------------------------------- */

static struct arch_mark *mark_of(struct thread *thread) {
  uintptr_t at = (uintptr_t)thread + SLOT_MARK;
  if (thread->mark) return thread->mark;
  long result = os_call6(__NR_mmap, at, SLOT_MARK_SIZE, PROT_READ | PROT_WRITE,
                         MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED | MAP_NORESERVE, -1, 0);
  if (os_failed(result)) sphere_fail(OUTCOME_FAILED, "no memory for the mark of a thread");
  thread->mark = (struct arch_mark *)at;
  return thread->mark;
}

/* What the hardware holds of the application is in the mark: nothing changes it before the thread has the baton again. A thread that a replay makes of the mark
 * finds no frame here any more, and goes on elsewhere. */
void live_rests(struct thread *thread) {
  if (!live_on()) return;
  if (arch_mark(mark_of(thread))) vessel_maker->resumed_live();
  struct rthread *own = arch_self()->rthread;
  own->checkpoint.shares_memory = !vessel_maker->is_alone();
  atomic_store(&own->checkpoint.at_rest, 1);
}

void live_thaw(void) {
  atomic_store(&checkpoint()->freezes, 0);
  region_wake(&checkpoint()->freezes, INT32_MAX);
}

/* Its maker may be killed before it is made. */
static void look_after_maker(void) {
  uint32_t maker = atomic_load(&checkpoint()->maker);
  if (!maker || !task_is_dead((int32_t)maker)) return;
  live_thaw();
  atomic_compare_exchange_strong(&checkpoint()->maker, &maker, 0);
}

void live_wakes(struct thread *thread) {
  _Atomic uint32_t *at_rest = &thread->rthread->checkpoint.at_rest;
  if (!live_on()) return;
  for (;;) {
    atomic_store(at_rest, 0);
    if (!atomic_load(&checkpoint()->freezes)) return;
    atomic_store(at_rest, 1);
    live_serve(thread);
    region_wait_briefly(&checkpoint()->freezes, 1);
    look_after_maker();
  }
}

/* -- A checkpoint ------------------------------------------------------------------------------------------------------------ */

/* Threads that are being born, or end, are not at rest: they come to it, or are gone, soon. */
enum checkpoint_refusal live_look_at_others(const struct rthread *own) {
  enum checkpoint_refusal refusal = CHECKPOINT_POSSIBLE;
  for (uint32_t i = 0; i < region_slots(region) && !refusal; i++) {
    const struct rthread *other = &region->slots[i];
    if (other == own || atomic_load(&other->state) != SLOT_LIVE) continue;
    if (!atomic_load(&other->checkpoint.at_rest))
      refusal = CHECKPOINT_LATE;
    else if (other->vforks || other->checkpoint.shares_memory)
      refusal = CHECKPOINT_BORROWED;
  }
  return refusal;
}

enum checkpoint_refusal live_refusal(void) {
  enum checkpoint_refusal before = atomic_load(&checkpoint()->refusal);
  if (before == CHECKPOINT_UNFORKED) return before;
  if (region->shares) return CHECKPOINT_SHARED;
  if (atomic_load(&checkpoint()->unstored)) return CHECKPOINT_UNSTORED;
  return vessel_maker->is_alone() ? CHECKPOINT_POSSIBLE : CHECKPOINT_BORROWED;
}

bool live_is_possible(struct thread *thread) {
  enum checkpoint_refusal refusal = live_refusal();
  if (!refusal) refusal = live_look_at_others(thread->rthread);
  atomic_store(&checkpoint()->refusal, refusal);
  return !refusal;
}

/* True if the thread is the first of its process in the region. */
static bool leads(const struct rthread *rthread) {
  for (const struct rthread *other = region->slots; other < rthread; other++)
    if (atomic_load(&other->state) == SLOT_LIVE && other->pid == rthread->pid) return false;
  return true;
}

/* Another process makes its vessel by one of its threads, wherever that waits: it is woken, or its call is interrupted and then goes on. A signal that
 * comes just before the call is lost, so there are more. A process that is stopped, or dead, can't do it. */
static bool make_other(struct rthread *other) {
  enum { TRIES = 30 };
  uint32_t wanted = 1;
  other->checkpoint.vessel = 0;
  atomic_store(&other->checkpoint.forks, wanted);
  for (int i = 0; i < TRIES && atomic_load(&other->checkpoint.forks) && !task_is_dead(other->tid); i++) {
    region_wake(&other->turn, INT32_MAX);
    region_wake(&checkpoint()->freezes, INT32_MAX);
    kick_thread(other->pid, other->tid);
    region_wait_briefly(&other->checkpoint.forks, wanted);
  }
  while (!atomic_compare_exchange_strong(&other->checkpoint.forks, &wanted, 0)) {
    if (!wanted) return other->checkpoint.vessel;
    region_wait_briefly(&other->checkpoint.forks, wanted); /* it is just doing it */
    if (task_is_dead(other->tid)) return false;
    wanted = 1;
  }
  return false;
}

static bool make_others(const struct rthread *own) {
  for (uint32_t i = 0; i < region_slots(region); i++) {
    struct rthread *other = &region->slots[i];
    if (atomic_load(&other->state) != SLOT_LIVE || other->pid == own->pid || !leads(other)) continue;
    if (!make_other(other)) return false;
    checkpoint()->processes++;
  }
  return true;
}

void live_serve(struct thread *thread) {
  _Atomic uint32_t *forks = &thread->rthread->checkpoint.forks;
  uint32_t wanted = 1;
  if (!live_on() || !atomic_load_explicit(forks, memory_order_relaxed)) return;
  if (!atomic_compare_exchange_strong(forks, &wanted, 2)) return;
  vessel_maker->make_live(thread);
  atomic_store(forks, 0);
  region_wake(forks, INT32_MAX);
}

void live_trigger(void) {
  atomic_fetch_add(&checkpoint()->triggers, 1);
  region_doorbell();
}

uint64_t live_now(void) {
  struct {
    int64_t seconds, nanoseconds;
  } time = {0, 0};
  os_call2(__NR_clock_gettime, CLOCK_MONOTONIC, &time);
  return (uint64_t)time.seconds * 1000000000 + (uint64_t)time.nanoseconds;
}

/* Also those that a maker has left which was killed. */
static void forget_vessels(void) {
  for (uint32_t i = 0; i < region_slots(region); i++) region->slots[i].checkpoint.vessel = 0;
}

bool live_make(struct thread *thread) {
  uint64_t begun = live_now();
  forget_vessels();
  checkpoint()->moment.thread = thread->number;
  checkpoint()->moment.position = arch_position(thread);
  checkpoint()->processes = 1;
  bool others = make_others(thread->rthread);
  region_ask(REQUEST_CHECKPOINT, others ? vessel_maker->make_live(thread) : -EAGAIN);
  checkpoint()->made += others;
  checkpoint()->longest = MAX(checkpoint()->longest, live_now() - begun);
  return others;
}
