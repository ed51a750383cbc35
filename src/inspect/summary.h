/* summary.h: the numbers of a recording, counted in one pass over its logs (summary.c). */
#ifndef REPRISE_INSPECT_SUMMARY_H
#define REPRISE_INSPECT_SUMMARY_H

#include "inspect/logs.h"

enum { SUMMARY_CALLS = 1024 };

struct thread_summary {
  bool known;
  uint32_t process;
  uint64_t instructions; /* as far as the logs show */
  uint64_t events[EVENT_KINDS];
  uint64_t chunks;
  uint64_t copied;      /* bytes of copy-ins */
  uint64_t raw, stored; /* bytes of its input log, and on the disk */
};

struct summary {
  struct thread_summary *threads; /* by R-thread */
  size_t thread_count;            /* of the array */
  struct thread_summary all;
  uint64_t live_threads, processes; /* their numbers */
  uint64_t calls[SUMMARY_CALLS];    /* by number, the last for all others */
  uint64_t order_raw, order_stored;
  uint32_t epochs;                               /* the last whose end was logged */
  uint64_t memory_checks[EVENT_SAMPLE_LAST + 1]; /* by the sample of pages that they are of, 0: whole */
};

/* Counts. RECORDING_OK, or an error; *out holds the counts until then, and is to be freed in any case. */
int summary_count(struct recording_reader *reader, struct summary *out, struct recording_error *error);
void summary_free(struct summary *summary);

#endif
