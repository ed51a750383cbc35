/* trace.c: see trace.h. */
#include "sim/recorders/trace.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "sim/kernel/kernel.h"
#include "sim/machine/check.h"

/* Of each thread: where its present episode began. */
struct beginning {
  uint64_t cycle, position;
};

struct trace {
  FILE *to;
  struct beginning *thread[64]; /* by sphere, then by number */
  uint32_t room[64];
  bool any;
};

bool trace_begin(struct machine *machine, const char *path) {
  struct trace *trace = calloc(1, sizeof *trace);
  CHECK(trace, "out of memory");
  trace->to = fopen(path, "we");
  if (trace->to) {
    machine->trace = trace;
    fputs("[", trace->to);
    return true;
  }
  free(trace);
  return false;
}

static struct beginning *beginning_of(struct trace *trace, const struct thread *thread) {
  uint32_t sphere = thread->sphere->number, *room = &trace->room[sphere];
  if (thread->number >= *room) {
    uint32_t more = thread->number + 64;
    struct beginning *all = realloc(trace->thread[sphere], more * sizeof *all);
    CHECK(all, "out of memory");
    for (uint32_t i = *room; i < more; i++) all[i] = (struct beginning){0, 0};
    trace->thread[sphere] = all;
    *room = more;
  }
  return &trace->thread[sphere][thread->number];
}

static const char *reason(const struct recorder_counters *counters, const uint64_t *why) {
  static const char *const names[] = {
#define X(name, text) #name,
      RECORDER_COUNTERS(X)
#undef X
  };
  size_t number = (size_t)(why - (const uint64_t *)counters);
  return number < sizeof names / sizeof *names ? names[number] : "?";
}

void trace_episode(struct machine *machine, const struct thread *thread, uint64_t position,
                   const struct recorder_counters *counters, const uint64_t *why) {
  struct trace *trace = machine->trace;
  if (!trace) return;
  struct beginning *from = beginning_of(trace, thread);
  uint64_t now = kernel_now(machine->kernel);
  double mhz = machine->config.clock_mhz;
  if (now < from->cycle) now = from->cycle; /* ports are not all at the same cycle */
  fprintf(trace->to,
          "%s\n{\"name\": \"%s\", \"ph\": \"X\", \"pid\": %" PRIu32 ", \"tid\": %" PRIu32
          ", \"ts\": %.4f, \"dur\": %.4f, "
          "\"args\": {\"first\": %" PRIu64 ", \"end\": %" PRIu64 ", \"hart\": %d}}",
          trace->any ? "," : "", reason(counters, why), thread->sphere->number, thread->number,
          (double)from->cycle / mhz, (double)(now - from->cycle) / mhz, from->position, position,
          thread->port ? (int)thread->port->number : -1);
  trace->any = true;
  *from = (struct beginning){now, position};
}

bool trace_end(struct machine *machine) {
  struct trace *trace = machine->trace;
  if (!trace) return true;
  fputs("\n]\n", trace->to);
  bool good = !ferror(trace->to);
  if (fclose(trace->to)) good = false;
  for (int i = 0; i < 64; i++) free(trace->thread[i]);
  free(trace);
  machine->trace = NULL;
  return good;
}
