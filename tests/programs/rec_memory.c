/* Memory that comes from the kernel, or goes back to it, and what it then holds: pages that may be dropped at any time, moved,
 * zeroed, shared with a child, residency, the identifiers that the kernel writes. Goes out through a write, so that a replay
 * in which it is another fails. */
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include "check.h"

enum { PAGE = 4096, PAGES = 64, BYTES = PAGES * PAGE };

static int out;

static void put(const void *from, size_t bytes) {
  CHECK(write(out, from, bytes) == (ssize_t)bytes);
}

static char *map(int flags) {
  char *at = mmap(NULL, BYTES, PROT_READ | PROT_WRITE, flags | MAP_ANONYMOUS, -1, 0);
  CHECK(at != MAP_FAILED);
  return at;
}

/* Dropped when the kernel likes, or not at all. */
static void freed(void) {
  char *at = map(MAP_PRIVATE);
  memset(at, 'f', BYTES);
  CHECK(madvise(at, BYTES, MADV_FREE) == 0);
  memset(at + BYTES / 2, 'g', PAGE);
  put(at, BYTES);
  CHECK(madvise(at, BYTES, MADV_DONTNEED) == 0);
  put(at, BYTES);
}

static void moved(void) {
  char *at = map(MAP_PRIVATE);
  for (int i = 0; i < PAGES; i++) at[i * PAGE] = (char)i;
  char *to = mremap(at, BYTES, 2 * BYTES, MREMAP_MAYMOVE);
  CHECK(to != MAP_FAILED);
  put(&to, sizeof to);
  put(to, 2 * BYTES);
}

static void resident(void) {
  unsigned char vector[PAGES];
  char *at = map(MAP_PRIVATE);
  at[5 * PAGE] = 1;
  CHECK(mincore(at, BYTES, vector) == 0);
  put(vector, sizeof vector);
  uint64_t entry[2];
  int fd = open("/proc/self/pagemap", O_RDONLY);
  if (fd >= 0 && pread(fd, entry, sizeof entry, (long)at / PAGE * 8) == (ssize_t)sizeof entry)
    put(entry, sizeof entry);
}

/* Both write, without any order but that of the kernel's calls. */
static void shared_with_child(void) {
  char *at = map(MAP_SHARED);
  if (!fork()) {
    for (int i = 0; i < 200000; i++) at[i % BYTES]++;
    _exit(0);
  }
  for (int i = 0; i < 200000; i++) at[i % BYTES] += 2;
  put(at, BYTES);
  CHECK(wait(NULL) > 0);
  put(at, BYTES);
}

/* A thread's stack, with what is left on it by the thread before. */
static void *leave_and_look(void *arg) {
  char room[8192], *at = room;
  __asm__ volatile("" : "+r"(at) : : "memory"); /* never mind that nobody has written it */
  put(at, sizeof room);
  memset(at, *(int *)arg, sizeof room);
  __asm__ volatile("" : : "r"(at) : "memory");
  long ids[2] = {syscall(SYS_gettid), (long)pthread_self()};
  put(ids, sizeof ids);
  return NULL;
}

int main(void) {
  out = open("/dev/null", O_WRONLY);
  CHECK(out >= 0);
  put((const void *)getauxval(AT_RANDOM), 16);
  for (unsigned long type = 0; type < 64; type++) {
    unsigned long value = getauxval(type);
    put(&value, sizeof value);
  }
  freed();
  moved();
  resident();
  shared_with_child();
  for (int i = 0; i < 4; i++) {
    pthread_t thread;
    CHECK(pthread_create(&thread, NULL, leave_and_look, &i) == 0 && pthread_join(thread, NULL) == 0);
  }
  void *heap = malloc(100000);
  put(heap, 100000);
  printf("done\n");
  return 0;
}
