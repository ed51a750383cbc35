/* The target of a direct call and of a direct jump is patched between runs, and while others run it. */
#include <pthread.h>
#include <stdatomic.h>

#include "emit.h"

static byte *code, *call_site, *jump_site, *target[4];
static atomic_bool stop;
static atomic_long calls;

static void retarget(byte *site, const byte *to) {
  __atomic_store_n((uint32_t *)(void *)(site + 1), (uint32_t)(to - (site + 5)), __ATOMIC_SEQ_CST);
}

static void *runner(void *arg) {
  while (!atomic_load(&stop)) {
    uint32_t got = jit_call(code);
    CHECK(got >= 1000 && got < 1004); /* one of the targets plus 1000, nothing in between */
    atomic_fetch_add(&calls, 1);
  }
  return arg;
}

int main(void) {
  code = jit_map(2 * JIT_PAGE);
  for (uint32_t i = 0; i < 4; i++) jit_constant(target[i] = code + JIT_PAGE + 64 * i, i);
  call_site = code + 3; /* displacements aligned, so that a store to them is one piece */
  JIT_EMIT(code, "\x90\x90\x90\xe8\0\0\0\0\x05\xe8\x03\0\0\xc3"); /* nops; call ...; add eax, 1000; ret */
  jump_site = code + 67;
  JIT_EMIT(jump_site, "\xe9\0\0\0\0");
  for (uint32_t i = 0; i < 2000; i++) {
    retarget(call_site, target[i % 4]);
    retarget(jump_site, target[(i + 1) % 4]);
    CHECK(jit_call(code) == 1000 + i % 4);
    CHECK(jit_call(jump_site) == (i + 1) % 4);
  }
  pthread_t t[2];
  for (int i = 0; i < 2; i++) CHECK(pthread_create(&t[i], NULL, runner, NULL) == 0);
  for (uint32_t i = 0; i < 500; i++) {
    retarget(call_site, target[i % 4]);
    if (i % 50 == 0)
      for (long before = atomic_load(&calls); atomic_load(&calls) < before + 10;) sched_yield();
  }
  atomic_store(&stop, 1);
  for (int i = 0; i < 2; i++) CHECK(pthread_join(t[i], NULL) == 0);
  puts("every call reached one of the targets");
  return 0;
}
