/* A race on a file that is mapped far beyond its end, and grows meanwhile, as databases do: what lies beyond faults until the file is there.
 * Threads see it through two mappings. Private memory four gigabytes below one of them races as well. */
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <sys/mman.h>

#include "race.h"

enum { PAGE_WORDS = 1024, PAGE_BYTES = 4096, FIRST = 2, MOST = 12, EVERY = 25 };
static const size_t far = 6UL << 30, below = 4UL << 30;
static volatile uint32_t *views[2], *private_words;
static __thread sigjmp_buf back;
static int file;

static void on_fault(int sig) {
  siglongjmp(back, sig);
}

static void grow(unsigned i) {
  static unsigned pages = FIRST;
  if (pages == MOST) return;
  off_t end = (off_t)pages * PAGE_BYTES;
  if (i % 3 == 0)
    CHECK(!ftruncate(file, end + PAGE_BYTES));
  else if (i % 3 == 1)
    CHECK(!posix_fallocate(file, end, PAGE_BYTES));
  else
    CHECK(pwrite(file, "grown", 5, end) == 5);
  pages++;
}

static void use(unsigned me, unsigned i) {
  unsigned at = race_mix(i, me) % MOST * PAGE_WORDS + i % 4;
  volatile uint32_t *file_words = views[(me + i / 8) % 2];
  uint32_t fault = (uint32_t)sigsetjmp(back, 1);
  if (!fault) {
    if (i % 8 == 0) {
      race_note(me, private_words[at]);
      private_words[at] += me + 1;
    }
    race_note(me, file_words[at]);
    file_words[at] = i;
  }
  race_note(me, fault);
}

static void run(unsigned me) {
  for (unsigned i = 0; i < race_rounds; i++) {
    if (me == 0 && i % EVERY == 0) grow(i / EVERY);
    use(me, i);
  }
}

int main(int argc, char **argv) {
  signal(SIGBUS, on_fault);
  file = memfd_create("race", 0);
  CHECK(file >= 0 && !ftruncate(file, FIRST * PAGE_BYTES));
  for (int i = 0; i < 2; i++) {
    views[i] = mmap(NULL, far, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    CHECK(views[i] != MAP_FAILED);
  }
  private_words = mmap((uint8_t *)views[1] - below, MOST * PAGE_BYTES, PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  CHECK(private_words != MAP_FAILED);
  return race_run(argc, argv, 400, run, NULL);
}
