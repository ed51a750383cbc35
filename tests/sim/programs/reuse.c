/* reuse.c: threads and children map pages, fill them and give them back, again and again: more of them than a machine with little memory has, so
   that each is used for many things while lines of it are still in caches. A new page is zeros, an old one keeps what was written. */
#include <pthread.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "program.h"

enum { THREADS = 4, ROUNDS = 40, PAGES = 8, BYTES = PAGES * 4096 };

static uint64_t fill_and_sum(long me, int round) {
  uint64_t *words = mmap(NULL, BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0), sum = 0;
  CHECK(words != MAP_FAILED);
  for (unsigned n = 0; n < BYTES / 8; n += 8) {
    CHECK(words[n] == 0);
    words[n] = (uint64_t)me << 32 | (uint64_t)round << 16 | n;
  }
  for (unsigned n = 0; n < BYTES / 8; n += 8) sum = sum * 31 + words[n];
  CHECK(munmap(words, BYTES) == 0);
  return sum;
}

static void *work(void *argument) {
  uint64_t sum = 0;
  for (int round = 0; round < ROUNDS; round++) sum ^= fill_and_sum((long)argument, round);
  return (void *)(uintptr_t)sum;
}

/* Its pages are shared until it writes to them, and come back when it ends. */
static int child(void) {
  static char copied[16 * 4096];
  int status;
  memset(copied, 7, sizeof copied);
  pid_t pid = fork();
  if (!pid) {
    for (unsigned n = 0; n < sizeof copied; n++) copied[n]++;
    _exit(copied[sizeof copied - 1]);
  }
  CHECK(waitpid(pid, &status, 0) == pid);
  CHECK(copied[0] == 7);
  return WEXITSTATUS(status);
}

int main(void) {
  pthread_t thread[THREADS];
  void *sum;
  for (long n = 0; n < THREADS; n++) CHECK(pthread_create(&thread[n], NULL, work, (void *)n) == 0);
  for (long n = 0; n < THREADS; n++) {
    CHECK(pthread_join(thread[n], &sum) == 0);
    printf("%016lx\n", (unsigned long)(uintptr_t)sum);
  }
  for (int n = 0; n < 4; n++) printf("%d\n", child());
  return 0;
}
