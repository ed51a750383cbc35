/* launch.c: becomes the engine: randomisation is turned off where that is allowed, the engine's files are put on high
 * descriptors, and the engine is executed in this very process, so that process id, parent, terminal and limits are those
 * the program would have had. */
#include "sphere/launch.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/personality.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "contract/engine_name.h"
#include "contract/log_channels.h"
#include "contract/predictor_names.h"
#include "recording/scratch.h"
#include "sphere/code_folder.h"
#include "sphere/installed.h"

enum { USAGE = 2, FAILED = 125, NOT_EXECUTABLE = 126 };

__attribute__((format(printf, 3, 4))) static void set_problem(struct launch_problem *problem, int status,
                                                              const char *pattern, ...) {
  va_list args;
  va_start(args, pattern);
  problem->status = status;
  vsnprintf(problem->text, sizeof problem->text, pattern, args);
  va_end(args);
}

/* The bits of the names in a list with commas; where: the list's source, for the message about an unknown name. */
static int parse_names(const char *list, const char *const names[], size_t count, const char *where,
                       uint32_t *bits, struct launch_problem *problem) {
  for (const char *word = list; *word;) {
    size_t length = strcspn(word, ","), i = 0;
    while (i < count && (strlen(names[i]) != length || strncmp(names[i], word, length))) i++;
    if (i == count) {
      set_problem(problem, USAGE, "%s named `%.*s'", where, (int)length, word);
      return -1;
    }
    *bits |= 1u << i;
    word += length + (word[length] == ',');
  }
  return 0;
}

#define NAME(name, text) #name,

/* REPRISE_LOG=channel,channel… */
int launch_channels(struct engine_config *settings, struct launch_problem *problem) {
  static const char *const names[] = {LOG_CHANNELS(NAME)};
  const char *list = getenv("REPRISE_LOG");
  return parse_names(list ? list : "", names, sizeof names / sizeof *names, "REPRISE_LOG: no channel",
                     &settings->log_channels, problem);
}

int launch_predictors(const char *list, uint32_t *bits, struct launch_problem *problem) {
  static const char *const names[] = {PREDICTORS(NAME)};
  return parse_names(list, names, sizeof names / sizeof *names, "--without: no predictor", bits, problem);
}

static int open_engine(void) {
  char path[INSTALLED_PATH_MAX];
  return installed_find("reprise-engine", "reprise-engine", path) ? open(path, O_RDONLY | O_CLOEXEC) : -1;
}

enum { DESCRIPTORS = 8 }; /* room for those that the engine keeps */

/* Where the engine's descriptors go: just beyond the soft limit, where the program can't see them, if the hard limit leaves
 * room there; else high up. The table of open files is as large as the highest number, so not too high. */
static int choose_number(const struct rlimit *limit) {
  enum { HIGHEST = 4096, USUAL = 1024 };
  if (limit->rlim_cur <= HIGHEST && limit->rlim_max >= limit->rlim_cur + DESCRIPTORS)
    return (int)limit->rlim_cur;
  return (int)(limit->rlim_cur < USUAL ? limit->rlim_cur : USUAL) - DESCRIPTORS;
}

static int config_file(const struct engine_config *from) {
  int fd = scratch_file("reprise", 0);
  if (fd >= 0 && write(fd, from, sizeof *from) == (ssize_t)sizeof *from) return fd;
  if (fd >= 0) close(fd);
  return -1;
}

/* Puts the files on their numbers (engine.h). The first number, or -1. */
static int place_descriptors(int engine, int settings, int fourth, int socket, int code) {
  struct rlimit limit, higher;
  if (getrlimit(RLIMIT_NOFILE, &limit)) limit = (struct rlimit){1024, 1024}; /* not known: the usual one */
  int number = choose_number(&limit);
  if (number <= STDERR_FILENO || number <= engine || number <= settings || number <= fourth ||
      number <= socket || number <= code)
    return -1;
  higher = limit;
  if ((rlim_t)number >= limit.rlim_cur) {
    higher.rlim_cur = (rlim_t)number + DESCRIPTORS;
    if (setrlimit(RLIMIT_NOFILE, &higher)) return -1;
  }
  bool placed = dup2(engine, number) == number && dup2(settings, number + 1) == number + 1 &&
                (fourth < 0 || dup2(fourth, number + 3) == number + 3) &&
                (socket < 0 || dup2(socket, number + 4) == number + 4) &&
                (code < 0 || dup2(code, number + 5) == number + 5);
  if (higher.rlim_cur != limit.rlim_cur && setrlimit(RLIMIT_NOFILE, &limit)) return -1;
  return placed ? number : -1;
}

/* Addresses that are the same in every run are a comfort: two recordings can be compared line by line. Nothing depends on
 * them, since replay puts all of the program's memory where it was. The default filters of containers deny this. */
static void stop_randomising(struct engine_config *settings) {
  int old = personality(0xffffffff);
  if (old < 0 || old & ADDR_NO_RANDOMIZE) return;
  settings->hide_no_randomize = personality((unsigned long)old | ADDR_NO_RANDOMIZE) >= 0;
}

/* A replay inherits nothing that it could read or write but where its output goes. */
static void close_inherited(int number) {
  int null = open("/dev/null", O_RDWR | O_CLOEXEC);
  for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
    if (null >= 0 && (fd == STDIN_FILENO || fcntl(fd, F_GETFD) < 0)) dup2(null, fd);
  if (null < 0) close(STDIN_FILENO);
  if (!syscall(SYS_close_range, STDERR_FILENO + 1, number - 1, 0) &&
      !syscall(SYS_close_range, number + DESCRIPTORS, ~0U, 0))
    return;
  enum { HIGHEST_LOOKED_AT = 1 << 16 };
  for (int fd = STDERR_FILENO + 1; fd < HIGHEST_LOOKED_AT; fd++)
    if (fd < number || fd >= number + DESCRIPTORS) close(fd);
}

/* Tries the call in a process of its own, which ends in another way if it is denied. */
static bool can_end_by(long call, long other) {
  int status = 0;
  pid_t child = fork();
  if (!child) {
    syscall(call, 0);
    syscall(other, 1);
    kill(getpid(), SIGKILL);
  }
  while (child > 0 && waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  return child < 0 || status == 0;
}

/* No other call can replace these: a thread that is denied one would go on, and all others wait for its end. */
int launch_check_ends(struct launch_problem *problem) {
  if (!prctl(PR_GET_SECCOMP)) return 0;
  const char *denied = NULL;
  if (!can_end_by(SYS_exit_group, SYS_exit)) denied = "exit_group";
  if (!denied && !can_end_by(SYS_exit, SYS_exit_group)) denied = "exit";
  if (!denied) return 0;
  set_problem(problem, FAILED, "a filter of system calls denies %s: no process could end here", denied);
  return -1;
}

void launch(struct engine_config *settings, char **argv, char **envp, const struct launch_shared *shared,
            struct launch_problem *problem) {
  int engine = open_engine();
  if (engine < 0) {
    set_problem(problem, FAILED, "the engine (reprise-engine) is missing: %s", strerror(errno));
    return;
  }
  stop_randomising(settings);
  /* A replay asks its manager for stored code. */
  bool asks = settings->mode == MODE_REPLAY;
  int code = settings->keeps_code && !asks ? code_folder_open() : -1;
  if (!asks) settings->keeps_code = code >= 0;
  int file = config_file(settings);
  if (file < 0) {
    set_problem(problem, FAILED, "can't make a memory file: %s", strerror(errno));
    return;
  }
  int number = place_descriptors(engine, file, settings->counters ? STDERR_FILENO : shared->region,
                                 shared->socket, code);
  if (number < 0) {
    set_problem(problem, FAILED,
                "no room for the engine's descriptors: the limit on open files is too low, "
                "or this runs under reprise already");
    return;
  }
  if (settings->mode == MODE_REPLAY) close_inherited(number);
  char name[ENGINE_PATH_MAX];
  handover_name(name, sizeof name, number, strlen(settings->program));
  execve(name, argv, envp);
  if (errno == ENOENT) syscall(SYS_execveat, number, "", argv, envp, AT_EMPTY_PATH); /* without /proc */
  if (errno == E2BIG)
    set_problem(problem, NOT_EXECUTABLE, "%s: %s", argv[0], strerror(errno));
  else
    set_problem(problem, FAILED, "can't start the engine: %s", strerror(errno));
}
