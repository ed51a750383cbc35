/* time_left.c: see time_left.h. While a program is recorded that checkpoints are made of, a wait may be interrupted for one. */
#include "engine/signals/time_left.h"

#include <linux/futex.h>
#include <linux/time.h>

#include "engine/base/lib.h"
#include "engine/base/os.h"

enum { NANOSECONDS = 1, MICROSECONDS = 1000, MILLISECONDS = 1000000 };
#define SECOND 1000000000L
#define LONGEST (1L << 30) /* seconds: more is as good as for ever */

/* An absolute time needs no change. */
static bool find(struct time_left *left, const struct call *call) {
  *left = (struct time_left){.argument = -1, .unit = NANOSECONDS};
  switch (call->nr) {
#ifdef __NR_poll
    case __NR_poll:
      *left = (struct time_left){.argument = 2, .unit = MILLISECONDS, .is_number = true};
      break;
    case __NR_epoll_wait:
#endif
    case __NR_epoll_pwait:
      *left = (struct time_left){.argument = 3, .unit = MILLISECONDS, .is_number = true};
      break;
#ifdef __NR_select
    case __NR_select:
      *left = (struct time_left){.argument = 4, .unit = MICROSECONDS, .is_told = true};
      break;
#endif
    case __NR_pselect6:
      *left = (struct time_left){.argument = 4, .unit = NANOSECONDS, .is_told = true};
      break;
    case __NR_ppoll:
      *left = (struct time_left){.argument = 2, .unit = NANOSECONDS, .is_told = true};
      break;
    case __NR_futex:
      if ((call->args[1] & FUTEX_CMD_MASK) == FUTEX_WAIT) left->argument = 3;
      break;
    case __NR_nanosleep:
      left->argument = 0;
      break;
    case __NR_clock_nanosleep:
      if (!(call->args[1] & TIMER_ABSTIME)) left->argument = 2;
      break;
    case __NR_rt_sigtimedwait:
      left->argument = 2;
      break;
    case __NR_semtimedop:
      left->argument = 3;
      break;
    case __NR_io_getevents:
      left->argument = 4;
      break;
    default:
      break;
  }
  return left->argument >= 0;
}

static int64_t now(void) {
  struct {
    int64_t seconds, nanoseconds;
  } time = {0, 0};
  os_call2(__NR_clock_gettime, CLOCK_MONOTONIC, &time);
  return time.seconds * SECOND + time.nanoseconds;
}

/* Nanoseconds; -1: none that the kernel would wait for. */
static int64_t read_timeout(struct time_left *left, const struct call *call) {
  long value = call->args[left->argument];
  if (left->is_number) return (int)value < 0 ? -1 : (int64_t)(int)value * left->unit;
  left->pointer = (uintptr_t)value;
  if (!value || safe_copy(left->words, (const void *)value, sizeof left->words)) return -1;
  bool valid = left->words[0] >= 0 && left->words[0] < LONGEST && left->words[1] >= 0 &&
               left->words[1] < SECOND / left->unit;
  return valid ? left->words[0] * SECOND + left->words[1] * left->unit : -1;
}

const struct call *time_left_begin(struct time_left *left, const struct call *call) {
  int64_t timeout = find(left, call) ? read_timeout(left, call) : -1;
  if (timeout <= 0) left->argument = -1;
  if (left->argument < 0) return call;
  left->end = now() + timeout;
  left->call = *call;
  if (!left->is_number) left->call.args[left->argument] = (long)(uintptr_t)left->words;
  return &left->call;
}

void time_left_pass(struct time_left *left) {
  if (left->argument < 0) return;
  int64_t time = MAX(left->end - now(), 0);
  left->words[0] = time / SECOND;
  left->words[1] = time % SECOND / left->unit;
  if (left->is_number) left->call.args[left->argument] = (time + left->unit - 1) / left->unit;
}

void time_left_end(const struct time_left *left) {
  if (left->argument >= 0 && left->is_told) safe_copy((void *)left->pointer, left->words, sizeof left->words);
}
