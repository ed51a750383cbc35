/* replay_jobs.h: a recording verified in windows between its images, several at once (replay_jobs.c). */
#ifndef REPRISE_CLI_REPLAY_JOBS_H
#define REPRISE_CLI_REPLAY_JOBS_H

#include <stdbool.h>

struct replay_jobs {
  unsigned jobs; /* at once */
  bool prints;   /* the commands are printed instead of executed */
  bool confined;
};

/* Returns the exit status: 0, or that of the first window that failed. */
int replay_in_jobs(const char *path, const struct replay_jobs *wanted);

#endif
