/* A loop: with a condition at its line that never holds, a debugger takes hours for it. */
#include <stdio.h>

#ifndef ROUNDS
#define ROUNDS 1000000
#endif

int main(void) {
  volatile unsigned long count = 0;
  while (count < ROUNDS) count++;
  printf("%lu\n", count);
  return 0;
}
