/* One thread changes the constant in a function that the others call and read, through another view of its memory than they do. Now and then
 * there is a child that has this memory, too, and in the end the view is moved. */
#include <stdatomic.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "race.h"

enum { PAGE_BYTES = 4096, FORKS = 1000 };

static uint8_t *written, *executed; /* the views */

#if defined(__x86_64__)
enum { OPERAND = 4 };
static const uint8_t code[] = {0x0f, 0x1f, 0x00, 0xb8, 0, 0, 0, 0, 0xc3}; /* nop; mov eax, constant; ret */
static uint32_t encoded(uint32_t value) {
  return value;
}
#else
enum { OPERAND = 0 };
static const uint32_t code[] = {0x52800000, 0xd65f03c0}; /* mov; ret */
static uint32_t encoded(uint32_t value) {
  return 0x52800000 | (value & 0xffff) << 5; /* mov w0, constant */
}
#endif

static void store(uint32_t value) {
  atomic_store_explicit((_Atomic uint32_t *)(written + OPERAND), encoded(value), memory_order_relaxed);
  __builtin___clear_cache((char *)executed, (char *)executed + sizeof code);
}

static uint32_t call(void) {
  uint32_t (*function)(void);
  memcpy(&function, &executed, sizeof function);
  return function();
}

static void fork_once(void) {
  int status;
  pid_t pid = fork();
  CHECK(pid >= 0);
  if (!pid) _exit((int)call() & 1);
  CHECK(waitpid(pid, &status, 0) == pid && WIFEXITED(status));
  race_note(0, call() & 0);
}

static void move_view(void) {
  void *to = mremap(written, PAGE_BYTES, 2 * PAGE_BYTES, MREMAP_MAYMOVE);
  CHECK(to != MAP_FAILED);
  written = to;
}

static void run(unsigned me) {
  for (unsigned i = 0; i < race_rounds; i++) {
    if (i % 16 == 0) sched_yield();
    if (me) {
      race_note(me, i % 3 ? call() : *(volatile uint32_t *)(executed + OPERAND));
      continue;
    }
    store(i);
    if (i % FORKS == FORKS / 2) fork_once();
    if (i == race_rounds - race_rounds / 16) move_view();
  }
}

int main(int argc, char **argv) {
  int fd = memfd_create("code", 0);
  CHECK(fd >= 0 && !ftruncate(fd, 2 * PAGE_BYTES));
  executed = mmap(NULL, PAGE_BYTES, PROT_READ | PROT_EXEC, MAP_SHARED, fd, 0);
  written = mmap(NULL, PAGE_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  CHECK(executed != MAP_FAILED && written != MAP_FAILED);
  memcpy(written, code, sizeof code);
  store(0);
  return race_run(argc, argv, 3000, run, NULL);
}
