/* Memory calls that fail, or succeed, by how the kernel has cut a range: what they leave is the same everywhere. */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/ipc.h>
#include <sys/mman.h>
#include <sys/shm.h>
#include <sys/wait.h>
#include <unistd.h>

#include "check.h"

enum { PAGE = 4096, PAGES = 6 };

static char *pages(int count) {
  char *p = mmap(NULL, (size_t)count * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  CHECK(p != MAP_FAILED);
  for (int i = 0; i < count; i++) p[i * PAGE] = (char)('a' + i);
  return p;
}

static void show(const char *what, int result, const char *p, int count) {
  printf("%s: %s, ", what, result ? strerror(errno) : "done");
  for (int i = 0; i < count; i++) putchar(p[i * PAGE] ? p[i * PAGE] : '-');
  putchar('\n');
}

/* A lock ends it: pages before it are gone, those behind are not. What follows depends on it, calls and all. When free pages go is up to the
 * kernel. */
static void locked(int advice, const char *name) {
  char *p = pages(PAGES);
  CHECK(!mlock(p + 3 * PAGE, PAGE));
  int result = madvise(p, PAGES * PAGE, advice);
  if (p[0] && advice == MADV_DONTNEED)
    for (volatile long i = 0; i < 10000000; i++) {
    }
  int shown = advice == MADV_FREE ? 3 : 0;
  show(name, result, p + shown * PAGE, PAGES - shown);
  CHECK(!munlockall());
}

/* A hole does not end it, a lock behind the hole does. */
static void hole_and_lock(void) {
  char *p = pages(PAGES);
  CHECK(!munmap(p + PAGE, PAGE));
  int result = madvise(p, PAGE * 3, MADV_DONTNEED);
  printf("hole: %s, %d %d\n", result ? strerror(errno) : "done", p[0], p[2 * PAGE]);
  p[0] = p[2 * PAGE] = 'x';
  CHECK(!mlock(p + 3 * PAGE, PAGE));
  result = madvise(p, PAGES * PAGE, MADV_DONTNEED);
  printf("hole and lock: %s, %d %d %d %d\n", result ? strerror(errno) : "done", p[0], p[2 * PAGE],
         p[3 * PAGE], p[4 * PAGE]);
  CHECK(!munlockall());
}

/* Free pages must be anonymous. */
static void free_file(void) {
  char *p = pages(3);
  int fd = memfd_create("file", 0);
  CHECK(!ftruncate(fd, PAGE));
  CHECK(mmap(p + PAGE, PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_FIXED, fd, 0) == p + PAGE);
  p[PAGE] = 'f';
  int result = madvise(p, 3 * PAGE, MADV_FREE);
  printf("free of a file: %s, %c %c\n", result ? strerror(errno) : "done", p[PAGE], p[2 * PAGE]);
}

/* What a child gets, up to the mapping that can't be wiped. */
static void wiped(void) {
  char *p = pages(4);
  CHECK(mmap(p + 2 * PAGE, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS | MAP_FIXED, -1, 0) ==
        p + 2 * PAGE);
  p[2 * PAGE] = 's';
  int result = madvise(p, 4 * PAGE, MADV_WIPEONFORK);
  fflush(stdout);
  if (!fork()) {
    show("wiped", result, p, 4);
    fflush(stdout);
    _exit(0);
  }
  CHECK(wait(NULL) > 0);
}

/* A shared mapping of a file that is open for reading can't become writable; what lies before it can. */
static void protection(void) {
  char path[] = "/proc/self/fd/0000000000";
  char *p = pages(3);
  int fd = memfd_create("file", 0);
  CHECK(!ftruncate(fd, PAGE));
  snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
  FILE *file = fopen(path, "r");
  CHECK(file);
  CHECK(!mprotect(p, 3 * PAGE, PROT_READ));
  CHECK(mmap(p + PAGE, PAGE, PROT_READ, MAP_SHARED | MAP_FIXED, fileno(file), 0) == p + PAGE);
  int result = mprotect(p, 3 * PAGE, PROT_READ | PROT_WRITE);
  printf("protection: %s\n", result ? strerror(errno) : "done");
  p[0] = 'w';
  int pipes[2];
  CHECK(!pipe(pipes) && write(pipes[1], "xyz", 3) == 3);
  ssize_t first = read(pipes[0], p, 1), last = read(pipes[0], p + 2 * PAGE, 1);
  printf("written: %zd, %zd %s\n", first, last, last < 0 ? strerror(errno) : "");
  fclose(file);
}

/* Two mappings of a file, made one after the other, are one for the kernel. */
static void merged(void) {
  int fd = memfd_create("file", 0);
  CHECK(!ftruncate(fd, 4 * PAGE) && pwrite(fd, "0", 1, 0) == 1 && pwrite(fd, "1", 1, PAGE) == 1 &&
        pwrite(fd, "2", 1, 2 * PAGE) == 1);
  char *p = mmap(NULL, 8 * PAGE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  CHECK(p != MAP_FAILED && !munmap(p + 3 * PAGE, PAGE));
  for (int i = 0; i < 2; i++)
    CHECK(mmap(p + i * PAGE, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, fd, i * PAGE) ==
          p + i * PAGE);
  char *moved = mremap(p, 2 * PAGE, 3 * PAGE, MREMAP_MAYMOVE);
  printf("moved: %s\n", moved == MAP_FAILED ? strerror(errno) : "done");
  if (moved != MAP_FAILED) printf("%c %c %c\n", moved[0], moved[PAGE], moved[2 * PAGE]);
  if (moved != MAP_FAILED) moved[PAGE] = 'n';
  char byte = 0;
  CHECK(pread(fd, &byte, 1, PAGE) == 1);
  printf("in the file: %c\n", byte);
}

/* A segment is known by where it would begin. */
static void segment(void) {
  int id = shmget(IPC_PRIVATE, 3 * PAGE, 0600);
  CHECK(id >= 0);
  char *p = shmat(id, NULL, 0);
  CHECK(p != (void *)-1);
  CHECK(!munmap(p, PAGE));
  int result = shmdt(p + PAGE);
  printf("its second page: %s\n", result ? strerror(errno) : "done");
  result = shmdt(p);
  printf("its beginning, unmapped: %s\n", result ? strerror(errno) : "done");
  result = msync(p + PAGE, PAGE, MS_ASYNC);
  printf("its rest is %s\n", result ? "gone" : "there");
  p = shmat(id, NULL, 0);
  char *room = mmap(NULL, 8 * PAGE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  CHECK(mremap(p + PAGE, 2 * PAGE, 2 * PAGE, MREMAP_MAYMOVE | MREMAP_FIXED, room + 4 * PAGE) ==
        room + 4 * PAGE);
  result = shmdt(room + 3 * PAGE);
  printf("moved: %s", result ? strerror(errno) : "done");
  result = shmdt(p);
  printf(", what stayed: %s\n", result ? strerror(errno) : "done");
  shmctl(id, IPC_RMID, NULL);
}

int main(void) {
  locked(MADV_DONTNEED, "dropped");
  locked(MADV_FREE, "free");
  hole_and_lock();
  free_file();
  wiped();
  protection();
  merged();
  segment();
  return 0;
}
