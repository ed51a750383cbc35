/* debug.c: `reprise debug`: gdb on a recording, with the commands of src/debug/reprise.py. */
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/cli.h"
#include "cli/options.h"
#include "cli/recordings.h"
#include "debug/gdb_target.h"
#include "sphere/installed.h"

enum { ARGUMENTS = 256 };

static int start_gdb(const char *gdb, const char *target, int count, char **own) {
  static char file[INSTALLED_PATH_MAX], source[INSTALLED_PATH_MAX + 16];
  const char *argv[ARGUMENTS] = {gdb, "-q"};
  int n = 2;
  if (count > ARGUMENTS - 16) return bad_usage(&debug_command, "too many arguments");
  if (installed_find("reprise.py", "reprise.py", file)) {
    snprintf(source, sizeof source, "source %s", file);
    argv[n++] = "-ex";
    argv[n++] = source;
  }
  argv[n++] = "-ex";
  argv[n++] = GDB_PATIENCE;
  argv[n++] = "-ex";
  argv[n++] = target;
  for (int i = 0; i < count; i++) argv[n++] = own[i];
  argv[n] = NULL;
  execvp(gdb, (char **)(uintptr_t)argv);
  return complain_gdb(gdb, errno);
}

/* Where gdb's own options begin, behind "--". */
static int find_own(int argc, char **argv) {
  int i = 1;
  while (i < argc && strcmp(argv[i], "--")) i++;
  return i;
}

static int run(int argc, char **argv) {
  static char path[RECORDING_PATH_MAX], target[GDB_TARGET];
  const char *at = NULL, *gdb = "gdb";
  bool confined = true;
  const struct option_row options[] = {{"at", 0, OPTION_WITH_VALUE, take_text, &at, NULL},
                                       {"gdb", 0, OPTION_WITH_VALUE, take_text, &gdb, NULL},
                                       {"unconfined", 0, OPTION_ALONE, take_false, &confined, NULL},
                                       {0}};
  int own = find_own(argc, argv), next;
  int status = options_parse(&debug_command, options, own, argv, false, &next);
  if (!status) status = find_recording(&debug_command, own, argv, next, path);
  if (status) return status;
  if (!gdb_target(target, path, at, confined))
    return complain(STATUS_FAILED, "the names of files are too long");
  if (own < argc) own++;
  return start_gdb(gdb, target, argc - own, argv + own);
}

const struct command debug_command = {
    .name = "debug",
    .usage = "[--at=PLACE] [--gdb=PROGRAM] [--unconfined] [RECORDING|latest] [-- OPTIONS OF GDB…]",
    .summary = "look into a recording with gdb, forwards and backwards",
    .help =
        "Starts gdb on RECORDING. The replay stands at its beginning, or at PLACE; at the end of what a "
        "flight\n"
        "recorder has stored. Breakpoints, watchpoints, steps and all that gdb shows are those of the "
        "recorded\n"
        "execution; executables and libraries come from the recording. gdb's own\n"
        "reverse-continue, reverse-step, reverse-next, reverse-finish and reverse-stepi go backwards. "
        "Besides:\n"
        "\n"
        "  when               the moment where the replay stands\n"
        "  seek PLACE         goes there, forwards or backwards\n"
        "  last EXPRESSION    goes back to the last write of a variable or address; again: to the one "
        "before\n"
        "  checkpoint         remembers this moment; restart N comes back to it\n"
        "  reprise threads    what each thread does\n"
        "\n"
        "PLACE is a moment, as `when' prints it, THREAD@POSITION or event:N as in `reprise dump', N% of "
        "the\n"
        "instructions of the thread that executes most, begin, end, or crash (the signal that ended the "
        "program).\n"
        "\n"
        "  --at=PLACE       begin there\n"
        "  --gdb=PROGRAM    another gdb\n"
        "  --unconfined     as in `reprise replay'\n"
        "\n"
        "The exit status is gdb's; 127 if there is no gdb, 2 for a mistake in the arguments.",
    .run = run,
};
