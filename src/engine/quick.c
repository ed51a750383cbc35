/* quick.c: the short way through the recorder, for calls that programs make by the million.
 *
 * What is logged is what recorder.c would log: the thread keeps the baton, so the kernel may write where the application
 * wants it, and each piece of memory is a plain argument. Which arguments these are is worked out once, from the row. A call
 * that anybody else must see to (a file that is mapped may be written, a length that makes no sense) goes the long way. */
#include "engine/lib.h"
#include "engine/rings.h"
#include "engine/sphere.h"
#include "input/row.h"

enum { PIECES = 2, COUNT_LIMIT = 1 << 30 };

/* Of a call whose memory is at most two pieces, each an argument with its size. */
struct short_row {
  bool usable;
  uint8_t pieces;
  uint8_t arguments[PIECES];
  struct input_arg rules[PIECES];
};

/* Calls that no part of the engine follows but in `perform`. */
static const uint16_t candidates[] = {
    __NR_read,       __NR_write,  __NR_pread64,       __NR_pwrite64,     __NR_lseek,
    __NR_close,      __NR_fcntl,  __NR_getdents64,    __NR_fstat,        __NR_getpid,
    __NR_gettid,     __NR_getuid, __NR_clock_gettime, __NR_gettimeofday,
#ifdef __NR_epoll_wait
    __NR_epoll_wait,
#endif
};

enum { NUMBERS = 512 };
static struct short_row rows[NUMBERS];
static _Atomic bool filled;

static bool is_short(const struct input_arg *arg) {
  bool sized = arg->rule == RULE_FIXED || arg->rule == RULE_COUNT || arg->rule == RULE_RESULT;
  return sized && !(arg->flags & ~(MAYBE | COUNT_32));
}

/* Several threads may do this at once, all with the same outcome. */
static void fill(void) {
  for (size_t i = 0; i < COUNT_OF(candidates); i++) {
    const struct input_row *row = input_row(candidates[i]);
    struct short_row made = {.usable = row->replay == INPUT_EMULATE};
    for (uint8_t n = 0; n < 6; n++) {
      const struct input_arg *arg = &row->args[n];
      if (arg->kind < INPUT_IN || arg->kind > INPUT_INOUT) continue;
      if (!is_short(arg) || made.pieces == PIECES) {
        made.usable = false;
        break;
      }
      made.rules[made.pieces] = *arg;
      made.arguments[made.pieces++] = n;
    }
    rows[candidates[i]] = made;
  }
  atomic_store_explicit(&filled, true, memory_order_release);
}

/* The bytes that an argument points to at most; false if that can't be told in a few words. */
static bool piece_room(const struct input_arg *arg, const struct call *call, uint8_t n, size_t *room) {
  uint64_t count = arg->rule == RULE_FIXED ? 1 : (uint64_t)call->args[arg->with];
  *room = call->args[n] ? count * arg->size : 0;
  return count < COUNT_LIMIT && call->args[n] >= 0;
}

static bool is_quick(struct thread *thread, const struct call *call, const struct short_row *row,
                     size_t room[PIECES]) {
  if (!row->usable || region->exposed || !record_keeps_baton(thread, call)) return false;
  for (unsigned i = 0; i < row->pieces; i++)
    if (!piece_room(&row->rules[i], call, row->arguments[i], &room[i])) return false;
  if (call->nr != __NR_fcntl) return true;
  const struct input_command *command = fcntl_command((uint32_t)call->args[1]);
  return !command || command->kind < INPUT_IN;
}

static uint64_t digest_pieces(const struct call *call, const struct short_row *row,
                              const size_t room[PIECES]) {
  uint64_t digest = 0;
  for (unsigned i = 0; i < row->pieces; i++)
    if (row->rules[i].kind != INPUT_OUT)
      digest = digest_memory(digest, (uintptr_t)call->args[row->arguments[i]], room[i]);
  return digest;
}

static void log_pieces(struct thread *thread, const struct call *call, const struct short_row *row,
                       const size_t room[PIECES], long result) {
  for (unsigned i = 0; i < row->pieces; i++) {
    const struct input_arg *arg = &row->rules[i];
    if (arg->kind == INPUT_IN) continue;
    size_t bytes = arg->rule == RULE_RESULT ? MIN(room[i], (size_t)result * arg->size) : room[i];
    record_memory(thread, (uintptr_t)call->args[row->arguments[i]], bytes);
  }
}

bool quick_call(struct thread *thread, const struct call *call, perform_call *perform, long *result) {
  size_t room[PIECES];
  if ((unsigned long)call->nr >= NUMBERS) return false;
  if (!atomic_load_explicit(&filled, memory_order_acquire)) fill();
  const struct short_row *row = &rows[call->nr];
  if (!is_quick(thread, call, row, room)) return false;
  uint64_t digest = digest_pieces(call, row, room);
  *result = perform(thread, call);
  record_result(thread, call, *result, digest, false);
  if (*result == -EFAULT || thread->overwritten)
    record_all_it_may_write(thread, call);
  else if (*result >= 0)
    log_pieces(thread, call, row, room, *result);
  output_record(thread, call, *result);
  return true;
}
