/* execveat and fexecve: by directory, by empty path, by descriptor; scripts by descriptor; close-on-exec
 * matters. */
#include "exec_helpers.h"
#include <sys/auxv.h>
#include <sys/syscall.h>

static void run(const char *what, int fd, const char *path, int flags, char *mode) {
  char *arguments[] = {"zero", mode, NULL}, *environment[] = {"E=1", NULL};
  pid_t child = fork();
  if (child == 0) {
    syscall(SYS_execveat, fd, path, arguments, environment, flags);
    say("%s: %s\n", what, strerrorname_np(errno));
    _exit(0);
  }
  int status = reap(child);
  if (status) say_status(what, status);
}

int main(int argc, char **argv) {
  if (argc > 1) {
    const char *name = (char *)getauxval(AT_EXECFN);
    say("  argc %d argv0 ", argc), say_path(strncmp(argv[0], "/dev/fd/", 8) ? argv[0] : "/dev/fd/N");
    say(" last %s E %s executed as ", argc == 2 ? argv[argc - 1] : "-", getenv("E"));
    say_path(strncmp(name, "/dev/fd/", 8) ? name : "/dev/fd/N"), say("\n");
    return 4;
  }
  scratch_start();
  char text[5000], *copy = scratch_copy_self("program");
  snprintf(text, sizeof text, "#!%s\n", own_path());
  scratch_text("script", text, 0755);
  int directory = open(scratch, O_RDONLY | O_DIRECTORY), file = open(copy, O_RDONLY),
      path_only = open(copy, O_PATH | O_CLOEXEC), script = open(scratch_path("script"), O_RDONLY),
      closing = open(scratch_path("script"), O_RDONLY | O_CLOEXEC);
  CHECK(directory >= 0 && file >= 0 && path_only >= 0 && script >= 0 && closing >= 0);
  run("in a directory", directory, "program", 0, "a");
  run("absolute path", directory, copy, 0, "b");
  run("empty path", file, "", AT_EMPTY_PATH, "c");
  run("empty path without the flag", file, "", 0, "d");
  run("O_PATH", path_only, "", AT_EMPTY_PATH, "e");
  run("missing", directory, "none", 0, "f");
  run("not a directory", file, "program", 0, "g");
  run("bad descriptor", 999, "program", 0, "h");
  run("bad flags", directory, "program", 0x40000000, "i");
  CHECK(symlink("program", scratch_path("link")) == 0);
  run("through a link", directory, "link", 0, "j");
  run("not through a link", directory, "link", AT_SYMLINK_NOFOLLOW, "k");
  run("script", script, "", AT_EMPTY_PATH, "l");
  run("script closed on exec", closing, "", AT_EMPTY_PATH, "m");
  char *arguments[] = {"by fexecve", "n", NULL}, *environment[] = {"E=2", NULL};
  pid_t child = fork();
  if (child == 0) _exit(fexecve(file, arguments, environment));
  say_status("fexecve", reap(child));
  scratch_end();
  return 0;
}
