/* recordings.c: functions that the commands about recordings share. See recordings.h. */
#include <stdio.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/recordings.h"
#include "recording/plain.h"

int complain_recording(const struct recording_error *error) {
  switch (error->kind) {
    case RECORDING_TRUNCATED:
    case RECORDING_DAMAGED:
    case RECORDING_NOT_ONE:
    case RECORDING_OTHER_VERSION:
    case RECORDING_OTHER_ARCHITECTURE:
      return complain(STATUS_DAMAGED, "%s", error->text);
    case RECORDING_ABSENT:
    case RECORDING_EXISTS: /* the user named something that is not there, or that should not be */
      return complain(STATUS_USAGE, "%s", error->text);
    default:
      return complain(STATUS_FAILED, "%s", error->text);
  }
}

char *recording_command_line(const struct recording_reader *details) {
  char *line = NULL;
  size_t size;
  FILE *to = open_memstream(&line, &size);
  const char *argument;
  for (size_t i = 0; to && i < 64 && (argument = recording_get(details, "argument", i)); i++) {
    const char *quote = !*argument || strpbrk(argument, " \t\n'\"") ? "'" : "";
    fprintf(to, "%s%s", i ? " " : "", quote);
    plain_write(to, argument);
    fputs(quote, to);
  }
  if (to) fclose(to);
  return line;
}

int find_recording(const struct command *command, int argc, char **argv, int next,
                   char path[RECORDING_PATH_MAX]) {
  struct recording_error error;
  const char *name = next < argc && strcmp(argv[next], "latest") ? argv[next] : NULL;
  if (argc - next > 1) return bad_usage(command, "too many arguments");
  return recording_resolve(name, path, &error) ? complain_recording(&error) : 0;
}
