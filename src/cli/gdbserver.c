/* gdbserver.c: `reprise gdbserver`. */
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/options.h"
#include "cli/recordings.h"
#include "debug/connection.h"

static bool take_number(int *into, const char *text, long most) {
  char *end;
  long number = strtol(text, &end, 10);
  *into = (int)number;
  return *text && !*end && number >= 0 && number <= most;
}

/* A port of -1 is a free one. */
static bool take_port(void *into, const char *text) {
  int *port = into;
  bool taken = take_number(port, text, 65535);
  if (!*port) *port = -1;
  return taken;
}

static bool take_apart(void *into, const char *text) {
  return take_number(into, text, 1000000);
}

static int run(int argc, char **argv) {
  static char path[RECORDING_PATH_MAX];
  struct serve_options options = {.confined = CAN_CONFINE, .apart = -1};
  const struct option_row rows[] = {
      {"port", 0, OPTION_WITH_VALUE, take_port, &options.port, "a port"},
      {"at", 0, OPTION_WITH_VALUE, take_text, &options.at, NULL},
      {"apart", 0, OPTION_WITH_VALUE, take_apart, &options.apart, "a time in milliseconds"},
      {"unconfined", 0, OPTION_ALONE, take_false, &options.confined, NULL},
      {0}};
  int next;
  int status = options_parse(&gdbserver_command, rows, argc, argv, false, &next);
  if (!status) status = find_recording(&gdbserver_command, argc, argv, next, path);
  return status ? status : serve_recording(path, &options);
}

const struct command gdbserver_command = {
    .name = "gdbserver",
    .usage = "[--port=N] [--at=MOMENT] [--apart=MS] [--unconfined] [RECORDING|latest]",
    .summary = "let a debugger look into a recording",
    .help =
        "Replays RECORDING under the control of a debugger that speaks gdb's remote protocol. The replay "
        "stops "
        "at its\n"
        "beginning; in what a flight recorder has stored, at its end. In gdb:\n"
        "\n"
        "  target remote | reprise gdbserver RECORDING\n"
        "\n"
        "  --port=N       listen at port N of 127.0.0.1 for one client, instead of standard input and "
        "output;\n"
        "                 0: at a free one, which is told on standard error\n"
        "  --at=MOMENT    begin there: a moment as `monitor when' prints it, THREAD@POSITION, event:N (as\n"
        "                 `reprise dump' counts them), N%, begin, end or crash\n"
        "  --apart=MS     make a checkpoint after MS milliseconds of replay, each, instead of as often as is "
        "cheap\n"
        "  --unconfined   as in `reprise replay'\n"
        "\n"
        "Breakpoints, watchpoints, steps, threads and files are those of the recording; reverse-continue, "
        "reverse-step\n"
        "and their kin go backwards. Calls of functions and changes happen in a copy, which is thrown away "
        "when the\n"
        "replay goes on.\n"
        "\n"
        "The exit status is 0 when the client is gone, 121 if the recording is damaged, 125 if reprise "
        "itself "
        "fails, 2\n"
        "for a mistake in the arguments.",
    .run = run,
};
