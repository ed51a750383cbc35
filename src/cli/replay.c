/* replay.c: reprise replay: repeats a recorded execution. */
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/options.h"
#include "cli/recordings.h"
#include "cli/replay_jobs.h"
#include "cli/replay_to.h"
#include "sphere/replay.h"
#include "sphere/replay_tries.h"
#include "travel/measuring.h"
#include "travel/restarts.h"
#include "travel/window.h"

/* "N" or "N,SEED" */
static bool take_restarts(void *into, const char *text) {
  struct replay_options *options = into;
  enum { MOST = 1000000 };
  char *end;
  unsigned long restarts = strtoul(text, &end, 10);
  unsigned long seed = *end == ',' && end > text ? strtoul(end + 1, &end, 10) : 1;
  options->driver = restarts_driver((uint32_t)restarts, seed);
  return end > text && !*end && restarts && restarts <= MOST;
}

/* The number of a stored checkpoint. */
static bool take_image(void *into, const char *text) {
  int64_t *number = into;
  char *end;
  *number = strtol(text, &end, 10);
  return *text >= '0' && *text <= '9' && !*end && *number <= RECORDING_THREAD_MAX;
}

static bool take_jobs(void *into, const char *text) {
  struct replay_jobs *jobs = into;
  enum { MOST = 4096 };
  char *end;
  unsigned long number = strtoul(text, &end, 10);
  jobs->jobs = (unsigned)number;
  return *text >= '0' && *text <= '9' && !*end && number && number <= MOST;
}

static bool take_tries(void *into, const char *text) {
  unsigned *tries = into;
  enum { MOST = 1000000 };
  char *end;
  unsigned long number = strtoul(text, &end, 10);
  *tries = (unsigned)number;
  return *text >= '0' && *text <= '9' && !*end && number && number <= MOST;
}

static bool take_checkpoints(void *into, const char *value) {
  (void)value;
  ((struct replay_options *)into)->driver = keeping_driver();
  return true;
}

/* What the options ask for. */
struct wish {
  struct replay_options options;
  struct replay_jobs jobs;
  int64_t from, until; /* images, or WINDOW_WHOLE */
  const char *place;
  bool as_json;
  bool caches;    /* no --no-cache */
  unsigned tries; /* 0: one, whose output is shown at once */
  char path[RECORDING_PATH_MAX];
};

static const char *find_conflict(const struct wish *wish) {
  const struct replay_options *options = &wish->options;
  bool window = wish->from != WINDOW_WHOLE || wish->until != WINDOW_WHOLE;
  if (wish->place && (options->serial || options->turns || options->driver))
    return "--goto can't be combined with --serial, --turns, --checkpoints or --restarts";
  if (wish->as_json && !wish->place) return "--json is for --goto";
  if (window && (wish->place || options->driver))
    return "--from and --until can't be combined with --goto, --checkpoints or --restarts";
  if ((wish->jobs.jobs || wish->jobs.prints) &&
      (!options->verifies || window || wish->place || options->driver))
    return "--jobs and --print-jobs are for --verify of a whole recording";
  if (wish->tries && (wish->jobs.jobs || wish->jobs.prints || wish->place || options->driver))
    return "--tries can't be combined with --jobs, --print-jobs, --goto, --checkpoints or --restarts";
  if (options->solved && (wish->place || wish->jobs.jobs || wish->jobs.prints))
    return "--solved can't be combined with --goto, --jobs or --print-jobs yet";
  if (options->verifies && wish->place) return "--verify can't be combined with --goto";
  return NULL;
}

static int perform(void *context) {
  struct wish *wish = context;
  const char *path = wish->path;
  static struct engine_config settings = {.magic = ENGINE_CONFIG_MAGIC};
  settings.keeps_code = wish->caches;
  struct replay_options *options = &wish->options;
  struct launch_problem problem;
  if (launch_channels(&settings, &problem)) return complain(problem.status, "%s", problem.text);
  if (wish->from == WINDOW_WHOLE && !options->driver) wish->from = window_begins(path);
  if (wish->from != WINDOW_WHOLE || wish->until != WINDOW_WHOLE) {
    options->driver = window_driver(wish->from, wish->until);
    settings.debugged = wish->until != WINDOW_WHOLE;
  }
  wish->jobs.confined = options->confined;
  if (wish->jobs.jobs || wish->jobs.prints) return replay_in_jobs(path, &wish->jobs);
  if (wish->place)
    return replay_to(path, wish->place,
                     &(struct replay_to_options){options->quiet, options->confined, wish->as_json});
  return replay(path, options, &settings);
}

static int run(int argc, char **argv) {
  struct wish wish = {
      .caches = true, .options.confined = CAN_CONFINE, .from = WINDOW_WHOLE, .until = WINDOW_WHOLE};
  const struct option_row options[] = {
      {"quiet", 'q', OPTION_ALONE, take_true, &wish.options.quiet, NULL},
      {"no-cache", 0, OPTION_ALONE, take_false, &wish.caches, NULL},
      {"unconfined", 0, OPTION_ALONE, take_false, &wish.options.confined, NULL},
      {"serial", 0, OPTION_ALONE, take_true, &wish.options.serial, NULL},
      {"solved", 0, OPTION_ALONE, take_true, &wish.options.solved, NULL},
      {"goto", 0, OPTION_WITH_VALUE, take_text, &wish.place, NULL},
      {"json", 0, OPTION_ALONE, take_true, &wish.as_json, NULL},
      {"restarts", 0, OPTION_WITH_VALUE, take_restarts, &wish.options,
       "a number of restarts, and perhaps ,SEED"},
      {"checkpoints", 0, OPTION_ALONE, take_checkpoints, &wish.options, NULL},
      {"from", 0, OPTION_WITH_VALUE, take_image, &wish.from, "the number of an image"},
      {"until", 0, OPTION_WITH_VALUE, take_image, &wish.until, "the number of an image"},
      {"verify", 0, OPTION_ALONE, take_true, &wish.options.verifies, NULL},
      {"jobs", 0, OPTION_WITH_VALUE, take_jobs, &wish.jobs, "a number of jobs"},
      {"print-jobs", 0, OPTION_ALONE, take_true, &wish.jobs.prints, NULL},
      {"tries", 0, OPTION_WITH_VALUE, take_tries, &wish.tries, "a number of tries"},
      {"turns", 0, OPTION_ALONE, take_true, &wish.options.turns, NULL},
      {0}};
  int next;
  int status = options_parse(&replay_command, options, argc, argv, false, &next);
  if (status) return status;
  if (wish.options.verifies) wish.options.quiet = true;
  const char *conflict = find_conflict(&wish);
  if (conflict) return bad_usage(&replay_command, "%s", conflict);
  status = find_recording(&replay_command, argc, argv, next, wish.path);
  if (status) return status;
  return wish.tries ? replay_in_tries(wish.tries, perform, &wish) : perform(&wish);
}

const struct command replay_command = {
    .name = "replay",
    .usage =
        "[--quiet] [--unconfined] [--no-cache] [--goto=PLACE [--json]] [--from=N] [--until=N] "
        "[--verify [--jobs=N | --print-jobs]] [--serial] [--solved] [--turns] "
        "[--checkpoints] "
        "[--restarts=N[,SEED]] [--tries=N] [RECORDING|latest]",
    .summary = "repeat a recorded execution",
    .help =
        "Repeats the execution that RECORDING holds: every instruction of every thread, in the recorded "
        "order, with\n"
        "the recorded results of system calls. Nothing outside is touched; what the program wrote to its "
        "standard\n"
        "output and error is written again.\n"
        "\n"
        "RECORDING is a path, or a name in the recordings' own place; without it, or with `latest', the "
        "latest one.\n"
        "\n"
        "  -q, --quiet    do not write the program's output again\n"
        "  --unconfined   replay without the filter of system calls, for kernels that have none\n"
        "  --no-cache     do not use translated code that is kept between runs (`reprise help cache')\n"
        "  --goto=PLACE   go as far as PLACE (as in `reprise debug'), tell on standard error which moment "
        "that "
        "is and\n"
        "                 where each thread stands, and end there with status 0; 125 if there is no such "
        "moment.\n"
        "                 Of recordings made with --values this can't be done yet\n"
        "  --json         with --goto: tell it as JSON, one object for each thread\n"
        "  --from=N       begin at image N, which `reprise checkpoint' has stored: the output is that from "
        "there "
        "on\n"
        "  --until=N      end at image N, with status 0\n"
        "  --verify       write no output; the status is 0 if the replay does what the recording did, "
        "however "
        "the\n"
        "                 program ended\n"
        "  --jobs=N       with --verify: replay the windows between images, N of them at once\n"
        "  --print-jobs   with --verify: print the commands that do so, one a line, for other tools to "
        "spread\n"
        "  --serial       run one thread at a time, in an order that depends on the recording alone\n"
        "  --solved       of a recording made with --values: in the order that `reprise solve' has found, "
        "with "
        "one\n"
        "                 memory for all threads\n"
        "  --tries=N      of a recording made with --order=sync: replay it up to N times, until a replay "
        "does "
        "what the\n"
        "                 recording did; the output of the last one is shown when it is over\n"
        "  --turns        tell how often the turn went to another thread, with a digest of the sequence; "
        "with\n"
        "                 --serial, or of a recording made with --order=chunk\n"
        "  --checkpoints  to measure checkpoints: make them as for a debugger, and tell how many and at what "
        "cost\n"
        "  --restarts=N[,SEED]   to test checkpoints: make them at random points, and go back to one N "
        "times\n"
        "\n"
        "A recording is not trusted. Its processes are confined before the first event is read: whatever it "
        "holds, they\n"
        "open, make and change no file, connect to nothing and signal nobody; all that comes out of them is "
        "what they\n"
        "write to standard output and error. That may be anything, as from any program.\n"
        "\n"
        "A recording that is unfinished is repeated as far as it goes. One line then says that it breaks "
        "off, "
        "and why,\n"
        "and the replay ends as if killed by SIGKILL, unless the program had ended.\n"
        "\n"
        "The exit status is the recorded program's; 120 if the replay did something else than the recording "
        "(what\n"
        "and where is told on standard error), 121 if the recording is damaged or of another version, 125 "
        "if\n"
        "reprise itself fails or the output can't be written, 2 for a mistake in the arguments.",
    .run = run,
};
