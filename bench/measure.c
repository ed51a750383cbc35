/* Runs commands, one alone or several in turns, and writes down what each cost.

     measure DIRECTORY LIMIT COMMAND [ARGUMENT…] [--turn COMMAND [ARGUMENT…]]…

   Command number N (from 0) reads nothing, writes DIRECTORY/N.out and DIRECTORY/N.err, and when it has ended
   DIRECTORY/N.result holds one line

     STATUS CPU WALL RSS DISTURBED

   STATUS as a shell shows it (128 + signal when killed), or "limit" when it took longer than LIMIT seconds.
   CPU: user and system seconds of the process and of all its descendants: the kernel adds up those that are
   waited for, and those that nobody waited for (a replay waits for none) become children of this process.
   WALL: seconds from start to end. RSS: peak resident kilobytes of the largest process among them.
   DISTURBED: 1 when a virtual machine had something to run meanwhile and its host did not let it, for more than a twentieth of WALL,
   all processors together; else 0. What was measured then says more about the host.

   Several commands take turns of a few milliseconds, all others being stopped meanwhile. On a virtual machine
   or a busy one the same program may take 1.5 times as long a second later; whole runs that follow each
   other then compare the machine's moods. In turns, every command meets the same moods, and ratios of
   CPU time repeat within a few percent. A turn is long enough for the caches to be filled anew at little cost. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { MAX_COMMANDS = 8 };
static const double turn_seconds = 0.025;

struct command {
  char **arguments;
  pid_t pid;           /* leads a process group of its own */
  bool over;           /* ended and waited for */
  bool killed;         /* by us, at the limit */
  int status;          /* as from wait4 */
  double start, end;   /* wall clock */
  double stolen;       /* at the start so far; then since */
  struct rusage usage; /* of the whole family */
};

static struct command commands[MAX_COMMANDS];
static int count;
static const char *directory;
static sigset_t awaited; /* blocked here, taken by sigtimedwait */

static void fail(const char *what) {
  fprintf(stderr, "measure: %s: %s\n", what, strerror(errno));
  exit(1);
}

static double seconds_now(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

static double stolen_so_far(void) {
  long ticks = 0;
  FILE *file = fopen("/proc/stat", "re");
  if (!file || fscanf(file, "cpu %*d %*d %*d %*d %*d %*d %*d %ld", &ticks) != 1) ticks = 0;
  if (file) fclose(file);
  return (double)ticks / (double)sysconf(_SC_CLK_TCK);
}

static double seconds(struct timeval t) {
  return (double)t.tv_sec + (double)t.tv_usec / 1e6;
}

static void redirect(int number, const char *suffix, int descriptor) {
  char path[4096];
  snprintf(path, sizeof path, "%s/%d.%s", directory, number, suffix);
  int file = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  if (file < 0 || dup2(file, descriptor) < 0) fail(path);
}

/* The command waits for its first turn before the exec, so that all of it happens in turns. */
static void become(int number, const sigset_t *mask) {
  setpgid(0, 0);
  int nothing = open("/dev/null", O_RDONLY | O_CLOEXEC);
  if (nothing < 0 || dup2(nothing, STDIN_FILENO) < 0) fail("/dev/null");
  redirect(number, "out", STDOUT_FILENO);
  redirect(number, "err", STDERR_FILENO);
  sigprocmask(SIG_SETMASK, mask, NULL);
  if (count > 1) raise(SIGSTOP);
  execvp(commands[number].arguments[0], commands[number].arguments);
  fprintf(stderr, "measure: %s: %s\n", commands[number].arguments[0], strerror(errno));
  _exit(127);
}

static void add(struct timeval *sum, const struct timeval *more) {
  sum->tv_sec += more->tv_sec + (sum->tv_usec + more->tv_usec) / 1000000;
  sum->tv_usec = (sum->tv_usec + more->tv_usec) % 1000000;
}

static void note_end(struct command *command) {
  struct rusage orphan;
  command->end = seconds_now();
  command->stolen = stolen_so_far() - command->stolen;
  command->over = true;
  kill(-command->pid, SIGKILL); /* whatever it left behind */
  while (wait4(-command->pid, NULL, 0, &orphan) > 0) {
    add(&command->usage.ru_utime, &orphan.ru_utime);
    add(&command->usage.ru_stime, &orphan.ru_stime);
    if (orphan.ru_maxrss > command->usage.ru_maxrss) command->usage.ru_maxrss = orphan.ru_maxrss;
  }
}

/* Waits for the end or a stop of the command. Returns whether there was one. */
static bool check(struct command *command, int options) {
  pid_t got = wait4(command->pid, &command->status, options | WUNTRACED, &command->usage);
  if (got < 0) fail("wait4");
  if (got == 0) return false;
  if (!WIFSTOPPED(command->status)) note_end(command);
  return true;
}

static void start(int number, const sigset_t *mask) {
  struct command *command = &commands[number];
  command->stolen = stolen_so_far();
  command->start = seconds_now();
  command->pid = fork();
  if (command->pid < 0) fail("fork");
  if (command->pid == 0) become(number, mask);
  setpgid(command->pid, command->pid); /* on both sides, whichever is first; fails after the exec */
  if (count > 1) check(command, 0);
}

static void kill_all(void) {
  for (int i = 0; i < count; i++) {
    if (commands[i].over) continue;
    commands[i].killed = true;
    kill(-commands[i].pid, SIGKILL);
    while (!commands[i].over) check(&commands[i], 0);
  }
}

/* Lets the command run until it ends or the given moment comes. */
static void run_until(struct command *command, double moment) {
  kill(-command->pid, SIGCONT);
  double left;
  while (!command->over && (left = moment - seconds_now()) > 0) {
    struct timespec time = {.tv_sec = (time_t)left, .tv_nsec = (long)((left - (double)(time_t)left) * 1e9)};
    int signal_number = sigtimedwait(&awaited, NULL, &time);
    if (signal_number == SIGINT || signal_number == SIGTERM) {
      kill_all();
      exit(128 + signal_number);
    }
    /* A stop that is not ours is a parent's that mirrors its child's, after our last one. */
    if (signal_number == SIGCHLD && check(command, WNOHANG) && !command->over) kill(-command->pid, SIGCONT);
  }
}

/* A process in vfork stops only after its child, which is stopped itself by now: such a command counts as stopped when it has had
 * its time and is still waiting. What would stop it later is taken back by its next turn's SIGCONT. */
static void stop(struct command *command) {
  enum { TRIES = 50 };
  struct timespec pause = {0, 1000000};
  kill(-command->pid, SIGSTOP);
  for (int i = 0; i < TRIES && !check(command, WNOHANG); i++) nanosleep(&pause, NULL);
}

static void run_all(double deadline) {
  int left = count;
  while (left > 0 && seconds_now() < deadline) {
    left = 0;
    for (int i = 0; i < count; i++) {
      struct command *command = &commands[i];
      if (command->over) continue;
      run_until(command, count > 1 ? seconds_now() + turn_seconds : deadline);
      if (!command->over && count > 1) stop(command);
      left += !command->over;
    }
  }
  kill_all();
}

static void write_result(int number) {
  char path[4096];
  snprintf(path, sizeof path, "%s/%d.result", directory, number);
  FILE *result = fopen(path, "w");
  if (!result) fail(path);
  const struct command *command = &commands[number];
  int status = command->status;
  if (command->killed) {
    fprintf(result, "limit");
  } else {
    fprintf(result, "%d", WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status));
  }
  double cpu = seconds(command->usage.ru_utime) + seconds(command->usage.ru_stime);
  double wall = command->end - command->start;
  fprintf(result, " %.6f %.6f %ld %d\n", cpu, wall, command->usage.ru_maxrss, command->stolen > wall / 20);
  if (fclose(result) != 0) fail(path);
}

/* Cuts the arguments into commands, in place. Returns whether none is empty. */
static bool split(char **arguments) {
  commands[count++].arguments = arguments;
  for (; *arguments; arguments++) {
    if (strcmp(*arguments, "--turn") != 0) continue;
    *arguments = NULL;
    if (count == MAX_COMMANDS) return false;
    commands[count++].arguments = arguments + 1;
  }
  for (int i = 0; i < count; i++) {
    if (!commands[i].arguments[0]) return false;
  }
  return true;
}

int main(int argc, char **argv) {
  int limit = argc > 3 ? atoi(argv[2]) : 0;
  if (limit <= 0 || !split(argv + 3)) {
    fprintf(stderr,
            "usage: measure DIRECTORY LIMIT COMMAND [ARGUMENT...] [--turn COMMAND [ARGUMENT...]]...\n");
    return 2;
  }
  directory = argv[1];
  sigset_t mask;
  sigemptyset(&awaited);
  sigaddset(&awaited, SIGCHLD);
  sigaddset(&awaited, SIGINT);
  sigaddset(&awaited, SIGTERM);
  sigprocmask(SIG_BLOCK, &awaited, &mask);
  if (prctl(PR_SET_CHILD_SUBREAPER, 1)) fail("prctl");

  for (int i = 0; i < count; i++) start(i, &mask);
  run_all(seconds_now() + limit * count);
  for (int i = 0; i < count; i++) write_result(i);
  return 0;
}
