/* solve.c: reprise solve: finds an order of the accesses that a recording has by their values. */
#include "solve/solve.h"

#include <stdbool.h>
#include <stdlib.h>
#include <unistd.h>

#include "cli/cli.h"
#include "cli/options.h"
#include "cli/recordings.h"
#include "sphere/launch.h"

enum { PATIENCE_USUALLY = 5000 };

static bool take_states(void *into, const char *text) {
  char *end;
  unsigned long long number = strtoull(text, &end, 10);
  *(uint64_t *)into = number;
  return *text >= '0' && *text <= '9' && !*end && number && number <= 1ULL << 40;
}

static bool take_jobs(void *into, const char *text) {
  enum { MOST = 4096 };
  char *end;
  unsigned long number = strtoul(text, &end, 10);
  *(unsigned *)into = (unsigned)number;
  return *text >= '0' && *text <= '9' && !*end && number && number <= MOST;
}

static int run(int argc, char **argv) {
  static struct engine_config settings = {.magic = ENGINE_CONFIG_MAGIC, .keeps_code = true};
  struct solve_options wish = {.patience = PATIENCE_USUALLY, .confined = CAN_CONFINE};
  struct launch_problem problem;
  char path[RECORDING_PATH_MAX];
  const struct option_row options[] = {
      {"jobs", 0, OPTION_WITH_VALUE, take_jobs, &wish.jobs, "a number of jobs"},
      {"states", 0, OPTION_WITH_VALUE, take_states, &wish.patience, "a number of states"},
      {"unconfined", 0, OPTION_ALONE, take_false, &wish.confined, NULL},
      {0}};
  int next;
  int status = options_parse(&solve_command, options, argc, argv, false, &next);
  if (!status) status = find_recording(&solve_command, argc, argv, next, path);
  if (status) return status;
  long processors = sysconf(_SC_NPROCESSORS_ONLN);
  if (!wish.jobs) wish.jobs = processors > 0 ? (unsigned)processors : 1;
  if (launch_channels(&settings, &problem)) return complain(problem.status, "%s", problem.text);
  return solve(path, &settings, &wish);
}

const struct command solve_command = {
    .name = "solve",
    .usage = "[--jobs=N] [--states=N] [--unconfined] [RECORDING|latest]",
    .summary = "find an order of accesses that were recorded by value",
    .help =
        "A recording made with --values has the values that threads read from contended memory, and not the "
        "order of\n"
        "these accesses. `solve' replays RECORDING once, looks for one order of them that explains every "
        "value, "
        "and\n"
        "stores it in the recording. `reprise replay --solved' then replays in that order: all threads share "
        "one "
        "memory,\n"
        "as when the program ran.\n"
        "\n"
        "  --jobs=N       search with N threads (default: as many as there are processors)\n"
        "  --states=N     make an exception after N states of the search without progress (default 5000)\n"
        "  --unconfined   replay without the filter of system calls, for kernels that have none\n"
        "\n"
        "Processors make some accesses later than others that follow them in the program. Where no order of "
        "whole\n"
        "instructions explains what was read, or none is found, `solve' tells the slice, and the accesses "
        "that "
        "are\n"
        "exceptions: `replay --solved' gives them what they have read.\n"
        "\n"
        "Not supported yet are recordings that are unfinished, that are packed, or that have values of more "
        "than "
        "one\n"
        "process or program, or of stores of some bytes of a vector.\n"
        "\n"
        "The exit status is 0; 1 if there is no order even with exceptions; 120 if the replay did "
        "something "
        "else than\n"
        "the recording; 121 if RECORDING is damaged, of another version or no recording; 125 if reprise "
        "itself "
        "fails, or\n"
        "RECORDING can't be solved; 2 if there is none of that name, or for a mistake in the arguments.",
    .run = run,
};
