/* replay_tries.c: several tries at a recording whose order is known at its synchronisation only. Where its program has a data race, a replay may go another
 * way than the recording did, and another replay the right one. Every second try runs on one processor, where threads meet in other ways.
 *
 * A replay finds out at its end, perhaps, that it was not the same. So what a try writes to standard output and error is kept, and shown when it is
 * known which try was the last. */
#include "sphere/replay_tries.h"

#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "sphere/manager.h"

enum { DIVERGED = 120, FAILED = 125 };
enum { OUTPUTS = 2 }; /* descriptors 1 and 2 */

/* What a try has written; one file for both if both are the same one outside. */
struct kept {
  int files[OUTPUTS];
};

static bool are_one_file(void) {
  struct stat a, b;
  return !fstat(STDOUT_FILENO, &a) && !fstat(STDERR_FILENO, &b) && a.st_dev == b.st_dev &&
         a.st_ino == b.st_ino;
}

static bool keep_begin(struct kept *kept) {
  kept->files[0] = memfd_create("output", MFD_CLOEXEC);
  kept->files[1] = are_one_file() ? kept->files[0] : memfd_create("errors", MFD_CLOEXEC);
  return kept->files[0] >= 0 && kept->files[1] >= 0;
}

static void keep_end(const struct kept *kept) {
  close(kept->files[0]);
  if (kept->files[1] != kept->files[0]) close(kept->files[1]);
}

static bool write_whole(int fd, const char *from, size_t bytes) {
  while (bytes) {
    ssize_t n = write(fd, from, bytes);
    if (n < 0 && errno != EINTR) return false;
    if (n < 0) continue;
    from += n;
    bytes -= (size_t)n;
  }
  return true;
}

static bool show_file(int from, int to) {
  char bytes[1 << 16];
  off_t at = 0;
  for (ssize_t n; (n = pread(from, bytes, sizeof bytes, at)) > 0; at += n)
    if (!write_whole(to, bytes, (size_t)n)) return false;
  return true;
}

static bool show(const struct kept *kept) {
  bool shown = show_file(kept->files[0], STDOUT_FILENO);
  return (kept->files[1] == kept->files[0] || show_file(kept->files[1], STDERR_FILENO)) && shown;
}

/* Other meetings of threads than on all processors. */
static void use_one_processor(void) {
  cpu_set_t all, one;
  if (sched_getaffinity(0, sizeof all, &all)) return;
  CPU_ZERO(&one);
  for (unsigned i = 0; i < CPU_SETSIZE && !CPU_COUNT(&one); i++)
    if (CPU_ISSET(i, &all)) CPU_SET(i, &one);
  sched_setaffinity(0, sizeof one, &one);
}

/* The wait status of a try; -1: it could not be made. */
static int try_once(unsigned number, const struct kept *kept, int (*replay)(void *context), void *context) {
  int status;
  fflush(NULL);
  pid_t pid = fork();
  if (pid < 0) return -1;
  if (!pid) {
    prctl(PR_SET_PDEATHSIG, SIGTERM);
    dup2(kept->files[0], STDOUT_FILENO);
    dup2(kept->files[1], STDERR_FILENO);
    if (number % 2) use_one_processor();
    status = replay(context);
    fflush(NULL);
    _exit(status);
  }
  while (waitpid(pid, &status, 0) < 0)
    if (errno != EINTR) return -1;
  return status;
}

static int fail(const char *what) {
  fprintf(stderr, "reprise: %s\n", what);
  return FAILED;
}

int replay_in_tries(unsigned tries, int (*replay)(void *context), void *context) {
  for (unsigned i = 0;; i++) {
    struct kept kept;
    if (!keep_begin(&kept)) return fail("the output of a replay can't be kept");
    int status = try_once(i, &kept, replay, context);
    if (status < 0) return fail("no process for a replay");
    bool again = WIFEXITED(status) && WEXITSTATUS(status) == DIVERGED;
    if (again && i + 1 < tries) {
      keep_end(&kept);
      continue;
    }
    if (!show(&kept)) return fail("the output can't be written");
    keep_end(&kept);
    if (again) fprintf(stderr, "reprise: none of %u tries did what the recording did\n", tries);
    return manager_leave(status);
  }
}
