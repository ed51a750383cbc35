/* Shared mappings are seen by children and the file; private ones are not; a file written shows in the
 * mapping. */
#include "sys_helpers.h"
#include <sys/mman.h>

enum { P = 4096, RW = PROT_READ | PROT_WRITE };

int main(void) {
  int file = scratch_file();
  char text[16] = "";
  CHECK(ftruncate(file, 2 * P) == 0 && pwrite(file, "original", 8, 0) == 8 &&
        pwrite(file, "second", 6, P) == 6);
  char *shared = mmap(NULL, 2 * P, RW, MAP_SHARED, file, 0),
       *private = mmap(NULL, 2 * P, RW, MAP_PRIVATE, file, 0);
  char *anonymous = mmap(NULL, P, RW, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  char *second = mmap(NULL, P, PROT_READ, MAP_SHARED, file, P);
  CHECK(shared != MAP_FAILED && private != MAP_FAILED && anonymous != MAP_FAILED && second != MAP_FAILED);
  say("%s %s %s\n", shared, private, second);
  pid_t child = fork();
  if (child == 0) {
    memcpy(shared, "CHILD", 5);
    memcpy(private, "hidden", 6);
    strcpy(anonymous, "from the child");
    CHECK(pwrite(file, "SECOND", 6, P) == 6);
    say("child: %s %s %s\n", shared, private, second);
    _exit(0);
  }
  CHECK(reap(child) == 0);
  say("parent: %s %s %s, anonymous %s\n", shared, private, second, anonymous);
  private[0] = 'P';
  memcpy(shared, "again", 5);
  CHECK(pread(file, text, 8, 0) == 8);
  say("file %s, private %s\n", text, private);
  CHECK(msync(shared, 2 * P, MS_SYNC) == 0);
  say("msync of a hole: ");
  CHECK(munmap(shared + P, P) == 0);
  say("%s\n", outcome(msync(shared, 2 * P, MS_SYNC)));
  CHECK(close(file) == 0);
  shared[0] = 'Z';
  say("after close: %s\n", shared);
  return 0;
}
