/* flight.h: a flight recorder: recording without end, of which the last part is kept (flight.c). */
#ifndef REPRISE_TRAVEL_FLIGHT_H
#define REPRISE_TRAVEL_FLIGHT_H

#include <stdbool.h>
#include <stdint.h>

#include "contract/engine.h"
#include "sphere/record.h"

struct flight_options {
  uint64_t window; /* microseconds that are kept, at least */
  uint64_t bytes;  /* of logs, at most */
  /* The ends of the program for which the last part is stored: by a signal, and with a status between these, if `on_status`. */
  bool on_signal, on_status;
  bool ends_named; /* by the user: they are not the usual ones */
  uint32_t least, most;
  /* What makes it store the last part while the program runs: signals that it takes, bit n - 1 for signal n; a text in its output; so many bytes of memory, in all
   * of its processes together. 0 or empty: nothing. */
  uint64_t signals, memory;
  char text[TRIGGER_TEXT_MAX];
  const char *core; /* where core files of the parts are wanted (sphere/core_file.h), NULL: nowhere */
  unsigned keep;    /* of the parts that were stored while the program ran, so many */
};

/* The name of a file in a recording that is being made: when it appears, the flight recorder stores the last part. */
#define FLIGHT_TRIGGER "trigger"

/* For record_options. One flight recorder per process. */
const struct log_keeper *flight_keeper(const struct flight_options *options);

#endif
