/* recordings.h: functions that the commands about recordings share (recordings.c). */
#ifndef REPRISE_CLI_RECORDINGS_H
#define REPRISE_CLI_RECORDINGS_H

#include <stdio.h>

#include "cli/cli.h"
#include "recording/recording.h"

/* Prints one line for a recording's error; returns the exit status that belongs to it. */
int complain_recording(const struct recording_error *error);

/* The path of the recording that a command is about: its only operand at argv[next], or the latest one. Returns 0, or a status after one line. */
int find_recording(const struct command *command, int argc, char **argv, int next,
                   char path[RECORDING_PATH_MAX]);

/* The recorded command as one would type it, more or less: arguments that hold a blank are quoted. Allocated, or NULL. */
char *recording_command_line(const struct recording_reader *details);

#endif
