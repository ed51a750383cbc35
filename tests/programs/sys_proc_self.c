/* /proc/self: exe, cmdline, environ, comm, auxv, status, stat, cwd and fd say what the program is and was
 * given. */
#include "sys_helpers.h"
#include <elf.h>
#include <fcntl.h>
#include <sys/auxv.h>

extern char **environ;
static char buffer[1 << 17];

static ssize_t slurp(const char *path) {
  int fd = open(path, O_RDONLY);
  CHECK(fd >= 0);
  ssize_t total = 0, n;
  while ((n = read(fd, buffer + total, sizeof buffer - 1 - total)) > 0) total += n;
  CHECK(n == 0 && close(fd) == 0);
  buffer[total] = 0;
  return total;
}

static int matches(char **list, ssize_t length) {
  char *p = buffer;
  for (; *list; list++) {
    if (strcmp(p, *list) != 0) return 0;
    p += strlen(p) + 1;
  }
  return p == buffer + length;
}

int main(int argc, char **argv) {
  char link[4096], resolved[4096], here[4096];
  if (argc == 1) { /* with arguments and an environment of its own */
    char *arguments[] = {argv[0], "first", "", "last one", NULL},
         *environment[] = {"ONE=1", "TWO=2 2", "", NULL};
    execve(argv[0], arguments, environment);
    CHECK(!"execve returned");
  }
  ssize_t length = readlink("/proc/self/exe", link, sizeof link - 1);
  CHECK(length > 0);
  link[length] = 0;
  say("exe is argv[0] resolved %d\n", realpath(argv[0], resolved) && strcmp(resolved, link) == 0);
  length = slurp("/proc/self/cmdline");
  say("cmdline %d\n", matches(argv, length));
  length = slurp("/proc/self/environ");
  say("environ %d\n", matches(environ, length));
  slurp("/proc/self/comm");
  char *base = strrchr(resolved, '/') + 1;
  say("comm %d\n", strncmp(buffer, base, strlen(base) < 15 ? strlen(base) : 15) == 0);
  say("short name %s, full name is argv[0] %d\n", program_invocation_short_name,
      program_invocation_name == argv[0]);
  length = slurp("/proc/self/auxv");
  Elf64_auxv_t *vector = (Elf64_auxv_t *)buffer;
  int wrong = 0, entries = 0, hwcap = 0;
  for (; vector[entries].a_type != AT_NULL; entries++) {
    unsigned type = vector[entries].a_type;
    if (type == AT_HWCAP)
      hwcap = vector[entries].a_un.a_val != 0;
    else
      wrong += getauxval(type) != vector[entries].a_un.a_val;
  }
  say("auxv agrees with getauxval %d, ends there %d, hwcap %d\n", wrong == 0,
      length == (ssize_t)((entries + 1) * sizeof *vector), hwcap);
  slurp("/proc/self/status");
  int pid = 0, threads = 0, tracer = -1;
  char *at = strstr(buffer, "\nPid:"), *count = strstr(buffer, "\nThreads:"),
       *trace = strstr(buffer, "\nTracerPid:");
  CHECK(at && count && trace && sscanf(at, "\nPid: %d", &pid) == 1 &&
        sscanf(count, "\nThreads: %d", &threads) == 1);
  CHECK(sscanf(trace, "\nTracerPid: %d", &tracer) == 1);
  say("status: pid %d threads %d tracer %d\n", pid == getpid(), threads, tracer);
  slurp("/proc/self/stat");
  int stat_pid, stat_parent;
  char state;
  CHECK(sscanf(buffer, "%d (%*[^)]) %c %d", &stat_pid, &state, &stat_parent) == 3);
  say("stat: pid %d state %c parent %d\n", stat_pid == getpid(), state, stat_parent == getppid());
  length = readlink("/proc/self/cwd", link, sizeof link - 1);
  CHECK(length > 0 && getcwd(here, sizeof here));
  link[length] = 0;
  say("cwd %d\n", strcmp(link, here) == 0);
  int fd = open("/dev/null", O_RDONLY);
  snprintf(here, sizeof here, "/proc/self/fd/%d", fd);
  length = readlink(here, link, sizeof link - 1);
  CHECK(length > 0);
  link[length] = 0;
  say("fd %s", link);
  memset(link, 0, sizeof link);
  CHECK(readlink("/proc/self", link, sizeof link - 1) > 0);
  say(", self is the pid %d\n", atoi(link) == getpid());
  return 0;
}
