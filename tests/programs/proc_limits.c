/* Resource limits: file size, open files, address space; raising, lowering,
 * inheriting. */
#include "sys_helpers.h"
#include <fcntl.h>
#include <sys/mman.h>

static void show(int sig, siginfo_t *info, void *context) {
  (void)info, (void)context;
  say("  SIG%s\n", sigabbrev_np(sig));
}

static void file_size(void) {
  int file = scratch_file();
  struct rlimit old;
  CHECK(getrlimit(RLIMIT_FSIZE, &old) == 0);
  CHECK(setrlimit(RLIMIT_FSIZE, &(struct rlimit){1000, old.rlim_max}) == 0);
  handle(SIGXFSZ, show, 0);
  say("up to the limit: %zd\n", write(file, (char[2000]){0}, 2000));
  say("beyond: %s\n", outcome(write(file, "x", 1)));
  say("truncate: %s\n", outcome(ftruncate(file, 5000)));
  signal(SIGXFSZ, SIG_DFL);
  pid_t child = fork();
  if (child == 0) _exit((int)write(file, "x", 1));
  say_status("default", reap(child));
  CHECK(setrlimit(RLIMIT_FSIZE, &old) == 0);
}

static void open_files(void) {
  closefrom(3);
  struct rlimit old, low = {8, 100}, now;
  CHECK(getrlimit(RLIMIT_NOFILE, &old) == 0);
  low.rlim_max = old.rlim_max;
  CHECK(dup2(1, 50) == 50 && setrlimit(RLIMIT_NOFILE, &low) == 0);
  int count = 0;
  while (open("/dev/null", O_RDONLY) >= 0) count++;
  say("opened %d then %s, one above still works: %s\n", count, strerrorname_np(errno),
      outcome(fcntl(50, F_GETFD)));
  say("dup2 above: %s, pipe: %s\n", outcome(dup2(1, 60)), outcome(pipe((int[2]){0, 0})));
  say("dup above: %s\n", outcome(fcntl(1, F_DUPFD, 60)));
  pid_t child = fork();
  if (child == 0) _exit(getrlimit(RLIMIT_NOFILE, &now) == 0 ? (int)now.rlim_cur : 99);
  say_status("child's limit", reap(child));
  CHECK(setrlimit(RLIMIT_NOFILE, &old) == 0);
  closefrom(3);
}

static void memory(void) {
  struct rlimit old;
  CHECK(getrlimit(RLIMIT_AS, &old) == 0);
  CHECK(setrlimit(RLIMIT_AS, &(struct rlimit){1 << 20, old.rlim_max}) == 0);
  void *volatile p = mmap(NULL, 16 << 20, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  say("address space: %s\n", p == MAP_FAILED ? strerrorname_np(errno) : "ok");
  p = malloc(64 << 20);
  say("malloc: %s\n", p ? "ok" : strerrorname_np(errno));
  CHECK(setrlimit(RLIMIT_AS, &old) == 0);
  p = malloc(64 << 20);
  say("lifted: %s\n", p ? "ok" : strerrorname_np(errno));
  free(p);
}

static void errors(void) {
  struct rlimit limit;
  say("soft above hard: %s\n", outcome(setrlimit(RLIMIT_CORE, &(struct rlimit){10, 5})));
  say("no such limit: %s\n", outcome(getrlimit(99, &limit)));
  struct rlimit old;
  CHECK(getrlimit(RLIMIT_SIGPENDING, &limit) == 0);
  struct rlimit new = {limit.rlim_max / 4, limit.rlim_max / 2};
  CHECK(prlimit(0, RLIMIT_SIGPENDING, &new, &old) == 0 && prlimit(0, RLIMIT_SIGPENDING, NULL, &limit) == 0);
  say("prlimit: %d %d\n", limit.rlim_cur == new.rlim_cur, limit.rlim_max == new.rlim_max);
}

int main(void) {
  file_size();
  open_files();
  memory();
  errors();
  return 0;
}
