/* turns_baton.c: turns of a sphere in which one thread runs at a time (baton.h). See region/turns.h. */
#include <linux/futex.h>

#include "engine/base/lib.h"
#include "engine/base/signal_actions.h"
#include "engine/order/baton.h"
#include "engine/order/stops.h"
#include "engine/region/endings.h"
#include "engine/region/rest.h"
#include "engine/region/sent_signals.h"
#include "engine/turns/turn_tables.h"

void turns_choose(void) {
  if (config.order == ENGINE_CHUNK)
    turns = replaying() ? &baton_replaying : &baton_recording;
  else
    turns = replaying() ? &parallel_replaying : &parallel_recording;
}

bool call_may_wait(const struct thread *thread, const struct call *call) {
  int signo = call_sends_itself(thread, call);
  if (signo) return turns->signal_may_stop(thread, signo);
  if (call->nr == __NR_futex) {
    switch (call->args[1] & FUTEX_CMD_MASK) {
      case FUTEX_WAIT:
      case FUTEX_WAIT_BITSET:
        return true;
      default:
        return false;
    }
  }
  return !(input_facts(call->nr) & INPUT_AT_ONCE);
}

static void nothing(struct thread *thread) {
  (void)thread;
}

static void spawn_nothing(struct thread *thread, struct rthread *child) {
  (void)thread, (void)child;
}

static void forget_others(struct thread *thread) {
  for (uint32_t i = 0; i < region_slots(region); i++) {
    struct rthread *other = &region->slots[i];
    uint32_t number = other->number;
    if (other == thread->rthread || atomic_load(&other->state) != SLOT_LIVE) continue;
    if (other->pid == thread->rthread->pid) baton_forget(other, number);
  }
}

/* -- Recording ------------------------------------------------------------------------------------------------------------- */

static void begin_program(struct thread *thread) {
  arch_set_stop(thread, arch_position(thread) + thread->rthread->chunk.size);
}

static void leave(struct thread *thread) {
  baton_release(thread, CHUNK_CALL);
}

static void hold(struct thread *thread, struct rthread *child) {
  (void)child;
  leave(thread);
}

static void resume(struct thread *thread, struct rthread *child, bool failed) {
  (void)child, (void)failed;
  baton_take(thread);
}

static void begin(struct thread *thread, bool copied) {
  (void)copied;
  baton_take(thread);
}

static void end(struct thread *thread, bool group, const struct verify_memory *memory) {
  (void)memory;
  if (!group) {
    region->leaving_process = thread->rthread->pid;
    region->leaving_word = (uintptr_t)&thread->kernel_tid;
  }
  baton_release(thread, CHUNK_EXIT);
}

static void hold_no_memory(struct thread *thread, struct input_call *in, bool writes) {
  (void)thread, (void)in, (void)writes;
}

static void take_no_memory(struct thread *thread, uintptr_t address, size_t bytes, bool write) {
  (void)thread, (void)address, (void)bytes, (void)write;
}

static void take_nothing(struct thread *thread, struct region_object *target) {
  (void)thread, (void)target;
}

/* The signal may stop the caller, or end it, which must not happen while it has the baton. A signal that is caught or ignored does neither, and its
 * handler is the one that is set now, as natively, even if another thread wants to change it. */
static bool signal_may_stop(const struct thread *thread, int signo) {
  return !signals_is_handled(thread, signo);
}

bool baton_stays(const struct thread *thread, const struct call *call) {
  return atomic_load_explicit(&region->live, memory_order_relaxed) == 1 || !call_may_wait(thread, call);
}

static bool stays(const struct thread *thread, const struct call *call, struct input_call *in) {
  (void)in;
  return baton_stays(thread, call);
}

static bool wants_no_copies(struct input_call *in) {
  (void)in;
  return false;
}

static void fork_nothing(void) {}

static void forked_nothing(uint32_t process) {
  (void)process;
}

static uintptr_t place_anywhere(const struct call *call) {
  (void)call;
  return 0;
}

static void mapped_nothing(const struct call *call, long at, struct region_object *object) {
  (void)call, (void)at, (void)object;
}

static void call_over(struct thread *thread) {
  baton_spend(thread, 1);
}

const struct turns baton_recording = {
    .alone = true,
    .found = baton_take,
    .rejoin = nothing,
    .begin_program = begin_program,
    .spawn = spawn_nothing,
    .hold = hold,
    .resume = resume,
    .begin = begin,
    .end_others = forget_others,
    .end = end,
    .leave_program = nothing,
    .come_back = nothing,
    .leave = leave,
    .take = baton_take,
    .stop_others = nothing,
    .let_others_go = nothing,
    .safepoint = baton_poll,
    .hold_memory = hold_no_memory,
    .take_memory = take_no_memory,
    .take_all = take_nothing,
    .meet_changes = nothing,
    .take_output = nothing,
    .leave_output = nothing,
    .signal_may_stop = signal_may_stop,
    .stays = stays,
    .wants_copies = wants_no_copies,
    .woke = baton_offer,
    .waits_at = baton_waits,
    .waited_at = baton_waited,
    .before_fork = fork_nothing,
    .forked = forked_nothing,
    .place = place_anywhere,
    .mapped = mapped_nothing,
    .call_over = call_over,
    .stop_came = baton_stop_came,
    .before_job_signal = baton_before_job_signal,
    .before_stop = baton_before_stop,
    .after_stop = baton_after_stop,
    .before_trace = baton_before_trace,
    .after_trace = baton_after_trace,
};

/* -- Replay ---------------------------------------------------------------------------------------------------------------- */

static void replay_hold(struct thread *thread, struct rthread *child) {
  atomic_store(&child->parallel.borrows, slot_of(thread->rthread) + 1);
  baton_pass(thread);
}

static void replay_resume(struct thread *thread, struct rthread *child, bool failed) {
  (void)child, (void)failed;
  baton_await(thread);
}

static void replay_begin(struct thread *thread, bool copied) {
  (void)copied;
  baton_await(thread);
}

/* If no thread comes after it, the remaining threads were killed in the recording. */
static void replay_end(struct thread *thread, bool group, const struct verify_memory *memory) {
  const struct rthread *rthread = thread->rthread;
  (void)memory;
  if (rthread->chunk.end.known && rthread->chunk.end.next != CHUNK_NOBODY) {
    baton_pass(thread);
    return;
  }
  if (rthread->process || (!group && rthread_has_others(rthread))) sphere_fail(OUTCOME_LOG_ENDS, NULL);
  atomic_store(&region->finished, 1);
}

static void replay_leave_program(struct thread *thread) {
  atomic_store(&thread->rthread->parallel.borrows, 0);
}

bool chunk_ends_here(const struct thread *thread, enum chunk_reason reason) {
  const struct rthread *rthread = thread->rthread;
  return rthread->chunk.end.known && rthread->chunk.end.reason == reason &&
         arch_position(thread) == rthread->chunk.start + rthread->chunk.end.length;
}

void change_chunks(struct thread *thread) {
  if (thread->rthread->chunk.end.next == CHUNK_NOBODY) sphere_fail(OUTCOME_LOG_ENDS, NULL);
  if (has_checkpoints()) rest_point(thread);
  baton_pass(thread);
  baton_await(thread);
}

static uint64_t stop_nowhere(const struct thread *thread) {
  (void)thread;
  return UINT64_MAX;
}

static bool waits_in_call(const struct thread *thread) {
  return chunk_ends_here(thread, CHUNK_CALL);
}

const struct turns baton_replaying = {
    .alone = true,
    .found = baton_await,
    .restored = baton_await,
    .rejoin = nothing,
    .begin_program = nothing,
    .spawn = spawn_nothing,
    .hold = replay_hold,
    .resume = replay_resume,
    .begin = replay_begin,
    .end_others = forget_others,
    .end = replay_end,
    .leave_program = replay_leave_program,
    .come_back = nothing,
    .gate = nothing,
    .tell = nothing,
    .foreign = nothing,
    .log_ends = nothing,
    .stop = stop_nowhere,
    .waits_in_call = waits_in_call,
};
