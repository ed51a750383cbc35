/* core_file.c: see core_file.h. A replay makes a core file, of a recording that is complete: so this command does it, in a process of its own (`reprise core`). */
#include "sphere/core_file.h"

#include <errno.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

bool core_file_name(const char *recording, const char *wanted, unsigned number,
                    char path[RECORDING_PATH_MAX]) {
  int length;
  if (!*wanted)
    length = snprintf(path, RECORDING_PATH_MAX, "%s/" RECORDING_CORE, recording);
  else if (number)
    length = snprintf(path, RECORDING_PATH_MAX, "%s-%u", wanted, number);
  else
    length = snprintf(path, RECORDING_PATH_MAX, "%s", wanted);
  return length > 0 && length < RECORDING_PATH_MAX;
}

/* The recorder's own signal handling is not for it. */
static int start(char **argv, pid_t *child) {
  posix_spawnattr_t attributes;
  sigset_t none, all;
  int error = posix_spawnattr_init(&attributes);
  if (error) return error;
  sigemptyset(&none);
  sigfillset(&all);
  posix_spawnattr_setsigmask(&attributes, &none);
  posix_spawnattr_setsigdefault(&attributes, &all);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
  error = posix_spawn(child, "/proc/self/exe", NULL, &attributes, argv, environ);
  posix_spawnattr_destroy(&attributes);
  return error;
}

bool core_file_write(const char *recording, const char *wanted, unsigned number,
                     char path[RECORDING_PATH_MAX]) {
  int status = 0;
  pid_t child;
  if (!wanted) return false;
  char *whole = realpath(recording, NULL); /* a name without a slash would be looked for elsewhere */
  int error = !whole ? errno : !core_file_name(recording, wanted, number, path) ? ENAMETOOLONG : 0;
  const char *argv[] = {"reprise", "core", "--quiet", "--force", "--output", path, "--", whole, NULL};
  if (!error) error = start((char **)(uintptr_t)argv, &child);
  free(whole);
  if (error) {
    fprintf(stderr, "reprise: no core file can be written: %s\n", strerror(error));
    return false;
  }
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  if (WIFSIGNALED(status))
    fprintf(stderr, "reprise: no core file is written: the replay was ended by signal %d\n",
            WTERMSIG(status));
  return !status;
}
