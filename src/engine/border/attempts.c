/* attempts.c: calls that may wait, tried first without waiting (recording in the order `chunk`).
 *
 * A thread that is about to wait gives up the baton, and a chunk ends. But most reads from sockets find data, most writes
 * find room, and a server's loop asks for events that have come already. Such a call is first made in a form that does
 * not wait; if that succeeds, the thread keeps the baton, and the call is logged the short way. If it would wait, and other threads
 * want the baton, they have it first: likely they bring the data or event, and the kernel need not wake the thread only
 * for it to queue up. Only then does the call wait in the kernel, the long way. */
#include "engine/border/attempts.h"

#include <linux/fcntl.h>

#include "engine/base/lib.h"
#include "engine/border/sphere.h"
#include "engine/order/baton.h"

enum { DONT_WAIT = 0x40, NO_SIGNAL = 0x4000 }; /* MSG_DONTWAIT, MSG_NOSIGNAL */

/* Moving so many pages takes as long as another call. */
enum { PAGES_A_CALL = 4 };

/* Descriptors that were not sockets at the last attempt, by their low bits, and how many calls on them make no attempt before the
 * next one. Only a hint. */
enum { DESCRIPTORS = 1024, AVOIDED = 63 };
static _Atomic uint8_t avoided[DESCRIPTORS];

static _Atomic uint8_t *hint_of(const struct call *call) {
  return &avoided[(unsigned long)call->args[0] % DESCRIPTORS];
}

static bool is_avoided(const struct call *call) {
  uint8_t left = atomic_load_explicit(hint_of(call), memory_order_relaxed);
  if (left) atomic_store_explicit(hint_of(call), left - 1, memory_order_relaxed);
  return left;
}

bool attempt_knows_flags(const struct call *call) {
  return !((unsigned)call->args[3] & ~(unsigned)(DONT_WAIT | NO_SIGNAL));
}

/* A socket is read and written like any file, and like none other; but a filter tells the two calls apart. */
bool attempt_form(struct thread *thread, const struct call *call, struct call *at_once) {
  *at_once = *call;
  switch (call->nr) {
#ifdef __NR_epoll_wait
    case __NR_epoll_wait:
      at_once->args[3] = 0;
      return true;
#endif
    case __NR_read:
    case __NR_write:
      at_once->nr = call->nr == __NR_read ? __NR_recvfrom : __NR_sendto;
      at_once->args[3] = DONT_WAIT;
      at_once->args[4] = at_once->args[5] = 0;
      return call->args[2] > 0 && !config.sandboxed && !output_writes(thread, call) && !is_avoided(call);
    case __NR_recvfrom:
    case __NR_sendto:
      at_once->args[3] |= DONT_WAIT;
      return true;
    default:
      return false;
  }
}

static void spend(struct thread *thread, long result) {
  size_t moved = result > 0 ? (size_t)result / PAGE : 0;
  baton_spend(thread, (uint32_t)(1 + moved / PAGES_A_CALL));
}

static bool would_wait(const struct call *call, long result) {
  bool renamed = call->nr == __NR_read || call->nr == __NR_write;
  if (renamed && result == -ENOTSOCK) {
    atomic_store_explicit(hint_of(call), AVOIDED, memory_order_relaxed);
    return true;
  }
#ifdef __NR_epoll_wait
  if (call->nr == __NR_epoll_wait && result == 0) return true;
#endif
  return result == -EAGAIN;
}

enum attempt attempt_result(struct thread *thread, const struct call *call, long result) {
  if (would_wait(call, result)) return ATTEMPT_FAILED;
  spend(thread, result);
  bool sends = call->nr == __NR_write || call->nr == __NR_sendto;
  if (!sends || result < 0 || result == call->args[2]) return ATTEMPT_DONE;
  bool waits = !(call->nr == __NR_sendto && call->args[3] & DONT_WAIT) &&
               !(os_call3(__NR_fcntl, call->args[0], F_GETFL, 0) & O_NONBLOCK);
  return waits ? ATTEMPT_BEGUN : ATTEMPT_DONE;
}

bool attempt_yield(struct thread *thread, const struct call *call) {
  bool sends = call->nr == __NR_write || call->nr == __NR_sendto;
  return !sends && baton_is_wanted() && baton_yield(thread);
}
