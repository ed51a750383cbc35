/* progress.c: see progress.h. Work that takes less than FIRST_MS shows nothing. */
#include "sphere/progress.h"

#include <stdio.h>
#include <unistd.h>

enum { FIRST_MS = 2000, EACH_MS = 250 };

static void later(struct timespec *from, long milliseconds) {
  from->tv_nsec += milliseconds % 1000 * 1000000;
  from->tv_sec += milliseconds / 1000 + from->tv_nsec / 1000000000;
  from->tv_nsec %= 1000000000;
}

void progress_begin(struct progress *progress, bool quiet) {
  *progress = (struct progress){.wanted = isatty(STDERR_FILENO) && (quiet || !isatty(STDOUT_FILENO))};
  clock_gettime(CLOCK_MONOTONIC, &progress->next);
  later(&progress->next, FIRST_MS);
}

bool progress_is_due(struct progress *progress) {
  struct timespec now;
  if (!progress->wanted) return false;
  clock_gettime(CLOCK_MONOTONIC, &now);
  if (now.tv_sec < progress->next.tv_sec) return false;
  if (now.tv_sec == progress->next.tv_sec && now.tv_nsec < progress->next.tv_nsec) return false;
  progress->next = now;
  later(&progress->next, EACH_MS);
  return true;
}

void progress_tell(struct progress *progress, uint64_t done, uint64_t total, const char *details) {
  double part = total ? (double)done / (double)total : 0;
  fprintf(stderr, "\rreprise: %3.0f%%%s\033[K", part > 1 ? 100.0 : part * 100, details);
  fflush(stderr);
  progress->shown = true;
}

void progress_end(struct progress *progress) {
  if (progress->shown) fputs("\r\033[K", stderr);
  progress->shown = false;
}
