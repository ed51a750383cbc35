/* Code that a program writes: announced by the instructions meant for it, in one page and many, overwritten while it is hot, by
 * another thread too. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/mman.h>

#include "check.h"

typedef int (*function)(void);

/* mov w0, #value; ret */
static void write_function(uint32_t *at, unsigned value) {
  at[0] = 0x52800000u | value << 5;
  at[1] = 0xd65f03c0u;
  __builtin___clear_cache((char *)at, (char *)(at + 2));
}

static void *map(size_t bytes) {
  void *at = mmap(NULL, bytes, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  CHECK(at != MAP_FAILED);
  return at;
}

static void rewritten(void) {
  uint32_t *code = map(4096);
  long sum = 0;
  for (unsigned i = 0; i < 2000; i++) {
    write_function(code, i);
    sum += ((function)code)();
    sum += ((function)code)();
  }
  printf("rewritten: %ld\n", sum);
}

/* Functions side by side in a page: one that changes must not lose the others. */
static void neighbours(void) {
  uint32_t *code = map(4096);
  long sum = 0;
  for (unsigned i = 0; i < 64; i++) {
    write_function(code + i * 16, i);
    for (unsigned k = 0; k <= i; k++) sum += ((function)(code + k * 16))();
  }
  printf("neighbours: %ld\n", sum);
}

static uint32_t *shared_code;
static _Atomic unsigned phase, seen;

static void *caller(void *argument) {
  (void)argument;
  unsigned last = 0;
  while (last != 500) {
    unsigned now = (unsigned)((function)shared_code)();
    CHECK(now >= last && now <= atomic_load(&phase));
    last = now;
    atomic_store(&seen, now);
  }
  return NULL;
}

static void other_thread(void) {
  pthread_t thread;
  shared_code = map(4096);
  write_function(shared_code, 0);
  CHECK(pthread_create(&thread, NULL, caller, NULL) == 0);
  for (unsigned i = 1; i <= 500; i++) {
    atomic_store(&phase, i);
    /* One instruction that may be changed under way: a branch to where the value is set. */
    uint32_t *value = shared_code + 16 + 2 * i;
    value[0] = 0x52800000u | i << 5;
    value[1] = 0xd65f03c0u;
    __builtin___clear_cache((char *)value, (char *)(value + 2));
    uint32_t branch = 0x14000000u | (16 + 2 * i);
    __atomic_store_n(shared_code, branch, __ATOMIC_RELEASE);
    __builtin___clear_cache((char *)shared_code, (char *)(shared_code + 1));
    if (i % 50 == 0)
      while (atomic_load(&seen) != i) sched_yield();
  }
  CHECK(pthread_join(thread, NULL) == 0);
  printf("another thread: saw them all\n");
}

int main(void) {
  rewritten();
  neighbours();
  other_thread();
  return 0;
}
