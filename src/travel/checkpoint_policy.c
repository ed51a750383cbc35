/* checkpoint_policy.c: when checkpoints are made, and which are kept. See checkpoint_policy.h.
 *
 * The distance is a quarter of a second of replay, or fifty times the cost of the last checkpoint: so all of them together cost a fiftieth. Recent ones are kept at
 * that distance, older ones farther apart: users mostly look at recent moments, and a replay from far away takes longer anyway. */
#include "travel/checkpoint_policy.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { DISTANCE_LEAST = 250000, DISTANCE_PER_COST = 50, KEPT_MOST = 48, SHARE_OF_MEMORY = 4 };

static uint64_t time_of_day(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (uint64_t)time.tv_sec * 1000000 + (uint64_t)time.tv_nsec / 1000;
}

static void advance(struct policy *policy) {
  uint64_t now = time_of_day();
  if (!policy->stopped) policy->clock += now - policy->looked;
  policy->looked = now;
}

void policy_open(struct policy *policy, struct checkpoints *checkpoints) {
  uint64_t memory = (uint64_t)sysconf(_SC_PHYS_PAGES) * (uint64_t)sysconf(_SC_PAGESIZE);
  *policy = (struct policy){
      .checkpoints = checkpoints, .looked = time_of_day(), .most_bytes = memory / SHARE_OF_MEMORY};
}

void policy_close(struct policy *policy) {
  free(policy->entries);
  *policy = (struct policy){0};
}

void policy_stop(struct policy *policy, bool stopped) {
  advance(policy);
  policy->stopped = stopped;
}

void policy_look(struct policy *policy) {
  advance(policy);
  uint64_t distance = DISTANCE_PER_COST * policy->cost;
  if (distance < DISTANCE_LEAST) distance = DISTANCE_LEAST;
  if (policy->stopped || policy->clock - policy->last < distance) return;
  policy->last = policy->clock; /* asked for, and not again before it has been made */
  checkpoint_wish(policy->checkpoints, CHECKPOINT_MAKE, 0);
}

/* -- Which are kept --------------------------------------------------------------------------------------------------------------- */

static void drop(struct policy *policy, size_t i) {
  checkpoint_drop(policy->checkpoints, policy->entries[i].id);
  memmove(&policy->entries[i], &policy->entries[i + 1], (--policy->count - i) * sizeof *policy->entries);
}

/* The checkpoint whose neighbours would lie closest together without it, relative to its age. Never the first or the last. */
static size_t least_missed(const struct policy *policy) {
  size_t best = 0;
  double least = 0;
  for (size_t i = 1; i + 1 < policy->count; i++) {
    const struct policy_entry *entry = &policy->entries[i];
    double gap = (double)(entry[1].made - entry[-1].made) / (double)(policy->clock - entry->made + 1);
    if (best && gap >= least) continue;
    best = i;
    least = gap;
  }
  return best;
}

static bool takes_too_much(const struct policy *policy) {
  uint64_t bytes = 0;
  for (size_t i = 0; i < policy->count; i++)
    bytes += checkpoint_bytes(policy->checkpoints, policy->entries[i].id);
  return bytes > policy->most_bytes;
}

/* Keeps entries in the order of their times, which is not the order of their creation once the replay has gone back. */
static bool insert(struct policy *policy, struct policy_entry entry) {
  struct policy_entry *larger = realloc(policy->entries, (policy->count + 1) * sizeof *larger);
  if (!larger) return false;
  policy->entries = larger;
  size_t i = policy->count++;
  for (; i && larger[i - 1].made > entry.made; i--) larger[i] = larger[i - 1];
  larger[i] = entry;
  return true;
}

void policy_made(struct policy *policy, uint32_t id) {
  advance(policy);
  policy->last = policy->clock;
  policy->cost = checkpoint_cost(policy->checkpoints, id);
  if (!insert(policy, (struct policy_entry){id, policy->clock})) {
    checkpoint_drop(policy->checkpoints, id);
    return;
  }
  bool full = policy->count > KEPT_MOST;
  /* Measuring the memory of all takes a while, so it is not done each time. */
  if (!full && id % 8 == 0) full = takes_too_much(policy);
  for (size_t i; full && (i = least_missed(policy)); full = takes_too_much(policy)) drop(policy, i);
}

void policy_restarted(struct policy *policy, uint32_t id) {
  advance(policy);
  for (size_t i = 0; i < policy->count; i++)
    if (policy->entries[i].id == id) policy->clock = policy->last = policy->entries[i].made;
}
