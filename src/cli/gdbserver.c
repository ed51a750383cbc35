/* gdbserver.c: `reprise gdbserver`. */
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/recordings.h"
#include "debug/serve.h"

#if defined(REPRISE_EMULATED)
enum { CAN_CONFINE = 0 };
#else
enum { CAN_CONFINE = 1 };
#endif

/* -1: none. */
static int parse_number(const char *text) {
  enum { MOST = 1000000 };
  char *end;
  long number = strtol(text, &end, 10);
  return !*text || *end || number < 0 || number > MOST ? -1 : (int)number;
}

static int parse_port(const char *text) {
  int port = parse_number(text);
  if (port < 0 || port > 65535) return -2;
  return port ? port : -1;
}

static int run(int argc, char **argv) {
  struct recording_error error;
  static char path[RECORDING_PATH_MAX];
  struct serve_options options = {.confined = CAN_CONFINE, .apart = -1};
  int i = 1;
  for (; i < argc && argv[i][0] == '-'; i++) {
    if (!strcmp(argv[i], "--")) {
      i++;
      break;
    }
    if (!strncmp(argv[i], "--port=", 7)) {
      options.port = parse_port(argv[i] + 7);
      if (options.port == -2) return bad_usage(&gdbserver_command, "%s: no port", argv[i] + 7);
    } else if (!strncmp(argv[i], "--at=", 5)) {
      options.at = argv[i] + 5;
    } else if (!strncmp(argv[i], "--apart=", 8)) {
      options.apart = parse_number(argv[i] + 8);
      if (options.apart < 0) return bad_usage(&gdbserver_command, "%s: no time in milliseconds", argv[i] + 8);
    } else if (!strcmp(argv[i], "--unconfined")) {
      options.confined = false;
    } else {
      return bad_usage(&gdbserver_command, "%s: no such option", argv[i]);
    }
  }
  if (argc - i > 1) return bad_usage(&gdbserver_command, "too many arguments");
  const char *name = i < argc && strcmp(argv[i], "latest") ? argv[i] : NULL;
  if (recording_resolve(name, path, &error)) return complain_recording(&error);
  return serve_recording(path, &options);
}

const struct command gdbserver_command = {
    .name = "gdbserver",
    .usage = "[--port=N] [--at=MOMENT] [--apart=MS] [--unconfined] [RECORDING|latest]",
    .summary = "let a debugger look into a recording",
    .help =
        "Replays RECORDING under the control of a debugger that speaks gdb's remote protocol. The replay "
        "stops "
        "at its\n"
        "beginning. In gdb:\n"
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
        "and their kin go backwards. Nothing can be changed: what is looked at is what happened.\n"
        "\n"
        "The exit status is 0 when the client is gone, 121 if the recording is damaged, 125 if reprise "
        "itself "
        "fails, 2\n"
        "for a mistake in the arguments.",
    .run = run,
};
