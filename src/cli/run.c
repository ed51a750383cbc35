/* run.c: reprise run: runs a program under the engine, without recording. The command becomes the program (sphere/launch.c). */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "cli/cli.h"
#include "cli/program.h"
#include "contract/log_channels.h"
#include "sphere/launch.h"

/* -- Options ----------------------------------------------------------------------------------------------------------- */

static int parse_check(const char *word, struct engine_config *to) {
  if (!strcmp(word, "none"))
    to->check = CHECK_NONE;
  else if (!strcmp(word, "accesses"))
    to->check = CHECK_ACCESSES;
  else if (!strcmp(word, "all"))
    to->check = CHECK_ALL;
  else
    return bad_usage(&run_command, "--check=%s: expected none, accesses or all", word);
  return 0;
}

/* Fills the configuration from the options; *next is the first argument that is none. */
static int parse_options(int argc, char **argv, struct engine_config *to, int *next) {
  int i = 1;
  for (; i < argc && argv[i][0] == '-'; i++) {
    const char *option = argv[i];
    int status = 0;
    if (!strcmp(option, "--")) {
      i++;
      break;
    }
    if (!strcmp(option, "--counters"))
      to->counters = 1;
    else if (!strncmp(option, "--check=", 8))
      status = parse_check(option + 8, to);
    else
      status = bad_usage(&run_command, "%s: no such option", option);
    if (status) return status;
  }
  *next = i;
  return 0;
}

static int run(int argc, char **argv) {
  struct engine_config settings = {.magic = ENGINE_CONFIG_MAGIC, .first = 1, .program_fd = -1};
  int next;
  int status = parse_options(argc, argv, &settings, &next);
  if (status) return status;
  struct launch_problem problem;
  if (launch_check_ends(&problem) || launch_channels(&settings, &problem))
    return complain(problem.status, "%s", problem.text);
  if (next == argc) return bad_usage(&run_command, "no program given");
  status = program_find(argv[next], settings.program, sizeof settings.program);
  if (status) return status;
  launch(&settings, argv + next, environ, &(struct launch_shared){-1, -1}, &problem);
  return complain(problem.status, "%s", problem.text);
}

const struct command run_command = {
    .name = "run",
    .usage = "[--check=none|accesses|all] [--counters] [--] PROGRAM [ARGUMENT]…",
    .summary = "run a program under the engine",
    .help =
        "Runs PROGRAM, found as the shell finds it, translated by the engine and otherwise unchanged.\n"
        "\n"
        "  --check=accesses   check a permission before every access to memory but through the stack "
        "pointer\n"
        "  --check=all        before every access (default: none)\n"
        "  --counters         print what the engine has done when the program ends\n"
        "\n"
        "The exit status is PROGRAM's; 127 if it is not found, 126 if it can't be executed,\n"
        "125 if reprise itself fails, 2 for a mistake in the arguments.\n"
        "\n"
        "REPRISE_LOG=CHANNEL,… makes the engine tell what it does on standard error. Channels:\n"
#define X(name, text) "  " #name "\t" text "\n"
    LOG_CHANNELS(X)
#undef X
        "",
    .run = run,
};
