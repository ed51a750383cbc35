/* A loop: with a condition at its line that never holds, a debugger takes hours for it. */
#include <stdio.h>

int main(void) {
  volatile unsigned long count = 0;
  while (count < 1000000) count++;
  printf("%lu\n", count);
  return 0;
}
