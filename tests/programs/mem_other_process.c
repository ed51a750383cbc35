/* process_vm_readv and writev, and /proc/PID/mem: a parent reads and writes its child's memory, partly and
 * wrongly. */
#include "sys_helpers.h"
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/uio.h>

int main(void) {
  int ready[2], gate[2];
  char text[64] = "", *page = mmap(NULL, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  CHECK(page != MAP_FAILED && munmap(page + 4096, 4096) == 0 && pipe(ready) == 0 && pipe(gate) == 0);
  strcpy(page, "parent's");
  pid_t child = fork();
  if (child == 0) {
    strcpy(page, "child's own");
    memset(page + 4000, 'e', 96);
    CHECK(write(ready[1], "r", 1) == 1 && read(gate[0], text, 1) == 1);
    say("child now has: %s / %s\n", page, page + 100);
    _exit(0);
  }
  CHECK(read(ready[0], text, 1) == 1);
  struct iovec here = {text, 20}, there = {page, 20};
  CHECK(process_vm_readv(child, &here, 1, &there, 1, 0) == 20);
  say("read: %s, our own: %s\n", text, page);
  there = (struct iovec){page + 4090, 20};
  long n = process_vm_readv(child, &here, 1, &there, 1, 0);
  say("over the end: %ld %s\n", n, outcome(n));
  there = (struct iovec){page + 4096, 20};
  say("beyond: %s\n", outcome(process_vm_readv(child, &here, 1, &there, 1, 0)));
  struct iovec parts[2] = {{"written ", 8}, {"in two", 7}};
  there = (struct iovec){page, 64};
  say("written %zd\n", process_vm_writev(child, parts, 2, &there, 1, 0));
  char path[64];
  snprintf(path, sizeof path, "/proc/%d/mem", child);
  int memory = open(path, O_RDWR);
  CHECK(memory >= 0 && pwrite(memory, "by file", 8, (off_t)page + 100) == 8);
  CHECK(write(gate[1], "g", 1) == 1 && reap(child) == 0);
  say("no such process: %s\n", outcome(process_vm_readv(0x3fffffff, &here, 1, &there, 1, 0)));
  here = (struct iovec){text, 9}, there = (struct iovec){page, 9};
  say("oneself: %zd", process_vm_readv(getpid(), &here, 1, &there, 1, 0));
  say(" %s\n", text);
  return 0;
}
