/* checkpoint.c: reprise checkpoint: stores checkpoints in a recording. */
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/options.h"
#include "cli/recordings.h"
#include "debug/session.h"
#include "sphere/replay.h"
#include "travel/image.h"
#include "travel/imaging.h"

enum { EVERY_USUALLY = 5000000 }; /* microseconds */

struct wish {
  uint64_t every; /* microseconds of replay */
  const char *place;
  bool lists, removes, all, confined;
  uint32_t number; /* of the image to be removed, unless all are */
};

/* -- Options ---------------------------------------------------------------------------------------------------------------------- */

/* "5s", "250ms", "2min": a positive number, at most a day. */
static bool parse_time(const char *text, uint64_t *microseconds) {
  static const struct {
    const char *name;
    double factor;
  } units[] = {{"us", 1}, {"ms", 1e3}, {"s", 1e6}, {"min", 60e6}, {"h", 3600e6}};
  char *end;
  double value = strtod(text, &end);
  if (end == text || !(value > 0)) return false;
  for (size_t i = 0; i < sizeof units / sizeof *units; i++)
    if (!strcmp(end, units[i].name)) {
      value *= units[i].factor;
      *microseconds = value < 1 ? 1 : (uint64_t)value;
      return value <= 86400e6;
    }
  return false;
}

static bool parse_number(const char *text, uint32_t *number) {
  char *end;
  unsigned long value = strtoul(text, &end, 10);
  *number = (uint32_t)value;
  return *text >= '0' && *text <= '9' && !*end && value <= RECORDING_THREAD_MAX;
}

/* -- Images that are there -------------------------------------------------------------------------------------------------------- */

static int list_one(struct recording_stream_id id, void *context, struct recording_error *error) {
  struct image image;
  struct recording_error own;
  (void)error;
  if (image_look(context, id.thread, &image, &own)) {
    printf("%4u  %s\n", id.thread, own.text);
    return RECORDING_OK;
  }
  int fits = image_fits(&image, recording_reader_path(context), id.thread, &own);
  printf("%4u  %" PRIu64 ":%u:%" PRIu64 ":%u  %u process%s%s%s\n", id.thread, image.head.moment.turn,
         image.head.moment.thread, image.head.moment.position, image.head.event, image.head.processes,
         image.head.processes == 1 ? "" : "es", fits ? "  not usable here: " : "", fits ? own.text : "");
  image_close(&image);
  return RECORDING_OK;
}

static int remove_one(struct recording_stream_id id, void *context, struct recording_error *error) {
  return recording_image_remove(context, id.thread, error);
}

static int look_through(const char *path, const struct wish *wish) {
  struct recording_reader *reader;
  struct recording_error error;
  int status = recording_open(path, 0, &reader, &error);
  if (status) return complain_recording(&error);
  if (wish->removes && !wish->all)
    status = recording_image_remove(reader, wish->number, &error);
  else
    status = recording_each_image(reader, wish->removes ? remove_one : list_one, reader, &error);
  recording_reader_close(reader);
  return status ? complain_recording(&error) : 0;
}

/* -- Images that are made --------------------------------------------------------------------------------------------------------- */

static void tell(uint32_t number, const struct debug_moment *moment, uint64_t bytes) {
  char text[MOMENT_TEXT];
  moment_print(moment, text);
  printf("image %u at %s, %" PRIu64 " KiB\n", number, text, bytes >> 10);
  fflush(stdout);
}

/* The moment that a place names. */
static int find_moment(const char *path, const struct wish *wish, struct debug_moment *moment) {
  static struct session session;
  session = (struct session){.confined = wish->confined, .apart = -1};
  int status = session_open(&session, path, wish->place);
  if (status) return status;
  status = session_verdict(&session);
  *moment = session.stop.moment;
  session_close(&session);
  return status;
}

/* Before a long replay: could an image be stored? */
static int check_room(const char *path) {
  struct recording_reader *reader;
  struct recording_image *image;
  struct recording_error error;
  if (recording_open(path, 0, &reader, &error)) return complain_recording(&error);
  bool values = recording_get(reader, "values", 0);
  int status = values ? RECORDING_OK : recording_image_create(reader, &image, &error);
  if (!values && !status) recording_image_drop(image);
  recording_reader_close(reader);
  if (values)
    return complain(STATUS_FAILED, "%s: recorded with --values, whose checkpoints can't be stored yet", path);
  return status ? complain_recording(&error) : 0;
}

static int make(const char *path, const struct wish *wish) {
  static struct engine_config settings = {.magic = ENGINE_CONFIG_MAGIC, .debugged = true};
  struct launch_problem problem;
  struct debug_moment moment;
  struct imaging imaging = {.every = wish->every, .stored = tell};
  if (launch_channels(&settings, &problem)) return complain(problem.status, "%s", problem.text);
  int status = check_room(path);
  if (!status && wish->place) status = find_moment(path, wish, &moment);
  if (status) return status;
  if (wish->place) imaging.at = &moment;
  struct replay_options options = imaging_options(&imaging, wish->confined);
  status = replay(path, &options, &settings);
  return !status && imaging_failed() ? STATUS_FAILED : status;
}

static bool take_every(void *into, const char *value) {
  return parse_time(value, into);
}

/* --remove: all of them; --remove=N: one. */
static bool take_removal(void *into, const char *value) {
  struct wish *wish = into;
  wish->removes = true;
  wish->all = !value;
  return !value || parse_number(value, &wish->number);
}

static int run(int argc, char **argv) {
  struct wish wish = {.confined = CAN_CONFINE};
  char path[RECORDING_PATH_MAX];
  const struct option_row options[] = {
      {"every", 0, OPTION_WITH_VALUE, take_every, &wish.every, "a time, as 5s or 250ms"},
      {"at", 0, OPTION_WITH_VALUE, take_text, &wish.place, NULL},
      {"list", 0, OPTION_ALONE, take_true, &wish.lists, NULL},
      {"remove", 0, OPTION_MAY_HAVE_VALUE, take_removal, &wish, "the number of an image"},
      {"unconfined", 0, OPTION_ALONE, take_false, &wish.confined, NULL},
      {0}};
  int next;
  int status = options_parse(&checkpoint_command, options, argc, argv, false, &next);
  if (status) return status;
  if (wish.lists + wish.removes + (wish.every != 0) + (wish.place != NULL) > 1)
    return bad_usage(&checkpoint_command, "--every, --at, --list and --remove can't be combined");
  if (!wish.every && !wish.place) wish.every = EVERY_USUALLY;
  status = find_recording(&checkpoint_command, argc, argv, next, path);
  if (status) return status;
  return wish.lists || wish.removes ? look_through(path, &wish) : make(path, &wish);
}

const struct command checkpoint_command = {
    .name = "checkpoint",
    .usage = "[--every=TIME | --at=PLACE | --list | --remove[=N]] [--unconfined] [RECORDING|latest]",
    .summary = "store checkpoints in a recording",
    .help =
        "Replays RECORDING, without its output, and stores images of all its processes in it. A replay can "
        "begin\n"
        "there (`replay --from=N'), `who', `backtrace' and the debugger begin there when they look for a "
        "place\n"
        "behind it, and the windows between images can be replayed at once (`replay --verify --jobs=N').\n"
        "\n"
        "  --every=TIME   after each TIME of replay, as 5s or 250ms; this is the default, with 5s\n"
        "  --at=PLACE     one image, at the first opportunity behind PLACE (as in `reprise debug')\n"
        "  --list         tell which images there are: number and moment\n"
        "  --remove[=N]   remove image N, or all of them\n"
        "  --unconfined   replay without the filter of system calls, for kernels that have none\n"
        "\n"
        "Images hold the state of the engine: they are of use to the same build of reprise, on processors "
        "with\n"
        "the same features. Everywhere else the recording is replayed from its beginning. Not supported yet "
        "are\n"
        "programs with protection keys, sealed memory, or huge pages of their own, and recordings made with\n"
        "--values.\n"
        "\n"
        "The exit status is 0; 120 if the replay did something else than the recording, 121 if the recording "
        "is\n"
        "damaged, 125 if an image can't be stored, 2 for a mistake in the arguments.",
    .run = run,
};
