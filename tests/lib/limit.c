/* limit SECONDS STATUS-FILE PROGRAM ARGS…: run a test's command and write down how it ended.
 *
 * The shell cannot tell exit(139) from death by SIGSEGV, and a hung program may leave children behind that no
 * process group holds together. This runs PROGRAM in a session of its own, every signal at its default, only
 * descriptors 0, 1 and 2 open; it adopts what PROGRAM orphans (child subreaper), and after PROGRAM's end, or
 * after SECONDS, kills all that is left. STATUS-FILE gets one line: "exit N", "signal N" or "time limit". */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static void die(const char *what) {
  fprintf(stderr, "limit: %s: %s\n", what, strerror(errno));
  exit(99);
}

static void become(char **argv) {
  setsid();
  for (int sig = 1; sig < NSIG; sig++) signal(sig, SIG_DFL);
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, NULL);
  syscall(SYS_close_range, 3U, ~0U, 0U);
  execv(argv[0], argv);
  die(argv[0]);
}

/* Waits for `child` until the deadline. Returns its wait status, or -1 when time is up or we are told to stop. */
static int wait_until(pid_t child, time_t deadline, const sigset_t *watched) {
  for (;;) {
    int status;
    pid_t pid;
    while ((pid = waitpid(-1, &status, WNOHANG)) > 0) {
      if (pid == child) return status;
    }
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    if (now.tv_sec >= deadline) return -1;
    struct timespec left = {.tv_sec = deadline - now.tv_sec};
    int sig = sigtimedwait(watched, NULL, &left);
    if (sig > 0 && sig != SIGCHLD) return -1;
  }
}

/* Killing a child hands its own children to us, so this goes on until none is left. */
static void kill_descendants(void) {
  char path[64];
  snprintf(path, sizeof path, "/proc/self/task/%d/children", getpid());
  do {
    FILE *list = fopen(path, "r");
    if (!list) die(path);
    int pid;
    while (fscanf(list, "%d", &pid) == 1) kill(pid, SIGKILL);
    fclose(list);
  } while (waitpid(-1, NULL, 0) > 0);
}

int main(int argc, char **argv) {
  if (argc < 4) {
    fprintf(stderr, "usage: limit SECONDS STATUS-FILE PROGRAM ARGS…\n");
    return 99;
  }
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  prctl(PR_SET_CHILD_SUBREAPER, 1);
  setrlimit(RLIMIT_CORE, &(struct rlimit){0, 0});

  sigset_t watched;
  sigemptyset(&watched);
  sigaddset(&watched, SIGCHLD);
  sigaddset(&watched, SIGINT);
  sigaddset(&watched, SIGTERM);
  sigaddset(&watched, SIGHUP);
  sigprocmask(SIG_BLOCK, &watched, NULL);

  pid_t child = fork();
  if (child < 0) die("fork");
  if (child == 0) become(argv + 3);

  int status = wait_until(child, now.tv_sec + atoi(argv[1]), &watched);
  kill_descendants();

  FILE *out = fopen(argv[2], "w");
  if (!out) die(argv[2]);
  if (status == -1) {
    fprintf(out, "time limit\n");
  } else if (WIFSIGNALED(status)) {
    fprintf(out, "signal %d\n", WTERMSIG(status));
  } else {
    fprintf(out, "exit %d\n", WEXITSTATUS(status));
  }
  fclose(out);
  return 0;
}
