/* futex.c: futexes. Their words are keys to the kernel and change while it looks, so they are never bounced and
 * never compared; some operations write them. */
#include <linux/futex.h>

#include "input/row.h"

enum { TIMESPEC = 16, WAITER = 24, WAITERS_LIMIT = 128 };

static void word(struct input_walk *w, struct place at, bool written) {
  if (w->pass == PASS_OUTGOING || w->pass == PASS_SENT) return;
  unsigned flags = INPUT_READS | INPUT_IN_PLACE | INPUT_PARTIAL;
  /* Written on failure, too: FUTEX_WAITERS is set before a wait that then times out. */
  walk_piece(w, at, written ? flags | INPUT_WRITES : flags, 4, 4, true);
}

void walk_futex(struct input_walk *w) {
  struct place first = walk_argument(w, 0), timeout = walk_argument(w, 3), second = walk_argument(w, 4);
  switch (w->call->args[1] & FUTEX_CMD_MASK) {
    case FUTEX_WAIT:
    case FUTEX_WAIT_BITSET:
      word(w, first, false);
      walk_in(w, timeout, TIMESPEC);
      break;
    case FUTEX_LOCK_PI:
    case FUTEX_LOCK_PI2:
      walk_in(w, timeout, TIMESPEC);
      word(w, first, true);
      break;
    case FUTEX_TRYLOCK_PI:
    case FUTEX_UNLOCK_PI:
      word(w, first, true);
      break;
    case FUTEX_WAIT_REQUEUE_PI:
      walk_in(w, timeout, TIMESPEC);
      word(w, first, false);
      word(w, second, true);
      break;
    case FUTEX_WAKE_OP:
    case FUTEX_CMP_REQUEUE_PI:
      word(w, first, false);
      word(w, second, true);
      break;
    case FUTEX_REQUEUE:
    case FUTEX_CMP_REQUEUE:
      word(w, first, false);
      word(w, second, false);
      break;
    default:
      word(w, first, false);
      break;
  }
}

/* Reports struct futex_waitv[count]: value, address, flags. */
static void waiters(struct input_walk *w, struct place array, size_t count) {
  if (count > WAITERS_LIMIT) return;
  walk_in(w, array, count * WAITER);
  for (size_t i = 0; i < count; i++) {
    struct place at = walk_pointer(w, array, i * WAITER + 8);
    word(w, at, false);
  }
}

void walk_futex_waitv(struct input_walk *w) {
  waiters(w, walk_argument(w, 0), (uint32_t)w->call->args[1]);
}

void walk_futex_requeue(struct input_walk *w) {
  waiters(w, walk_argument(w, 0), 2);
}
