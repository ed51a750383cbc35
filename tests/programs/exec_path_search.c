/* execvp and execvpe: the order of PATH, unsearchable and missing directories, the shell for text without
 * "#!". */
#include "exec_helpers.h"

static void run(const char *what, const char *path, char *name) {
  char *arguments[] = {name, "argument", NULL}, *environment[] = {"MARK=here", NULL};
  pid_t child = fork();
  if (child == 0) {
    if (path)
      setenv("PATH", path, 1);
    else
      unsetenv("PATH");
    execvpe(name, arguments, environment);
    say("%s: %s\n", what, strerrorname_np(errno));
    _exit(0);
  }
  int status = reap(child);
  if (status) say_status(what, status);
}

int main(void) {
  char path[600];
  scratch_start();
  CHECK(mkdir(scratch_path("one"), 0700) == 0 && mkdir(scratch_path("two"), 0700) == 0);
  scratch_text("one/tool", "#!/bin/sh\necho one $1 $MARK\nexit 1\n", 0755);
  scratch_text("two/tool", "#!/bin/sh\necho two $1 $MARK\nexit 2\n", 0755);
  scratch_text("one/plain", "echo plain text by the shell $1 $MARK\nexit 3\n", 0755);
  scratch_text("one/locked", "#!/bin/sh\nexit 4\n", 0644);
  scratch_text("two/locked", "#!/bin/sh\necho second one\nexit 5\n", 0755);
  snprintf(path, sizeof path, "/nonexistent:%s/one:%s/two", scratch, scratch);
  run("first in the path", path, "tool");
  run("text without #!", path, "plain");
  run("not executable, then found", path, "locked");
  run("missing", path, "missing");
  snprintf(path, sizeof path, "%s/two:%s/one", scratch, scratch);
  run("other order", path, "tool");
  snprintf(path, sizeof path, "%s/one", scratch);
  run("only a locked one", path, "locked");
  CHECK(chdir(scratch_path("two")) == 0);
  run("empty element is here", "/nonexistent:", "tool");
  run("with a slash", "/nonexistent", "./tool");
  run("no PATH", NULL, "true");
  run("empty name", path, "");
  CHECK(chdir("/") == 0);
  scratch_end();
  return 0;
}
