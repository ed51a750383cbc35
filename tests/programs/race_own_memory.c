/* A process writes its own memory by calls that know it by its address alone, or through its file, whatever the protection,
 * while its threads look. */
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/uio.h>
#include <unistd.h>

#include "race.h"

enum { WORDS = 16, PAGE = 4096 };
static volatile uint32_t
    *places[4]; /* to be written as usual; read only; shared; not to be read either, but for a moment */
static int memory;

static void *page(int protection, int flags) {
  void *at = mmap(NULL, PAGE, protection, flags | MAP_ANONYMOUS, -1, 0);
  CHECK(at != MAP_FAILED);
  return at;
}

static void by_file(unsigned place, unsigned word, uint32_t value) {
  off_t at = (off_t)(uintptr_t)&places[place][word];
  if (word % 2)
    CHECK(pwrite(memory, &value, sizeof value, at) == sizeof value);
  else {
    struct iovec parts[2] = {{&value, 1}, {(char *)&value + 1, 3}};
    CHECK(pwritev(memory, parts, 2, at) == sizeof value);
  }
}

static void by_address(unsigned word, uint32_t value) {
  struct iovec from = {&value, sizeof value}, to = {(void *)&places[0][word], sizeof value};
  CHECK(process_vm_writev(getpid(), &from, 1, &to, 1, 0) == sizeof value);
}

static uint32_t look_by_address(unsigned word) {
  uint32_t value = 0;
  struct iovec to = {&value, sizeof value}, from = {(void *)&places[2][word], sizeof value};
  CHECK(process_vm_readv(getpid(), &to, 1, &from, 1, 0) == sizeof value);
  return value;
}

static void run(unsigned me) {
  uint32_t x = me + 1;
  for (unsigned i = 0; i < race_rounds; i++) {
    unsigned word = x % WORDS;
    by_file(i % 3, word, x);
    by_address((word + 1) % WORDS, x + i);
    for (unsigned k = 0; k < 3; k++)
      for (unsigned w = 0; w < WORDS; w++) x = race_mix(x, places[k][w]);
    places[0][word]++;
    x = race_mix(x, look_by_address(word));
  }
  race_note(me, x);
}

static uint32_t more(void) {
  uint32_t sum = 0;
  by_file(3, 1, 7);
  CHECK(!mprotect((void *)places[3], PAGE, PROT_READ));
  sum = places[3][1];
  /* The position that a plain write has, at the memory itself. */
  CHECK(lseek(memory, (off_t)(uintptr_t)&places[1][2], SEEK_SET) > 0);
  CHECK(write(memory, "by plain", 8) == 8);
  for (unsigned w = 0; w < WORDS; w++) sum = race_mix(sum, places[1][w]);
  CHECK(pwrite(memory, "nowhere", 7, 0x1000) == -1);
  return sum;
}

int main(int argc, char **argv) {
  places[0] = page(PROT_READ | PROT_WRITE, MAP_PRIVATE);
  places[1] = page(PROT_READ, MAP_PRIVATE);
  places[2] = page(PROT_READ | PROT_WRITE, MAP_SHARED);
  places[3] = page(PROT_NONE, MAP_PRIVATE);
  CHECK((memory = open("/proc/self/mem", O_RDWR)) >= 0);
  return race_run(argc, argv, 40, run, more);
}
