/* terminal PROGRAM ARGS…: a person at a terminal, for tests of job control.
 *
 * PROGRAM runs on a pseudo-terminal of its own; what it prints, and what the terminal echoes, goes to standard output.
 * Standard input says what the person does, a line each:
 *   type TEXT     type a line
 *   key X         press Ctrl-X
 *   expect TEXT   wait until this has been printed, after what was waited for before
 *   running NAME… wait until these are the foreground processes, besides the recorder, none of them stopped; without a name, none
 * At its end the person waits for PROGRAM to end, and how it ended is the last line. */
#include <errno.h>
#include <glob.h>
#include <poll.h>
#include <pty.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <unistd.h>

static int terminal;
static char seen[1 << 16]; /* printed and not yet waited for */
static size_t seen_length;

static void die(const char *what) {
  fflush(stdout);
  fprintf(stderr, "terminal: %s: %s\n", what, errno ? strerror(errno) : "hung up");
  exit(99);
}

/* Takes what has been printed within so many milliseconds (-1: for ever). False when PROGRAM has let go of the terminal. */
static bool listen(int milliseconds) {
  struct pollfd ready = {.fd = terminal, .events = POLLIN};
  if (poll(&ready, 1, milliseconds) <= 0) return true;
  char part[4096];
  ssize_t n = read(terminal, part, sizeof part);
  if (n <= 0) return false;
  for (ssize_t i = 0; i < n; i++) {
    if (part[i] == '\r') continue;
    putchar(part[i]);
    if (seen_length < sizeof seen - 1) seen[seen_length++] = part[i];
  }
  seen[seen_length] = 0;
  fflush(stdout);
  return true;
}

static void expect(const char *text) {
  char *found;
  while (!(found = strstr(seen, text))) {
    errno = 0;
    if (!listen(-1)) die(text);
  }
  found += strlen(text);
  seen_length -= (size_t)(found - seen);
  memmove(seen, found, seen_length + 1);
}

/* Whether one of the words is name. */
static bool among(const char *words, const char *name) {
  size_t length = strlen(name);
  for (const char *at = words; (at = strstr(at, name)); at++) {
    if ((at == words || at[-1] == ' ') && (at[length] == ' ' || !at[length])) return true;
  }
  return false;
}

static bool are_running(const char *names) {
  pid_t group;
  int wanted = *names != 0, found = 0;
  if (ioctl(terminal, TIOCGPGRP, &group)) die("foreground");
  for (const char *p = names; *p; p++) wanted += *p == ' ';
  glob_t all;
  if (glob("/proc/[0-9]*/stat", 0, NULL, &all)) die("/proc");
  for (size_t i = 0; i < all.gl_pathc; i++) {
    FILE *stat = fopen(all.gl_pathv[i], "r");
    char name[64], state;
    int its_group;
    bool read = stat && fscanf(stat, "%*d (%63[^)]) %c %*d %d", name, &state, &its_group) == 3;
    if (stat) fclose(stat);
    if (!read || its_group != group || among("recorded reprise reprise-guard", name))
      continue;                                                   /* the recorder is no guest */
    found += among(names, name) && state != 'T' ? 1 : wanted + 1; /* one that does not fit is too many */
  }
  globfree(&all);
  return found == wanted;
}

static void do_line(char *line) {
  char *text = strchr(line, ' ');
  if (!text) die(line);
  *text++ = 0;
  size_t length = strlen(text);
  char control = (char)(text[0] & 0x1f);
  if (!strcmp(line, "type")) {
    text[length] = '\n';
    if (write(terminal, text, length + 1) < 0) die("type");
  } else if (!strcmp(line, "key")) {
    if (write(terminal, &control, 1) < 0) die("key");
  } else if (!strcmp(line, "expect")) {
    expect(text);
  } else if (!strcmp(line, "running")) {
    while (!are_running(text)) listen(10);
  } else {
    errno = EINVAL;
    die(line);
  }
}

int main(int argc, char **argv) {
  (void)argc;
  pid_t child = forkpty(&terminal, NULL, NULL, NULL);
  if (child < 0) die("forkpty");
  if (child == 0) {
    execv(argv[1], argv + 1);
    die(argv[1]);
  }
  char *line = NULL;
  size_t size = 0;
  for (ssize_t n; (n = getline(&line, &size, stdin)) > 0;) {
    line[n - 1] = 0; /* room for the newline to come back */
    do_line(line);
  }
  while (listen(-1)) continue;
  int status;
  if (waitpid(child, &status, 0) != child) die("wait");
  if (WIFSIGNALED(status)) printf("signal %d\n", WTERMSIG(status));
  if (WIFEXITED(status)) printf("exit %d\n", WEXITSTATUS(status));
  return 0;
}
