/* core.c: `reprise core`: an ELF core file of a recorded process. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/cli.h"
#include "cli/options.h"
#include "cli/recordings.h"
#include "debug/core.h"

struct wish {
  const char *at, *output;
  int32_t pid; /* recorded, 0: not named */
  bool overwrites, confined, quiet;
};

/* -- The file ---------------------------------------------------------------------------------------------------------------- */

static int complain_output(const char *path, int error) {
  if (error == EEXIST) return complain(STATUS_USAGE, "%s: exists already (-f overwrites it)", path);
  if (error == EOVERFLOW)
    return complain(STATUS_FAILED, "the process has more mappings than a core file can have");
  return complain(STATUS_FAILED, "%s: the core file can't be written: %s", path, strerror(error));
}

static bool is_regular(int fd) {
  struct stat info;
  return !fstat(fd, &info) && S_ISREG(info.st_mode);
}

/* One that was there is removed, and not written over: others may have it open. */
static int open_output(const struct wish *wish, const char *path) {
  enum { NEW = O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, OWN = 0600 };
  struct stat info;
  if (!wish->overwrites || lstat(path, &info)) return open(path, NEW, OWN);
  if (!S_ISREG(info.st_mode) && !S_ISLNK(info.st_mode)) return open(path, O_WRONLY | O_CLOEXEC);
  return unlink(path) ? -1 : open(path, NEW, OWN);
}

/* Nothing of a core file stays that was not finished. */
static const char *unfinished;

static void remove_unfinished(int signo) {
  if (unfinished) unlink(unfinished);
  signal(signo, SIG_DFL);
  raise(signo);
}

static void watch_signals(void) {
  static const int signals[] = {SIGHUP, SIGINT, SIGTERM};
  for (size_t i = 0; i < sizeof signals / sizeof *signals; i++)
    if (signal(signals[i], remove_unfinished) == SIG_IGN) signal(signals[i], SIG_IGN);
  signal(SIGXFSZ, SIG_IGN); /* a limit of file sizes is an error as others */
}

static int write_file(const struct session *session, const struct wish *wish, uint32_t first,
                      const char *path) {
  int fd = open_output(wish, path);
  if (fd < 0) return complain_output(path, errno);
  unfinished = is_regular(fd) ? path : NULL;
  int error = core_write(session, first, fd);
  if (close(fd) && !error) error = errno;
  if (error && unfinished) unlink(path);
  unfinished = NULL;
  if (error) return complain_output(path, error);
  if (!wish->quiet && isatty(STDERR_FILENO)) complain(0, "the core file is %s", path);
  return 0;
}

/* Before a long replay: could the file be made? */
static int check_output(const struct wish *wish) {
  struct stat info;
  if (!wish->output || wish->overwrites || lstat(wish->output, &info)) return 0;
  return complain_output(wish->output, EEXIST);
}

/* -- The moment -------------------------------------------------------------------------------------------------------------- */

/* Where it crashed, or its end. */
static int go_to_crash(struct session *session) {
  const struct place crash = {.kind = PLACE_CRASH}, end = {.kind = PLACE_END};
  enum travel result = travel_to_place(session, &end);
  int status = result == TRAVEL_STOPPED ? session_verdict(session) : 0;
  if (status) return status;
  if (result == TRAVEL_STOPPED) result = travel_to_place(session, &crash);
  if (result == TRAVEL_FAILED) result = travel_to_place(session, &end);
  return result == TRAVEL_STOPPED ? 0 : complain(STATUS_FAILED, "the replay can't be brought to its end");
}

static int write_core(struct session *session, const struct wish *wish) {
  char own[32];
  int status = wish->at ? session_verdict(session) : go_to_crash(session);
  if (status) return status;
  int first = core_first(session, wish->pid);
  if (first < 0) return complain(STATUS_FAILED, "there is no process %d at that moment", wish->pid);
  snprintf(own, sizeof own, "core.%d", target_thread(session, (uint32_t)first)->pid);
  return write_file(session, wish, (uint32_t)first, wish->output ? wish->output : own);
}

static int run(int argc, char **argv) {
  static char path[RECORDING_PATH_MAX];
  static struct session session;
  struct wish wish = {.confined = CAN_CONFINE};
  const struct option_row options[] = {
      {"at", 0, OPTION_WITH_VALUE, take_text, &wish.at, NULL},
      {"output", 'o', OPTION_WITH_VALUE, take_text, &wish.output, NULL},
      {"force", 'f', OPTION_ALONE, take_true, &wish.overwrites, NULL},
      {"pid", 0, OPTION_WITH_VALUE, take_process, &wish.pid, "the recorded id of a process"},
      {"quiet", 'q', OPTION_ALONE, take_true, &wish.quiet, NULL},
      {"unconfined", 0, OPTION_ALONE, take_false, &wish.confined, NULL},
      {0}};
  int next;
  int status = options_parse(&core_command, options, argc, argv, false, &next);
  if (!status) status = find_recording(&core_command, argc, argv, next, path);
  if (!status) status = check_output(&wish);
  if (status) return status;
  watch_signals();
  session.confined = wish.confined;
  session.apart = -1;
  status = session_open(&session, path, wish.at);
  if (status) return status;
  status = write_core(&session, &wish);
  session_close(&session);
  return status;
}

const struct command core_command = {
    .name = "core",
    .usage = "[--at=PLACE] [--pid=PID] [-o FILE] [-f] [-q] [--unconfined] [RECORDING|latest]",
    .summary = "write a core file of a recorded process",
    .help =
        "Replays RECORDING to PLACE, and writes an ELF core file of the program's process as it is there: "
        "its threads with\n"
        "their recorded ids, registers, memory and mapped files, for debuggers and all tools that read core "
        "files.\n"
        "PLACE is where the program crashed if it is not named, and where nothing crashed the end.\n"
        "\n"
        "  --at=PLACE          as in `reprise debug'\n"
        "  --pid=PID           the process with this recorded id; otherwise the one that crashed, or that "
        "has the turn\n"
        "                      at PLACE; at the end, the first one that is still there\n"
        "  -o, --output FILE   write it there (default: core.PID in the current folder)\n"
        "  -f, --force         overwrite FILE if it exists\n"
        "  -q, --quiet         do not say on a terminal which file it is\n"
        "  --unconfined        as in `reprise replay'\n"
        "\n"
        "A note of the file, whose owner is REPRISE, holds the path of the recording and the moment.\n"
        "\n"
        "The exit status is 0; 120 if the replay did something else than the recording, 121 if the recording "
        "is damaged,\n"
        "125 if there is no such moment or process or FILE can't be written, 2 for a mistake in the "
        "arguments "
        "or if FILE\n"
        "exists.",
    .run = run,
};
