/* calls.h: the system calls, one row each. */
#ifndef REPRISE_SIM_CALLS_H
#define REPRISE_SIM_CALLS_H

#include "sim/kernel/kernel.h"

typedef int64_t call_function(struct task *task, const uint64_t argument[6]);

enum call_flags {
  CALL_AGAIN = 1,     /* replay does it again: it changes memory mappings, tasks, or how signals are taken */
  CALL_NO_RESULT = 2, /* leaves the registers alone, or sets them itself */
};

struct call_row {
  const char *name;
  call_function *function;
  unsigned flags;
};

enum { CALL_NUMBERS = 512 };

/* calls_memory.c: where a mapping of whole pages goes, in a replay where it went: at the hint if it is fixed, or if it can be; 0: nowhere. */
uint64_t mapping_place(struct task *task, uint64_t hint, uint64_t bytes, bool fixed);

#endif
