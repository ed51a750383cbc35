/* thread_order.c: replaying a thread's order log. See thread_order.h; the rules are order/replay.h. */
#include "engine/order/thread_order.h"

#include "contract/schemes.h"
#include "engine/base/lib.h"
#include "engine/base/log.h"
#include "engine/base/mapping_book.h"
#include "engine/order/baton.h"
#include "engine/order/open_blocks.h"
#include "engine/order/replay_waits.h"
#include "engine/order/serial.h"
#include "engine/order/shared.h"
#include "engine/order/shared_undo.h"
#include "engine/order/sync.h"
#include "engine/region/debug.h"
#include "engine/region/endings.h"
#include "engine/region/reader.h"
#include "engine/region/rest.h"
#include "engine/region/turns.h"

void order_tick(struct thread *thread) {
  if (turns->alone) return;
  thread->rthread->ticks++;
  if (recording() && shared_holds(thread)) {
    if (thread->record.keeps_shared)
      undo_renew(thread);
    else
      shared_leave(thread);
  }
  if (replaying()) arch_set_stop(thread, MIN(arch_stop(thread), order_stop(thread)));
}

void order_write(struct thread *thread, uintptr_t address, size_t bytes) {
  if (turns->alone) return;
  by_value_before_write(thread, address, bytes);
  sync_signal_arrives(thread);
  if (recording())
    permissions_take_range(thread, address, bytes, true);
  else
    order_gate(thread);
}

void order_alone(struct thread *thread) {
  if (turns->alone) return;
  order_tick(thread);
  if (recording())
    permissions_stop(thread);
  else
    order_gate(thread);
}

void order_together(struct thread *thread) {
  if (!turns->alone && recording()) permissions_go(thread);
}

/* -- The log ----------------------------------------------------------------------------------------------------------- */

static _Noreturn void fail_damaged(const struct rthread *rthread, const char *why) {
  sphere_fail(OUTCOME_DAMAGED, "the order log of thread %u is damaged at position %lu: %s", rthread->number,
              rthread->order_log.ring.position, why);
}

/* An exception in front of the next step; false: what is next is none, or not there as a whole. */
static bool read_exception(struct rthread *rthread, const uint8_t *bytes, size_t count) {
  struct rthread_replay *replay = &rthread->replay;
  struct order_exception exception;
  if (!config.solved || !rthread->reader.begun || !exception_is_next(bytes, count)) return false;
  int used = exception_get(&exception, bytes, count);
  if (!used) return false;
  bool first = replay->excepted_at != rthread->reader.position;
  if (used < 0 || (first && replay->exception_count) || replay->exception_count == REGION_EXCEPTIONS)
    fail_damaged(rthread, "this is no exception");
  replay->excepted_at = rthread->reader.position;
  replay->exceptions[replay->exception_count++].what = exception;
  ring_consume(&rthread->order_log.ring, (size_t)used);
  return true;
}

/* The next step; false at the end of the log. */
static bool read_step(struct rthread *rthread) {
  rthread->reader.scheme = engine_scheme(config.order);
  for (;;) {
    size_t count;
    const uint8_t *bytes = ring_content(&rthread->order_log.ring, &count);
    if (read_exception(rthread, bytes, count)) continue;
    bool whole = !config.solved || !rthread->reader.begun || !exception_is_next(bytes, count);
    int used = whole ? order_decode(&rthread->reader, &rthread->step, bytes, count) : 0;
    if (used < 0) fail_damaged(rthread, "this is no record");
    if (used > 0) {
      ring_consume(&rthread->order_log.ring, (size_t)used);
      rthread->replay.step_passed = false;
      return true;
    }
    if (ring_await(&rthread->order_log.ring, count)) continue;
    if (count && config.whole) fail_damaged(rthread, "it ends within a record");
    return false;
  }
}

/* -- Exceptions ------------------------------------------------------------------------------------------------------------- */

static void put(struct thread *thread, uintptr_t address, const void *bytes, size_t count) {
  if (address + count < address || mappings_in_engine(address, count) ||
      safe_copy((void *)address, bytes, count))
    replay_diverged(thread, "expected memory at 0x%lx that can be written", address);
}

void order_except(struct thread *thread) {
  struct rthread_replay *replay = &thread->rthread->replay;
  for (unsigned i = 0; i < replay->exception_count; i++) {
    const struct order_exception *what = &replay->exceptions[i].what;
    if (safe_copy(replay->exceptions[i].old, (const void *)what->address, what->count))
      replay_diverged(thread, "expected memory at 0x%lx that can be read", what->address);
    put(thread, what->address, &what->value, what->count);
  }
}

void order_except_over(struct thread *thread) {
  struct rthread_replay *replay = &thread->rthread->replay;
  bool made = order_position(thread) != replay->excepted_at;
  for (unsigned i = 0; i < replay->exception_count; i++) {
    const struct order_exception *what = &replay->exceptions[i].what;
    if (!made || !what->writes) put(thread, what->address, replay->exceptions[i].old, what->count);
  }
  if (made) replay->exception_count = 0;
}

void order_except_for_good(struct thread *thread) {
  order_except(thread);
  thread->rthread->replay.exception_count = 0;
}

/* -- Births ------------------------------------------------------------------------------------------------------------------ */

/* The child itself passes its first step, like all others. That step waits for the end of the slot's former thread: the slot's clock at that end
 * must not be published before. */
void order_adopt(struct rthread *child) {
  child->replay.slot = ORDER_NOBODY;
  child->order_log.ended = !read_step(child);
  /* Threads that wait for all others do not know of this one. */
  if (child->order_log.ended && order_is_cut_off(child) && config.order == ENGINE_SCALAR)
    sphere_fail(OUTCOME_LOG_ENDS, NULL);
  if (child->order_log.ended) return; /* it was killed before it did anything */
  child->replay.step_known = true;
  child->replay.slot = child->step.slot;
  child->replay.last_clock = child->step.clock;
  if (!child->step.waits) order_replay_publish(&region->board, child->replay.slot, child->step.clock);
  order_replay_spawn(&region->board, child->replay.slot);
  order_tell(child->replay.slot);
  serial_adopt(child);
}

/* -- Ends ---------------------------------------------------------------------------------------------------------------- */

/* Its slot is free for the next thread. */
static void end_on_board(struct rthread *rthread) {
  unsigned slot = rthread->replay.slot;
  if (slot == ORDER_NOBODY) return;
  rthread->replay.slot = ORDER_NOBODY;
  order_move_out(slot);
  order_replay_end(&region->board, slot);
  order_tell(slot);
}

/* True if all threads of the process, 0: of all processes, have come to the ends of their logs. */
static bool all_retired(int32_t pid) {
  for (uint32_t i = 0; i < REGION_SLOTS; i++) {
    struct rthread *rthread = &region->slots[i];
    if (atomic_load(&rthread->state) == SLOT_LIVE && (!pid || rthread->pid == pid) &&
        atomic_load(&rthread->replay.waits_for) != ORDER_RETIRED)
      return false;
  }
  return true;
}

/* The process was killed in the recording. */
static _Noreturn void leave(const struct rthread *own, bool first) {
  int32_t pid = own->pid;
  region->killed = own->number + 1;
  if (first) sphere_fail(OUTCOME_LOG_ENDS, NULL);
  for (uint32_t i = 0; i < REGION_SLOTS; i++) {
    struct rthread *rthread = &region->slots[i];
    if (rthread->pid == pid) rthread_end(rthread);
  }
  for (;;) os_call1(__NR_exit_group, 0);
}

/* -- The gate ---------------------------------------------------------------------------------------------------------------- */

static void log_step(const struct rthread *rthread) {
  if (!(config.log_channels >> LOG_order & 1)) return;
  const struct order_step *step = &rthread->step;
  char text[300] = "";
  size_t n = 0;
  for (unsigned i = 0; i < step->waits && n + 40 < sizeof text; i++)
    n += format(text + n, sizeof text - n, ", after slot %u (%lu)", step->wait[i].slot, step->wait[i].value);
  for (unsigned i = 0; i < step->signals && n + 40 < sizeof text; i++)
    n += format(text + n, sizeof text - n, ", before slot %u", step->signal[i]);
  LOG(order, "slot %u: from %lu to %lu, clock %lu%s", rthread->replay.slot, step->from, step->until,
      step->clock, text);
}

/* False: the log ends. */
static bool find_step(struct thread *thread) {
  struct rthread *rthread = thread->rthread;
  if (rthread->replay.step_known) return true;
  rthread->order_log.ended = !read_step(rthread);
  rthread->order_log.end = order_position(thread);
  rthread->replay.step_known = !rthread->order_log.ended;
  if (rthread->replay.step_known) log_step(rthread);
  return rthread->replay.step_known;
}

/* Goes through all steps at the thread's position, or, unless it enters, only through those that end there. False: the log ends
 * there. */
static bool pass_steps(struct thread *thread, bool enters) {
  struct rthread *rthread = thread->rthread;
  uint64_t position = order_position(thread);
  unsigned me = rthread->replay.slot;
  atomic_store_explicit(&rthread->order_log.ring.position, position, memory_order_relaxed);
  bool begins = rthread->replay.step_known && rthread->step.begins;
  if (engine_has_arcs(config.order) && !begins) order_come_by(thread);
  for (;;) {
    if (rthread->order_log.ended || !find_step(thread)) return false;
    struct order_step *step = &rthread->step;
    if (step->ends && step->from == position) {
      rthread->order_log.ended = true;
      rthread->order_log.end = position;
      return false;
    }
    if (step->from < position && !rthread->replay.step_passed)
      replay_diverged(thread, "it has run past where it waited for others (%lu)", step->from);
    if (!rthread->replay.step_passed) {
      if (step->from > position || (!enters && step->until > position)) return true;
      if (!enters && !order_replay_ready(&region->board, me, step)) return true;
      order_replay_arrive(&region->board, me, step);
      if (step->arrive) order_tell_clock(me, step->arrive);
      serial_step(thread);
      order_wait(thread);
      order_replay_pass(&region->board, me, step);
      if (step->begins) order_move_in(rthread);
      rthread->replay.step_passed = true;
    }
    if (step->until > position) return true;
    if (step->until < position)
      replay_diverged(thread, "it has run past where others waited for it (%lu)", step->until);
    order_replay_done(&region->board, me, step);
    rthread->replay.last_clock = step->clock;
    rthread->replay.last_position = position;
    if (step->clock) order_tell_clock(me, step->clock);
    for (unsigned i = 0; i < step->signals; i++) order_tell_token(step->signal[i], me);
    rthread->replay.step_known = false;
  }
}

enum { TICKS_OF_A_CALL = 4 };

/* True if the thread was killed in a call whose result it had logged already: its order log may end before the call does. */
static bool was_killed_in_call(struct thread *thread) {
  struct rthread *rthread = thread->rthread;
  if (order_is_cut_off(rthread) || order_position(thread) - rthread->order_log.end > TICKS_OF_A_CALL)
    return false;
  const struct input_event *event = replay_peek(thread);
  return event && event->position == arch_position(thread) && event->kind != EVENT_EXIT &&
         event->kind != EVENT_OPEN && event->kind != EVENT_INSN;
}

/* A thread that was killed within a call may have ticked more often than replay does for a call without a result: a thread that has gone to its next
 * program has released its parent, and the rest of its order log says so. */
static void pass_rest(struct thread *thread) {
  struct rthread *rthread = thread->rthread;
  const struct order_step *step = &rthread->step;
  uint64_t first = order_position(thread), next;
  while (pass_steps(thread, true)) {
    next = rthread->replay.step_passed ? step->until : step->from;
    if (next - first > TICKS_OF_A_CALL)
      replay_diverged(thread, "its input log ends here, its order log not before %lu", next);
    rthread->ticks += next - order_position(thread);
  }
}

/* A thread that was ended from outside has no more input than order, but for an instruction that it had not finished, or open memory that it was about to
 * use or to close. A thread with more input has diverged: it made other steps here than in the recording. */
static void expect_no_input(struct thread *thread) {
  const struct input_event *event = replay_peek(thread);
  while (event && event->position == arch_position(thread) &&
         (event->kind == EVENT_INSN || event->kind == EVENT_OPEN)) {
    replay_consume(thread);
    event = replay_peek(thread);
  }
  if (event && config.whole)
    replay_diverged(thread,
                    "its order log ends here, its input log goes on with the event %s at position %lu",
                    input_event_name(event->kind), event->position);
}

/* The recording has no more steps of the thread. The thread was ended from outside here, with its process or with the whole sphere; or it ran on to
 * an unknown position, and threads that wait for that wait for ever. The replay is over when no thread can go on. */
void order_lost(struct thread *thread) {
  struct rthread *rthread = thread->rthread;
  bool cut_off = order_is_cut_off(rthread);
  LOG(threads, "its order log ends");
  telling_flush(thread);
  if (debugged() && !serial_has_followers(rthread, false)) debug_is_over(thread);
  if (!cut_off) {
    expect_no_input(thread);
    pass_rest(thread);
    end_on_board(rthread);
  }
  atomic_store(&rthread->replay.waits_for, ORDER_RETIRED);
  atomic_fetch_add(&region->retirements, 1);
  region_wake(&region->retirements, INT32_MAX);
  serial_leave(rthread);
  if (cut_off) order_wait_for_ever(thread);
  for (;;) {
    bool first = !rthread->process; /* with it the replay ends, as soon as no other is left */
    if (all_retired(first ? 0 : rthread->pid) && !atomic_load(&rthread->dismissed)) leave(rthread, first);
    rest(thread, 1);
  }
}

void order_gate(struct thread *thread) {
  if (!pass_steps(thread, true) && !was_killed_in_call(thread)) order_lost(thread);
  open_catch_up(thread);
}

void order_come_back(struct thread *thread) {
  serial_come_back(thread, find_step(thread));
  order_gate(thread);
}

void order_tell_only(struct thread *thread) {
  pass_steps(thread, false);
}

/* In the recording the parent learned that the child's slot was free before it let the child begin. It must pass that step here as well: the
 * child waits for it. */
void order_hold(struct thread *thread, struct rthread *child) {
  struct rthread *rthread = thread->rthread;
  const struct order_step *step = &rthread->step;
  atomic_store(&rthread->replay.waits_for, ORDER_HELD);
  order_wait_for_place(thread, child);
  order_tell_only(thread);
  if (rthread->replay.step_known && !rthread->replay.step_passed && step->from == order_position(thread) &&
      step->arrive) {
    order_replay_arrive(&region->board, rthread->replay.slot, step);
    order_tell_clock(rthread->replay.slot, step->arrive);
  }
  serial_hold(thread);
}

uint64_t order_stop(const struct thread *thread) {
  const struct rthread *rthread = thread->rthread;
  uint64_t wanted = engine_has_arcs(config.order) ? order_wanted_stop(thread) : UINT64_MAX;
  if (!rthread->replay.step_known) return wanted;
  uint64_t stop = (rthread->replay.step_passed ? rthread->step.until : rthread->step.from) - rthread->ticks;
  return MIN(stop, wanted);
}

void order_finish(struct thread *thread) {
  struct rthread *rthread = thread->rthread;
  if (pass_steps(thread, true)) replay_diverged(thread, "it ends before its order log does");
  telling_flush(thread);
  end_on_board(rthread);
}

/* The ending threads must have made all steps that others wait for, and none of them may take itself for the last of its process. */
void order_retire_others(struct thread *thread) {
  const struct rthread *own = thread->rthread;
  order_wait_for_others(thread);
  for (uint32_t i = 0; i < region_slots(region); i++) {
    struct rthread *other = &region->slots[i];
    if (other != own && atomic_load(&other->state) == SLOT_LIVE && other->pid == own->pid)
      atomic_store(&other->dismissed, 1);
  }
}
