/* debug.c: the engine's half of the debugger.
 *
 * A thread comes to a *point* before each instruction that it enters the cache with, and at each event: a signal, the beginning and the end of a
 * system call, a new program, an end. There it checks whether the debugger wants the replay to stop: at a moment, after a step, or at a hit.
 * The debugger's wishes are in the region (contract/region_debug.h). Emitted code does not know of the debugger, and the program's memory is unchanged:
 * a block ends before every break, and only the dispatcher enters a block that begins there; so the thread comes to a point.
 *
 * Watchpoints use the permission checks. All memory is permitted except watched blocks: an instruction that misses there is examined
 * and stepped over. */
#include "engine/region/debug.h"

#include <linux/futex.h>

#include "engine/base/lib.h"
#include "engine/region/rest.h"
#include "engine/region/rings.h"

struct debug_thread *debug_own(const struct thread *thread) {
  struct debug_thread *debug = &region->debug.threads[slot_of(thread->rthread)];
  uint32_t name = thread->number + 1;
  if (debug->known != name) {
    memset(debug, 0, offsetof(struct debug_thread, registers));
    debug->known = name;
  }
  return debug;
}

struct debug_moment debug_now(const struct thread *thread) {
  return (struct debug_moment){.turn = atomic_load(&region->turns),
                               .position = arch_position(thread),
                               .thread = thread->number,
                               .event = debug_own(thread)->events};
}

/* -- Resting --------------------------------------------------------------------------------------------------------------- */

static void show(struct thread *thread) {
  struct debug_thread *debug = debug_own(thread);
  debug->pid = thread->process->pid;
  debug->tid = thread->tid;
  debug->position = arch_position(thread);
  arch_export_registers(thread, debug->registers);
}

void debug_rests(struct thread *thread) {
  show(thread);
  atomic_store(&debug_own(thread)->rests, thread->number + 1);
}

void debug_runs(struct thread *thread) {
  atomic_store(&debug_own(thread)->rests, 0);
}

void debug_leaves(struct thread *thread, bool process) {
  for (uint32_t i = 0; i < region_slots(region); i++) {
    const struct rthread *other = &region->slots[i];
    bool leaves = process ? other->pid == thread->rthread->pid : other == thread->rthread;
    if (leaves && atomic_load(&other->state) == SLOT_LIVE)
      atomic_store(&region->debug.threads[i].leaves, other->number + 1);
  }
}

/* True if there are other threads of the process. Leaving threads were marked while they had the turn, so the kernel's progress with their ends does not matter. */
static bool has_others(const struct thread *thread) {
  for (uint32_t i = 0; i < region_slots(region); i++) {
    const struct rthread *other = &region->slots[i];
    if (other == thread->rthread || atomic_load(&other->state) != SLOT_LIVE) continue;
    if (other->pid != thread->rthread->pid) continue;
    if (atomic_load(&region->debug.threads[i].leaves) != other->number + 1) return true;
  }
  return false;
}

bool is_diversion;

bool debug_is_to_divert(const struct thread *thread) {
  const struct region_diversion *diversion = &region->debug.diversion;
  return atomic_load(&diversion->state) == DIVERSION_WANTED && diversion->slot == slot_of(thread->rthread);
}

/* -- Stopping -------------------------------------------------------------------------------------------------------------- */

/* Not region_wait(): the watchdog would take the thread for one that waits for others. */
static void wait_for_debugger(struct thread *thread) {
  struct region_debug *debug = &region->debug;
  while (atomic_load(&debug->state) == DEBUG_STOPPED)
    if (debug_is_to_divert(thread))
      vessel_maker->divert(thread);
    else
      os_call4(__NR_futex, &debug->state, FUTEX_WAIT, DEBUG_STOPPED, 0);
}

static void stop(struct thread *thread, const struct debug_stop *here) {
  struct region_debug *debug = &region->debug;
  show(thread);
  debug->stop = *here;
  atomic_store(&debug->interrupt, 0);
  atomic_fetch_add(&debug->stops, 1);
  atomic_store(&debug->state, DEBUG_STOPPED);
  region_doorbell();
  wait_for_debugger(thread);
  if (atomic_load(&region->checkpoint.wish)) arch_request(thread); /* to the next safepoint */
}

static bool is_at_goal(const struct thread *thread, const struct debug_moment *here) {
  const struct region_debug *debug = &region->debug;
  if (debug->goal == GOAL_MOMENT) return debug_compare(here, &debug->moment) >= 0;
  if (debug->goal != GOAL_STEP || here->event & 1 || here->thread != debug->moment.thread) return false;
  uintptr_t pc = arch_pc(thread);
  return here->position >= debug->moment.position && !(pc >= debug->range_start && pc < debug->range_end);
}

static bool is_hidden(int32_t pid) {
  const struct region_debug *debug = &region->debug;
  for (uint32_t i = 0; i < MIN(debug->chosen_count, DEBUG_CHOSEN); i++)
    if (debug->chosen[i] == pid) return false;
  return debug->has_chosen;
}

/* True if the client was told of this hit, and has resumed the replay from there. */
static bool was_told(const struct debug_stop *found) {
  const struct region_debug *debug = &region->debug;
  return found->reason == debug->since_reason && !debug_compare(&found->moment, &debug->since);
}

/* Of a point that may be a hit. */
static void complete(const struct thread *thread, struct debug_stop *found) {
  bool borrows = found->reason == DEBUG_FORKED && found->is_vfork; /* the child runs, and the parent waits */
  int32_t pid = borrows ? region->debug.threads[found->slot].pid : thread->process->pid;
  if (found->reason != DEBUG_ENDS && is_hidden(pid)) found->reason = DEBUG_NOTHING;
  found->runner = slot_of(thread->rthread);
  if (!borrows) found->slot = found->runner;
}

/* `found` describes the point, which may be a hit. True: the replay was stopped here. */
bool debug_look(struct thread *thread, struct debug_stop *found) {
  struct region_debug *debug = &region->debug;
  complete(thread, found);
  bool is_hit = found->reason >= DEBUG_BREAK, is_end = found->reason == DEBUG_ENDS;
  if (!debug->begun) {
    debug->begun = 1;
    found->reason = DEBUG_BEGINS;
  } else if (is_end || (is_hit && debug->hits == HITS_STOP && !was_told(found))) {
    /* as it is */
  } else if (is_at_goal(thread, &found->moment)) {
    found->hit = is_hit ? found->reason : DEBUG_NOTHING;
    found->reason = DEBUG_ARRIVED;
  } else if (atomic_load(&debug->interrupt)) {
    found->reason = DEBUG_INTERRUPT;
  } else {
    if (is_hit && debug->hits == HITS_NOTE) debug->last = *found;
    return false;
  }
  stop(thread, found);
  return true;
}

void debug_at_rest_point(struct thread *thread) {
  const struct region_debug *debug = &region->debug;
  struct debug_stop here = {.moment = debug_now(thread), .reason = DEBUG_ARRIVED};
  if (!debug->stops_at_rest || debug->goal != GOAL_MOMENT || debug_compare(&here.moment, &debug->moment))
    return;
  here.slot = here.runner = slot_of(thread->rthread);
  stop(thread, &here);
}

void debug_restarted(struct thread *thread) {
  struct debug_stop here = {.moment = debug_now(thread), .reason = DEBUG_RESTARTED};
  here.slot = here.runner = slot_of(thread->rthread);
  stop(thread, &here);
}

uint64_t debug_stop(const struct thread *thread) {
  const struct region_debug *debug = &region->debug;
  uint64_t next = arch_position(thread) + 1, wanted = UINT64_MAX;
  bool passed = debug->goal == GOAL_MOMENT && next > debug->moment.position;
  if (debug->goal != GOAL_NONE && thread->number == debug->moment.thread && !passed)
    wanted = MAX(debug->moment.position, next);
  if (debug->hits == HITS_NOTE && thread->number == debug->note_thread && debug->note_from != UINT64_MAX)
    wanted = MIN(wanted, MAX(debug->note_from, next));
  return wanted;
}

/* -- Breaks ---------------------------------------------------------------------------------------------------------------- */

bool debug_breaks_at(uintptr_t pc) {
  const struct region_debug *debug = &region->debug;
  uint32_t low = 0, high = MIN(debug->seam_count, DEBUG_BREAKS);
  while (low < high) {
    uint32_t middle = (low + high) / 2;
    if (debug->seams[middle] == pc) return true;
    if (debug->seams[middle] < pc)
      low = middle + 1;
    else
      high = middle;
  }
  return false;
}

/* -- Watches --------------------------------------------------------------------------------------------------------------- */

enum { BLOCK_SHIFT = 6 };

static uint8_t *map_of(struct thread *thread) {
  return (uint8_t *)thread + SLOT_PERMISSIONS;
}

static bool overlaps(const struct debug_watch *watch, uintptr_t address, size_t bytes) {
  return address < watch->address + watch->bytes && watch->address < address + bytes;
}

const struct debug_watch *debug_find_watch(const struct thread *thread, uintptr_t address, size_t bytes,
                                           enum debug_access access) {
  const struct region_debug *debug = &region->debug;
  for (uint32_t i = 0; i < MIN(debug->watch_count, DEBUG_WATCHES); i++) {
    const struct debug_watch *watch = &debug->watches[i];
    bool its = !watch->pid || watch->pid == thread->process->pid;
    if (its && watch->access & access && overlaps(watch, address, bytes)) return watch;
  }
  return NULL;
}

/* The map knows a block by some bits of its address: blocks that have the same bits as a watched block stay forbidden as well, and so does the
 * block before it, whose permission may stand for both. */
bool debug_watches(struct thread *thread, uintptr_t address, size_t bytes) {
  const struct region_debug *debug = &region->debug;
  uint8_t *map = map_of(thread);
  bool watched = false;
  uint32_t first = (uint32_t)address >> BLOCK_SHIFT,
           blocks = (uint32_t)((address + bytes - 1) >> BLOCK_SHIFT) - (uint32_t)(address >> BLOCK_SHIFT) + 1;
  for (uint32_t i = 0; i < MIN(debug->guard_count, DEBUG_WATCHES); i++) {
    uint32_t from = ((uint32_t)debug->guards[i].address >> BLOCK_SHIFT) + PERMISSION_BLOCKS - 1;
    uint64_t end = debug->guards[i].address + debug->guards[i].bytes - 1;
    uint32_t count = (uint32_t)((end >> BLOCK_SHIFT) - (debug->guards[i].address >> BLOCK_SHIFT)) + 2;
    for (uint32_t j = 0; j < count; j++) map[(from + j) % PERMISSION_BLOCKS] = 0;
    watched |= (first - from) % PERMISSION_BLOCKS < count || (from - first) % PERMISSION_BLOCKS < blocks;
  }
  return watched;
}

struct debug_stop debug_hit_watch(const struct debug_watch *watch, struct debug_moment moment) {
  return (struct debug_stop){
      .moment = moment, .reason = DEBUG_WATCH, .address = watch->address, .access = watch->access};
}

/* In a replay the engine writes in turn, within a call or where a handler is entered: that is an event. Nobody can stop there, so the client is told at the next
 * instruction. On the way back the write comes before the end of its event. */
void debug_wrote(struct thread *thread, uintptr_t address, size_t bytes) {
  if (!region->debug.watch_count || !thread->rthread || !(debug_own(thread)->events & 1)) return;
  const struct debug_watch *watch = debug_find_watch(thread, address, bytes, DEBUG_WRITES);
  if (!watch) return;
  struct debug_stop hit = debug_hit_watch(watch, debug_now(thread));
  hit.done = 1;
  complete(thread, &hit);
  if (region->debug.hits != HITS_NOTE)
    debug_own(thread)->wrote = hit;
  else if (hit.reason && debug_compare(&hit.moment, &region->debug.moment) < 0)
    region->debug.last = hit;
}

/* -- Events ---------------------------------------------------------------------------------------------------------------- */

bool debug_event(struct thread *thread, struct debug_stop *found, bool wanted) {
  struct debug_thread *debug = debug_own(thread);
  debug->events += debug->events & 1 ? 2 : 1;
  found->moment = debug_now(thread);
  if (!wanted) found->reason = DEBUG_NOTHING;
  return debug_look(thread, found);
}

bool debug_goes_on(struct thread *thread) {
  struct debug_thread *debug = debug_own(thread);
  struct debug_stop here = {.moment = debug_now(thread)};
  bool is_new = debug->call && debug->call_turn != here.moment.turn;
  debug->call_turn = here.moment.turn;
  return is_new && debug_look(thread, &here);
}

void debug_event_over(struct thread *thread) {
  debug_own(thread)->events += debug_own(thread)->events & 1;
}

void debug_forks(struct thread *thread, const struct rthread *child, bool vfork) {
  struct debug_thread *debug = debug_own(thread);
  struct debug_thread *born = &region->debug.threads[slot_of(child)];
  memset(born, 0, offsetof(struct debug_thread, registers));
  born->known = child->number + 1;
  born->stack = debug->stack;
  memcpy(born->name, debug->name, sizeof born->name);
  born->lender = vfork ? slot_of(thread->rthread) + 1 : 0;
  debug->forked = child->process != thread->rthread->process;
  debug->is_vfork = vfork;
  if (vfork) debug_rests(thread); /* the kernel holds it until the child is gone */
}

/* The other threads of the process are gone. */
void debug_executes(struct thread *thread) {
  struct debug_thread *debug = debug_own(thread);
  debug_event_over(thread);
  debug_leaves(thread, true);
  atomic_store(&debug->leaves, 0);
  debug->executes = 1;
  debug->name[0] = 0;
}

void debug_ends(struct thread *thread, bool group, bool last, int status, int signo) {
  bool process = group || !has_others(thread);
  struct debug_stop found = {
      .reason = last ? DEBUG_ENDS : DEBUG_EXITS, .number = status, .signo = (uint32_t)signo};
  if (last || process) debug_event(thread, &found, last || region->debug.catches_processes);
  debug_leaves(thread, process);
}

void debug_is_over(struct thread *thread) {
  uint32_t status = atomic_load(&region->status), signo = atomic_load(&region->signo);
  struct debug_stop found = {.reason = DEBUG_ENDS, .number = (int32_t)(status >> 8 & 0xff), .signo = signo};
  if (signo || status & REGION_STATUS_KNOWN) debug_event(thread, &found, true);
}

void debug_fails(uint32_t outcome) {
  struct thread *thread = arch_self();
  if (!thread || !thread->rthread || !region->debug.begun || atomic_load(&region->outcome)) return;
  struct debug_stop found = {.reason = DEBUG_ENDS, .outcome = outcome};
  memcpy(found.text, region->ending.text, sizeof found.text - 1);
  debug_event(thread, &found, true);
}
