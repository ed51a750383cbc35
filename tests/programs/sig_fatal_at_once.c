/* A process that sends itself a fatal signal, by each of the calls that send one, from a thread that is not the first: it does not come
 * back from the call, whether that thread blocks the signal or only others do. Blocked by all of them it stays pending. */
#include "sys_helpers.h"
#include <pthread.h>
#include <sched.h>
#include <sys/syscall.h>
#include <sys/wait.h>

enum way { KILL, KILL_GROUP, TGKILL, TGKILL_FIRST, TKILL, QUEUE, QUEUE_THREAD, PIDFD, RAISE, WAYS };
static const char *const names[] = {"kill",
                                    "kill of the group",
                                    "tgkill",
                                    "tgkill of the first thread",
                                    "tkill",
                                    "sigqueue",
                                    "queued to a thread",
                                    "pidfd_send_signal",
                                    "raise"};
/* Who blocks the signal. */
enum blocked { NOBODY, SENDER, FIRST, BOTH, CHOICES };
static const int fatal[] = {SIGTERM, SIGHUP, SIGUSR1, SIGPIPE, SIGALRM, 40};

static enum way way;
static enum blocked blocked;
static int signo;
static volatile int ready;

static void set_mask(int blocks) {
  sigset_t set;
  sigemptyset(&set);
  if (blocks) sigaddset(&set, signo);
  CHECK(pthread_sigmask(SIG_SETMASK, &set, NULL) == 0);
}

static void send_signal(void) {
  pid_t pid = getpid(), tid = (pid_t)syscall(SYS_gettid);
  siginfo_t info = {.si_signo = signo, .si_code = SI_QUEUE};
  info.si_pid = pid;
  int descriptor;
  switch (way) {
    case KILL:
      kill(pid, signo);
      return;
    case KILL_GROUP:
      kill(0, signo);
      return;
    case TGKILL:
      syscall(SYS_tgkill, pid, tid, signo);
      return;
    case TGKILL_FIRST:
      syscall(SYS_tgkill, pid, pid, signo);
      return;
    case TKILL:
      syscall(SYS_tkill, tid, signo);
      return;
    case QUEUE:
      syscall(SYS_rt_sigqueueinfo, pid, signo, &info);
      return;
    case QUEUE_THREAD:
      syscall(SYS_rt_tgsigqueueinfo, pid, tid, signo, &info);
      return;
    case PIDFD:
      descriptor = (int)syscall(SYS_pidfd_open, pid, 0);
      CHECK(descriptor >= 0);
      syscall(SYS_pidfd_send_signal, descriptor, signo, NULL, 0);
      return;
    default:
      raise(signo);
  }
}

static void *run(void *unused) {
  set_mask(blocked == SENDER || blocked == BOTH);
  while (!ready) sched_yield(); /* pthread_create blocks all signals for a while */
  send_signal();
  say(" came back from the call");
  _exit(0);
  return unused;
}

static void child(void) {
  pthread_t thread;
  CHECK(setpgid(0, 0) == 0);
  set_mask(blocked == FIRST || blocked == BOTH);
  CHECK(pthread_create(&thread, NULL, run, NULL) == 0);
  ready = 1;
  pthread_join(thread, NULL);
}

int main(void) {
  no_core();
  for (way = 0; way < WAYS; way++) {
    for (blocked = 0; blocked < CHOICES; blocked++) {
      int status;
      signo = fatal[(way + blocked) % (sizeof fatal / sizeof *fatal)];
      say("%s, choice %d:", names[way], (int)blocked);
      pid_t pid = fork();
      if (!pid) child();
      CHECK(waitpid(pid, &status, 0) == pid);
      if (WIFSIGNALED(status))
        say(" signal %d\n", WTERMSIG(status));
      else
        say(" status %d\n", WEXITSTATUS(status));
    }
  }
  return 0;
}
