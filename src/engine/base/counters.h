/* counters.h: the engine's counters; printed at exit on request (reprise run --counters). */
#ifndef REPRISE_ENGINE_COUNTERS_H
#define REPRISE_ENGINE_COUNTERS_H

#include <stdatomic.h>
#include <stdint.h>

#include "engine/base/thread.h"

/* name, what it counts */
#define COUNTERS(X)                                              \
  X(blocks, "blocks translated")                                 \
  X(instructions, "application instructions translated")         \
  X(code_bytes, "bytes of code emitted")                         \
  X(paths, "hot blocks translated along their paths")            \
  X(lasting, "blocks taken from stored code")                    \
  X(links, "direct exits linked")                                \
  X(indirect_misses, "indirect branches resolved by the engine") \
  X(flushes, "code cache flushes")                               \
  X(invalidations, "blocks dropped because their code changed")  \
  X(write_faults, "writes to watched code")                      \
  X(calls, "system calls")                                       \
  X(signals, "signals delivered")                                \
  X(threads, "threads started")

struct counters {
#define X(name, text) _Atomic uint64_t name;
  COUNTERS(X)
#undef X
};
extern struct counters counters;
#define COUNT(name) atomic_fetch_add_explicit(&counters.name, 1, memory_order_relaxed)
/* For frequent events: without a locked instruction for a process that has one thread. */
#define COUNT_MANY(name)                                                              \
  do {                                                                                \
    if (atomic_load_explicit(&threads_several, memory_order_relaxed))                 \
      COUNT(name);                                                                    \
    else                                                                              \
      atomic_store_explicit(&counters.name, counters.name + 1, memory_order_relaxed); \
  } while (0)
void counters_print(int fd);

#endif
