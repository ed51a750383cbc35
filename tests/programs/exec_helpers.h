/*
 * For the programs that execute others: a scratch directory whose name never reaches the output, small files
 * made in it, and a child that executes something and is waited for.
 */
#ifndef EXEC_HELPERS_H
#define EXEC_HELPERS_H

#include "sys_helpers.h"
#include <fcntl.h>
#include <sys/stat.h>

static char scratch[] = "/tmp/exec-XXXXXX"; /* the directory, once scratch_start has run */

static inline void scratch_start(void) {
  CHECK(mkdtemp(scratch));
}

/* The path of `name` in the scratch directory, in one of a few turning buffers. */
static inline char *scratch_path(const char *name) {
  static char paths[8][256];
  static int turn;
  char *path = paths[turn++ % 8];
  snprintf(path, sizeof paths[0], "%s/%s", scratch, name);
  return path;
}

static inline char *scratch_write(const char *name, const void *bytes, size_t length, mode_t mode) {
  char *path = scratch_path(name);
  int fd = open(path, O_CREAT | O_TRUNC | O_WRONLY, 0700);
  CHECK(fd >= 0 && write(fd, bytes, length) == (ssize_t)length && fchmod(fd, mode) == 0 && close(fd) == 0);
  return path;
}

static inline char *scratch_text(const char *name, const char *text, mode_t mode) {
  return scratch_write(name, text, strlen(text), mode);
}

/* The path of this program, as a script's first line needs it. */
static inline char *own_path(void) {
  static char path[4096];
  ssize_t length = readlink("/proc/self/exe", path, sizeof path - 1);
  CHECK(length > 0);
  return path;
}

/* A copy of this program in the scratch directory. */
static inline char *scratch_copy_self(const char *name) {
  static char bytes[1 << 22];
  int fd = open("/proc/self/exe", O_RDONLY);
  ssize_t length = read(fd, bytes, sizeof bytes);
  CHECK(fd >= 0 && length > 0 && length < (ssize_t)sizeof bytes && close(fd) == 0);
  return scratch_write(name, bytes, length, 0755);
}

static inline void scratch_end(void) {
  char command[300];
  snprintf(command, sizeof command, "rm -rf %s", scratch);
  CHECK(system(command) == 0);
}

/* Prints `text` with the scratch directory and this program's path written as DIR and SELF. */
static inline void say_path(const char *text) {
  const char *self = own_path(), *p = text;
  while (*p) {
    if (strncmp(p, self, strlen(self)) == 0)
      say("SELF"), p += strlen(self);
    else if (strncmp(p, "/tmp/exec-", 10) == 0)
      say("DIR"), p += strlen(scratch);
    else
      say(*p >= 32 && *p < 127 ? "%c" : "\\%02x", (unsigned char)*p), p++;
  }
}

/* Forks; the child executes `path`. Prints how the child ended, or the error of a failing execve. */
static inline void execute(const char *what, const char *path, char **arguments, char **environment) {
  pid_t child = fork();
  CHECK(child >= 0);
  if (child == 0) {
    execve(path, arguments, environment);
    say("%s: execve gives %s\n", what, strerrorname_np(errno));
    _exit(0);
  }
  int status = reap(child);
  if (status) say_status(what, status);
}

#endif
