/* replay_to.h: a replay that ends at a place (replay_to.c). */
#ifndef REPRISE_CLI_REPLAY_TO_H
#define REPRISE_CLI_REPLAY_TO_H

#include <stdbool.h>

struct replay_to_options {
  bool quiet, confined, as_json;
};

/* Replays as far as the place, and tells on standard error which moment that is and where each thread stands: the exit status. */
int replay_to(const char *path, const char *place, const struct replay_to_options *options);

#endif
