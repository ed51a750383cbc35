/* window.c: replays a window. See window.h.
 *
 * A window ends at the moment of the next image: there, the order of turns and the positions of all threads must be those of the image. So all windows
 * together check what one replay of the whole checks. */
#include "travel/window.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>

#include "sphere/feed.h"
#include "sphere/manager.h"
#include "travel/checkpoints.h"
#include "travel/driving.h"
#include "travel/image.h"

static struct {
  int64_t from, until;
  struct checkpoints *checkpoints;
  struct manager *manager;
  struct feed *feed;
  struct feed_helper helper; /* of the checkpoints */
  struct image end;          /* only its head and positions */
  bool arrived;
} state;

static struct debug_moment moment_of(const struct image_head *head) {
  return (struct debug_moment){.turn = head->moment.turn,
                               .thread = head->moment.thread,
                               .position = head->moment.position,
                               .event = head->event};
}

/* -- The end ---------------------------------------------------------------------------------------------------------------------- */

static bool has_position(const struct image_position *wanted) {
  const struct region *region = state.manager->region;
  for (uint32_t i = 0; i < region_slots(region); i++)
    if (atomic_load(&region->slots[i].state) == SLOT_LIVE && region->slots[i].number == wanted->thread)
      return region->debug.threads[i].position == wanted->position;
  return false;
}

/* The replay stands at the image's moment: so do all threads. */
static bool is_as_stored(void) {
  const struct region *region = state.manager->region;
  struct debug_moment end = moment_of(&state.end.head);
  bool same = !debug_compare(&region->debug.stop.moment, &end) &&
              region->turns_digest == state.end.head.turns_digest &&
              region->threads == state.end.head.threads;
  for (uint32_t i = 0; same && i < state.end.position_count; i++)
    same = has_position(&state.end.positions[i]);
  return same;
}

/* The images of a recording do not fit together, or the replay goes astray unseen. */
static void stray(const char *how) {
  struct feed *feed = state.feed;
  feed->failed = true;
  feed->error = (struct recording_error){.kind = RECORDING_DAMAGED};
  snprintf(feed->error.text, sizeof feed->error.text, "%s: the replay %s image %" PRId64,
           recording_reader_path(feed->reader), how, state.until);
}

static void arrive(void) {
  state.arrived = true;
  state.manager->ends = true;
  if (is_as_stored())
    state.feed->halted = true;
  else
    stray("is not as in");
}

static void look(void *context) {
  struct region *region = state.manager->region;
  if (state.until != WINDOW_WHOLE && !state.arrived && driving_arrived(region))
    arrive();
  else if (!state.arrived && driving_settled(region))
    driving_go_on(region);
  state.helper.look(context);
}

/* -- The whole -------------------------------------------------------------------------------------------------------------------- */

static void prepare(struct manager *manager, struct feed *feed) {
  static const struct checkpoint_user nobody;
  state.manager = manager;
  state.feed = feed;
  state.checkpoints = checkpoints_open(manager, feed, &nobody);
  if (!state.checkpoints) return;
  state.helper = feed->helper;
  feed->helper.look = look;
}

static bool complain(const char *why) {
  fprintf(stderr, "reprise: %s\n", why);
  return false;
}

/* Status as main() returns it is the caller's business; an image that is damaged fails the feed. */
static bool fail(struct feed *feed, const struct recording_error *error) {
  feed->failed = true;
  feed->error = *error;
  checkpoints_close(state.checkpoints);
  return true;
}

/* Its head. That the recording has no such image is the mistake of who has named it. */
static int look_at(int64_t number, struct image *image, struct recording_error *error) {
  int status = image_look(state.feed->reader, (uint32_t)number, image, error);
  if (status && error->kind == RECORDING_ABSENT) error->kind = RECORDING_MISUSE;
  return status;
}

static bool run(struct manager *manager, struct feed *feed) {
  struct recording_error error;
  struct image begin;
  uint32_t id;
  if (!state.checkpoints) return complain("there is no memory for checkpoints");
  struct debug_moment goal = {0}, *wanted = NULL;
  if (state.until != WINDOW_WHOLE) {
    if (look_at(state.until, &state.end, &error)) return fail(feed, &error);
    goal = moment_of(&state.end.head);
    wanted = &goal;
  }
  if (state.from != WINDOW_WHOLE) {
    if (look_at(state.from, &begin, &error)) return fail(feed, &error);
    image_close(&begin);
    if (checkpoints_begin_at(state.checkpoints, state.from, &id, &error)) return fail(feed, &error);
  }
  driving_begin(manager->region, wanted);
  manager_run(manager);
  uint32_t outcome = atomic_load(&manager->region->outcome);
  if (wanted && !state.arrived && !feed->failed && (!outcome || outcome == OUTCOME_LOG_ENDS))
    stray("never comes to");
  checkpoints_close(state.checkpoints);
  image_close(&state.end);
  return true;
}

int64_t window_begins(const char *path) {
  struct recording_reader *reader;
  if (recording_open(path, 0, &reader, NULL)) return WINDOW_WHOLE;
  int64_t number = image_begins(reader);
  recording_reader_close(reader);
  return number;
}

const struct replay_driver *window_driver(int64_t from, int64_t until) {
  static struct replay_driver driver = {.prepare = prepare, .run = run};
  state.from = from;
  state.until = until;
  state.end.region = -1;
  driver.from_image = from != WINDOW_WHOLE;
  return &driver;
}
