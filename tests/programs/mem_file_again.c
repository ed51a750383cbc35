/* A file that is mapped again and again: unchanged, changed by this program under its old time and size, and replaced by another
 * of its name. */
#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "check.h"

enum { SIZE = 5000, TIMES = 20 };
static const struct timespec long_ago[2] = {{1000000000, 0}, {1000000000, 0}};

static void fill(const char *name, char letter) {
  char content[SIZE];
  memset(content, letter, sizeof content);
  int fd = open(name, O_WRONLY | O_CREAT, 0600);
  CHECK(fd >= 0 && write(fd, content, sizeof content) == SIZE);
  CHECK(!futimens(fd, long_ago) && !close(fd));
}

static char mapped(const char *name) {
  int fd = open(name, O_RDONLY);
  const char *at = mmap(NULL, SIZE, PROT_READ, MAP_PRIVATE, fd, 0);
  CHECK(at != MAP_FAILED && !close(fd));
  char letter = at[0];
  for (int i = 0; i < SIZE; i++) CHECK(at[i] == letter);
  CHECK(!munmap((void *)at, SIZE));
  return letter;
}

int main(void) {
  char folder[] = "/tmp/mem_file_again.XXXXXX", name[64], other[64];
  CHECK(mkdtemp(folder));
  snprintf(name, sizeof name, "%s/file", folder);
  snprintf(other, sizeof other, "%s/other", folder);
  fill(name, 'a');
  for (int i = 0; i < TIMES; i++) CHECK(mapped(name) == 'a');
  fill(name, 'b');
  for (int i = 0; i < TIMES; i++) CHECK(mapped(name) == 'b');
  fill(other, 'c');
  CHECK(!rename(other, name));
  for (int i = 0; i < TIMES; i++) CHECK(mapped(name) == 'c');
  CHECK(!unlink(name) && !rmdir(folder));
  puts("as they were");
}
