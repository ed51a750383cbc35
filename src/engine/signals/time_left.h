/* time_left.h: the relative timeout of a call that is interrupted unseen by the program, and made again (time_left.c). */
#ifndef REPRISE_ENGINE_TIME_LEFT_H
#define REPRISE_ENGINE_TIME_LEFT_H

#include "engine/base/arch.h"

struct time_left {
  int argument;      /* that has the timeout, -1: there is none */
  uint32_t unit;     /* of its second word in nanoseconds, or of itself */
  bool is_number;    /* it is a number, not a pointer to two words */
  bool is_told;      /* the kernel writes what is left of it */
  uintptr_t pointer; /* the program's */
  int64_t end;       /* when it is over, in nanoseconds */
  int64_t words[2];
  struct call call; /* with the time that is left */
};

/* The call that is to be made in place of this one. */
const struct call *time_left_begin(struct time_left *left, const struct call *call);
/* Before it is made once more; behind it. */
void time_left_pass(struct time_left *left);
void time_left_end(const struct time_left *left);

#endif
