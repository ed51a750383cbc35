/* Races with the kernel: read() puts bytes into a buffer that the other threads read and write meanwhile, and write() sends
 * what they may be changing. */
#include "race.h"

enum { BYTES = 300 };
static volatile uint8_t buffer[BYTES];
static int pipes[RACE_THREADS][2];

static void use_kernel(unsigned me, unsigned i) {
  CHECK(write(pipes[me][1], (const void *)buffer, BYTES) == BYTES);
  CHECK(read(pipes[me][0], (void *)buffer, BYTES - i % 7) == (ssize_t)(BYTES - i % 7));
  char rest[8];
  if (i % 7) CHECK(read(pipes[me][0], rest, i % 7) == (ssize_t)(i % 7));
}

static void run(unsigned me) {
  CHECK(!pipe(pipes[me]));
  for (unsigned i = 0; i < race_rounds; i++) {
    if (i % 4 == me % 4) use_kernel(me, i);
    for (unsigned k = 0; k < 40; k++) {
      unsigned at = race_mix(i + k, me) % BYTES;
      race_note(me, buffer[at]);
      buffer[at] = (uint8_t)(me + i + k);
    }
  }
}

int main(int argc, char **argv) {
  return race_run(argc, argv, 400, run, NULL);
}
