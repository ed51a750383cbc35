/* system, popen and a pipeline of real programs put together by hand with fork, dup2 and exec. */
#include "sys_helpers.h"

static pid_t stage(int in, int out, int unused, char **arguments) {
  pid_t child = fork();
  CHECK(child >= 0);
  if (child == 0) {
    if (in >= 0) CHECK(dup2(in, 0) == 0 && close(in) == 0);
    if (out >= 0) CHECK(dup2(out, 1) == 1 && close(out) == 0);
    if (unused >= 0) close(unused);
    execvp(arguments[0], arguments);
    _exit(127);
  }
  return child;
}

int main(void) {
  int a[2], b[2];
  say("system: %x\n", (unsigned)system("exit 9"));
  say("killed shell: %x\n", (unsigned)system("kill -TERM $$"));
  say("is there a shell: %d\n", system(NULL) != 0);
  FILE *pipe_stream = popen("echo one; echo two; exit 4", "r");
  CHECK(pipe_stream);
  for (char line[64]; fgets(line, sizeof line, pipe_stream);) say("popen: %s", line);
  say("pclose %x\n", (unsigned)pclose(pipe_stream));
  pipe_stream = popen("tr a-z A-Z", "w");
  CHECK(pipe_stream && fputs("written into it\n", pipe_stream) >= 0);
  say("pclose %x\n", (unsigned)pclose(pipe_stream));
  CHECK(pipe(a) == 0 && pipe(b) == 0);
  pid_t first = stage(-1, a[1], a[0], (char *[]){"printf", "%s\\n", "pear", "apple", "fig", "apple", NULL});
  close(a[1]);
  pid_t second = stage(a[0], b[1], b[0], (char *[]){"sort", NULL});
  close(a[0]), close(b[1]);
  pid_t third = stage(b[0], -1, -1, (char *[]){"uniq", "-c", NULL});
  close(b[0]);
  say_status("third", reap(third));
  say_status("second", reap(second));
  say_status("first", reap(first));
  say_status("not found", reap(stage(-1, -1, -1, (char *[]){"no-such-program-at-all", NULL})));
  return 0;
}
