/* replay_jobs.c: see replay_jobs.h.
 *
 * Each window is a command of its own (`reprise replay --verify --from=N --until=M`), so that other tools can spread them over machines as well. */
#include "cli/replay_jobs.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cli/cli.h"
#include "cli/recordings.h"
#include "travel/stored.h"
#include "travel/window.h"

/* -- Jobs ------------------------------------------------------------------------------------------------------------------------- */

enum { OPTION = 32, ARGUMENTS = 8 };

struct command_line {
  char from[OPTION], until[OPTION];
  const char *words[ARGUMENTS]; /* behind `reprise`; NULL behind the last */
};

static void write_command(struct command_line *line, const struct stored *borders, size_t window,
                          const char *path, bool confined) {
  size_t n = 0;
  line->words[n++] = "replay";
  line->words[n++] = "--verify";
  if (!confined) line->words[n++] = "--unconfined";
  if (window) {
    snprintf(line->from, sizeof line->from, "--from=%u", borders->all[window - 1].number);
    line->words[n++] = line->from;
  }
  if (window < borders->count) {
    snprintf(line->until, sizeof line->until, "--until=%u", borders->all[window].number);
    line->words[n++] = line->until;
  }
  line->words[n++] = path;
  line->words[n] = NULL;
}

/* As a shell reads it. */
static void print_command(const struct command_line *line) {
  fputs("reprise", stdout);
  for (const char *const *word = line->words; *word; word++) {
    putchar(' ');
    if (!(*word)[strspn(*word, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_=./,:+@%")]) {
      fputs(*word, stdout);
      continue;
    }
    putchar('\'');
    for (const char *at = *word; *at; at++)
      if (*at == '\'')
        fputs("'\\''", stdout);
      else
        putchar(*at);
    putchar('\'');
  }
  putchar('\n');
}

static pid_t start(const struct command_line *line) {
  fflush(NULL);
  pid_t pid = fork();
  if (pid) return pid;
  const char *arguments[ARGUMENTS + 1] = {"reprise"};
  memcpy(arguments + 1, line->words, sizeof line->words);
  execv("/proc/self/exe", (char **)arguments);
  _exit(STATUS_FAILED);
}

struct job {
  pid_t pid;
  size_t window;
};

/* Waits for one of the jobs; its status, as of a shell. */
static int finish_one(struct job *jobs, unsigned *running, size_t *window) {
  int status;
  for (;;) {
    pid_t pid = waitpid(-1, &status, 0);
    if (pid < 0 && errno == EINTR) continue;
    if (pid < 0) return STATUS_FAILED;
    for (unsigned i = 0; i < *running; i++)
      if (jobs[i].pid == pid) {
        *window = jobs[i].window;
        jobs[i] = jobs[--*running];
        return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
      }
  }
}

static int run_all(const struct stored *borders, size_t next, const char *path,
                   const struct replay_jobs *wanted) {
  struct job *jobs = calloc(wanted->jobs, sizeof *jobs);
  unsigned running = 0;
  size_t worst = SIZE_MAX;
  int result = 0;
  while (jobs && (next <= borders->count || running)) {
    if (next <= borders->count && running < wanted->jobs && !result) {
      struct command_line line;
      write_command(&line, borders, next, path, wanted->confined);
      jobs[running] = (struct job){start(&line), next++};
      if (jobs[running++].pid < 0)
        result = complain(STATUS_FAILED, "can't start a process: %s", strerror(errno));
      if (result) running--;
      continue;
    }
    if (!running) break; /* after a failure no more are started */
    size_t window = 0;
    int status = finish_one(jobs, &running, &window);
    if (status && window < worst) {
      worst = window;
      result = status;
    }
  }
  free(jobs);
  return jobs ? result : complain(STATUS_FAILED, "there is no memory for jobs");
}

int replay_in_jobs(const char *path, const struct replay_jobs *wanted) {
  struct recording_error error;
  struct recording_reader *reader;
  struct stored borders;
  int status = 0;
  if (recording_open(path, 0, &reader, &error)) return complain_recording(&error);
  stored_open(&borders, reader);
  recording_reader_close(reader);
  size_t first = borders.count && window_begins(path) == borders.all[0].number; /* there is nothing before */
  for (size_t window = first; wanted->prints && window <= borders.count; window++) {
    struct command_line line;
    write_command(&line, &borders, window, path, wanted->confined);
    print_command(&line);
  }
  if (!wanted->prints) status = run_all(&borders, first, path, wanted);
  stored_close(&borders);
  return status;
}
