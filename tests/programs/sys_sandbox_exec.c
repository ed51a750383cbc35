/* Filters that refuse execve and execveat see the call before the kernel looks for the file: missing ones and wrong arguments included. */
#include "sys_helpers.h"
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>

static void set_filter(unsigned answer) {
  struct sock_filter code[] = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_execve, 1, 0),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_execveat, 0, 1),
      BPF_STMT(BPF_RET | BPF_K, answer),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
  };
  struct sock_fprog program = {sizeof code / sizeof *code, code};
  CHECK(prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0);
  CHECK(prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program, 0, 0) == 0);
}

static void on_sys(int signo, siginfo_t *info, void *context) {
  (void)context;
  say("SIG%s, call %d\n", sigabbrev_np(signo), info->si_syscall == SYS_execve);
}

static void attempt(const char *path) {
  char *arguments[] = {"true", NULL}, *none[] = {NULL};
  long result = syscall(SYS_execve, path, arguments, none);
  say("  execve: %s\n", result < 0 ? strerrorname_np(errno) : "came back");
}

static void trial(const char *name, unsigned answer) {
  int status;
  pid_t pid = fork();
  if (!pid) {
    char *none[] = {NULL};
    struct sigaction action = {.sa_sigaction = on_sys, .sa_flags = SA_SIGINFO};
    CHECK(sigaction(SIGSYS, &action, NULL) == 0);
    int file = open("/bin/true", O_RDONLY | O_CLOEXEC);
    set_filter(answer);
    attempt("/does/not/exist");
    attempt((const char *)8);
    attempt("/etc/passwd");
    if (answer != SECCOMP_RET_ALLOW) {
      long result = syscall(SYS_execveat, file, "", none, none, AT_EMPTY_PATH);
      say("  execveat: %s\n", result < 0 ? strerrorname_np(errno) : "came back");
    }
    attempt("/bin/true");
    _exit(1);
  }
  CHECK(waitpid(pid, &status, 0) == pid);
  say_status(name, status);
}

int main(void) {
  no_core();
  trial("refused", SECCOMP_RET_ERRNO | ENOTTY);
  trial("allowed", SECCOMP_RET_ALLOW);
  trial("fatal", SECCOMP_RET_KILL_PROCESS);
  return 0;
}
