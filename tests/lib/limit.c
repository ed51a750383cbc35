/* limit SECONDS STATUS-FILE PROGRAM ARGS…: run a test's command and write down how it ended.
 *
 * The shell cannot tell exit(139) from death by SIGSEGV, and a hung program may leave children behind that no
 * process group holds together. This runs PROGRAM in a session of its own, every signal at its default, only
 * descriptors 0, 1 and 2 open; it adopts what PROGRAM orphans (child subreaper), and after PROGRAM's end, or
 * after SECONDS, kills all that is left. STATUS-FILE gets one line: "exit N", "signal N" or "time limit".
 *
 * The seconds are those that PROGRAM would have taken with the machine to itself: while its threads wait for a processor that others use, the clock
 * is slower by as much as they wait. What neither computes nor wants to, and what computes for ever, thus meets the limit on a crowded machine
 * too, and what is only slow there does not, up to CROWDED times the seconds. */
#include <dirent.h>
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

enum { CROWDED = 20, NANOSECONDS = 1000000000 };

/* Nanoseconds for which threads have computed, and for which they have waited for a processor. */
struct use {
  double computed, waited;
};

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

/* Adds what the threads of a process and of all below it have used. Some may end meanwhile. */
static void add_use(pid_t pid, struct use *use) {
  char path[64], line[64];
  snprintf(path, sizeof path, "/proc/%d/task", pid);
  DIR *tasks = opendir(path);
  for (struct dirent *task; tasks && (task = readdir(tasks));) {
    int tid = atoi(task->d_name), child;
    double computed, waited;
    if (!tid) continue;
    snprintf(path, sizeof path, "/proc/%d/task/%d/schedstat", pid, tid);
    FILE *file = fopen(path, "r");
    if (file && fgets(line, sizeof line, file) && sscanf(line, "%lf %lf", &computed, &waited) == 2) {
      use->computed += computed;
      use->waited += waited;
    }
    if (file) fclose(file);
    snprintf(path, sizeof path, "/proc/%d/task/%d/children", pid, tid);
    file = fopen(path, "r");
    while (file && fscanf(file, "%d", &child) == 1) add_use(child, use);
    if (file) fclose(file);
  }
  if (tasks) closedir(tasks);
}

/* How much of the time since the last call PROGRAM had: what it did not wait for a processor, and if several threads did, the part of their time in which they
 * computed. The sums are smaller where threads have ended. */
static double time_had(double elapsed) {
  static struct use last;
  struct use now = {0};
  add_use(getpid(), &now);
  double computed = (now.computed - last.computed) / NANOSECONDS;
  double waited = (now.waited - last.waited) / NANOSECONDS;
  last = now;
  if (computed < 0 || waited < 0) return elapsed / CROWDED;
  double wanted = computed + waited;
  return wanted <= elapsed ? elapsed - waited : elapsed * computed / wanted;
}

static double seconds(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + (double)now.tv_nsec / NANOSECONDS;
}

/* Waits for `child`, so many seconds. Returns its wait status, or -1 when time is up or we are told to stop. */
static int wait_for(pid_t child, double limit, const sigset_t *watched) {
  const struct timespec moment = {.tv_sec = 1};
  double begun = seconds(), last = begun, had = 0;
  for (;;) {
    int status;
    pid_t pid;
    while ((pid = waitpid(-1, &status, WNOHANG)) > 0) {
      if (pid == child) return status;
    }
    if (seconds() - last >= 1) {
      double now = seconds();
      had += time_had(now - last);
      last = now;
    }
    if (had >= limit || last - begun >= limit * CROWDED) return -1;
    int sig = sigtimedwait(watched, NULL, &moment);
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
  prctl(PR_SET_CHILD_SUBREAPER, 1);
  struct rlimit core = {0};
  getrlimit(RLIMIT_CORE, &core);
  core.rlim_cur = 0; /* a test that wants core files raises it again */
  setrlimit(RLIMIT_CORE, &core);

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

  int status = wait_for(child, atof(argv[1]), &watched);
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
