/* recorded PROGRAM ARGS…: records PROGRAM for a script of tests/e2e and keeps what it printed.
 *
 * Stands in a script where `reprise run` stands otherwise: standard output and error, signals and the end of PROGRAM are as
 * they would be without it. Records in $RECORD_ORDER. A new folder in $RECORDINGS gets
 *   recording   as $REPRISE made it
 *   stdout, stderr   what PROGRAM wrote there, if they were files or pipes; with 2>&1 all of it is in stdout …
 *   together         … and this is there, too
 *   stdout.cut, stderr.cut   whoever read there stopped before the end: PROGRAM may have written more than was kept
 * so that the driver can compare a replay with them. A pipe of our own is in between. */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static void die(const char *what) {
  fprintf(stderr, "recorded: %s: %s\n", what, strerror(errno));
  exit(99);
}

/* One of the two outputs. */
struct output {
  int fd;         /* ours: 1 or 2 */
  int copy;       /* the file that keeps what went there, -1: nothing is kept */
  int pipe;       /* the end that we read, -1: it is no pipe, or at its end */
  int inner;      /* the end that PROGRAM writes, or -1 */
  char cut[4300]; /* the mark that its reader went away */
};

static bool same_file(const struct stat *a, const struct stat *b) {
  return a->st_dev == b->st_dev && a->st_ino == b->st_ino;
}

static void open_output(struct output *output, const char *folder, const char *name) {
  char path[4200];
  struct stat info;
  *output = (struct output){.fd = output->fd, .copy = -1, .pipe = -1, .inner = -1};
  if (fstat(output->fd, &info) || S_ISCHR(info.st_mode)) return;
  snprintf(path, sizeof path, "%s/%s", folder, name);
  output->copy = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  if (output->copy < 0) die(path);
  snprintf(output->cut, sizeof output->cut, "%s.cut", path);
  int ends[2];
  if (pipe2(ends, O_CLOEXEC)) die("pipe");
  output->pipe = ends[0];
  output->inner = ends[1];
}

static void write_all(int fd, const char *from, size_t count) {
  while (count) {
    ssize_t n = write(fd, from, count);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return;
    from += n;
    count -= (size_t)n;
  }
}

/* Hands on what there is. When nobody reads any more, PROGRAM must notice. */
static void relay(struct output *output) {
  char buffer[65536];
  ssize_t n = read(output->pipe, buffer, sizeof buffer);
  if (n < 0 && errno == EINTR) return;
  struct pollfd reader = {.fd = output->fd, .events = POLLOUT};
  if (n > 0) write_all(output->copy, buffer, (size_t)n);
  if (n > 0) write_all(output->fd, buffer, (size_t)n);
  if (n > 0 && (poll(&reader, 1, 0) <= 0 || !(reader.revents & POLLERR))) return;
  if (n > 0) close(open(output->cut, O_WRONLY | O_CREAT | O_CLOEXEC, 0600));
  close(output->pipe);
  output->pipe = -1;
}

static pid_t child;

/* What the terminal sends, the child has got as well. */
static void pass_on(int signo, siginfo_t *info, void *context) {
  (void)context;
  if (info->si_code != SI_KERNEL) kill(child, signo);
}

static const int passed_on[] = {SIGHUP,  SIGINT,  SIGQUIT, SIGTERM, SIGUSR1, SIGUSR2,
                                SIGALRM, SIGSEGV, SIGABRT, SIGCONT, SIGWINCH};

static void catch_signals(void) {
  signal(SIGPIPE, SIG_IGN);
  for (size_t i = 0; i < sizeof passed_on / sizeof *passed_on; i++) {
    struct sigaction action = {.sa_sigaction = pass_on, .sa_flags = SA_SIGINFO | SA_RESTART}, old;
    sigaction(passed_on[i], NULL, &old);
    if (old.sa_handler != SIG_IGN) sigaction(passed_on[i], &action, NULL);
  }
}

static void become(struct output outputs[2], const char *folder, char **argv) {
  char path[4200], order[64], values[64];
  char *command[256] = {getenv("REPRISE"), "record", "--quiet", order, values, "-o", path, "--"};
  const char *scheme = getenv("RECORD_ORDER"), *by_value = strchr(scheme, '+');
  size_t count = 8;
  snprintf(path, sizeof path, "%s/recording", folder);
  snprintf(order, sizeof order, "--order=%.*s", by_value ? (int)(by_value - scheme) : (int)strlen(scheme),
           scheme);
  snprintf(values, sizeof values, "--values=%s", by_value ? by_value + 1 : "off");
  while (*argv && count < 255) command[count++] = *argv++;
  for (int i = 0; i < 2; i++)
    if (outputs[i].inner >= 0) dup2(outputs[i].inner, outputs[i].fd);
  unsetenv("RECORDINGS");
  unsetenv("RECORD_ORDER");
  execv(command[0], command);
  die(command[0]);
}

static void relay_all(struct output outputs[2]) {
  for (int i = 0; i < 2; i++)
    if (outputs[i].pipe >= 0) close(outputs[i].inner);
  for (;;) {
    struct pollfd ready[2];
    nfds_t count = 0;
    for (int i = 0; i < 2; i++)
      if (outputs[i].pipe >= 0) ready[count++] = (struct pollfd){.fd = outputs[i].pipe, .events = POLLIN};
    if (!count) return;
    if (poll(ready, count, -1) < 0) continue;
    for (nfds_t n = 0; n < count; n++)
      for (int i = 0; i < 2; i++)
        if (ready[n].revents && outputs[i].pipe == ready[n].fd) relay(&outputs[i]);
  }
}

int main(int argc, char **argv) {
  char folder[4096];
  struct output outputs[2] = {{.fd = 1}, {.fd = 2}};
  struct stat info[2] = {0};
  if (argc < 2 || !getenv("RECORDINGS") || !getenv("REPRISE") || !getenv("RECORD_ORDER")) return 99;
  snprintf(folder, sizeof folder, "%s/XXXXXX", getenv("RECORDINGS"));
  if (!mkdtemp(folder)) die(folder);
  open_output(&outputs[0], folder, "stdout");
  if (!fstat(1, &info[0]) && !fstat(2, &info[1]) && same_file(&info[0], &info[1])) {
    outputs[1] = (struct output){.fd = 2, .copy = -1, .pipe = -1, .inner = outputs[0].inner};
    char path[4200];
    snprintf(path, sizeof path, "%s/together", folder);
    close(open(path, O_WRONLY | O_CREAT, 0600));
  } else {
    open_output(&outputs[1], folder, "stderr");
  }
  fflush(NULL);
  child = fork();
  if (child < 0) die("fork");
  if (!child) become(outputs, folder, argv + 1);
  catch_signals();
  relay_all(outputs);
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  if (!WIFSIGNALED(status)) return WEXITSTATUS(status);
  signal(WTERMSIG(status), SIG_DFL);
  kill(getpid(), WTERMSIG(status));
  return 128 + WTERMSIG(status);
}
