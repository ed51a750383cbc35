/* The first process ends; the other one computes until the kernel kills it for that, which no log tells. */
#include <signal.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <unistd.h>

static volatile long rounds;

int main(void) {
  int ready[2];
  char byte;
  if (pipe(ready)) return 1;
  if (!fork()) {
    if (prctl(PR_SET_PDEATHSIG, SIGKILL) || write(ready[1], "r", 1) != 1) return 1;
    for (;;)
      if (++rounds % 1000000 == 0) getppid();
  }
  if (read(ready[0], &byte, 1) != 1) return 1;
  for (int i = 0; i < 30; i++) usleep(10000);
  printf("%ld rounds\n", rounds);
  return 3;
}
