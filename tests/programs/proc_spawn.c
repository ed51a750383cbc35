/* posix_spawn: file actions in order, attributes for group, mask and default signals, and its error
 * results. */
#include "exec_helpers.h"
#include <spawn.h>

extern char **environ;

static void run(const char *what, posix_spawn_file_actions_t *actions, posix_spawnattr_t *attributes,
                char *command) {
  char *arguments[] = {"sh", "-c", command, NULL};
  pid_t child = -5;
  int error = posix_spawn(&child, "/bin/sh", actions, attributes, arguments, environ);
  if (error)
    say("%s: %s\n", what, strerrorname_np(error));
  else
    say_status(what, reap(child));
}

int main(int argc, char **argv) {
  if (argc > 1) {
    struct sigaction action;
    CHECK(sigaction(SIGUSR1, NULL, &action) == 0);
    say("  USR1 %s blocked: USR2 %d TERM %d, leads its group %d\n",
        action.sa_handler == SIG_IGN ? "ignored" : "default", is_blocked(SIGUSR2), is_blocked(SIGTERM),
        getpgrp() == getpid());
    return 3;
  }
  scratch_start();
  posix_spawn_file_actions_t actions;
  posix_spawnattr_t attributes;
  run("plain", NULL, NULL, "exit 6");
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, 7, scratch_path("out"), O_CREAT | O_WRONLY, 0600);
  posix_spawn_file_actions_adddup2(&actions, 7, 1);
  posix_spawn_file_actions_addclose(&actions, 7);
  posix_spawn_file_actions_addchdir_np(&actions, "/usr/lib");
  run("file actions", &actions, NULL, "pwd; test -e /proc/self/fd/7 && echo open || echo closed");
  char text[200] = "";
  int fd = open(scratch_path("out"), O_RDONLY);
  CHECK(fd >= 0 && read(fd, text, sizeof text - 1) > 0);
  say("  it wrote: %s", text);
  posix_spawn_file_actions_addopen(&actions, 8, "/nonexistent/file", O_RDONLY, 0);
  run("open fails", &actions, NULL, "exit 0");
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, 99, 1);
  run("dup2 fails", &actions, NULL, "exit 0");

  sigset_t set;
  signal(SIGUSR1, SIG_IGN);
  mask_one(SIG_BLOCK, SIGUSR2);
  char *arguments[] = {argv[0], "child", NULL}, *none[] = {NULL};
  pid_t child;
  CHECK(posix_spawn(&child, "/proc/self/exe", NULL, NULL, arguments, environ) == 0);
  say_status("inherited", reap(child));
  posix_spawnattr_init(&attributes);
  sigemptyset(&set), sigaddset(&set, SIGUSR1);
  posix_spawnattr_setsigdefault(&attributes, &set);
  sigemptyset(&set), sigaddset(&set, SIGTERM);
  posix_spawnattr_setsigmask(&attributes, &set);
  posix_spawnattr_setpgroup(&attributes, 0);
  posix_spawnattr_setflags(&attributes,
                           POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETPGROUP);
  CHECK(posix_spawn(&child, "/proc/self/exe", NULL, &attributes, arguments, none) == 0);
  say_status("attributes", reap(child));
  say("our mask: USR2 %d TERM %d\n", is_blocked(SIGUSR2), is_blocked(SIGTERM));

  say("no such program: %s\n",
      strerrorname_np(posix_spawn(&child, "/nonexistent", NULL, NULL, arguments, none)));
  say("not executable: %s\n",
      strerrorname_np(posix_spawn(&child, "/etc/passwd", NULL, NULL, arguments, none)));
  say("not in the path: %s\n",
      strerrorname_np(posix_spawnp(&child, "no-such-program", NULL, NULL, arguments, environ)));
  say("no child left: %s\n", outcome(waitpid(-1, NULL, WNOHANG)));
  scratch_end();
  return 0;
}
