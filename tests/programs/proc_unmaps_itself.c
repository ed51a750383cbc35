/* Children that unmap their own code, library or stack, or all at once, while their parent stops and continues them; every fifth is killed
 * while it is stopped. */
#include <errno.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

enum { CHILDREN = 20, WAYS = 6, AREA = 0x10000 };

static void unmap(uintptr_t at, size_t below) {
  at &= ~(uintptr_t)(AREA - 1);
  munmap((void *)(at - below), below + AREA);
}

static void unmap_itself(int way) {
  if (way == 0) unmap((uintptr_t)&way, 0);
  if (way == 1) unmap((uintptr_t)unmap_itself, 0);
  if (way == 2) unmap((uintptr_t)munmap, 0);
  if (way == 3) mprotect((void *)((uintptr_t)unmap_itself & ~(uintptr_t)(AREA - 1)), AREA, PROT_NONE);
  if (way == 4) unmap((uintptr_t)&way, 0x100000);
  if (way == 5)
    for (uintptr_t at = AREA; at < (uintptr_t)1 << 48; at += (uintptr_t)1 << 40)
      munmap((void *)at, (size_t)1 << 40);
  abort();
}

static void disturb(pid_t child, int times) {
  for (int i = 0; i < times; i++) {
    kill(child, SIGSTOP);
    if (i % 2) usleep(300);
    kill(child, SIGCONT);
  }
}

int main(void) {
  struct rlimit none = {0, 0};
  setrlimit(RLIMIT_CORE, &none);
  for (int i = 0; i < CHILDREN; i++) {
    int status;
    pid_t child = fork();
    if (!child) unmap_itself(i % WAYS);
    disturb(child, 3);
    if (i % 5 == 4) kill(child, SIGSTOP), kill(child, SIGKILL);
    while (waitpid(child, &status, 0) < 0 && errno == EINTR) continue;
    /* What is unmapped may or may not be what is needed next, and abort may need memory that is gone. */
    if (!WIFSIGNALED(status)) printf("child %d has not been killed: 0x%x\n", i, status);
  }
  puts("all gone");
  return 0;
}
