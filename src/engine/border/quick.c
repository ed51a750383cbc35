/* quick.c: the short way through recorder and replayer, for calls that programs make by the million.
 *
 * The log is the same as recorder.c would write: the thread keeps the baton, so the kernel may write where the application
 * wants it, and each piece of memory is a plain argument. These arguments are found once, from the call's row. A call
 * that another part must handle (a file that is mapped may be written, a length that makes no sense) goes the long way. So does one
 * in replay that differs from the log: the long way reports the difference. */
#include <linux/eventpoll.h>
#include <linux/fcntl.h>

#include "engine/base/lib.h"
#include "engine/border/attempts.h"
#include "engine/border/objects.h"
#include "engine/border/sphere.h"
#include "engine/code/code.h"
#include "engine/memory/verify.h"
#include "engine/region/turns.h"
#include "engine/signals/kernel_call.h"
#include "engine/turns/turn_tables.h"
#include "engine/view/descriptors.h"
#include "engine/view/vdso.h"
#include "input/digest.h"
#include "input/row.h"
#include "input/times.h"

enum { COUNT_LIMIT = 1 << 30, STRING_LIMIT = 1024 };

/* Of a call whose memory is at most two pieces, each an argument with its size. */
struct short_row {
  bool usable;
  bool plain;      /* the kernel is all it needs, unless its first argument is a descriptor of the engine's */
  bool time;       /* it tells the time */
  bool followed;   /* it may change which descriptors are standard output and error */
  uint8_t opens;   /* the argument with the flags for opening a file, + 1; 0: it opens none */
  uint64_t has[6]; /* all bits of the arguments that there are */
  uint8_t pieces;
  struct {
    uint8_t argument, with;
    bool read, written;
    bool by_result; /* as many elements are written as the result says */
    bool counted;   /* argument `with` says how many elements there are at most */
    bool string;
    uint32_t element; /* bytes */
  } piece[SHORT_PIECES];
};

enum { NUMBERS = 512 };
static struct short_row rows[NUMBERS];
static _Atomic bool filled;

static bool is_short(const struct input_arg *arg) {
  bool sized = arg->rule == RULE_FIXED || arg->rule == RULE_COUNT || arg->rule == RULE_RESULT ||
               arg->rule == RULE_STRING;
  return sized && !(arg->flags & ~(MAYBE | COUNT_32));
}

static bool fill_piece(struct short_row *made, const struct input_arg *arg, uint8_t n) {
  if (!is_short(arg) || made->pieces == SHORT_PIECES) return false;
  unsigned i = made->pieces++;
  made->piece[i].argument = n;
  made->piece[i].with = arg->with;
  made->piece[i].read = arg->kind != INPUT_OUT;
  made->piece[i].written = arg->kind != INPUT_IN;
  made->piece[i].by_result = arg->rule == RULE_RESULT;
  made->piece[i].counted = arg->rule == RULE_RESULT || arg->rule == RULE_COUNT;
  made->piece[i].string = arg->rule == RULE_STRING;
  made->piece[i].element = arg->size;
  return true;
}

/* Rows whose memory a function describes. The event of epoll_ctl is one piece, if it is read at all; of fcntl only commands without
 * memory are usual, of messages only those without an address. */
static void fill_walked(struct short_row *made, long nr) {
  static const struct input_arg epoll_event = IN(sizeof(struct epoll_event));
  static const struct input_arg sent = IN_SENT(2), received = OUT_RESULT(2, 1);
  if (nr == __NR_epoll_ctl)
    fill_piece(made, &epoll_event, 3);
  else if (nr == __NR_sendto || nr == __NR_recvfrom)
    fill_piece(made, nr == __NR_sendto ? &sent : &received, 1);
  else if (nr != __NR_fcntl)
    made->usable = false;
}

/* True if the kernel alone can serve the call when its first argument, the only descriptor, is the program's. A write at an offset may change code. */
static bool is_kernels(const struct input_row *row) {
  return (row->facts & (INPUT_PLAIN | INPUT_AT_OFFSET)) == INPUT_PLAIN && input_descriptors(row->nr) == 1;
}

static void fill_row(const struct input_row *row) {
  struct short_row made = {.usable = row->replay == INPUT_EMULATE,
                           .plain = is_kernels(row),
                           .time = input_time(row->nr).unit,
                           .followed = row->facts & INPUT_FOLLOWED,
                           .opens = (uint8_t)(input_argument(row->nr, INPUT_OPEN_FLAGS) + 1)};
  for (uint8_t n = 0; n < 6 && row->args[n].kind != INPUT_NONE; n++) {
    made.has[n] = ~0UL;
    if (row->args[n].kind < INPUT_IN || row->args[n].kind > INPUT_INOUT) continue;
    if (!fill_piece(&made, &row->args[n], n)) made.usable = false;
  }
  if (row->walk) fill_walked(&made, row->nr);
  rows[row->nr] = made;
}

/* Several threads may do this at once, all with the same outcome. */
static void fill(void) {
  for (long nr = 0; nr < NUMBERS; nr++)
    if (input_facts(nr) & INPUT_QUICK) fill_row(input_row(nr));
  atomic_store_explicit(&filled, true, memory_order_release);
}

/* True if the short way knows the command or the flags among the arguments. */
static bool is_usual(const struct call *call, const struct short_row *row) {
  const struct input_command *command;
  switch (call->nr) {
    case __NR_fcntl:
      command = fcntl_command((uint32_t)call->args[1]);
      return !command || command->kind < INPUT_IN;
    case __NR_sendto:
    case __NR_recvfrom:
      return !call->args[4] && !call->args[5] && attempt_knows_flags(call);
    default:
      return !row->opens || (call->args[row->opens - 1] & (O_ACCMODE | O_TRUNC | O_CREAT)) == O_RDONLY;
  }
}

/* Copies and digests a path at once. Returns its length with the terminating zero; 0 if it is long, or not readable. */
static size_t digest_string(uint64_t *digest, uintptr_t address) {
  enum { CHUNK = 128 };
  char buffer[STRING_LIMIT];
  for (size_t done = 0; done + CHUNK <= sizeof buffer;) {
    size_t part = CHUNK - (address + done) % CHUNK; /* never across a page: it may end before it */
    if (safe_copy(buffer + done, (const void *)(address + done), part)) return 0;
    for (size_t end = done + part; done < end;)
      if (!buffer[done++]) {
        *digest = input_digest(*digest, buffer, done);
        return done;
      }
  }
  return 0;
}

static bool points_nowhere(const struct call *call) {
  return call->nr == __NR_epoll_ctl && (int)call->args[1] == EPOLL_CTL_DEL;
}

/* The memory that the arguments may point to, and a digest of the bytes that the call reads; false if the short way can't describe it. */
static bool look(const struct call *call, const struct short_row *row,
                 struct short_piece pieces[SHORT_PIECES], uint64_t *digest) {
  *digest = 0;
  for (unsigned i = 0; i < row->pieces; i++) {
    uint64_t address = (uint64_t)call->args[row->piece[i].argument];
    uint64_t count = row->piece[i].counted ? (uint64_t)call->args[row->piece[i].with] : 1;
    if (count >= COUNT_LIMIT || (int64_t)address < 0) return false;
    pieces[i].address = address;
    pieces[i].bytes = address && !points_nowhere(call) ? count * row->piece[i].element : 0;
    if (!row->piece[i].read) continue;
    if (!row->piece[i].string)
      *digest = digest_memory(*digest, address, pieces[i].bytes);
    else if (!digest_string(digest, address))
      return false;
  }
  return true;
}

/* The event is not initialised as a whole: it is large, and there are many. */
static void begin_event(struct input_event *event, const struct thread *thread, const struct call *call,
                        const struct short_row *row) {
  event->kind = EVENT_SYSCALL;
  event->syscall.nr = (uint32_t)call->nr;
  event->syscall.pc = arch_pc(thread);
  for (unsigned i = 0; i < 6; i++) event->syscall.args[i] = (uint64_t)call->args[i] & row->has[i];
}

static void log_call(struct thread *thread, const struct call *call, const struct short_row *row,
                     struct short_piece pieces[SHORT_PIECES], long result, uint64_t digest, bool yielded) {
  struct input_event event;
  begin_event(&event, thread, call, row);
  event.syscall.result = result;
  event.syscall.digest = output_seal(call, digest, result);
  event.syscall.has_time = false;
  event.syscall.has_registers = yielded;
  if (yielded) event.syscall.registers = registers_digest(thread);
  bool unclear = result == -EFAULT || thread->record.overwritten;
  for (unsigned i = 0; i < row->pieces; i++) {
    if (result < 0 || unclear || !row->piece[i].written)
      pieces[i].bytes = 0;
    else if (row->piece[i].by_result)
      pieces[i].bytes = MIN(pieces[i].bytes, (size_t)result * row->piece[i].element);
  }
  record_short(thread, &event, pieces, row->pieces);
  if (unclear) record_all_it_may_write(thread, call);
}

static bool is_plain(const struct call *call, const struct short_row *row) {
  return row->plain && !codewatch_any() && !descriptor_reserved(call->args[0]);
}

/* A call that returns the time. */
static bool record_time(struct thread *thread, const struct call *call, const struct short_row *row) {
  enum { LATEST = 1 << 30 };
  struct input_event event;
  struct clock_words now;
  struct input_time how = input_time((uint32_t)call->nr);
  if (!vdso_time(call, &now) || (unsigned long)now.seconds / 4 > LATEST) return false;
  if (copy_to_app((uintptr_t)call->args[how.argument], &now, sizeof now)) return false;
  record_position(thread);
  begin_event(&event, thread, call, row);
  event.syscall.result = 0;
  event.syscall.digest = 0;
  event.syscall.has_registers = false;
  event.syscall.has_time = true;
  event.syscall.time = (uint64_t)now.seconds * how.unit + (uint64_t)now.fraction;
  record_short(thread, &event, NULL, 0);
  return true;
}

/* A call that may wait. */
static bool quick_attempt(struct thread *thread, const struct call *call, const struct short_row *row,
                          perform_call *perform, long *result) {
  struct short_piece pieces[SHORT_PIECES];
  struct call at_once;
  uint64_t digest;
  if (!attempt_form(thread, call, &at_once) || !look(call, row, pieces, &digest)) return false;
  record_position(thread);
  bool yielded = false;
  enum attempt attempt;
  do {
    *result = is_plain(call, row) ? syscall_in_kernel(thread, &at_once) : perform(thread, &at_once);
    attempt = attempt_result(thread, call, *result);
  } while (attempt == ATTEMPT_FAILED && !yielded && (yielded = attempt_yield(thread, call)));
  if (attempt == ATTEMPT_FAILED) return false;
  if (attempt == ATTEMPT_BEGUN)
    *result = record_rest(thread, call, perform, (size_t)*result);
  else
    log_call(thread, call, row, pieces, *result, digest, yielded);
  return true;
}

static bool quick_record(struct thread *thread, const struct call *call, const struct short_row *row,
                         perform_call *perform, long *result) {
  struct short_piece pieces[SHORT_PIECES];
  uint64_t digest;
  if (row->time && record_time(thread, call, row)) {
    *result = 0;
    return true;
  }
  if (region->exposed || region->memory_files || !is_usual(call, row)) return false;
  if (thread->judged) return false; /* to be answered, perhaps */
  if (!baton_stays(thread, call)) return quick_attempt(thread, call, row, perform, result);
  if (!look(call, row, pieces, &digest)) return false;
  record_position(thread); /* which stays the same until the call is over */
  _Atomic uint32_t *unlogged = &thread->rthread->input.unlogged;
  atomic_store_explicit(unlogged, output_shows(thread, call), memory_order_relaxed);
  *result = is_plain(call, row) ? syscall_in_kernel(thread, call) : perform(thread, call);
  log_call(thread, call, row, pieces, *result, digest, false);
  atomic_store_explicit(unlogged, 0, memory_order_release);
  if (row->followed) output_record(thread, call, *result);
  return true;
}

static bool is_next(const struct thread *thread, const struct call *call, const struct short_row *row,
                    const struct input_event *event, uint64_t position, uint64_t digest) {
  if (!event || event->kind != EVENT_SYSCALL || event->position != position) return false;
  uint64_t difference = event->syscall.nr ^ (uint32_t)call->nr;
  difference |= event->syscall.pc ^ arch_pc(thread);
  difference |= event->syscall.digest ^ output_seal(call, digest, event->syscall.result);
  for (unsigned i = 0; i < 6; i++)
    difference |= event->syscall.args[i] ^ ((uint64_t)call->args[i] & row->has[i]);
  return !difference && !event->syscall.has_registers && event->syscall.result != CALL_INTERRUPTED;
}

/* True if the result does not exceed the room for it. */
static bool fits(const struct call *call, const struct short_row *row, int64_t result) {
  for (unsigned i = 0; result > 0 && i < row->pieces; i++)
    if (row->piece[i].by_result && (uint64_t)result > (uint64_t)call->args[row->piece[i].with]) return false;
  return true;
}

static bool quick_replay(struct thread *thread, const struct call *call, const struct short_row *row,
                         long *result) {
  const struct rthread *rthread = thread->rthread;
  struct short_piece pieces[SHORT_PIECES];
  uint64_t digest, position = arch_position(thread);
  if (thread->half_done) return false;
  if (rthread->chunk.end.known && position == rthread->chunk.start + rthread->chunk.end.length) return false;
  if (!is_usual(call, row) || !look(call, row, pieces, &digest)) return false;
  const struct input_event *event = replay_peek(thread);
  if (!is_next(thread, call, row, event, position, digest)) return false;
  if (!fits(call, row, event->syscall.result)) return false; /* which is told there */
  *result = event->syscall.result;
  replay_time(thread, event);
  replay_consume(thread);
  event = replay_peek(thread);
  if (event && event->position == position) {
    replay_copy_ins(thread);
    objects_replay_changes(thread);
  }
  if (row->followed || output_writes(thread, call)) output_replay(thread, call, *result);
  replay_arm(thread);
  return true;
}

bool quick_call(struct thread *thread, const struct call *call, perform_call *perform, long *result) {
  if (!in_sphere() || !turns->alone || (unsigned long)call->nr >= NUMBERS) return false;
  if (!atomic_load_explicit(&filled, memory_order_acquire)) fill();
  const struct short_row *row = &rows[call->nr];
  if (!row->usable) return false;
#if defined(REPRISE_STRESS_AUDIT)
  if (recording()) return false; /* there is one way that is looked at */
#endif
  return recording() ? quick_record(thread, call, row, perform, result)
                     : quick_replay(thread, call, row, result);
}
