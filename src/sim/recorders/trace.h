/* trace.h: episodes as they end, in the trace event format that browsers and Perfetto show as a timeline: a row for each thread. */
#ifndef REPRISE_SIM_TRACE_H
#define REPRISE_SIM_TRACE_H

#include "sim/recorders/watch.h"

struct trace; /* machine->trace; NULL: there is none */

/* False: the file can't be made. */
bool trace_begin(struct machine *machine, const char *path);
/* The thread's episode ends now, before this position. why: one of counters. */
void trace_episode(struct machine *machine, const struct thread *thread, uint64_t position,
                   const struct recorder_counters *counters, const uint64_t *why);
/* False: not all could be written. */
bool trace_end(struct machine *machine);

#endif
