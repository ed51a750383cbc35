/* replayer.c: replays the input logs.
 *
 * System calls are answered from the thread's input log and compared with it; calls that are executed again use the
 * addresses of the recording. The first difference ends the replay. */
#include <linux/fcntl.h>
#include <linux/mman.h>

#include "engine/base/lib.h"
#include "engine/base/log.h"
#include "engine/border/objects.h"
#include "engine/border/sphere.h"
#include "engine/code/code.h"
#include "engine/memory/mappings.h"
#include "engine/memory/memory_pieces.h"
#include "engine/memory/verify.h"
#include "engine/order/baton.h"
#include "engine/order/open_blocks.h"
#include "engine/order/stops.h"
#include "engine/order/sync.h"
#include "engine/order/thread_order.h"
#include "engine/region/debug.h"
#include "engine/region/rest.h"
#include "engine/region/turns.h"
#include "engine/turns/epochs.h"
#include "engine/signals/signals.h"
#include "engine/turns/turn_tables.h"
#include "engine/view/files.h"
#include "engine/view/sandbox.h"
#include "input/times.h"
#include "input/newer.h"

/* The number of instructions that a thread may run beyond the position of its next event before it is stopped: not exact, so that
 * the usual call costs no stop. */
enum { RUNAWAY = 1 << 22 };

/* -- The log ------------------------------------------------------------------------------------------------------------------- */

/* A thread that was killed in a call may have logged the result: no thread has seen it. */
static void drop_last_call(struct thread *thread) {
  const struct input_event *event;
  while ((event = replay_peek(thread)) && event->position == arch_position(thread) &&
         event->kind != EVENT_EXIT)
    replay_consume(thread);
}

void replay_log_ends(struct thread *thread) {
  struct rthread *rthread = thread->rthread;
  LOG(threads, "the log ends");
  turns->log_ends(thread);
  drop_last_call(thread);
  if (atomic_load(&rthread->ring.broken)) sphere_fail(OUTCOME_LOG_ENDS, NULL);
  if (rthread->chunk.end.known && rthread->chunk.end.reason != CHUNK_DEAD)
    replay_diverged(thread, "its input log ends before its last chunk");
  if (!rthread->chunk.end.known || rthread->chunk.end.next == CHUNK_NOBODY)
    sphere_fail(OUTCOME_LOG_ENDS, NULL);
  if (debugged()) debug_leaves(thread, true);
  baton_pass(thread);
  for (;;) os_call1(__NR_exit_group, 0);
}

/* As replay_peek, where the log must have another event. */
static const struct input_event *next_event(struct thread *thread) {
  const struct input_event *event = replay_peek(thread);
  if (!event) replay_log_ends(thread);
  return event;
}

const struct input_event *replay_expect(struct thread *thread, uint8_t kind, const char *doing) {
  const struct input_event *event = next_event(thread);
  if (event->kind != kind)
    replay_diverged(thread, "expected the event %s at position %lu, got %s", input_event_name(event->kind),
                    event->position, doing);
  if (event->position != arch_position(thread))
    replay_diverged(thread, "expected the event %s at position %lu, got %s here",
                    input_event_name(event->kind), event->position, doing);
  return event;
}

void replay_time(struct thread *thread, const struct input_event *event) {
  struct input_time how = input_time(event->syscall.nr);
  if (!event->syscall.has_time || !how.unit) return;
  uint64_t words[] = {event->syscall.time / how.unit, event->syscall.time % how.unit};
  uintptr_t to = event->syscall.args[how.argument];
  if (copy_to_app(to, words, sizeof words)) replay_diverged(thread, "the time can't be written at 0x%lx", to);
}

/* -- Positions ------------------------------------------------------------------------------------------------------------------- */

/* True if the event is still to come, though it has the thread's position: an instruction that faults counts as none, and leads from here to the event's pc, where
 * its handler begins. If the next instruction does not fault, the replay has diverged. */
static bool is_ahead(const struct thread *thread, const struct input_event *event) {
  uint64_t pc = event->kind == EVENT_SIGNAL  ? event->signal.pc
                : event->kind == EVENT_CHECK ? event->check.pc
                                             : arch_pc(thread);
  return event->position == arch_position(thread) && pc != arch_pc(thread);
}

/* In parallel checks are made at ends: of epochs, and of threads, those of memory there when all other threads have ended, too. */
static bool is_check_on_the_way(const struct input_event *event) {
  return event->kind == EVENT_CHECK && (turns->alone || event->check.epoch);
}

/* A thread may come to the ends of several epochs at one position: before calls that are made again. After them its log may end: it was killed there. */
static void check_on_the_way(struct thread *thread) {
  const struct input_event *event;
  bool epochs = false;
  while ((event = replay_peek(thread)) && is_check_on_the_way(event) &&
         event->position == arch_position(thread) && !is_ahead(thread, event)) {
    epochs |= event->check.epoch;
    if (event->check.epoch)
      epoch_replay(thread);
    else
      verify_replay(thread);
  }
  if (epochs) turns->gate(thread);
}

void replay_arm(struct thread *thread) {
  struct rthread *rthread = thread->rthread;
  const struct input_event *event = replay_peek(thread);
  uint64_t stop = UINT64_MAX;
  if (event)
    stop = event->kind == EVENT_SIGNAL || is_check_on_the_way(event) ||
                   (event->kind == EVENT_COPY_IN && event->copy_in.foreign) ||
                   (event->kind == EVENT_INSN && event->insn.insn == INSN_BINDING) ||
                   (event->kind == EVENT_OPEN &&
                    (event->open.what == OPEN_VIEW || event->open.what == OPEN_STOP))
               ? event->position + is_ahead(thread, event)
               : ALIGN_UP(event->position + RUNAWAY, RUNAWAY);
  if (rthread->chunk.end.known) {
    uint64_t end = rthread->chunk.start + rthread->chunk.end.length;
    bool exact = rthread->chunk.end.reason == CHUNK_POLL || rthread->chunk.end.reason == CHUNK_DEAD;
    stop = MIN(stop, exact ? end : ALIGN_UP(end + RUNAWAY, RUNAWAY));
  }
  stop = MIN(stop, turns->stop(thread));
  if (debugged()) stop = MIN(stop, debug_stop(thread));
  if (stop != arch_stop(thread)) arch_set_stop(thread, stop);
}

static void queue_signal(struct thread *thread, const struct input_event *event) {
  thread->signals.queued = (struct queued_signal){.signo = (int)event->signal.signo,
                                                  .synchronous = event->signal.synchronous,
                                                  .ended_wait = event->signal.ended_wait,
                                                  .wait_mask = thread->signals.wait_mask};
  memcpy(&thread->signals.queued.info, event->signal.info,
         MIN(event->signal.count, sizeof thread->signals.queued.info));
}

void replay_safepoint(struct thread *thread) {
  uint64_t position = arch_position(thread);
  if (has_checkpoints()) rest_point(thread);
  turns->gate(thread);
  check_on_the_way(thread);
  while (chunk_ends_here(thread, CHUNK_POLL)) change_chunks(thread);
  turns->foreign(thread);
  by_value_replay_views(thread);
  const struct input_event *event = replay_peek(thread);
  if (event && event->kind == EVENT_SIGNAL && event->position == position && !is_ahead(thread, event)) {
    queue_signal(thread, event);
    replay_consume(thread);
    replay_arm(thread);
    return;
  }
  if (sync_binding_is_due(thread, event)) {
    replay_consume(thread);
    replay_arm(thread); /* perhaps a signal comes before the instruction */
    return;
  }
  if (chunk_ends_here(thread, CHUNK_DEAD)) replay_log_ends(thread);
  replay_arm(thread);
  if (arch_stop(thread) > position) return;
  if (event && event->position < position)
    replay_diverged(thread, "expected the event %s at position %lu, and it did not come",
                    input_event_name(event->kind), event->position);
  replay_diverged(thread, "it is beyond the end of its chunk");
}

/* -- Calls ------------------------------------------------------------------------------------------------------------------------- */

/* The event must be of this very call, whatever it sends. */
static void expect_same_call(struct thread *thread, const struct call *call,
                             const struct input_event *event) {
  const struct input_row *row = input_row(call->nr), *wanted = input_row(event->syscall.nr);
  const char *name = row ? row->name : "an unknown call";
  struct input_event got;
  call_event(thread, call, &got);
  if (event->syscall.nr != got.syscall.nr)
    replay_diverged(thread, "expected the call %s, got %s", wanted ? wanted->name : "?", name);
  if (event->syscall.pc != got.syscall.pc)
    replay_diverged(thread, "expected the call %s at pc 0x%lx, got it here", name, event->syscall.pc);
  for (unsigned i = 0; i < 6; i++)
    if (event->syscall.args[i] != got.syscall.args[i])
      replay_diverged(thread, "%s: expected 0x%lx as argument %u, got 0x%lx", name, event->syscall.args[i],
                      i + 1, got.syscall.args[i]);
}

/* The next event, which must be this very call. */
static const struct input_event *expect_call(struct thread *thread, const struct call *call,
                                             uint64_t digest) {
  const struct input_row *row = input_row(call->nr);
  const char *name = row ? row->name : "an unknown call";
  const struct input_event *event = replay_expect(thread, EVENT_SYSCALL, name);
  expect_same_call(thread, call, event);
  digest = output_seal(call, digest, event->syscall.result);
  if (event->syscall.digest != digest && !thread->half_done) /* then the others may have changed the bytes */
    replay_diverged(thread, "%s: expected to send bytes with the digest 0x%lx, got 0x%lx", name,
                    event->syscall.digest, digest);
  return event;
}

/* Before the digest is compared, which such a result has changed. A call that a filter of the program's has trapped or answered has any
 * result. */
static void refuse_excess(struct thread *thread, const struct call *call, const struct input_call *in) {
  const struct input_event *event = replay_peek(thread);
  if (!event || event->kind != EVENT_SYSCALL || event->syscall.nr != (uint32_t)call->nr) return;
  if (!config.sandboxed && !input_result_fits(in, event->syscall.result))
    replay_senseless(thread, "a call has moved more than there was room for");
}

static long replay_emulated(struct thread *thread, const struct call *call, struct input_call *in,
                            const struct call *shown, uint64_t digest, perform_call *perform) {
  while (chunk_ends_here(thread, CHUNK_CALL)) change_chunks(thread);
  refuse_excess(thread, call, in);
  const struct input_event *event = expect_call(thread, call, digest);
  long result = event->syscall.result;
  replay_time(thread, event);
  replay_consume(thread);
  replay_copy_ins(thread);
  objects_replay_changes(thread);
  if (call_sets_stack_limit(call) && !result) perform(thread, call);
  if (has_checkpoints() && call_sets_stack_limit(call)) unstored_note(call, result);
  if (call->nr == __NR_personality && !os_failed(result)) files_note_personality(call);
  sandbox_replayed(call, result);
  if (result != CALL_INTERRUPTED) output_replay(thread, shown, result);
  waiting_over(thread);
  return result;
}

/* A mapping of the recording can't be made here. If memory is lacking, the recording is not at fault. */
static _Noreturn void fail_mapping(struct thread *thread, const char *doing, uint64_t wanted, long result) {
  if (wanted < USER_END && (result == -ENOMEM || result == -EAGAIN || result == -ENFILE))
    sphere_fail(OUTCOME_FAILED, "can't %s %lx, as in the recording (error %ld)", doing, wanted, -result);
  replay_diverged(thread, "expected to %s 0x%lx, got 0x%lx", doing, wanted, (uint64_t)result);
}

/* A checkpoint has to copy shared memory: memory without a file becomes a file of the manager's. */
static int give_file(struct call *call) {
  int fd = region_ask_file(REQUEST_MEMORY, call->args[1]);
  if (fd < 0) sphere_fail(OUTCOME_FAILED, "no memory for processes to share (error %d)", -fd);
  call->args[3] &= ~(long)(MAP_ANONYMOUS | MAP_HUGETLB | MAP_HUGE_MASK << MAP_HUGE_SHIFT);
  call->args[4] = fd;
  call->args[5] = 0;
  return fd;
}

static long replay_mmap(struct thread *thread, const struct call *call, const struct input_event *file,
                        perform_call *perform) {
  struct call again = *call;
  int fd = -1;
  if (file) {
    fd = objects_open(file->file.file, file->file.writable);
    replay_consume(thread);
  } else {
    /* Or /dev/zero, whose flags mmap may validate: MAP_SHARED_VALIDATE does not exist for memory without a file. */
    if ((again.args[3] & MAP_TYPE) == MAP_SHARED_VALIDATE) again.args[3] ^= MAP_SHARED_VALIDATE ^ MAP_SHARED;
    again.args[3] |= MAP_ANONYMOUS;
  }
  again.args[4] = fd;
  const struct input_event *event = expect_call(thread, call, 0);
  long at = event->syscall.result;
  replay_consume(thread);
  if (!os_failed(at)) {
    again.args[0] = at;
#ifdef MAP_32BIT /* architectures that never had such programs do without */
    again.args[3] &= ~(long)MAP_32BIT;
#endif
    again.args[3] &= ~(long)MAP_LOCKED; /* which may be limited */
    if (!(again.args[3] & (MAP_FIXED | MAP_FIXED_NOREPLACE))) again.args[3] |= MAP_FIXED_NOREPLACE;
    if (has_checkpoints() && fd < 0 && (again.args[3] & MAP_TYPE) == MAP_SHARED) fd = give_file(&again);
    long result = perform(thread, &again);
    if (result != at) fail_mapping(thread, "map memory at", (uint64_t)at, result);
  }
  if (fd >= 0) os_call1(__NR_close, fd);
  return at;
}

/* Maps the object that was made of the segment in its place. */
static long replay_shmat(struct thread *thread, const struct call *call) {
  const struct input_event *event = replay_peek(thread);
  int fd = -1;
  size_t bytes = 0;
  if (event && event->kind == EVENT_FILE) {
    bytes = event->file.bytes;
    fd = objects_open(event->file.file, true);
    replay_consume(thread);
  }
  long at = expect_call(thread, call, 0)->syscall.result;
  replay_consume(thread);
  if (fd < 0) return at;
  long result = mappings_attach(fd, at, bytes, call->args[2]);
  if (result != at) fail_mapping(thread, "map shared memory at", (uint64_t)at, result);
  os_call1(__NR_close, fd);
  return at;
}

static long replay_mremap(struct thread *thread, const struct call *call, perform_call *perform) {
  struct call again = *call;
  long at = expect_call(thread, call, 0)->syscall.result;
  replay_consume(thread);
  if (os_failed(at)) return at;
  if (at != call->args[0]) {
    again.args[3] |= MREMAP_FIXED | MREMAP_MAYMOVE;
    again.args[4] = at;
  }
  long result = perform(thread, &again);
  if (result != at) fail_mapping(thread, "move memory to", (uint64_t)at, result);
  return at;
}

/* A break that was not moved in the recording is not moved here, whatever the reason was. */
static long replay_brk(struct thread *thread, const struct call *call, perform_call *perform) {
  long wanted = expect_call(thread, call, 0)->syscall.result;
  replay_consume(thread);
  if (wanted != call->args[0] && call->args[0]) return wanted;
  long result = perform(thread, call);
  if (result != wanted) replay_diverged(thread, "expected the break at 0x%lx, got 0x%lx", wanted, result);
  return result;
}

static long replay_clone(struct thread *thread, const struct call *call, uint64_t digest,
                         perform_call *perform) {
  const struct rthread *parent = thread->rthread;
  const struct input_event *event = next_event(thread);
  order_tick(thread);
  if (event->kind == EVENT_THREAD || event->kind == EVENT_PROCESS) {
    bool process = event->kind == EVENT_PROCESS;
    uint32_t number = process ? event->process.thread : event->thread.thread;
    thread->rthread->replay.child_number = number;
    /* A killed thread may have had a child that was not logged, or was about to have one. */
    if (region->killed && number > region->threads) {
      region->threads = number;
      if (process) atomic_store(&region->processes, event->process.process);
    }
    if (number != region->threads && turns->alone)
      replay_diverged(thread, "expected thread %u to be born, got %u", number, region->threads);
    thread->rthread->replay.child_id = (int32_t)(process ? event->process.id : event->thread.id);
    replay_consume(thread);
    turns->tell(thread);
    long made = perform(thread, call);
    if (thread->rthread != parent) return made; /* in the child */
    if (made < 0) sphere_fail(OUTCOME_FAILED, "can't make a thread or process (error %ld)", -made);
  }
  turns->gate(thread);
  long result = expect_call(thread, call, digest)->syscall.result;
  replay_consume(thread);
  replay_copy_ins(thread);
  return result;
}

/* The execve succeeded in the recording if no result follows. */
static long replay_exec(struct thread *thread, const struct call *call, uint64_t digest,
                        perform_call *perform) {
  const struct input_event *event = next_event(thread);
  if (event->kind == EVENT_COPY_IN) { /* the end of the new program's stack */
    long result = perform(thread, call);
    sphere_fail(OUTCOME_FAILED, "can't start the next program (error %ld)", -result);
  }
  long result = expect_call(thread, call, digest)->syscall.result;
  replay_consume(thread);
  return result;
}

/* Advice that changes no memory is given again for the sake of speed; its result is up to the kernel. Advice that changes memory is applied as far as
 * in the recording: to the end, unless only some of the range was missing, or as far as is logged. */
static long replay_madvise(struct thread *thread, const struct call *call, perform_call *perform) {
  struct call again = *call;
  unstored_note(call, 0);
  if (call->args[2] == MADV_FREE) again.args[2] = MADV_DONTNEED;
  const struct input_event *event = next_event(thread);
  uint64_t done = event->kind == EVENT_SYSCALL ? event->syscall.digest : 0;
  long wanted = expect_call(thread, call, done)->syscall.result, result;
  replay_consume(thread);
  bool harms = call->args[2] == MADV_HWPOISON || call->args[2] == MADV_SOFT_OFFLINE;
  if (done > ALIGN_UP((uint64_t)call->args[1], PAGE))
    replay_senseless(thread, "a call went beyond its range");
  if (harms) return wanted;
  if (!advice_changes_memory(call->args[2])) {
    perform(thread, &again);
    return wanted;
  }
  if (wanted && wanted != -ENOMEM) again.args[1] = (long)done;
  result = again.args[1] ? perform(thread, &again) : 0;
  if (result && result != wanted && (result != -ENOMEM || !wanted))
    replay_diverged(thread, "madvise: expected the result %ld, got %ld", wanted, result);
  return wanted;
}

/* A filter has answered the call. */
static bool answered_here(struct thread *thread, const struct call *call) {
  const struct input_event *event = replay_peek(thread);
  return event && event->kind == EVENT_SYSCALL && event->position == arch_position(thread) &&
         event->syscall.nr == (uint32_t)call->nr && event->syscall.digest == INPUT_ANSWERED;
}

static long replay_answered(struct thread *thread, const struct call *call) {
  const struct input_event *event = replay_peek(thread);
  long result = event->syscall.result;
  expect_same_call(thread, call, event);
  replay_consume(thread);
  return result;
}

static bool interrupted_here(struct thread *thread, const struct call *call) {
  const struct input_event *event = replay_peek(thread);
  return event && event->kind == EVENT_SYSCALL && event->position == arch_position(thread) &&
         event->syscall.nr == (uint32_t)call->nr && event->syscall.result == CALL_INTERRUPTED;
}

static long replay_executed(struct thread *thread, const struct call *call, uint64_t digest,
                            perform_call *perform) {
  const struct input_event *event = replay_peek(thread);
  switch (call->nr) {
    case __NR_mmap:
      return replay_mmap(thread, call, event && event->kind == EVENT_FILE ? event : NULL, perform);
    case __NR_shmat:
      return replay_shmat(thread, call);
    case __NR_mremap:
      return replay_mremap(thread, call, perform);
    case __NR_clone:
    case __NR_clone3:
#ifdef __NR_fork
    case __NR_fork:
    case __NR_vfork:
#endif
      return replay_clone(thread, call, digest, perform);
    case __NR_execve:
    case __NR_execveat:
      return replay_exec(thread, call, digest, perform);
    case __NR_exit:
    case __NR_exit_group:
      return perform(thread, call);
    default:
      break;
  }
  if (call->nr == __NR_brk) return replay_brk(thread, call, perform);
  if (call->nr == __NR_madvise) return replay_madvise(thread, call, perform);
  long wanted = expect_call(thread, call, digest)->syscall.result;
  replay_consume(thread);
  if (call->nr == __NR_prctl && os_failed(wanted)) return wanted; /* this kernel may know the command */
  long result = perform(thread, call);
  if (has_checkpoints()) unstored_note(call, result);
  if (call->nr == __NR_set_tid_address) result = wanted;
  if (result != wanted)
    replay_diverged(thread, "%s: expected the result %ld, got %ld", input_row(call->nr)->name, wanted,
                    result);
  return result;
}

/* The replay begins while this call waits: what comes before the wait is in the checkpoint. */
static long replay_second_half(struct thread *thread, const struct call *call, struct input_call *in,
                               perform_call *perform) {
  struct call shown = *call;
  waiting_again(thread, &shown);
  signals_note_wait_mask(thread, &shown);
  long result = replay_emulated(thread, call, in, &shown, 0, perform);
  thread->half_done = false;
  order_tick(thread);
  replay_arm(thread);
  return result;
}

/* Waits for the thread's turn in a call. */
static void await_turn_in_call(struct thread *thread) {
  turns->gate(thread);
  if (debugged() && debug_goes_on(thread)) replay_arm(thread);
}

long replay_call(struct thread *thread, const struct call *call, perform_call *perform) {
  struct input_call in;
  int error = 0;
  long result;
  const struct rthread *before = thread->rthread;
  struct call shown = *call;
  if (has_checkpoints() && !thread->half_done) rest_point(thread);
  input_begin(&in, call->nr, call->args, read_application, NULL);
  in.pid = thread->process->pid;
  if (thread->half_done) return replay_second_half(thread, call, &in, perform);
  enum input_replay how = input_replay(&in, &error);
  if (how == INPUT_REFUSE) return -error;
  if (how == INPUT_UNSUPPORTED) {
    next_event(thread); /* the recording may well end with this call */
    replay_diverged(thread, "got a call that can't be recorded: %s", input_row(call->nr)->name);
  }
  await_turn_in_call(thread);
  bool answered = answered_here(thread, call);
  uint64_t digest = how == INPUT_VIRTUAL || answered ? 0 : call_digest(&in);
  if (how == INPUT_EMULATE && !answered) {
    signals_note_wait_mask(thread, call);
    call_leave_if_killed(thread, call);
    replay_copy_ins(thread); /* those of a call that writes before it waits */
    verify_call(thread);
    /* Other threads may change the output before its turn to be shown comes. */
    if (output_writes(thread, call) && turns->waits_in_call(thread)) waiting_begin(thread, &in, &shown);
  }
  order_tick(thread);
  await_turn_in_call(thread);
  turns->foreign(thread);
  by_value_close_here(thread);
  if (answered) {
    result = replay_answered(thread, call);
  } else if (how != INPUT_EMULATE && interrupted_here(thread, call)) {
    replay_consume(thread);
    result = CALL_INTERRUPTED;
  } else if (how == INPUT_VIRTUAL) {
    result = perform(thread, call);
  } else if (how == INPUT_EXECUTE) {
    result = replay_executed(thread, call, digest, perform);
  } else {
    result = replay_emulated(thread, call, &in, &shown, digest, perform);
  }
  if (thread->rthread != before) return result; /* in a child, which begins */
  order_tick(thread);
  replay_arm(thread);
  return result;
}
