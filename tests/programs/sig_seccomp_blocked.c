/* A filter that answers with SIGSYS while the program blocks or ignores that: the process ends by it, handler or not. */
#include "sys_helpers.h"
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

static void on_sys(int signo) {
  (void)signo;
  say("in the handler\n");
}

static void set_filter(void) {
  struct sock_filter code[] = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_sethostname, 0, 1),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_TRAP),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
  };
  struct sock_fprog program = {sizeof code / sizeof *code, code};
  CHECK(prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0);
  CHECK(prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program, 0, 0) == 0);
}

static void trial(const char *name, int blocks, void (*handler)(int)) {
  int status;
  pid_t pid = fork();
  if (!pid) {
    sigset_t set;
    signal(SIGSYS, handler);
    sigemptyset(&set);
    sigaddset(&set, SIGSYS);
    sigprocmask(blocks ? SIG_BLOCK : SIG_UNBLOCK, &set, NULL);
    set_filter();
    syscall(SYS_sethostname, "x", 1);
    say("survived\n");
    _exit(0);
  }
  CHECK(waitpid(pid, &status, 0) == pid);
  say_status(name, status);
}

int main(void) {
  no_core();
  trial("handled", 0, on_sys);
  trial("handled and blocked", 1, on_sys);
  trial("ignored", 0, SIG_IGN);
  trial("ignored and blocked", 1, SIG_IGN);
  trial("default and blocked", 1, SIG_DFL);
  return 0;
}
