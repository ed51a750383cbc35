/* trigger.c: reprise trigger: has a flight recorder store the last part of what it records. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "cli/cli.h"
#include "cli/options.h"
#include "cli/recordings.h"
#include "travel/flight.h"

/* True if the recording is being made by a flight recorder; else the user is told. */
static bool check(const char *path, int *status) {
  struct recording_reader *reader;
  struct recording_error error;
  *status = recording_open(path, 0, &reader, &error);
  if (*status) *status = complain_recording(&error);
  if (*status) return false;
  if (!recording_get(reader, "flight", 0))
    *status = complain(STATUS_FAILED, "%s: not made by a flight recorder (`record --flight')", path);
  else if (recording_reader_state(reader) != RECORDING_LIVE)
    *status = complain(STATUS_FAILED, "%s: it is not being recorded any more", path);
  recording_reader_close(reader);
  return !*status;
}

/* The recorder takes the file away when it has seen it. */
static int await_recorder(const char *path, const char *file) {
  struct timespec pause = {0, 10000000};
  int status;
  while (!access(file, F_OK)) {
    if (!check(path, &status)) {
      unlink(file);
      return status;
    }
    nanosleep(&pause, NULL);
  }
  return 0;
}

static int run(int argc, char **argv) {
  char path[RECORDING_PATH_MAX], file[RECORDING_PATH_MAX + sizeof FLIGHT_TRIGGER + 1];
  const struct option_row options[] = {{0}};
  int next;
  int status = options_parse(&trigger_command, options, argc, argv, false, &next);
  if (!status) status = find_recording(&trigger_command, argc, argv, next, path);
  if (status || !check(path, &status)) return status;
  snprintf(file, sizeof file, "%s/" FLIGHT_TRIGGER, path);
  int fd = open(file, O_WRONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
  if (fd < 0) return complain(STATUS_FAILED, "%s: %s", file, strerror(errno));
  close(fd);
  return await_recorder(path, file);
}

const struct command trigger_command = {
    .name = "trigger",
    .usage = "[--] [RECORDING|latest]",
    .summary = "have a flight recorder store the last part",
    .help =
        "RECORDING is being made with `record --flight'. Its recorder stores the last part, up to a moment\n"
        "soon after this, in a recording of its own: RECORDING-1, then RECORDING-2, and so on; of these it "
        "keeps\n"
        "as many as its option --keep says. The program goes on meanwhile. The recorder says on its "
        "standard\n"
        "error when that is done.\n"
        "\n"
        "The exit status is 0 when the recorder has seen the request; 125 if there is none, 2 for a mistake "
        "in "
        "the\n"
        "arguments.",
    .run = run,
};
