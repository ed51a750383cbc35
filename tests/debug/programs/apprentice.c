/* The child works all the time; its parent waits for what it writes, and crashes after a while. */
#include <stdio.h>
#include <sys/types.h>
#include <unistd.h>

enum { ROUNDS = 3000, WORK = 200000 };

static volatile long work, rounds;

static void count(void) {
  rounds++;
}

int main(void) {
  int channel[2];
  char byte;
  if (pipe(channel)) return 1;
  pid_t child = fork();
  if (!child) {
    close(channel[0]);
    while (write(channel[1], "x", 1) == 1)
      for (long i = 0; i < WORK; i++) work++;
    _exit(0);
  }
  close(channel[1]);
  while (rounds < ROUNDS && read(channel[0], &byte, 1) == 1) count();
  *(volatile int *)NULL = 0;
}
