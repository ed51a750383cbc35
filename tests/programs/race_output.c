/* Threads write to standard output, from a buffer that they all change: what was written, and in which order, is shown
 * again. */
#include <unistd.h>

#include "race.h"

static volatile char buffer[8];

static void run(unsigned me) {
  for (unsigned i = 0; i < race_rounds; i++) {
    buffer[i % sizeof buffer] = (char)('a' + me);
    CHECK(write(STDOUT_FILENO, (const char *)buffer, 1 + i % sizeof buffer) > 0);
  }
}

int main(int argc, char **argv) {
  memset((char *)buffer, '-', sizeof buffer);
  return race_run(argc, argv, 200, run, NULL);
}
