/* Counts for more than half a second and ends with 3. */
#include <stdio.h>
#include <time.h>

static volatile int rounds;

int main(void) {
  struct timespec pause = {0, 1000000};
  for (int i = 0; i < 600; i++) {
    nanosleep(&pause, NULL);
    rounds++;
  }
  printf("%d rounds\n", rounds);
  return 3;
}
