/* imaging.c: stores checkpoints while it replays. See imaging.h.
 *
 * A checkpoint is stored while the replay waits, and then dropped: its vessels would only take memory. */
#include "travel/imaging.h"

#include <stdio.h>
#include <time.h>

#include "recording/recording.h"
#include "sphere/feed.h"
#include "sphere/manager.h"
#include "travel/checkpoints.h"
#include "travel/driving.h"
#include "travel/image.h"

static struct {
  struct imaging wanted;
  struct checkpoints *checkpoints;
  struct manager *manager;
  struct feed *feed;
  struct feed_helper helper; /* of the checkpoints */
  uint64_t last;             /* when the last image was stored, in microseconds */
  uint32_t count;            /* of images */
  bool failed;
} state;

static uint64_t now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (uint64_t)time.tv_sec * 1000000 + (uint64_t)time.tv_nsec / 1000;
}

static void give_up(const char *why) {
  fprintf(stderr, "reprise: %s\n", why);
  state.failed = true;
  state.wanted.every = 0;
}

static void made(void *context, uint32_t id) {
  struct recording_error error;
  uint32_t number;
  uint64_t bytes;
  (void)context;
  if (checkpoint_store(state.checkpoints, id, state.feed->reader, &number, &bytes, &error)) {
    give_up(error.text);
  } else {
    struct checkpoint_moment at = checkpoint_moment(state.checkpoints, id);
    struct debug_moment moment = {.turn = at.turn, .thread = at.thread, .position = at.position};
    state.count++;
    if (state.wanted.stored) state.wanted.stored(number, &moment, bytes);
  }
  checkpoint_drop(state.checkpoints, id);
  state.last = now();
}

static void look(void *context) {
  struct region *region = state.manager->region;
  bool due = state.wanted.every && now() - state.last >= state.wanted.every;
  if (driving_arrived(region)) due = true;
  if (due && !state.failed) checkpoint_wish(state.checkpoints, CHECKPOINT_MAKE, 0);
  if (due) state.last = now(); /* asked for, and not again before it has been made */
  driving_go_on(region);
  state.helper.look(context);
}

static void prepare(struct manager *manager, struct feed *feed) {
  const struct checkpoint_user user = {.made = made};
  state.manager = manager;
  state.feed = feed;
  state.checkpoints = checkpoints_open(manager, feed, &user);
  if (!state.checkpoints) return;
  state.helper = feed->helper;
  feed->helper.look = look;
}

static bool run(struct manager *manager, struct feed *feed) {
  (void)feed;
  if (!state.checkpoints) {
    fputs("reprise: there is no memory for checkpoints\n", stderr);
    return false;
  }
  uint32_t first;
  if (!checkpoints_begin_as_recorded(state.checkpoints, &first)) {
    checkpoints_close(state.checkpoints);
    return true;
  }
  driving_begin(manager->region, state.wanted.at);
  state.last = now();
  manager_run(manager);
  uint32_t refusal = atomic_load(&manager->region->checkpoint.refusal);
  if (refusal == CHECKPOINT_UNFORKED)
    give_up("no checkpoint can be made any more: memory that forks do not copy is not supported yet");
  if (state.wanted.at && !state.count && !state.failed)
    give_up("no checkpoint can be made behind that place");
  checkpoints_close(state.checkpoints);
  return true;
}

struct replay_options imaging_options(const struct imaging *imaging, bool confined) {
  static const struct replay_driver driver = {.prepare = prepare, .run = run};
  state.wanted = *imaging;
  return (struct replay_options){
      .quiet = true, .confined = confined, .serial = true, .verifies = true, .driver = &driver};
}

bool imaging_failed(void) {
  return state.failed;
}
