/* rthreads.c: slots of the region, one for each R-thread that lives. See rthreads.h.
 *
 * A slot is free again when its thread has ended and the manager has closed its streams. Some threads end without logging it: those of a
 * process that another thread ends, or that is killed. Their slots are looked for when none is free.
 *
 * There is room for many more threads than most programs have. Slots that are never used cost nothing, so at first only some slots are
 * handed out, and more of them when that many threads live at a time. */
#include "engine/order/rthreads.h"

#include "engine/base/lib.h"
#include "engine/order/baton.h"
#include "engine/order/permissions.h"
#include "engine/order/replay_waits.h"
#include "engine/region/endings.h"
#include "engine/region/turns.h"

enum { SLOTS_AT_FIRST = 512 };

/* 'R' as long as its thread is not there yet. At an execve of another thread the kernel first ends the process's first thread: until
 * then that other thread is known by its own id. */
char rthread_state(const struct rthread *rthread) {
  int32_t former = rthread->former;
  if (!rthread->tid) return 'R';
  char state = 'X';
  if (former) state = task_state(former);
  if (state == 'X') state = task_state(rthread->tid);
  return state;
}

/* A killed thread stays a zombie until its parent waits for it. */
bool rthread_is_alive(const struct rthread *rthread) {
  char state = rthread_state(rthread);
  return state != 'X' && state != 'Z';
}

void rthread_check_output(const struct rthread *dead) {
  if (recording() && atomic_load(&dead->input.unlogged))
    sphere_fail(
        OUTCOME_UNSUPPORTED,
        "a process was killed while it wrote to standard output or error, before that could be recorded");
}

/* -- Threads that ended unlogged ---------------------------------------------------------------------------------------------- */

/* In a replay only threads whose process has ended without them: other threads find out if a thread is killed otherwise, and report it. */
static bool may_be_gone(const struct rthread *rthread) {
  return recording() || atomic_load(&rthread->dismissed);
}

bool rthreads_end_gone(struct thread *by) {
  bool any = false;
  for (uint32_t i = 0; i < region_slots(region); i++) {
    struct rthread *rthread = &region->slots[i];
    uint32_t number = rthread->number;
    if (atomic_load(&rthread->state) != SLOT_LIVE || !may_be_gone(rthread) || rthread_is_alive(rthread))
      continue;
    rthread_check_output(rthread);
    if (permissions_on()) permissions_bury(by, rthread);
    baton_forget(rthread, number);
    any = true;
  }
  return any;
}

/* -- Making and ending ------------------------------------------------------------------------------------------------------------ */

static void clear(struct rthread *rthread) {
  memset(rthread, 0, offsetof(struct rthread, step));
  rthread->step.waits = rthread->step.signals = 0;
  rthread->step.begins = rthread->step.ends = false;
  order_reader_reset(&rthread->reader);
}

/* Makes the slot the R-thread's, unless another was faster. */
static bool settle(struct rthread *rthread, uint32_t number) {
  region_lock();
  bool free = atomic_load(&rthread->state) == SLOT_FREE;
  if (free) {
    clear(rthread);
    rthread->number = replaying() && !turns->alone ? number : region->threads;
    region->threads++;
    rthread->chunk.quiet_since = UINT64_MAX;
    rthread->epoch = atomic_load(&region->epochs.last);
    atomic_fetch_add(&region->live, 1);
    rthread->parallel.is_known_elsewhere = slot_of(rthread) < region_slots(region);
    if (slot_of(rthread) >= region_slots(region)) atomic_store(&region->slots_used, slot_of(rthread) + 1);
    atomic_store(&rthread->state, SLOT_LIVE);
  }
  region_unlock();
  return free;
}

static uint32_t slots_open(void) {
  return MAX(region->slots_open, MIN(SLOTS_AT_FIRST, region->slots_most));
}

static bool has_room(uintptr_t start, size_t bytes) {
  return !os_call4(__NR_fallocate, region->descriptor, 0, start, bytes);
}

/* Allocates the region's memory for a recorded thread before the thread begins: in a full file system it would die of a signal that may
 * just be blocked. */
static void expect_room(uint32_t slot) {
  static _Atomic bool there[REGION_SLOTS];
  if (!region->in_file_system || !recording() || config.sandboxed || atomic_load(&there[slot])) return;
  uintptr_t own = (uintptr_t)&region->slots[slot] - REGION_BASE;
  uintptr_t handed = (uintptr_t)&region->directory[slot] - REGION_BASE;
  if (!has_room(own, offsetof(struct rthread, step)) || !has_room(handed, sizeof region->directory[slot]) ||
      !has_room(REGION_RING(1 + 2 * slot), 2UL * RING_BYTES))
    sphere_fail(OUTCOME_FAILED, REGION_IS_FULL);
  atomic_store(&there[slot], true);
}

/* NULL: none is free; ending: one will be. */
static struct rthread *find_room(uint32_t number, bool *ending) {
  /* In parallel a slot is best not used again: directories name its last thread, and requests meant for that would go to the new one. */
  uint32_t open = slots_open(), first = !turns->alone ? region->threads : 0;
  *ending = false;
  for (uint32_t i = 0; i < open; i++) {
    struct rthread *rthread = &region->slots[(first + i) % open];
    expect_room((first + i) % open);
    uint32_t state = atomic_load(&rthread->state);
    *ending |= state == SLOT_ENDED;
    if (state == SLOT_FREE && settle(rthread, number)) return rthread;
  }
  return NULL;
}

/* False: all are open already. */
static bool open_more(uint32_t open) {
  region_lock();
  if (slots_open() == open) region->slots_open = MIN(2 * open, region->slots_most);
  region_unlock();
  return open < region->slots_most;
}

/* Until the manager has freed a slot, or has freed one since `seen`. In a replay others may take longer to end than they did. */
static void wait_for_end(struct thread *parent, uint32_t seen) {
  if (parent && replaying()) atomic_store(&parent->rthread->replay.waits_for, ORDER_ROOM);
  region_doorbell();
  region_wait(&region->order.moved, seen);
  if (parent && replaying()) atomic_store(&parent->rthread->replay.waits_for, 0);
}

struct rthread *rthread_make(uint32_t number, struct thread *parent) {
  for (;;) {
    uint32_t open = slots_open(), seen = atomic_load(&region->order.moved);
    if (atomic_load(&region->births_held)) {
      wait_for_end(parent, seen);
      continue;
    }
    bool ending;
    struct rthread *rthread = find_room(number, &ending);
    if (rthread) {
      region_doorbell();
      return rthread;
    }
    if (!ending && !(parent && rthreads_end_gone(parent))) {
      if (open_more(open)) continue;
      if (recording()) return NULL;
      if (region->slots_most < REGION_SLOTS)
        sphere_fail(OUTCOME_FAILED, "a limit (ulimit -f, ulimit -v) leaves no room for more than %u threads",
                    open);
    }
    wait_for_end(parent, seen);
  }
}

void rthread_unmake(struct rthread *rthread) {
  if (turns->alone) region->threads--;
  rthread_end(rthread);
}

void rthread_end(struct rthread *rthread) {
  uint32_t live = SLOT_LIVE, unlogged = BIRTH_BY_CHILD;
  if (atomic_compare_exchange_strong(&rthread->born.state, &unlogged, BIRTH_LAST)) return;
  if (!atomic_compare_exchange_strong(&rthread->state, &live, SLOT_ENDED)) return;
  atomic_fetch_sub(&region->live, 1);
  region_doorbell();
}

bool rthread_has_others(const struct rthread *rthread) {
  for (uint32_t i = 0; i < region_slots(region); i++) {
    const struct rthread *other = &region->slots[i];
    if (other != rthread && atomic_load(&other->state) == SLOT_LIVE && other->pid == rthread->pid)
      return true;
  }
  return false;
}
