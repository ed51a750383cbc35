/* run.c: reprise run: runs a program under the engine, without recording. The command becomes the program (sphere/launch.c). */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "cli/cli.h"
#include "cli/options.h"
#include "cli/program.h"
#include "contract/log_channels.h"
#include "sphere/launch.h"

/* -- Options ----------------------------------------------------------------------------------------------------------- */

static bool take_check(void *into, const char *word) {
  static const char *const names[] = {
      [CHECK_NONE] = "none", [CHECK_ACCESSES] = "accesses", [CHECK_ALL] = "all"};
  for (uint32_t check = 0; check < sizeof names / sizeof *names; check++)
    if (names[check] && !strcmp(word, names[check])) return *(uint32_t *)into = check, true;
  return false;
}

static bool take_counters(void *into, const char *value) {
  (void)value;
  *(uint32_t *)into = 1;
  return true;
}

static int run(int argc, char **argv) {
  struct engine_config settings = {.magic = ENGINE_CONFIG_MAGIC, .first = 1, .program_fd = -1};
  bool caches = true;
  const struct option_row options[] = {
      {"counters", 0, OPTION_ALONE, take_counters, &settings.counters, NULL},
      {"no-cache", 0, OPTION_ALONE, take_false, &caches, NULL},
      {"check", 0, OPTION_WITH_VALUE, take_check, &settings.check, "none, accesses or all"},
      {0}};
  int next;
  int status = options_parse(&run_command, options, argc, argv, true, &next);
  if (status) return status;
  settings.keeps_code = caches;
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
    .usage = "[--check=none|accesses|all] [--counters] [--no-cache] [--] PROGRAM [ARGUMENT]…",
    .summary = "run a program under the engine",
    .help =
        "Runs PROGRAM, found as the shell finds it, translated by the engine and otherwise unchanged.\n"
        "\n"
        "  --check=accesses   check a permission before every access to memory but through the stack "
        "pointer\n"
        "  --check=all        before every access (default: none)\n"
        "  --counters         print what the engine has done when the program ends\n"
        "  --no-cache         neither use nor store translated code (see `reprise help cache`)\n"
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
