/* replay.c: reprise replay: repeats a recorded execution. */
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/recordings.h"
#include "cli/replay_to.h"
#include "sphere/replay.h"
#include "travel/measuring.h"
#include "travel/restarts.h"

/* An emulator of the tests has no filters of system calls. */
#if defined(REPRISE_EMULATED)
enum { CAN_CONFINE = 0 };
#else
enum { CAN_CONFINE = 1 };
#endif

/* "N" or "N,SEED" */
static bool parse_restarts(const char *text, struct replay_options *options) {
  enum { MOST = 1000000 };
  char *end;
  unsigned long restarts = strtoul(text, &end, 10);
  unsigned long seed = *end == ',' && end > text ? strtoul(end + 1, &end, 10) : 1;
  options->driver = restarts_driver((uint32_t)restarts, seed);
  return end > text && !*end && restarts && restarts <= MOST;
}

static int run(int argc, char **argv) {
  static struct engine_config settings = {.magic = ENGINE_CONFIG_MAGIC};
  struct launch_problem problem;
  struct recording_error error;
  char path[RECORDING_PATH_MAX];
  struct replay_options options = {.confined = CAN_CONFINE};
  const char *place = NULL;
  bool as_json = false;
  int i = 1;
  for (; i < argc && argv[i][0] == '-'; i++) {
    if (!strcmp(argv[i], "--")) {
      i++;
      break;
    }
    if (!strcmp(argv[i], "--quiet") || !strcmp(argv[i], "-q"))
      options.quiet = true;
    else if (!strcmp(argv[i], "--unconfined"))
      options.confined = false;
    else if (!strcmp(argv[i], "--serial"))
      options.serial = true;
    else if (!strncmp(argv[i], "--goto=", 7))
      place = argv[i] + 7;
    else if (!strcmp(argv[i], "--json"))
      as_json = true;
    else if (!strncmp(argv[i], "--restarts=", 11)) {
      if (!parse_restarts(argv[i] + 11, &options))
        return bad_usage(&replay_command, "%s: not a number of restarts and a seed", argv[i]);
    } else if (!strcmp(argv[i], "--checkpoints"))
      options.driver = keeping_driver();
    else if (!strcmp(argv[i], "--turns"))
      options.turns = true;
    else
      return bad_usage(&replay_command, "%s: no such option", argv[i]);
  }
  if (argc - i > 1) return bad_usage(&replay_command, "too many arguments");
  if (place && (options.serial || options.turns || options.driver))
    return bad_usage(&replay_command,
                     "--goto can't be combined with --serial, --turns, --checkpoints or --restarts");
  if (as_json && !place) return bad_usage(&replay_command, "--json is for --goto");
  const char *name = i < argc && strcmp(argv[i], "latest") ? argv[i] : NULL;
  if (launch_channels(&settings, &problem)) return complain(problem.status, "%s", problem.text);
  if (recording_resolve(name, path, &error)) return complain_recording(&error);
  if (place)
    return replay_to(path, place, &(struct replay_to_options){options.quiet, options.confined, as_json});
  return replay(path, &options, &settings);
}

const struct command replay_command = {
    .name = "replay",
    .usage =
        "[--quiet] [--unconfined] [--goto=PLACE [--json]] [--serial] [--turns] [--checkpoints] "
        "[--restarts=N[,SEED]] [RECORDING|latest]",
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
        "  --goto=PLACE   go as far as PLACE (as in `reprise debug'), tell on standard error which moment "
        "that "
        "is and\n"
        "                 where each thread stands, and end there with status 0; 125 if there is no such "
        "moment.\n"
        "                 Of recordings made with --values this can't be done yet\n"
        "  --json         with --goto: tell it as JSON, one object for each thread\n"
        "  --serial       run one thread at a time, in an order that depends on the recording alone\n"
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
