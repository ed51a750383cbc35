/* One thread changes the constant in a function that the others call: code is read as data are, only by somebody else. */
#include <stdatomic.h>
#include <string.h>
#include <sys/mman.h>

#include "race.h"

static uint32_t (*constant)(void);
static _Atomic uint32_t *operand; /* the word of it that holds the constant */

#if defined(__x86_64__)
static uint32_t encoded(uint32_t value) {
  return value;
}

static void write_function(uint8_t *to) {
  static const uint8_t code[] = {0x0f, 0x1f, 0x00, 0xb8, 0, 0, 0, 0, 0xc3}; /* nop; mov eax, constant; ret */
  memcpy(to, code, sizeof code);
  operand = (_Atomic uint32_t *)(to + 4);
}
#else
static uint32_t encoded(uint32_t value) {
  return 0x52800000 | (value & 0xffff) << 5; /* mov w0, constant */
}

static void write_function(uint8_t *to) {
  static const uint32_t code[] = {0x52800000, 0xd65f03c0}; /* mov; ret */
  memcpy(to, code, sizeof code);
  operand = (_Atomic uint32_t *)to;
}
#endif

static void run(unsigned me) {
  for (unsigned i = 0; i < race_rounds; i++) {
    if (me) {
      race_note(me, constant());
      continue;
    }
    atomic_store_explicit(operand, encoded(i), memory_order_relaxed);
    __builtin___clear_cache((char *)operand, (char *)(operand + 1));
    if (i % 64 == 0) sched_yield();
  }
}

int main(int argc, char **argv) {
  void *page = mmap(NULL, 4096, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (page == MAP_FAILED) return 1;
  write_function(page);
  __builtin___clear_cache(page, (char *)page + 16);
  constant = (uint32_t(*)(void))page;
  return race_run(argc, argv, 3000, run, NULL);
}
