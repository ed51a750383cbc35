/* measuring.c: makes checkpoints by the policy, and never restarts one. See measuring.h. */
#include "travel/measuring.h"

#include <inttypes.h>
#include <stdio.h>

#include "sphere/feed.h"
#include "sphere/manager.h"
#include "travel/checkpoints.h"
#include "travel/checkpoint_policy.h"

static struct {
  struct checkpoints *checkpoints;
  struct policy policy;
  struct feed_helper helper; /* of the checkpoints */
  uint64_t count, cost;
} state;

static void made(void *context, uint32_t id) {
  (void)context;
  state.count++;
  state.cost += checkpoint_cost(state.checkpoints, id);
  policy_made(&state.policy, id);
}

static void look(void *context) {
  policy_look(&state.policy);
  state.helper.look(context);
}

static void prepare(struct manager *manager, struct feed *feed) {
  const struct checkpoint_user user = {.made = made};
  state.checkpoints = checkpoints_open(manager, feed, &user);
  if (!state.checkpoints) return;
  policy_open(&state.policy, state.checkpoints);
  state.helper = feed->helper;
  feed->helper.look = look;
}

static bool run(struct manager *manager, struct feed *feed) {
  (void)feed;
  uint32_t first;
  if (!state.checkpoints) {
    fputs("reprise: there is no memory for checkpoints\n", stderr);
    return false;
  }
  if (checkpoints_begin_as_recorded(state.checkpoints, &first)) manager_run(manager);
  uint64_t bytes = 0;
  unsigned kept = checkpoint_count(state.checkpoints);
  for (unsigned i = 0; i < kept; i++)
    bytes += checkpoint_bytes(state.checkpoints, checkpoint_nth(state.checkpoints, i));
  fprintf(stderr,
          "reprise: %" PRIu64 " checkpoints, %u kept with %" PRIu64 " KiB of their own, %" PRIu64
          " us each\n",
          state.count, kept, bytes >> 10, state.count ? state.cost / state.count : 0);
  policy_close(&state.policy);
  checkpoints_close(state.checkpoints);
  return true;
}

const struct replay_driver *keeping_driver(void) {
  static const struct replay_driver driver = {.prepare = prepare, .run = run};
  return &driver;
}
