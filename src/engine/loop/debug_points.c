/* debug_points.c: the points at which a debugged thread may stop. See region/debug.h. */
#include "engine/loop/debug_points.h"

#include <linux/mman.h>
#include <linux/prctl.h>

#include "engine/base/lib.h"
#include "engine/border/sphere.h"
#include "engine/code/cache.h"
#include "engine/loop/diversion_points.h"
#include "engine/region/debug.h"
#include "engine/region/rings.h"

/* -- Hits ------------------------------------------------------------------------------------------------------------------ */

static uint32_t adopted; /* the generation of seams and guards that this process's cache is made for */

/* Threads have no permission map before the first watchpoint. */
static void clear_map(struct thread *thread) {
  long at = os_call6(__NR_mmap, (uint8_t *)thread + SLOT_PERMISSIONS, SLOT_PERMISSIONS_SIZE,
                     PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED | MAP_NORESERVE, -1, 0);
  if (os_failed(at)) sphere_fail(OUTCOME_FAILED, "no memory for watchpoints (error %ld)", -at);
}

/* Empties the cache if there are seams or guards for which its blocks were not made. In a diversion watchpoints do not stop. */
void debug_adopt_changes(void) {
  uint32_t generation = atomic_load(&region->debug.generation);
  if (generation == adopted) return;
  adopted = generation;
  bool watches = region->debug.guard_count && !is_diversion;
  cache_empty();
  config.check = watches ? CHECK_ALL : CHECK_NONE;
  lock_take(&threads_lock);
  for (struct thread *thread = threads; thread && watches; thread = thread->next) clear_map(thread);
  lock_release(&threads_lock);
}

bool debug_is_at_break(const struct thread *thread) {
  const struct region_debug *debug = &region->debug;
  uintptr_t pc = arch_pc(thread);
  if (!debug_breaks_at(pc)) return false;
  for (uint32_t i = 0; i < MIN(debug->break_count, DEBUG_BREAKS); i++)
    if (debug->breaks[i].address == pc &&
        (!debug->breaks[i].pid || debug->breaks[i].pid == thread->process->pid))
      return true;
  return false;
}

/* The watchpoint that the next instruction hits, or NULL. */
static const struct debug_watch *accessed(struct thread *thread) {
  struct access accesses[ARCH_ACCESSES_MAX];
  unsigned count = arch_accesses(thread, arch_pc(thread), accesses);
  for (unsigned i = 0; i < count; i++) {
    enum debug_access access = accesses[i].write ? DEBUG_ACCESSES : DEBUG_READS;
    const struct debug_watch *watch =
        debug_find_watch(thread, accesses[i].address, accesses[i].bytes, access);
    if (watch) return watch;
  }
  return NULL;
}

/* -- Points ---------------------------------------------------------------------------------------------------------------- */

static void note_instruction(const struct debug_moment *here) {
  struct region_debug *debug = &region->debug;
  if (debug->hits != HITS_NOTE || here->thread != debug->note_thread || here->position < debug->note_from ||
      debug_compare(here, &debug->moment) >= 0)
    return;
  debug->last_instruction = *here;
  debug->has_last_instruction = true;
}

static void stop_at_event(struct thread *thread, struct debug_stop *found, bool wanted) {
  if (debug_event(thread, found, wanted)) replay_arm(thread);
}

/* At an instruction that is at a break and accesses watched memory, the break comes first. Backwards there is one stop for both. */
static bool yields_to_watch(const struct debug_moment *here) {
  const struct region_debug *debug = &region->debug;
  return debug->hits == HITS_NOTE || !debug_compare(here, &debug->since);
}

bool debug_point(struct thread *thread) {
  if (is_diversion) return diversion_point(thread);
  struct debug_thread *debug = debug_own(thread);
  debug_adopt_changes();
  if (!debug->stack) debug->stack = arch_sp(thread); /* the first program of all */
  if (debug->lender) {
    struct debug_stop found = {
        .reason = DEBUG_FORKED, .number = thread->tid, .is_vfork = true, .slot = debug->lender - 1};
    debug->lender = 0;
    stop_at_event(thread, &found, region->debug.catches_processes);
    debug_event_over(thread);
    return true;
  }
  if (debug->executes) {
    debug->executes = 0;
    debug->stack = arch_sp(thread);
    struct debug_stop found = {.reason = DEBUG_EXECUTED};
    stop_at_event(thread, &found, region->debug.catches_processes);
    debug_event_over(thread);
    return true;
  }
  struct debug_stop found = {.moment = debug_now(thread)};
  note_instruction(&found.moment);
  const struct debug_watch *watch = region->debug.watch_count ? accessed(thread) : NULL;
  bool wrote = debug->wrote.reason &&
               region->debug.hits !=
                   HITS_NOTE; /* on the way back it was noted when it was made, before the checkpoint */
  debug->wrote.reason = DEBUG_NOTHING;
  if (wrote) {
    found = debug->wrote;
    found.reason = DEBUG_WATCH;
    found.moment = debug_now(thread);
  } else if (debug_is_at_break(thread) && !(watch && yields_to_watch(&found.moment))) {
    found.reason = DEBUG_BREAK;
  } else if (watch) {
    found = debug_hit_watch(watch, found.moment);
  }
  if (!debug_look(thread, &found)) return false;
  replay_arm(thread);
  return true;
}

void debug_signal(struct thread *thread) {
  const struct queued_signal *signal = &thread->signals.queued;
  struct debug_stop found = {.reason = DEBUG_SIGNAL, .number = signal->signo};
  memcpy(found.information, &signal->info, MIN(sizeof found.information, sizeof signal->info));
  stop_at_event(thread, &found, !(region->debug.passed_signals >> (signal->signo - 1) & 1));
}

/* The signal is dealt with. */
void debug_signalled(struct thread *thread) {
  debug_event_over(thread);
}

static bool is_caught(long number) {
  const struct region_debug *debug = &region->debug;
  return debug->catches_calls && number >= 0 && number < DEBUG_CALLS &&
         debug->caught_calls[number / 64] >> (number % 64) & 1;
}

/* In a replay the kernel does not learn of names. */
static void note_name(struct debug_thread *debug, const struct call *call) {
  char name[sizeof debug->name] = {0};
  if (call->nr != __NR_prctl || call->args[0] != PR_SET_NAME) return;
  for (size_t i = 0; i < sizeof name - 1; i++)
    if (safe_copy(&name[i], (const char *)call->args[1] + i, 1) || !name[i]) break;
  memcpy(debug->name, name, sizeof name);
}

void debug_call(struct thread *thread, bool begins) {
  struct debug_thread *debug = debug_own(thread);
  if (begins) {
    struct call call;
    arch_call(thread, &call);
    debug->call = (int32_t)call.nr + 1;
    debug->call_turn = atomic_load(&region->turns);
    debug->forked = 0;
    note_name(debug, &call);
    struct debug_stop found = {.reason = DEBUG_CALL_BEGINS, .number = (int32_t)call.nr};
    stop_at_event(thread, &found, is_caught(call.nr));
    return;
  }
  debug_event_over(thread);
  if (debug->forked) {
    struct debug_stop found = {.reason = debug->is_vfork ? DEBUG_FREED : DEBUG_FORKED,
                               .number = thread->rthread->replay.child_id};
    stop_at_event(thread, &found, region->debug.catches_processes);
    debug_event_over(thread);
  }
  struct debug_stop found = {.reason = DEBUG_CALL_ENDS, .number = debug->call - 1};
  stop_at_event(thread, &found, is_caught(debug->call - 1));
  debug_event_over(thread);
  debug->call = 0;
}
