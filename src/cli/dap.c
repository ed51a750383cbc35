/* dap.c: `reprise dap`: a debug adapter, for editors. */
#include <signal.h>
#include <unistd.h>

#include "cli/cli.h"
#include "dap/dap.h"

static int run(int argc, char **argv) {
  if (argc > 1) return bad_usage(&dap_command, "%s: no such argument", argv[1]);
  signal(SIGPIPE, SIG_IGN); /* a client that has gone is found out by write */
  return dap_run(STDIN_FILENO, STDOUT_FILENO) ? STATUS_FAILED : 0;
}

const struct command dap_command = {
    .name = "dap",
    .usage = "",
    .summary = "let an editor look into a recording",
    .help =
        "Serves one editor that speaks the Debug Adapter Protocol, over standard input and output. The "
        "editor starts it;\n"
        "docs/debugging.md tells how. It runs gdb on the recording, as `reprise debug' does, and goes "
        "forwards and backwards\n"
        "by lines and by instructions. The arguments of `launch':\n"
        "\n"
        "  recording      a name or a path; the latest one if it is missing\n"
        "  at             where to begin: a moment, THREAD@POSITION, event:N, N%, begin, end or crash\n"
        "  stopOnEntry    false: go on at once\n"
        "  commands       a list of gdb's commands to begin with, for instance set substitute-path\n"
        "  gdb            another gdb\n"
        "  confined       false: as `reprise replay --unconfined'\n"
        "\n"
        "In the editor's console all commands of gdb can be given, and those of `reprise debug': when, seek, "
        "last.\n"
        "\n"
        "The exit status is 0 when the client is gone, 125 if it speaks something else, 2 for a mistake in "
        "the arguments.",
    .run = run,
};
