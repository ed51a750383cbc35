/* Processes race on shared memory by system calls: reading into it, writing from it, and changing the file behind it. */
#include <fcntl.h>

#include "race_processes.h"

enum { BYTES = 8192 };

static volatile uint32_t *shared;
static int file;

static void run(unsigned me) {
  int ends[2];
  uint32_t words[8];
  CHECK(!pipe(ends));
  for (unsigned i = 0; i < race_rounds; i++) {
    shared[i % 64] += me + 1;
    CHECK(write(ends[1], (const void *)(shared + i % 32), 32) == 32);
    CHECK(read(ends[0], (void *)(shared + 28 + i % 16), 16) == 16);
    CHECK(read(ends[0], words, 16) == 16);
    race_note(me, words[0] + words[3]);
    race_note(me, shared[(i * 5) % 64]);
    if (i % 32) continue;
    words[0] = i, words[1] = me;
    CHECK(pwrite(file, words, 8, 4 * (i % 64)) == 8);
    race_note(me, shared[(i + 1) % 64]);
  }
}

static uint32_t more(void) {
  uint32_t mixed = 0;
  for (unsigned i = 0; i < BYTES / 4; i++) mixed = race_mix(mixed, shared[i]);
  return mixed;
}

int main(int argc, char **argv) {
  char name[] = "/tmp/race_shared_calls.XXXXXX";
  file = mkstemp(name);
  CHECK(file >= 0 && !unlink(name) && !ftruncate(file, BYTES));
  shared = mmap(NULL, BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  CHECK(shared != MAP_FAILED);
  return race_fork(argc, argv, 300, run, more);
}
