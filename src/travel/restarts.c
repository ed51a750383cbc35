/* restarts.c: restarts checkpoints at random. See restarts.h.
 *
 * It requests checkpoints and halts at random points, sometimes few points away, sometimes many: so checkpoints are also made of runs that began at a checkpoint, and
 * they are restarted in any order. */
#include "travel/restarts.h"

#include <stdio.h>

#include "travel/checkpoints.h"
#include "sphere/feed.h"
#include "sphere/manager.h"

enum { KEPT_MOST = 6 };

static struct {
  struct checkpoints *checkpoints;
  uint64_t random;
  uint32_t left; /* restarts */
  uint32_t next; /* checkpoint that the replay halted for, 0: none */
} state;

static uint32_t any(uint32_t below) {
  state.random = state.random * 6364136223846793005u + 1442695040888963407u;
  return (uint32_t)(state.random >> 33) % below;
}

static void wish(uint64_t from) {
  static const uint32_t distances[] = {1, 2, 5, 20, 100, 1000, 10000};
  if (!state.left) return;
  bool first = !checkpoint_count(state.checkpoints), halt = !first && any(3) != 0;
  uint32_t reach = first ? 1 : sizeof distances / sizeof *distances; /* some programs come to few points */
  uint64_t point = from + 1 + any(distances[any(reach)]);
  checkpoint_wish(state.checkpoints, halt ? CHECKPOINT_HALT : CHECKPOINT_MAKE, point);
}

static void made(void *context, uint32_t id) {
  (void)context;
  if (checkpoint_count(state.checkpoints) > KEPT_MOST)
    checkpoint_drop(state.checkpoints, checkpoint_nth(state.checkpoints, any(KEPT_MOST)));
  wish(checkpoint_moment(state.checkpoints, id).point);
}

static uint32_t any_checkpoint(void) {
  uint32_t count = checkpoint_count(state.checkpoints);
  return count ? checkpoint_nth(state.checkpoints, any(count)) : 0;
}

static void halted(void *context) {
  (void)context;
  state.next = any_checkpoint();
}

static void prepare(struct manager *manager, struct feed *feed) {
  const struct checkpoint_user user = {.made = made, .halted = halted};
  state.checkpoints = checkpoints_open(manager, feed, &user);
}

static bool run(struct manager *manager, struct feed *feed) {
  const char *error;
  if (!state.checkpoints) {
    fputs("reprise: there is no memory for checkpoints\n", stderr);
    return false;
  }
  uint32_t done = 0, refusal = CHECKPOINT_POSSIBLE, first;
  bool begun = checkpoints_begin_as_recorded(state.checkpoints, &first);
  wish(0);
  while (begun) {
    manager_run(manager);
    refusal = atomic_load(&manager->region->checkpoint.refusal);
    uint32_t outcome = atomic_load(&manager->region->outcome);
    bool failed = feed->failed || (outcome && outcome != OUTCOME_LOG_ENDS) || manager_was_told();
    if (!state.next && state.left && !failed) state.next = any_checkpoint();
    if (!state.next || failed) break;
    if (!checkpoint_restart(state.checkpoints, state.next, &error)) {
      fprintf(stderr, "reprise: restart %u: %s\n", done + 1, error);
      return false;
    }
    done++;
    state.left--;
    wish(checkpoint_moment(state.checkpoints, state.next).point);
    state.next = 0;
  }
  checkpoints_close(state.checkpoints);
  if (state.left)
    fprintf(stderr, "reprise: %u restarts, %u left%s\n", done, state.left,
            refusal == CHECKPOINT_UNFORKED ? ": memory that forks do not copy is not supported yet" : "");
  return true;
}

const struct replay_driver *restarts_driver(uint32_t restarts, uint64_t seed) {
  static const struct replay_driver driver = {.prepare = prepare, .run = run};
  state.random = seed;
  state.left = restarts;
  return &driver;
}
