/* waitpid with WNOHANG, WUNTRACED, WCONTINUED and waitid with WNOWAIT over one child's whole life. */
#include "sys_helpers.h"

static void say_info(const char *what, siginfo_t *info, pid_t child) {
  say("%s: signo %d code %d status %d child's pid %d own uid %d\n", what, info->si_signo, info->si_code,
      info->si_status, info->si_pid == child, info->si_uid == getuid());
}

int main(void) {
  int gate[2], status = 0;
  siginfo_t info = {0};
  CHECK(pipe(gate) == 0);
  pid_t child = fork();
  if (child == 0) {
    raise(SIGSTOP);
    CHECK(read(gate[0], &(char){0}, 1) == 1);
    _exit(33);
  }
  CHECK(waitpid(child, &status, WUNTRACED) == child);
  say_status("WUNTRACED", status);
  say("reported once: %d\n", waitpid(child, &status, WNOHANG | WUNTRACED));
  info.si_pid = 99;
  CHECK(waitid(P_PID, child, &info, WEXITED | WNOHANG) == 0);
  say("waitid WNOHANG with nothing: pid %d signo %d\n", info.si_pid, info.si_signo);
  CHECK(kill(child, SIGCONT) == 0 && waitpid(child, &status, WCONTINUED) == child);
  say_status("WCONTINUED", status);
  say("running: %d\n", waitpid(child, &status, WNOHANG));
  CHECK(kill(child, SIGSTOP) == 0 && waitid(P_PID, child, &info, WSTOPPED | WNOWAIT) == 0);
  say_info("stopped, left", &info, child);
  CHECK(waitid(P_PID, child, &info, WSTOPPED) == 0);
  say_info("stopped, taken", &info, child);
  CHECK(kill(child, SIGCONT) == 0 && waitid(P_PID, child, &info, WCONTINUED) == 0);
  say_info("continued", &info, child);
  CHECK(write(gate[1], "g", 1) == 1 && waitid(P_PID, child, &info, WEXITED | WNOWAIT) == 0);
  say_info("exited, left", &info, child);
  CHECK(waitid(P_ALL, 0, &info, WEXITED | WNOWAIT) == 0);
  say_info("exited, left again", &info, child);
  CHECK(waitpid(child, &status, 0) == child);
  say_status("taken", status);
  say("gone: %s\n", outcome(waitpid(child, &status, WNOHANG)));
  return 0;
}
