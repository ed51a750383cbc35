/* recorder.c: writes the input log: all that enters the sphere, by R-thread.
 *
 * A call that may wait lets the baton go and works on copies of the application's memory meanwhile (waiting.c), so nothing of
 * its result is seen before the thread has the baton again. */
#include <linux/fcntl.h>
#include <linux/futex.h>
#include <linux/mman.h>
#include <linux/sched.h>
#include <linux/sem.h>
#include <linux/signal.h>

#include "engine/base/lib.h"
#include "engine/base/log.h"
#include "engine/base/signal_actions.h"
#include "engine/base/slots.h"
#include "engine/border/objects.h"
#include "engine/border/sphere.h"
#include "engine/memory/mappings.h"
#include "engine/memory/memory_pieces.h"
#include "engine/memory/verify.h"
#include "engine/order/audit.h"
#include "engine/order/baton.h"
#include "engine/order/open_blocks.h"
#include "engine/order/own_code.h"
#include "engine/order/shared.h"
#include "engine/order/stops.h"
#include "engine/order/sync.h"
#include "engine/order/thread_order.h"
#include "engine/region/sent_signals.h"
#include "engine/region/turns.h"
#include "engine/signals/signals.h"
#include "engine/turns/inheritance.h"
#include "engine/turns/turn_tables.h"
#include "engine/view/files.h"
#include "engine/view/sandbox.h"

/* -- Calls that replay emulates ---------------------------------------------------------------------------------------------------- */

/* Only the kernel knows the number of semaphores in a set. The number never changes, and the id is never reused for another set. */
static uint32_t count_semaphores(const struct call *call) {
  struct semid64_ds info = {0};
  if (call->nr != __NR_semctl || (call->args[2] != GETALL && call->args[2] != SETALL)) return 0;
  return os_call4(__NR_semctl, call->args[0], 0, IPC_STAT, &info) ? 0 : (uint32_t)info.sem_nsems;
}

static void begin(struct input_call *in, const struct thread *thread, const struct call *call) {
  input_begin(in, call->nr, call->args, read_application, NULL);
  in->pid = thread->process->pid;
  in->semaphores = count_semaphores(call);
}

static long log_piece(void *visitor, const struct input_piece *piece) {
  record_memory(visitor, piece->address, piece->bytes);
  return 0;
}

/* As much of a piece as there is, page by page. */
static long log_readable(void *visitor, const struct input_piece *piece) {
  if (!(piece->flags & INPUT_WRITES)) return 0;
  uintptr_t at = piece->address, end = piece->address + mappings_present(piece->address, piece->bytes);
  while (at < end) {
    size_t part = MIN(ALIGN_DOWN(at, PAGE) + PAGE, end) - at;
    record_memory(visitor, at, part);
    at += part;
  }
  return 0;
}

/* A call that fails on the way may have written memory, and does not report which. */
void record_all_it_may_write(struct thread *thread, const struct call *call) {
  struct input_call in;
  begin(&in, thread, call);
  input_reach(&in, log_readable, thread);
  thread->record.overwritten = false;
}

/* -- Threads that run at once ------------------------------------------------------------------------------------------------------- */

enum {
  OUTPUT_PATIENCE = 50000000
}; /* nanoseconds after which a signal that came just before the wait is seen */

/* The thread does not park while it writes, or the output of others could come before its own: so it first makes sure
 * that it need not wait for long. */
static void take_output(struct thread *thread, const struct call *call) {
  for (;;) {
    turns->take_output(thread);
    if (output_has_room(call, 0) || thread->signals.queued.signo) return;
    turns->leave_output(thread);
    turns->leave(thread);
    output_has_room(call, OUTPUT_PATIENCE);
    turns->take(thread);
  }
}

/* The same for a short write with the baton: the thread has the baton again before the write. */
static void await_room(struct thread *thread, const struct call *call) {
  turns->leave(thread);
  while (!output_has_room(call, OUTPUT_PATIENCE) && !thread->signals.queued.signo) continue;
  turns->take(thread);
}

/* With the baton: true if the call writes to standard output or error, and can do so at once. */
static bool writes_at_once(struct thread *thread, const struct call *call) {
  return output_writes(thread, call) && output_is_short(call) && output_has_room(call, 0);
}

/* -- Calls that replay emulates, performed --------------------------------------------------------------------------------------------- */

/* The thread keeps the baton, so the kernel may write where the application wants it. */
static long record_direct(struct thread *thread, const struct call *call, struct input_call *in,
                          perform_call *perform, enum stops_kind stops) {
  bool kept = thread->record.keeps_shared;
  turns->hold_memory(thread, in, true);
  thread->record.keeps_shared = true;
  uint64_t digest = call_digest(in);
  bool writes = turns->locks_output && output_writes(thread, call);
  order_tick(thread);
  if (writes) take_output(thread, call);
  struct deaths deaths;
  deaths_before(thread, call, &deaths);
  stops_before(thread, call, stops);
  atomic_store_explicit(&thread->rthread->input.unlogged, output_shows(thread, call), memory_order_relaxed);
  audit_before(thread, call);
  long result = perform(thread, call);
  sync_call_returns(thread, call);
  audit_memory(thread, call, in, result, NULL, result == -EFAULT || thread->record.overwritten);
  stops_after(thread, call, stops, result);
  record_result(thread, call, result, digest, false);
  if (result == -EFAULT || thread->record.overwritten)
    record_all_it_may_write(thread, call);
  else if (result != CALL_INTERRUPTED)
    input_incoming(in, result, log_piece, thread);
  atomic_store_explicit(&thread->rthread->input.unlogged, 0, memory_order_release);
  deaths_after(thread, &deaths);
  if (call->nr == __NR_futex && result > 0) turns->woke(thread);
  thread->record.keeps_shared = kept;
  order_tick(thread);
  deaths_over(thread, &deaths);
  if (writes) turns->leave_output(thread);
  return result;
}

/* A call that may wait is made without the thread's turn, except a write to standard output or error. */
struct going {
  bool writes, stays; /* to standard output or error; with its turn */
};

static long perform_waiting(struct thread *thread, const struct call *call, const struct call *bounced,
                            struct going going, perform_call *perform) {
  if (going.stays && !turns->locks_output) return perform(thread, bounced);
  if (going.writes && (turns->locks_output || output_is_short(call))) {
    if (turns->locks_output)
      take_output(thread, call);
    else
      await_room(thread, call);
    atomic_store_explicit(&thread->rthread->input.unlogged, 1, memory_order_relaxed);
    return perform(thread, bounced);
  }
  if (going.stays) return perform(thread, bounced);
  turns->leave(thread);
  long result = perform(thread, bounced);
  turns->take(thread);
  return result;
}

struct manner {
  enum stops_kind stops;
  bool stays; /* it keeps its turn */
  long sent;  /* so many of its bytes are sent already */
};

static long record_on_copies(struct thread *thread, const struct call *call, struct input_call *in,
                             perform_call *perform, struct manner manner) {
  struct call bounced = *call;
  bool dies = call_sends_itself(thread, call) == SIGKILL;
  if (dies) turns->stop_others(thread); /* its robust mutexes are left */
  turns->hold_memory(thread, in, false);
  uint64_t digest = call_digest(in);
  call_leave_if_killed(thread, call);
  waiting_begin(thread, in, &bounced);
  bounced.args[1] += manner.sent, bounced.args[2] -= manner.sent;
  order_tick(thread);
  if (dies) turns->let_others_go(thread);
  bool writes = output_writes(thread, call);
  stops_before(thread, call, manner.stops);
  audit_before(thread, call);
  long result = manner.stops == STOPS_ITSELF
                    ? perform(thread, &bounced)
                    : perform_waiting(thread, call, &bounced, (struct going){writes, manner.stays}, perform);
  sync_call_returns(thread, call);
  if (manner.sent) result = MAX(result, 0) + manner.sent;
  waiting_audit(thread, call, in, result);
  stops_after(thread, call, manner.stops, result);
  bool interrupted = result == CALL_INTERRUPTED;
  if (turns->takes_memory && !interrupted) waiting_hold(thread, result);
  long seen = interrupted ? result : waiting_end(thread, result);
  record_result(thread, call, seen, digest, true);
  if (seen == -EFAULT && !(in->compares && seen == result))
    record_all_it_may_write(thread, call);
  else if (!interrupted)
    waiting_log(thread, result);
  atomic_store_explicit(&thread->rthread->input.unlogged, 0, memory_order_release);
  waiting_over(thread);
  order_tick(thread);
  if (writes) turns->leave_output(thread);
  return seen;
}

long record_rest(struct thread *thread, const struct call *call, perform_call *perform, size_t sent) {
  struct input_call in;
  begin(&in, thread, call);
  return record_on_copies(thread, call, &in, perform, (struct manner){STOPS_NONE, false, (long)sent});
}

/* A mutex that inherits priority. */
static long record_inheriting(struct thread *thread, const struct call *call, struct input_call *in,
                              perform_call *perform) {
  audit_passes(AUDIT_INHERITING);
  turns->hold_memory(thread, in, true);
  uint64_t digest = call_digest(in);
  thread->record.keeps_shared = true;
  long result = inheritance_call(thread, call, perform);
  record_result(thread, call, result, digest, true);
  if (result != CALL_INTERRUPTED) input_incoming(in, result, log_piece, thread);
  thread->record.keeps_shared = false;
  order_tick(thread);
  return result;
}

/* -- Calls that happen again in replay ------------------------------------------------------------------------------------------------ */

static bool is_clone(long nr) {
#ifdef __NR_fork
  if (nr == __NR_fork || nr == __NR_vfork) return true;
#endif
  return nr == __NR_clone || nr == __NR_clone3;
}

/* True if the child has memory of its own. */
static bool copies_memory(const struct call *call) {
  uint64_t flags = (uint64_t)call->args[0];
#ifdef __NR_fork
  if (call->nr == __NR_fork) return true;
  if (call->nr == __NR_vfork) return false;
#endif
  if (call->nr == __NR_clone3 && safe_copy(&flags, (const void *)call->args[0], sizeof flags)) return false;
  return !(flags & CLONE_VM);
}

static long record_clone(struct thread *thread, const struct call *call, struct input_call *in,
                         perform_call *perform) {
  const struct rthread *parent = thread->rthread;
  turns->hold_memory(thread, in, true);
  uint64_t digest = call_digest(in);
  bool copies = copies_memory(call);
  order_tick(thread);
  if (copies) turns->stop_others(thread);
  if (copies) by_value_close_here(thread);
  if (copies) turns->before_fork();
  order_tick(thread); /* earlier accesses of the others come at a position before the birth */
  long result = perform(thread, call);
  if (thread->rthread != parent) return result; /* in the child */
  bool logged = atomic_exchange(&thread->rthread->born.state, BIRTH_BY_PARENT) == BIRTH_LOGGED;
  if (result > 0 && !logged) { /* or a child of vfork was killed before it logged that itself */
    record_position(thread);
    record_birth(thread->rthread, (int32_t)result);
  }
  if (result > 0 && copies) turns->forked(thread->rthread->born.process);
  record_result(thread, call, result, digest, false);
  if (result != CALL_INTERRUPTED) input_incoming(in, result, log_piece, thread);
  killed_child_log(thread);
  order_tick(thread);
  if (copies) turns->let_others_go(thread);
  return result;
}

/* True if the call lets the process write memory that it may share with another. */
static bool shares_memory(const struct call *call) {
  struct mapping mapping;
  bool writes = call->args[2] & PROT_WRITE;
  switch (call->nr) {
    case __NR_shmat:
      return true;
    case __NR_mmap:
      return writes && call->args[3] & MAP_SHARED; /* MAP_SHARED_VALIDATE has that bit */
    case __NR_mprotect:
      return writes && mappings_find((uintptr_t)call->args[0], &mapping) && mapping.shared;
    default:
      return false;
  }
}

static void note_mapping(struct thread *thread, const struct call *call, long at) {
  bool segment = call->nr == __NR_shmat;
  struct region_object *object = NULL;
  if (os_failed(at)) return;
  if (shares_memory(call)) region->shares = true;
  if (segment || call->nr == __NR_mmap) {
    bool anonymous = !segment && call->args[3] & MAP_ANONYMOUS;
    if (!anonymous) object = segment ? objects_attached(thread, call, at) : objects_mapped(thread, call, at);
  }
  turns->mapped(call, at, object);
}

/* True if the call depends on the changes that other threads have made to shared memory or files: it must come after all of them in replay,
 * even after threads that ended long ago. */
static bool meets_changes(const struct call *call) {
  if (call->nr == __NR_madvise) return call->args[2] == MADV_REMOVE;
  return call->nr == __NR_mmap && objects_map_changed(call);
}

static long perform_mapping(struct thread *thread, const struct call *call, perform_call *perform) {
  struct call placed = *call;
  placed.args[0] = (long)turns->place(call);
  placed.args[3] |= MAP_FIXED_NOREPLACE;
  long result = placed.args[0] ? perform(thread, &placed) : -EEXIST;
  return placed.args[0] && !os_failed(result) ? result : perform(thread, call);
}

/* The number of bytes to which advice that changes memory was applied, if it failed on the way. The kernel may drop free pages at any
 * time: the recorder drops them at once. */
static uint64_t finish_advice(struct thread *thread, const struct call *call, long result,
                              perform_call *perform) {
  size_t length = ALIGN_UP((size_t)call->args[1], PAGE), done = length;
  if (!advice_changes_memory(call->args[2]) || call->args[0] % PAGE) return 0;
  bool failed = result && result != -ENOMEM;
  if (failed) done = pieces_advised((uintptr_t)call->args[0], length, call->args[2]);
  if (call->args[2] == MADV_FREE && done) {
    struct call drop = *call;
    drop.args[1] = (long)done;
    drop.args[2] = MADV_DONTNEED;
    perform(thread, &drop);
  }
  return failed ? done : 0;
}

static long record_executed(struct thread *thread, const struct call *call, struct input_call *in,
                            perform_call *perform) {
  audit_passes(AUDIT_EXECUTED);
  if (is_clone(call->nr)) return record_clone(thread, call, in, perform);
  turns->hold_memory(thread, in, true);
  uint64_t digest = call_digest(in);
  order_tick(thread);
  turns->stop_others(thread);
  by_value_close_for(thread, call);
  if (turns->takes_memory && meets_changes(call)) turns->meet_changes(thread);
  bool refused = call->nr == __NR_mmap && !objects_can_map(call);
  long result = refused ? -ENODEV : perform_mapping(thread, call, perform);
  if (call->nr == __NR_madvise) digest = finish_advice(thread, call, result, perform);
  note_mapping(thread, call, result);
  record_result(thread, call, result, digest, false);
  order_tick(thread);
  turns->let_others_go(thread);
  return result;
}

/* A call that the engine answers from its own state, in replay too. Actions of signals belong to all threads. */
static long record_virtual(struct thread *thread, const struct call *call, struct input_call *in,
                           perform_call *perform) {
  enum { FRAME = 32 << 10 };
  bool common = call->nr == __NR_rt_sigaction && call->args[1];
  order_tick(thread);
  if (common) turns->stop_others(thread);
  turns->hold_memory(thread, in, true);
  if (call->nr == __NR_rt_sigreturn) turns->take_memory(thread, arch_sp(thread) - PAGE, FRAME, false);
  long result = perform(thread, call);
  if (result == CALL_INTERRUPTED) record_result(thread, call, result, 0, false);
  order_tick(thread);
  if (common) turns->let_others_go(thread);
  return result;
}

/* True if the call writes this process's memory in a way that no walk of its arguments finds. */
static bool writes_memory(struct thread *thread, const struct call *call) {
  bool copies = call->nr == __NR_process_vm_writev;
  int32_t own = thread->process->pid,
          whose = copies ? process_of((int32_t)call->args[0]) : memory_target(call);
  if (!whose || (copies && call->args[0] == own)) return false;
  return whose == own && !copies;
}

/* Stops all other threads: none sees memory, or a mapped file, change. */
static void alone_begin(struct thread *thread, struct region_object *target) {
  turns->stop_others(thread);
  turns->take_all(thread, target);
}

/* True if setns enters another namespace of process ids. A descriptor of a namespace needs no flags; one of a process does, and has no
 * namespace type. */
static bool enters_id_namespace(const struct call *call) {
  enum { NS_GET_NSTYPE = 0xb703 };
  int flags = (int)call->args[1];
  return flags & CLONE_NEWPID ||
         (!flags && os_call2(__NR_ioctl, (int)call->args[0], NS_GET_NSTYPE) == CLONE_NEWPID);
}

/* The manager and all threads of a sphere know each other by their process ids: in a namespace these mean something else. So the
 * call fails as in a container without privileges; programs that isolate a part of themselves that way do without. */
static bool wants_id_namespace(const struct call *call) {
  uint64_t flags = 0;
  if (call->nr == __NR_setns) return enters_id_namespace(call);
  if (call->nr == __NR_clone || call->nr == __NR_unshare)
    flags = (uint64_t)call->args[0];
  else if (call->nr == __NR_clone3 && safe_copy(&flags, (const void *)call->args[0], sizeof flags))
    return false;
  return flags & CLONE_NEWPID;
}

static long perform_refused(struct thread *thread, const struct call *call) {
  (void)thread, (void)call;
  return -EPERM;
}

/* What a filter of the program's answers is not performed, and looks so in the log. */
static bool record_answered(struct thread *thread, const struct call *call, long *result) {
  if (!sandbox_answers(thread, call, result)) return false;
  order_tick(thread);
  record_answer(thread, call, *result);
  order_tick(thread);
  return true;
}

/* How a call that replay emulates is made. All is decided before anything is done for it. */
struct plan {
  enum stops_kind stops;
  struct region_object *target; /* the mapped file that it changes, or NULL */
  bool writes_memory;           /* of its process, where no walk of its arguments finds it */
  int32_t other;                /* the process whose memory it writes, or 0 */
  int fatal;                    /* the signal to itself that ends the process, or 0 */
  bool alone;                   /* no other thread runs meanwhile */
  bool keeps;                   /* it keeps its turn */
  bool copies;                  /* the kernel works on copies of its memory */
  bool at_futex;                /* it may wait at a futex */
};

static bool keeps_turn(const struct plan *plan, bool may_stay) {
  if (plan->alone || plan->other || plan->stops == STOPS_OTHERS || plan->stops == STOPS_TRACED) return true;
  return plan->stops == STOPS_ITSELF ? !turns->alone : may_stay;
}

static bool wants_copies(const struct plan *plan, const struct call *call, struct input_call *in) {
  if (in->compares || !plan->keeps) return true;
  if (plan->alone || plan->stops != STOPS_NONE) return false;
  return turns->wants_copies(in) || audit_wants_copies(call, in);
}

static struct plan make_plan(struct thread *thread, const struct call *call, struct input_call *in,
                             bool refused) {
  struct plan plan = {
      .stops = refused ? STOPS_NONE : stops_kind(thread, call),
      .target = objects_target(call),
      .writes_memory = writes_memory(thread, call),
      .other = memory_of_other(thread, call),
      .fatal = call_is_fatal(thread, call),
  };
  bool may_stay = turns->stays(thread, call, in) || (!turns->locks_output && writes_at_once(thread, call));
  plan.alone = plan.target || plan.writes_memory;
  plan.keeps = keeps_turn(&plan, may_stay);
  plan.copies = wants_copies(&plan, call, in);
  plan.at_futex = call->nr == __NR_futex && !plan.keeps;
  return plan;
}

static void begin_plan(struct thread *thread, const struct call *call, const struct plan *plan) {
  if (plan->alone) alone_begin(thread, plan->target);
  if (plan->other) memory_other_begin(thread, plan->other);
  if (plan->at_futex) turns->waits_at(thread, (uintptr_t)call->args[0]);
}

/* What the sphere has to know of a call that was made. */
static void end_plan(struct thread *thread, const struct call *call, const struct plan *plan, long result) {
  bool made = result != CALL_INTERRUPTED;
  if (plan->at_futex) turns->waited_at(thread, (uintptr_t)call->args[0], !result || result == -EAGAIN);
  if (plan->target && made) objects_changed(thread, plan->target, call, result);
  if (plan->writes_memory && made) memory_written(thread, call, result);
  if (plan->other) memory_other_end(plan->other, call, result);
  thread->record.keeps_shared = false;
  objects_opened(thread, call, result);
  memory_file_opened(call, result);
  if (plan->alone) turns->let_others_go(thread);
  output_record(thread, call, result);
  if (plan->fatal && !result) signals_end_at_once(thread, plan->fatal);
}

static void refuse_unknown_ioctl(const struct call *call, const struct input_call *in, long result) {
  if (in->addressed && result != CALL_INTERRUPTED && !input_ioctl_failed(result))
    sphere_fail(OUTCOME_UNSUPPORTED,
                "ioctl 0x%x is not known, and was given an address to look through: it can't be recorded",
                (uint32_t)call->args[1]);
}

static long record_emulated(struct thread *thread, const struct call *call, struct input_call *in,
                            perform_call *perform) {
  sync_call_begins(thread, call);
  if (inheritance_concerns(call)) return record_inheriting(thread, call, in, perform);
  if (output_refuses(thread, call)) {
    record_result(thread, call, -EINVAL, call_digest(in), false);
    return -EINVAL;
  }
  struct plan plan = make_plan(thread, call, in, perform == perform_refused);
  begin_plan(thread, call, &plan);
  long result = plan.copies
                    ? record_on_copies(thread, call, in, perform, (struct manner){plan.stops, plan.keeps, 0})
                    : record_direct(thread, call, in, perform, plan.stops);
  refuse_unknown_ioctl(call, in, result);
  end_plan(thread, call, &plan, result);
  return result;
}

static long record(struct thread *thread, const struct call *call, perform_call *perform) {
  struct input_call in;
  int error = 0;
  long result;
  record_position(thread); /* which stays the same until the call is over */
  if (wants_id_namespace(call) || tracing_is_refused(thread, call)) perform = perform_refused;
  begin(&in, thread, call);
  enum input_replay how = input_replay(&in, &error);
  if (how == INPUT_REFUSE) return -error;
  if (how == INPUT_UNSUPPORTED)
    sphere_fail(OUTCOME_UNSUPPORTED, "the system call %s can't be recorded", input_row(call->nr)->name);
  if (record_answered(thread, call, &result)) return result;
  if (how == INPUT_VIRTUAL) return record_virtual(thread, call, &in, perform);
  if (how == INPUT_EXECUTE) return record_executed(thread, call, &in, perform);
  return record_emulated(thread, call, &in, perform);
}

long record_call(struct thread *thread, const struct call *call, perform_call *perform) {
  long result = record(thread, call, perform);
  if (config.live) unstored_note(call, result);
  turns->call_over(thread);
  return result;
}
