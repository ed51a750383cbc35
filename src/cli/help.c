/* help.c: reprise help [COMMAND]. */
#include <stdio.h>

#include "cli/cli.h"

static int help_list(void) {
  puts("Usage: reprise COMMAND …\n\nCommands:");
  for (const struct command *const *c = commands; *c; c++) printf("  %-9s %s\n", (*c)->name, (*c)->summary);
  puts("\n`reprise help COMMAND` tells more; `reprise --version` tells the version.");
  return 0;
}

static int run(int argc, char **argv) {
  if (argc > 2) return bad_usage(&help_command, "too many arguments");
  if (argc < 2) return help_list();
  const struct command *command = find_command(argv[1]);
  if (!command) return bad_usage(&help_command, "%s: no such command", argv[1]);
  printf("Usage: reprise %s %s\n\n%s\n", command->name, command->usage, command->help);
  return 0;
}

const struct command help_command = {
    .name = "help",
    .usage = "[COMMAND]",
    .summary = "tell about a command",
    .help = "Lists the commands, or tells about one of them.",
    .run = run,
};
