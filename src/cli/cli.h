/* cli.h: the `reprise` command: one file per subcommand, each exporting one struct command. */
#ifndef REPRISE_CLI_CLI_H
#define REPRISE_CLI_CLI_H

#include "sphere/replay.h"

/* Exit statuses of reprise itself; a program that was run gives its own. */
enum {
  STATUS_USAGE = 2,
  STATUS_DIVERGED = 120,       /* a replay did not do what the recording did */
  STATUS_DAMAGED = 121,        /* the recording is damaged or of another version */
  STATUS_UNSUPPORTED = 122,    /* the program does what can't be recorded */
  STATUS_FAILED = 125,         /* reprise itself failed */
  STATUS_NOT_EXECUTABLE = 126, /* the program exists but can't be run */
  STATUS_NOT_FOUND = 127,
};

struct command {
  const char *name;
  const char *usage;                 /* after "reprise NAME" */
  const char *summary;               /* one line for the list of commands */
  const char *help;                  /* the rest of `reprise help NAME` */
  int (*run)(int argc, char **argv); /* argv[0] is the subcommand's name; returns the exit status */
};

extern const struct command run_command;
extern const struct command record_command;
extern const struct command replay_command;
extern const struct command debug_command;
extern const struct command gdbserver_command;
extern const struct command dap_command;
extern const struct command backtrace_command;
extern const struct command who_command;
extern const struct command core_command;
extern const struct command ls_command;
extern const struct command stat_command;
extern const struct command dump_command;
extern const struct command checkpoint_command;
extern const struct command solve_command;
extern const struct command pack_command;
extern const struct command rm_command;
extern const struct command trigger_command;
extern const struct command cache_command;
extern const struct command sim_command;
extern const struct command help_command;

/* All of them, ending with NULL. */
extern const struct command *const commands[];
const struct command *find_command(const char *name);

/* One line "reprise: …" on standard error; returns status. */
int complain(int status, const char *pattern, ...) __attribute__((format(printf, 2, 3)));
/* Why gdb could not be started. */
int complain_gdb(const char *gdb, int error);
/* The same as complain(), with a hint at `reprise help NAME`. */
int bad_usage(const struct command *command, const char *pattern, ...) __attribute__((format(printf, 2, 3)));

#endif
