/* main.c: finds the subcommand and runs it. */
#include <errno.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "cli/cli.h"
#include "recording/plain.h"

#define VERSION "0.1"

const struct command *const commands[] = {
    &run_command, &record_command,    &replay_command, &debug_command, &gdbserver_command,
    &dap_command, &backtrace_command, &who_command,    &core_command,  &checkpoint_command,
    &ls_command,  &stat_command,      &dump_command,   &solve_command, &pack_command,
    &rm_command,  &trigger_command,   &cache_command,  &sim_command,   &help_command,
    NULL};

const struct command *find_command(const char *name) {
  for (const struct command *const *c = commands; *c; c++)
    if (!strcmp((*c)->name, name)) return *c;
  return NULL;
}

static void complain_list(const char *pattern, va_list args, const char *hint) {
  char line[8192 + 128];
  int n = vsnprintf(line, sizeof line - 128, pattern, args);
  if (n < 0) n = 0;
  if ((size_t)n > sizeof line - 129) n = (int)sizeof line - 129;
  snprintf(line + n, 128, "%s", hint);
  plain_text(line);
  fprintf(stderr, "reprise: %s\n", line);
}

int complain(int status, const char *pattern, ...) {
  va_list args;
  va_start(args, pattern);
  complain_list(pattern, args, "");
  va_end(args);
  return status;
}

int complain_gdb(const char *gdb, int error) {
  return complain(error == ENOENT ? STATUS_NOT_FOUND : STATUS_NOT_EXECUTABLE, "%s: %s", gdb,
                  error == ENOENT ? "not found: the debugger has to be installed" : strerror(error));
}

int bad_usage(const struct command *command, const char *pattern, ...) {
  bool named = command != &help_command;
  char hint[128];
  snprintf(hint, sizeof hint, " (see `reprise help%s%s`)", named ? " " : "", named ? command->name : "");
  va_list args;
  va_start(args, pattern);
  complain_list(pattern, args, hint);
  va_end(args);
  return STATUS_USAGE;
}

/* Output that could not be written is a failure: returns status, or a line and STATUS_FAILED. */
static int finish_output(int status) {
  errno = 0;
  if (!fflush(stdout) && !ferror(stdout)) return status;
  return complain(STATUS_FAILED, "standard output: %s", errno ? strerror(errno) : "it can't be written");
}

/* All that most commands print is written at once, by finish_output, which then knows why it can't be. */
static void buffer_output(void) {
  static char buffer[1 << 16];
  if (!isatty(STDOUT_FILENO)) setvbuf(stdout, buffer, _IOFBF, sizeof buffer);
}

int main(int argc, char **argv) {
  buffer_output();
  if (argc < 2) return bad_usage(&help_command, "no command given");
  const char *name = argv[1];
  if (!strcmp(name, "--version")) {
    puts("reprise " VERSION);
    return finish_output(0);
  }
  if (!strcmp(name, "--help") || !strcmp(name, "-h")) name = "help";
  const struct command *command = find_command(name);
  if (!command) return bad_usage(&help_command, "%s: no such command", name);
  bool wants_help = argc > 2 && (!strcmp(argv[2], "--help") || !strcmp(argv[2], "-h"));
  if (wants_help) return finish_output(help_command.run(2, (char *[]){argv[2], argv[1], NULL}));
  return finish_output(command->run(argc - 1, argv + 1));
}
