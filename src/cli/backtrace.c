/* backtrace.c: `reprise backtrace`: a batch session of gdb, with src/debug/backtrace.py. */
#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cli/cli.h"
#include "cli/options.h"
#include "cli/recordings.h"
#include "debug/gdb_target.h"
#include "debug/session.h"
#include "recording/plain.h"
#include "recording/scratch.h"
#include "sphere/installed.h"

enum { ANSWER = 3 }; /* the descriptor that the answer is written to, in gdb */

struct request {
  const char *at, *gdb, *name;
  bool all_threads, as_json, confined;
};

/* Runs gdb, whose messages go to a file: 0, or an errno. */
static int run_gdb(const struct request *request, const char *target, const char *file, int answer,
                   int messages) {
  static char source[INSTALLED_PATH_MAX + 16];
  char call[64];
  snprintf(source, sizeof source, "source %s", file);
  snprintf(call, sizeof call, "python backtrace(%d, %s, %s)", ANSWER, request->all_threads ? "True" : "False",
           request->as_json ? "True" : "False");
  const char *argv[] = {request->gdb, "-q",          "-nx", "-batch", "-iex", "set debuginfod enabled off",
                        "-ex",        "set width 0", "-ex", source,   "-ex",  GDB_PATIENCE,
                        "-ex",        target,        "-ex", call,     NULL};
  posix_spawn_file_actions_t actions;
  pid_t child;
  int status, error = posix_spawn_file_actions_init(&actions);
  if (error) return error;
  posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_adddup2(&actions, messages, STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&actions, messages, STDERR_FILENO);
  posix_spawn_file_actions_adddup2(&actions, answer, ANSWER);
  error = posix_spawnp(&child, request->gdb, &actions, NULL, (char **)(uintptr_t)argv, environ);
  posix_spawn_file_actions_destroy(&actions);
  if (error) return error;
  while (waitpid(child, &status, 0) < 0)
    if (errno != EINTR) return errno;
  return 0;
}

/* The server's own line, or the last one that gdb has written. */
static int explain(int messages) {
  char line[1024], said[1024] = "gdb has told nothing";
  FILE *from = fdopen(messages, "r");
  if (from) rewind(from);
  while (from && fgets(line, sizeof line, from)) {
    line[strcspn(line, "\n")] = 0;
    bool tells = *line && strncmp(line, "Error while executing Python", 28) != 0;
    if (tells) snprintf(said, sizeof said, "%s", line);
    if (!strncmp(line, "reprise: ", 9)) {
      memmove(said, line + 9, strlen(line + 9) + 1);
      break;
    }
  }
  if (from) fclose(from);
  return complain(STATUS_FAILED, "%s", said);
}

/* Names come from the recording, which is not trusted. False: there is no answer. */
static bool copy_answer(int answer) {
  char *line = NULL;
  size_t room = 0;
  bool any = false;
  FILE *from = fdopen(answer, "r");
  if (from) rewind(from);
  for (ssize_t n; from && (n = getline(&line, &room, from)) > 0; any = true) {
    if (line[n - 1] == '\n') line[n - 1] = 0;
    plain_write(stdout, line);
    putchar('\n');
  }
  if (from) fclose(from);
  free(line);
  return any;
}

/* Not one of the descriptors that gdb gets. */
static int open_scratch(const char *name) {
  int fd = scratch_file(name, 0), away = fd < 0 ? -1 : fcntl(fd, F_DUPFD_CLOEXEC, ANSWER + 1);
  if (fd >= 0) close(fd);
  return away;
}

static int answer(const struct request *request, const char *target) {
  static char file[INSTALLED_PATH_MAX];
  if (!installed_find("backtrace.py", "backtrace.py", file))
    return complain(STATUS_FAILED, "backtrace.py is missing from the installation");
  int taken = open_scratch("reprise-backtrace"), messages = open_scratch("reprise-messages");
  if (taken < 0 || messages < 0) return complain(STATUS_FAILED, "no file in memory: %s", strerror(errno));
  int error = run_gdb(request, target, file, taken, messages);
  if (error) return complain_gdb(request->gdb, error);
  return copy_answer(taken) ? 0 : explain(messages);
}

/* gdb does not tell what the server's status was. */
static int check_recording(const char *path) {
  struct recording_reader *reader;
  struct recording_error error;
  if (recording_open(path, 0, &reader, &error)) return complain_recording(&error);
  recording_reader_close(reader);
  return 0;
}

static int run(int argc, char **argv) {
  static char path[RECORDING_PATH_MAX], target[GDB_TARGET];
  struct request request = {.at = "end", .gdb = "gdb", .confined = true};
  const struct option_row options[] = {
      {"at", 0, OPTION_WITH_VALUE, take_text, &request.at, NULL},
      {"gdb", 0, OPTION_WITH_VALUE, take_text, &request.gdb, NULL},
      {"all-threads", 0, OPTION_ALONE, take_true, &request.all_threads, NULL},
      {"json", 0, OPTION_ALONE, take_true, &request.as_json, NULL},
      {"unconfined", 0, OPTION_ALONE, take_false, &request.confined, NULL},
      {0}};
  struct place place;
  int next;
  int status = options_parse(&backtrace_command, options, argc, argv, false, &next);
  if (status) return status;
  if (!place_parse(request.at, &place))
    return bad_usage(&backtrace_command, "%s: this is no moment", request.at);
  status = find_recording(&backtrace_command, argc, argv, next, path);
  if (!status) status = check_recording(path);
  if (status) return status;
  if (!gdb_target(target, path, request.at, request.confined))
    return complain(STATUS_FAILED, "the names of files are too long");
  return answer(&request, target);
}

const struct command backtrace_command = {
    .name = "backtrace",
    .usage = "[--at=PLACE] [--all-threads] [--json] [--gdb=PROGRAM] [--unconfined] [RECORDING|latest]",
    .summary = "tell which functions a thread was in",
    .help =
        "Replays RECORDING to PLACE, its end if none is given, and prints the moment and the functions that "
        "the thread\n"
        "which has the turn is in, the innermost first, with their arguments and lines. gdb unwinds the "
        "stack, and has to be\n"
        "installed; its init files are not read.\n"
        "\n"
        "  --at=PLACE       as in `reprise debug', for instance crash\n"
        "  --all-threads    of all threads of the process\n"
        "  --json           one JSON object for each thread\n"
        "  --gdb=PROGRAM    another gdb\n"
        "  --unconfined     as in `reprise replay'\n"
        "\n"
        "The exit status is 0; 121 if the recording is damaged, 125 if there is no such moment or reprise or "
        "gdb fails,\n"
        "127 if there is no gdb, 2 for a mistake in the arguments.",
    .run = run,
};
