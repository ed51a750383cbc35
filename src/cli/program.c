/* program.c: finds programs as execvp(3) does. See program.h. */
#include "cli/program.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/cli.h"

/* The C library tries nothing else where a filter answers EPERM for the newer call. */
static bool may_execute(const char *path) {
  return !faccessat(AT_FDCWD, path, X_OK, AT_EACCESS) || (errno == EPERM && !access(path, X_OK));
}

/* 0, or why path can't be executed. */
static int executable_error(const char *path) {
  struct stat info;
  if (stat(path, &info)) return errno;
  if (S_ISDIR(info.st_mode)) return EISDIR;
  if (!S_ISREG(info.st_mode) || !may_execute(path)) return EACCES;
  return 0;
}

/* Tries every folder of PATH. As execvp: one that may not be executed is remembered while looking on. */
static int search(const char *name, char *out, size_t size) {
  const char *path = getenv("PATH");
  int error = ENOENT;
  if (!path) path = "/bin:/usr/bin";
  for (const char *folder = path;; folder++) {
    size_t length = strcspn(folder, ":");
    int n = snprintf(out, size, "%.*s%s%s", (int)length, folder, length ? "/" : "", name);
    if (n > 0 && (size_t)n < size) {
      int found = executable_error(out);
      if (!found) return 0;
      if (found == EACCES) error = EACCES;
    }
    folder += length;
    if (!*folder) return error;
  }
}

int program_find(const char *name, char *out, size_t size) {
  int error;
  if (!*name) {
    error = ENOENT;
  } else if (!strchr(name, '/')) {
    error = search(name, out, size);
  } else {
    error = (size_t)snprintf(out, size, "%s", name) < size ? executable_error(out) : ENAMETOOLONG;
  }
  if (!*name) name = "(empty name)";
  if (error == EISDIR) return complain(STATUS_NOT_EXECUTABLE, "%s: is a directory", name);
  if (error == EACCES) return complain(STATUS_NOT_EXECUTABLE, "%s: not executable", name);
  if (error == ENOENT) return complain(STATUS_NOT_FOUND, "%s: not found", name);
  if (error) return complain(STATUS_NOT_EXECUTABLE, "%s: %s", name, strerror(error));
  if (access(out, R_OK))
    return complain(STATUS_NOT_EXECUTABLE, "%s: can't be read, which the engine must", name);
  return 0;
}
