/* mlockall and munlockall: what is mapped from then on is resident at once or on first use, counts towards RLIMIT_MEMLOCK, and no
 * further than that; new threads have room; not inherited by fork. */
#include "mem_resident.h"
#include <pthread.h>
#include <sys/resource.h>
#include <sys/shm.h>

enum { PAGES = 16, LIMIT = 1 << 20 };

static void limit_to(rlim_t bytes) {
  struct rlimit limit = {bytes, bytes};
  CHECK(setrlimit(RLIMIT_MEMLOCK, &limit) == 0);
}

static void *map(int pages) {
  return mmap(NULL, (size_t)pages * P, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
}

static void say_mapped(const char *when) {
  long before = locked_kb();
  char *base = map(PAGES);
  CHECK(base != MAP_FAILED);
  say("%s: resident %d, more locked %ld kB\n", when, resident(base, PAGES), locked_kb() - before);
  base[3 * P] = 1;
  say("%s, one touched: resident %d\n", when, resident(base, PAGES));
  CHECK(munmap(base, PAGES * P) == 0);
}

static void say_attached(const char *when) {
  int id = shmget(IPC_PRIVATE, PAGES * P, IPC_CREAT | 0600);
  CHECK(id >= 0);
  long before = locked_kb();
  char *base = shmat(id, NULL, 0);
  CHECK(base != (void *)-1);
  CHECK(shmctl(id, IPC_RMID, NULL) == 0);
  say("%s, attached: more locked %ld kB\n", when, locked_kb() - before);
  CHECK(shmdt(base) == 0);
}

static void *visitor(void *out) {
  *(int *)out = 1;
  return NULL;
}

/* Stacks of their own, small enough for the limit. */
static int visit(void) {
  pthread_attr_t attributes;
  pthread_t threads[4];
  int visits[4] = {0}, sum = 0;
  CHECK(pthread_attr_init(&attributes) == 0);
  CHECK(pthread_attr_setstacksize(&attributes, 32 * P) == 0);
  for (int i = 0; i < 4; i++) CHECK(pthread_create(&threads[i], &attributes, visitor, &visits[i]) == 0);
  for (int i = 0; i < 4; i++) CHECK(pthread_join(threads[i], NULL) == 0);
  for (int i = 0; i < 4; i++) sum += visits[i];
  return sum;
}

int main(void) {
  CHECK(geteuid() || setresuid(65534, 65534, 65534) == 0); /* who may lock anything has no limit */
  limit_to(LIMIT);
  say_mapped("before");
  say("current, more than the limit: %s\n", outcome(mlockall(MCL_CURRENT)));
  say("bad flags: %s, ", outcome(mlockall(MCL_ONFAULT)));
  say("%s\n", outcome(mlockall(64)));
  CHECK(mlockall(MCL_FUTURE) == 0);
  say_mapped("future");
  say_attached("future");
  say("too much: %s, ", outcome(map(2 * LIMIT / P) == MAP_FAILED ? -1 : 0));
  say("heap %s\n", outcome(sbrk(2 * LIMIT) == (void *)-1 ? -1 : 0));
  say("threads: %d\n", visit());
  pid_t child = fork();
  if (child == 0) {
    say_mapped("child");
    _exit(0);
  }
  say_status("child", reap(child));
  CHECK(mlockall(MCL_FUTURE | MCL_ONFAULT) == 0);
  say_mapped("on fault");
  say_attached("on fault");
  say("too much on fault: %s\n", outcome(map(2 * LIMIT / P) == MAP_FAILED ? -1 : 0));
  CHECK(munlockall() == 0);
  say_mapped("unlocked");
  limit_to(0);
  say("no limit left: %s\n", outcome(mlockall(MCL_FUTURE)));
  return 0;
}
