/* Mapped files that change under the mapping, by every call that can: pages that were not written in a private mapping, and all
 * of a shared one, show it. */
#include <fcntl.h>
#include <linux/falloc.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <sys/uio.h>
#include <sys/wait.h>

#include "check.h"

enum { PAGE = 4096, PAGES = 8 };

static char *private_map, *shared_map, *writable_map, *read_only;

/* One line per change: the first bytes of each page, as each mapping shows them. */
static void show(const char *what) {
  printf("%-16s", what);
  const char *maps[] = {private_map, shared_map, writable_map, read_only};
  for (int m = 0; m < 4; m++) {
    putchar(' ');
    for (int i = 0; i < PAGES; i++) putchar(maps[m][i * PAGE] ? maps[m][i * PAGE] : '.');
  }
  putchar('\n');
}

static char *map(int prot, int type, int fd) {
  char *at = mmap(NULL, PAGES * PAGE, prot, type, fd, 0);
  CHECK(at != MAP_FAILED);
  return at;
}

static int make(const char *name, char letter) {
  int fd = open(name, O_RDWR | O_CREAT | O_TRUNC, 0600);
  CHECK(fd >= 0);
  char page[PAGE];
  memset(page, letter, sizeof page);
  for (int i = 0; i < PAGES; i++) CHECK(write(fd, page, PAGE) == PAGE);
  return fd;
}

static void in_child(int fd) {
  if (!fork()) {
    CHECK(pwrite(fd, "k", 1, 5 * PAGE) == 1);
    writable_map[6 * PAGE] = 'm';
    _exit(0);
  }
  CHECK(wait(NULL) > 0);
}

int main(void) {
  int fd = make("file", 'a'), other = make("other", 'z'), ends[2];
  int reading = open("file", O_RDONLY);
  private_map = map(PROT_READ | PROT_WRITE, MAP_PRIVATE, reading);
  read_only = map(PROT_READ, MAP_PRIVATE, reading);
  shared_map = map(PROT_READ, MAP_SHARED, reading);
  writable_map = map(PROT_READ | PROT_WRITE, MAP_SHARED, fd);
  show("at first");
  private_map[0] = 'P';
  CHECK(pwrite(fd, "b", 1, 0) == 1 && pwrite(fd, "b", 1, PAGE) == 1);
  show("pwrite");
  CHECK(lseek(fd, 2 * PAGE, SEEK_SET) == 2 * PAGE && write(fd, "c", 1) == 1);
  show("write");
  struct iovec parts[2] = {{"d", 1}, {"ef", 2}};
  CHECK(lseek(fd, 3 * PAGE, SEEK_SET) == 3 * PAGE && writev(fd, parts, 2) == 3);
  CHECK(pwritev(fd, parts, 1, 4 * PAGE) == 1 && pwritev2(fd, parts + 1, 1, 5 * PAGE, 0) == 2);
  show("vectors");
  writable_map[7 * PAGE] = 'g';
  show("store");
  off_t from = 0, to = PAGE;
  CHECK(copy_file_range(other, &from, fd, &to, 1, 0) == 1);
  from = 0;
  CHECK(lseek(fd, 2 * PAGE, SEEK_SET) >= 0 && sendfile(fd, other, &from, 2) == 2);
  show("copied");
  CHECK(pipe(ends) == 0 && write(ends[1], "hhh", 3) == 3);
  to = 3 * PAGE;
  CHECK(splice(ends[0], NULL, fd, &to, 3, 0) == 3);
  show("spliced");
  CHECK(fallocate(fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, 4 * PAGE, PAGE) == 0);
  show("hole");
  in_child(fd);
  show("by a child");
  CHECK(ftruncate(fd, PAGE) == 0 && ftruncate(fd, PAGES * PAGE) == 0);
  show("cut and grown");
  int appending = open("file", O_WRONLY | O_APPEND);
  CHECK(ftruncate(fd, 2 * PAGE) == 0 && write(appending, "i", 1) == 1 && pwrite(appending, "j", 1, 0) == 1);
  CHECK(truncate("file", PAGES * PAGE) == 0);
  show("appended");
  printf("%s\n", shared_map + 2 * PAGE);
  CHECK(unlink("file") == 0);
  CHECK(pwrite(fd, "n", 1, 7 * PAGE) == 1);
  show("without a name");

  /* A file that is mapped when nobody has it open for writing. */
  close(other);
  other = open("other", O_RDONLY);
  char *quiet = map(PROT_READ, MAP_PRIVATE, other);
  int late = open("other", O_WRONLY);
  CHECK(pwrite(late, "later", 5, 0) == 5);
  printf("%.6s\n", quiet);
  CHECK(close(open("other", O_WRONLY | O_TRUNC)) == 0 && pwrite(late, "again", 5, 10) == 5);
  printf("%d %s\n", quiet[0], quiet + 10);

  /* Memory files and descriptors that outlive their mappings. */
  int memory = memfd_create("memory", 0);
  CHECK(ftruncate(memory, PAGES * PAGE) == 0);
  char *first = map(PROT_READ | PROT_WRITE, MAP_SHARED, memory);
  strcpy(first, "kept in the file");
  CHECK(munmap(first, PAGES * PAGE) == 0 && pwrite(memory, "K", 1, 0) == 1);
  char *second = map(PROT_READ | PROT_WRITE, MAP_PRIVATE, memory);
  char *third = map(PROT_READ | PROT_WRITE, MAP_SHARED, memory);
  third[1] = 'E';
  printf("%s\n", second);
  CHECK(madvise(third, PAGE, MADV_REMOVE) == 0);
  printf("removed: %d %d\n", second[0], third[0]);
  char *zero = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE, open("/dev/zero", O_RDWR), 0);
  CHECK(zero != MAP_FAILED && !zero[5]);
  char *checked = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED_VALIDATE, open("/dev/zero", O_RDWR), 0);
  CHECK(checked != MAP_FAILED && !checked[5]);
  return 0;
}
