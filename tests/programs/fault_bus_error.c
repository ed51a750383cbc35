/* SIGBUS beyond the end of a mapped file, BUS_ADRERR with the address; growing the file in the handler
 * cures it. */
#include "sys_helpers.h"
#include <setjmp.h>
#include <sys/mman.h>

static char *map;
static int file;
static volatile int cure, faults;
static sigjmp_buf back;

static void on_bus(int sig, siginfo_t *info, void *context) {
  (void)context;
  faults++;
  say("SIG%s code %d at +%ld\n", sigabbrev_np(sig), info->si_code, (long)((char *)info->si_addr - map));
  if (!cure) siglongjmp(back, 1);
  CHECK(ftruncate(file, 16384) == 0);
}

static void touch(const char *what, long offset, int write) {
  say("%s: ", what);
  if (sigsetjmp(back, 1)) return;
  volatile char *p = map + offset;
  if (write) *p = 'w';
  say("value %d\n", *p);
}

int main(void) {
  file = scratch_file();
  CHECK(ftruncate(file, 5000) == 0 && pwrite(file, "A", 1, 4999) == 1);
  map = mmap(NULL, 16384, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  CHECK(map != MAP_FAILED);
  handle(SIGBUS, on_bus, 0);
  touch("last byte", 4999, 0);
  touch("rest of its page", 5000, 0);
  touch("write there", 6000, 1);
  touch("next page", 8192, 0);
  touch("write to the page after", 12288 + 5, 1);
  cure = 1;
  touch("cured by growing", 8192 + 77, 1);
  touch("and after", 12288, 0);
  CHECK(ftruncate(file, 0) == 0);
  cure = 0;
  touch("file emptied", 0, 0);
  char *private = mmap(NULL, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE, file, 0);
  CHECK(private != MAP_FAILED);
  map = private;
  touch("private mapping of nothing", 4096, 1);
  say("faults %d\n", faults);
  return 0;
}
