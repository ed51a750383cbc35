/* Job control in a session of its own: background reads stop, the foreground moves, stopped jobs go on. */
#include "sys_helpers.h"
#include <fcntl.h>
#include <pty.h>
#include <sys/ioctl.h>

static int report, master, gate[2]; /* gate: the shell asks the outside to type */

__attribute__((format(printf, 1, 2))) static void tell(const char *format, ...) {
  va_list list;
  va_start(list, format);
  vdprintf(report, format, list);
  va_end(list);
}

static const char *describe(int status) {
  static char text[64];
  if (WIFSTOPPED(status))
    snprintf(text, sizeof text, "stopped by SIG%s", sigabbrev_np(WSTOPSIG(status)));
  else if (WIFSIGNALED(status))
    snprintf(text, sizeof text, "killed by SIG%s", sigabbrev_np(WTERMSIG(status)));
  else if (WIFCONTINUED(status))
    snprintf(text, sizeof text, "continued");
  else
    snprintf(text, sizeof text, "exit %d", WEXITSTATUS(status));
  return text;
}

static pid_t start_job(int foreground) {
  pid_t job = fork();
  CHECK(job >= 0);
  if (job == 0) {
    char line[32];
    setpgid(0, 0);
    if (foreground) CHECK(tcsetpgrp(0, getpid()) == 0);
    signal(SIGTTOU, SIG_DFL), signal(SIGTTIN, SIG_DFL), signal(SIGTSTP, SIG_DFL), signal(SIGINT, SIG_DFL);
    ssize_t n = read(0, line, sizeof line);
    _exit(n < 0 ? 200 : (int)n);
  }
  setpgid(job, job);
  return job;
}

static void shell(void) {
  int status;
  signal(SIGTTOU, SIG_IGN), signal(SIGTTIN, SIG_IGN), signal(SIGTSTP, SIG_IGN), signal(SIGINT, SIG_IGN);
  pid_t job = start_job(0);
  CHECK(waitpid(job, &status, WUNTRACED) == job);
  tell("background read: %s\n", describe(status));
  CHECK(tcsetpgrp(0, job) == 0 && tcgetpgrp(0) == job && kill(-job, SIGCONT) == 0);
  CHECK(waitpid(job, &status, WCONTINUED) == job);
  tell("foreground: %s\n", describe(status));
  CHECK(write(gate[1], "z", 1) == 1); /* Ctrl-Z */
  CHECK(waitpid(job, &status, WUNTRACED) == job);
  tell("after Ctrl-Z: %s\n", describe(status));
  CHECK(tcsetpgrp(0, getpid()) == 0);
  tell("the shell has the terminal %d\n", tcgetpgrp(0) == getpid());
  CHECK(tcsetpgrp(0, job) == 0 && kill(-job, SIGCONT) == 0 && waitpid(job, &status, WCONTINUED) == job);
  CHECK(write(gate[1], "l", 1) == 1); /* a line */
  CHECK(waitpid(job, &status, WUNTRACED) == job);
  tell("it read a line: %s\n", describe(status));
  CHECK(tcsetpgrp(0, getpid()) == 0);
  job = start_job(0);
  CHECK(waitpid(job, &status, WUNTRACED) == job && tcsetpgrp(0, job) == 0 && kill(-job, SIGCONT) == 0);
  CHECK(waitpid(job, &status, WCONTINUED) == job && write(gate[1], "c", 1) == 1); /* Ctrl-C */
  CHECK(waitpid(job, &status, WUNTRACED) == job);
  tell("after Ctrl-C: %s\n", describe(status));
  CHECK(tcsetpgrp(0, getpid()) == 0);
  job = fork();
  if (job == 0) {
    setpgid(0, 0);
    signal(SIGTTOU, SIG_DFL);
    _exit(tcsetpgrp(0, getpid()) == 0 ? 1 : 2);
  }
  CHECK(waitpid(job, &status, WUNTRACED) == job);
  tell("taking the terminal from behind: %s\n", describe(status));
  CHECK(kill(job, SIGKILL) == 0 && waitpid(job, &status, 0) == job);
  _exit(11);
}

int main(void) {
  CHECK(pipe(gate) == 0 && (report = dup(1)) >= 0);
  pid_t child = forkpty(&master, NULL, NULL, NULL);
  CHECK(child >= 0);
  if (child == 0) shell();
  close(gate[1]);
  for (char key; read(gate[0], &key, 1) == 1;) {
    if (key == 'z') CHECK(write(master, "\032", 1) == 1);
    if (key == 'c') CHECK(write(master, "\003", 1) == 1);
    if (key == 'l') CHECK(write(master, "four\n", 5) == 5);
  }
  say_status("shell", reap(child));
  return 0;
}
