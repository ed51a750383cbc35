/* checkpoint_policy.h: when checkpoints are made, and which are kept (checkpoint_policy.c). */
#ifndef REPRISE_TRAVEL_CHECKPOINT_POLICY_H
#define REPRISE_TRAVEL_CHECKPOINT_POLICY_H

#include "travel/checkpoints.h"

/* Times are microseconds of replay: the clock stands while the replay is stopped, and goes back with a restart. */
struct policy {
  struct checkpoints *checkpoints;
  uint64_t clock, looked; /* the time of the replay, and the monotonic time at which it was advanced */
  bool stopped;
  uint64_t last, cost; /* of the last checkpoint: when it was made, and its cost */
  uint64_t most_bytes; /* of memory for all checkpoints together */
  struct policy_entry {
    uint32_t id;
    uint64_t made;
  } * entries; /* oldest first */
  size_t count;
};

void policy_open(struct policy *policy, struct checkpoints *checkpoints);
void policy_close(struct policy *policy);
/* To be called now and then while the replay runs: requests a checkpoint if one is due. */
void policy_look(struct policy *policy);
/* The replay stops, and goes on. */
void policy_stop(struct policy *policy, bool stopped);
/* A checkpoint was made; some that lie close together are dropped. */
void policy_made(struct policy *policy, uint32_t id);
/* The replay was restored to this checkpoint. */
void policy_restarted(struct policy *policy, uint32_t id);

#endif
