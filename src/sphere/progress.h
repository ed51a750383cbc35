/* progress.h: a line on the terminal that tells how far long work has come (progress.c). */
#ifndef REPRISE_SPHERE_PROGRESS_H
#define REPRISE_SPHERE_PROGRESS_H

#include <stdbool.h>
#include <stdint.h>
#include <time.h>

struct progress {
  bool wanted; /* there is a terminal to show it on, and nothing else is written there */
  bool shown;
  struct timespec next; /* when the line is written again */
};

/* quiet: the work itself writes nothing to standard output. */
void progress_begin(struct progress *progress, bool quiet);
/* True if the line is to be written again. */
bool progress_is_due(struct progress *progress);
/* Writes the line: the share that is done, in hundredths, and the details. */
void progress_tell(struct progress *progress, uint64_t done, uint64_t total, const char *details);
/* Removes the line. */
void progress_end(struct progress *progress);

#endif
