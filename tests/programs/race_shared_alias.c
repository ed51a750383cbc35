/* Processes race on a memory file that each has mapped twice, at addresses of its own: both mappings are the same memory. Mappings
 * come, move and go meanwhile. */
#include "race_processes.h"

enum { BYTES = 16384 };

static int file;

static volatile uint32_t *map(size_t offset, size_t bytes) {
  void *at = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, (off_t)offset);
  CHECK(at != MAP_FAILED);
  return at;
}

static void run(unsigned me) {
  for (unsigned i = 0; i < me; i++) (void)map(0, BYTES); /* other addresses in each process */
  volatile uint32_t *whole = map(0, BYTES), *part = map(4096, 4096);
  for (unsigned i = 0; i < race_rounds; i++) {
    whole[1024 + i % 16]++;
    race_note(me, part[i % 16]);
    part[(i + 7) % 16] += me;
    race_note(me, whole[1024 + (i + 3) % 16]);
    if (i % 64 == 63) {
      volatile uint32_t *moved = mremap((void *)part, 4096, 8192, MREMAP_MAYMOVE);
      CHECK(moved != MAP_FAILED);
      moved[1024]++;
      race_note(me, whole[2048]);
      CHECK(!munmap((void *)moved, 8192));
      part = map(4096, 4096);
    }
  }
}

static uint32_t more(void) {
  volatile uint32_t *whole = map(0, BYTES);
  uint32_t mixed = 0;
  for (unsigned i = 0; i < BYTES / 4; i++) mixed = race_mix(mixed, whole[i]);
  return mixed;
}

int main(int argc, char **argv) {
  file = memfd_create("race", 0);
  CHECK(file >= 0 && !ftruncate(file, BYTES));
  return race_fork(argc, argv, 500, run, more);
}
