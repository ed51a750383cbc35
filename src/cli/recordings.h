/* recordings.h: functions that the commands about recordings share (recordings.c). */
#ifndef REPRISE_CLI_RECORDINGS_H
#define REPRISE_CLI_RECORDINGS_H

#include <stdio.h>

#include "cli/cli.h"
#include "recording/recording.h"

/* Prints one line for a recording's error; returns the exit status that belongs to it. */
int complain_recording(const struct recording_error *error);

/* Refuses all options; `--' is skipped. *next is the first operand, operands the least and most of them (most < 0: any). */
int parse_operands(const struct command *command, int argc, char **argv, int *next, int least, int most);

/* The recorded command as one would type it, more or less: arguments that hold a blank are quoted. Allocated, or NULL. */
char *recording_command_line(const struct recording_reader *details);

#endif
