/* attempts.h: calls that may wait, tried first without waiting (attempts.c). */
#ifndef REPRISE_ENGINE_ATTEMPTS_H
#define REPRISE_ENGINE_ATTEMPTS_H

#include "engine/base/thread.h"

/* Of sendto and recvfrom: whether they do what is usual. */
bool attempt_knows_flags(const struct call *call);
/* The call in a form that does not wait; false: there is none. */
bool attempt_form(struct thread *thread, const struct call *call, struct call *at_once);

enum attempt {
  ATTEMPT_FAILED, /* it would wait: nothing has happened */
  ATTEMPT_BEGUN,  /* it has sent some of its bytes, and would wait until it can send the rest */
  ATTEMPT_DONE,
};
/* What became of it. */
enum attempt attempt_result(struct thread *thread, const struct call *call, long result);

/* After one that failed: lets others have the baton first, if any want it. Whether to try again. */
bool attempt_yield(struct thread *thread, const struct call *call);

#endif
