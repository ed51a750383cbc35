/* Stops and SIGCONT at inconvenient moments: by one of several threads to its own process, which then has to be found stopped, and from outside
 * while the process goes from one program to the next. */
#include "sys_helpers.h"
#include <pthread.h>
#include <sched.h>
#include <sys/syscall.h>
#include <sys/wait.h>

enum { EXECS = 60 };
enum way { KILL, TGKILL_FIRST, RAISE, TERMINAL, WAYS };
static const char *const names[] = {"kill", "tgkill of the first thread", "raise", "kill with SIGTSTP"};
static volatile int over;

static void *stop(void *way) {
  switch ((enum way)(intptr_t)way) {
    case KILL:
      kill(getpid(), SIGSTOP);
      break;
    case TGKILL_FIRST:
      syscall(SYS_tgkill, getpid(), getpid(), SIGSTOP);
      break;
    case RAISE:
      raise(SIGSTOP);
      break;
    default:
      kill(getpid(), SIGTSTP);
  }
  return NULL;
}

static void *busy(void *unused) {
  while (!over) sched_yield();
  return unused;
}

static void child(enum way way) {
  pthread_t threads[2];
  signal(SIGTSTP, SIG_DFL);
  CHECK(setpgid(0, 0) == 0); /* SIGTSTP does not stop an orphaned group */
  CHECK(pthread_create(&threads[0], NULL, busy, NULL) == 0);
  CHECK(pthread_create(&threads[1], NULL, stop, (void *)(intptr_t)way) == 0);
  pthread_join(threads[1], NULL);
  over = 1;
  pthread_join(threads[0], NULL);
  _exit(way);
}

static void trial(enum way way) {
  int status;
  pid_t pid = fork();
  if (!pid) child(way);
  CHECK(waitpid(pid, &status, WUNTRACED) == pid);
  say_status(names[way], status);
  CHECK(kill(pid, SIGCONT) == 0);
  CHECK(waitpid(pid, &status, 0) == pid);
  say_status(names[way], status);
}

static void stop_during_exec(void) {
  for (int i = 0; i < EXECS; i++) {
    int status;
    pid_t pid = fork();
    if (!pid) {
      execl("/bin/true", "true", (char *)NULL);
      _exit(1);
    }
    for (int yields = i % 4; yields; yields--) sched_yield();
    CHECK(kill(pid, SIGSTOP) == 0 && kill(pid, SIGCONT) == 0);
    CHECK(waitpid(pid, &status, 0) == pid);
    if (status) say_status("executed", status);
  }
}

int main(void) {
  no_core();
  for (int way = 0; way < WAYS; way++) trial((enum way)way);
  stop_during_exec();
  say("over\n");
  return 0;
}
