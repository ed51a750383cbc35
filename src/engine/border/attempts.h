/* attempts.h: calls that may wait, tried first without waiting (attempts.c). */
#ifndef REPRISE_ENGINE_ATTEMPTS_H
#define REPRISE_ENGINE_ATTEMPTS_H

#include "engine/base/thread.h"

/* For sendto and recvfrom: true if the call has no flags but MSG_DONTWAIT and MSG_NOSIGNAL. */
bool attempt_knows_flags(const struct call *call);
/* The call in a form that does not wait; false: there is none. */
bool attempt_form(struct thread *thread, const struct call *call, struct call *at_once);

enum attempt {
  ATTEMPT_FAILED, /* it would wait: nothing has happened */
  ATTEMPT_BEGUN,  /* it has sent some of its bytes, and would wait until it can send the rest */
  ATTEMPT_DONE,
};
/* The outcome of an attempt. */
enum attempt attempt_result(struct thread *thread, const struct call *call, long result);

/* After a failed attempt: lets other threads that want the baton have it first. True: try again. */
bool attempt_yield(struct thread *thread, const struct call *call);

#endif
