/* run.c: reprise run: a program under the engine, without recording.
 *
 * The command becomes the program: randomisation is turned off, the engine's file and its configuration are put on high
 * descriptors, and the engine is executed in this very process, so that process id, parent, terminal and limits are those
 * the program would have had. */
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/personality.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "cli/cli.h"
#include "cli/program.h"
#include "engine/engine.h"
#include "engine/handover.h"
#include "engine/log_channels.h"

/* -- Options ----------------------------------------------------------------------------------------------------------- */

static int parse_check(const char *word, struct engine_config *to) {
  if (!strcmp(word, "none"))
    to->check = CHECK_NONE;
  else if (!strcmp(word, "accesses"))
    to->check = CHECK_ACCESSES;
  else
    return bad_usage(&run_command, "--check=%s: expected none or accesses", word);
  return 0;
}

/* Fills the configuration from the options; *next is the first argument that is none. */
static int parse_options(int argc, char **argv, struct engine_config *to, int *next) {
  int i = 1;
  for (; i < argc && argv[i][0] == '-'; i++) {
    const char *option = argv[i];
    int status = 0;
    if (!strcmp(option, "--")) {
      i++;
      break;
    }
    if (!strcmp(option, "--counters"))
      to->counters = 1;
    else if (!strncmp(option, "--check=", 8))
      status = parse_check(option + 8, to);
    else
      status = bad_usage(&run_command, "%s: no such option", option);
    if (status) return status;
  }
  *next = i;
  return 0;
}

/* REPRISE_LOG=channel,channel… */
static int parse_channels(struct engine_config *to) {
  static const char *const names[] = {
#define X(name, text) #name,
      LOG_CHANNELS(X)
#undef X
  };
  const char *word = getenv("REPRISE_LOG");
  while (word && *word) {
    size_t length = strcspn(word, ","), i = 0, count = sizeof names / sizeof *names;
    while (i < count && (strlen(names[i]) != length || strncmp(names[i], word, length))) i++;
    if (i == count) return complain(STATUS_USAGE, "REPRISE_LOG: no channel named `%.*s'", (int)length, word);
    to->log_channels |= 1u << i;
    word += length + (word[length] == ',');
  }
  return 0;
}

/* -- The engine ---------------------------------------------------------------------------------------------------------- */

/* Beside this command in a build folder, in libexec when installed. */
static int open_engine(void) {
  static const char *const places[] = {"reprise-engine", "../libexec/reprise/reprise-engine"};
  char path[ENGINE_PATH_MAX + 64];
  ssize_t n = readlink("/proc/self/exe", path, ENGINE_PATH_MAX);
  char *name = n > 0 ? memrchr(path, '/', (size_t)n) : NULL;
  for (size_t i = 0; name && i < sizeof places / sizeof *places; i++) {
    snprintf(name + 1, 64, "%s", places[i]);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd >= 0) return fd;
  }
  return open(REPRISE_LIBEXEC "/reprise-engine", O_RDONLY | O_CLOEXEC);
}

/* Where the engine's descriptors go: just beyond the soft limit, where the program can't see them, if the hard limit leaves
 * room there; else high up. The table of open files is as large as the highest number, so not too high. */
static int choose_number(const struct rlimit *limit) {
  enum { ROOM = 8, HIGHEST = 4096, USUAL = 1024 };
  if (limit->rlim_cur <= HIGHEST && limit->rlim_max >= limit->rlim_cur + ROOM) return (int)limit->rlim_cur;
  return (int)(limit->rlim_cur < USUAL ? limit->rlim_cur : USUAL) - ROOM;
}

static int config_file(const struct engine_config *from) {
  int fd = memfd_create("reprise", MFD_CLOEXEC);
  if (fd >= 0 && write(fd, from, sizeof *from) == (ssize_t)sizeof *from) return fd;
  if (fd >= 0) close(fd);
  return -1;
}

/* Puts the two files on their numbers. The number, or -1. */
static int place_descriptors(int engine, int settings) {
  struct rlimit limit, higher;
  if (getrlimit(RLIMIT_NOFILE, &limit)) return -1;
  int number = choose_number(&limit);
  if (number <= STDERR_FILENO) return -1;
  higher = limit;
  if ((rlim_t)number >= limit.rlim_cur) {
    higher.rlim_cur = (rlim_t)number + 8;
    if (setrlimit(RLIMIT_NOFILE, &higher)) return -1;
  }
  bool placed = dup2(engine, number) == number && dup2(settings, number + 1) == number + 1;
  if (setrlimit(RLIMIT_NOFILE, &limit)) return -1;
  return placed ? number : -1;
}

static int become(struct engine_config *settings, char **argv) {
  int engine = open_engine();
  if (engine < 0)
    return complain(STATUS_FAILED, "the engine (reprise-engine) is missing: %s", strerror(errno));
  int old = personality(0xffffffff);
  if (old < 0 || personality((unsigned long)old | ADDR_NO_RANDOMIZE) < 0)
    return complain(STATUS_FAILED, "can't turn address-space randomisation off: %s", strerror(errno));
  settings->hide_no_randomize = !(old & ADDR_NO_RANDOMIZE);
  int file = config_file(settings);
  if (file < 0) return complain(STATUS_FAILED, "can't make a memory file: %s", strerror(errno));
  int number = place_descriptors(engine, file);
  if (number < 0)
    return complain(STATUS_FAILED,
                    "no room for the engine's descriptors: the limit on open files is too low, "
                    "or this runs under reprise already");
  char name[ENGINE_PATH_MAX];
  handover_name(name, sizeof name, number, strlen(settings->program));
  execve(name, argv, environ);
  if (errno == ENOENT) syscall(SYS_execveat, number, "", argv, environ, AT_EMPTY_PATH); /* without /proc */
  if (errno == E2BIG) return complain(STATUS_NOT_EXECUTABLE, "%s: %s", argv[0], strerror(errno));
  return complain(STATUS_FAILED, "can't start the engine: %s", strerror(errno));
}

/* -- The command ------------------------------------------------------------------------------------------------------------ */

static int run(int argc, char **argv) {
  struct engine_config settings = {.magic = ENGINE_CONFIG_MAGIC, .first = 1, .program_fd = -1};
  int next;
  int status = parse_options(argc, argv, &settings, &next);
  if (!status) status = parse_channels(&settings);
  if (status) return status;
  if (next == argc) return bad_usage(&run_command, "no program given");
  status = program_find(argv[next], settings.program, sizeof settings.program);
  if (status) return status;
  return become(&settings, argv + next);
}

const struct command run_command = {
    .name = "run",
    .usage = "[--check=none|accesses] [--counters] [--] PROGRAM [ARGUMENT]…",
    .summary = "run a program under the engine",
    .help =
        "Runs PROGRAM, found as the shell finds it, translated by the engine and otherwise unchanged.\n"
        "\n"
        "  --check=accesses   check a permission before every access to memory (default: none)\n"
        "  --counters         print what the engine has done when the program ends\n"
        "\n"
        "The exit status is PROGRAM's; 127 if it is not found, 126 if it can't be executed,\n"
        "125 if reprise itself fails, 2 for a mistake in the arguments.\n"
        "\n"
        "REPRISE_LOG=CHANNEL,… makes the engine tell what it does on standard error. Channels:\n"
#define X(name, text) "  " #name "\t" text "\n"
    LOG_CHANNELS(X)
#undef X
        "",
    .run = run,
};
