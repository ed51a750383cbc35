/* Mapped files far larger than what is in them: they cost their data, not their size. Data and holes come back where they were. */
#include <fcntl.h>
#include <sys/mman.h>

#include "sys_helpers.h"

#define SIZE (1UL << 41)

static int make(void) {
  int fd = memfd_create("sparse", 0);
  CHECK(fd >= 0 && !ftruncate(fd, (off_t)SIZE));
  CHECK(pwrite(fd, "beginning", 9, 0) == 9);
  CHECK(pwrite(fd, "middle", 6, (off_t)(SIZE / 2 + 12345)) == 6);
  CHECK(pwrite(fd, "end", 3, (off_t)SIZE - 3) == 3);
  return fd;
}

static void show(int fd, int flags) {
  char *first = mmap(NULL, 4096, PROT_READ, flags, fd, 0);
  char *middle = mmap(NULL, 65536, PROT_READ, flags, fd, (off_t)(SIZE / 2));
  char *last = mmap(NULL, 4096, PROT_READ, flags, fd, (off_t)SIZE - 4096);
  char *hole = mmap(NULL, 4096, PROT_READ, flags, fd, (off_t)(SIZE / 4));
  CHECK(first != MAP_FAILED && middle != MAP_FAILED && last != MAP_FAILED && hole != MAP_FAILED);
  say("%.9s %.6s %.3s %d\n", first, middle + 12345, last + 4093, hole[100]);
}

int main(void) {
  int fd = make(), other = make();
  show(fd, MAP_PRIVATE);
  char *written = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, other, (off_t)(SIZE / 8));
  CHECK(written != MAP_FAILED);
  strcpy(written, "stored");
  char back[7] = {0};
  CHECK(pread(other, back, 6, (off_t)(SIZE / 8)) == 6);
  show(other, MAP_SHARED);
  CHECK(!fallocate(other, 0, (off_t)(SIZE / 8), 4096)); /* room, but the same content */
  say("%s %s\n", back, written);
  return 0;
}
