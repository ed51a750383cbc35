/* Signal handlers, thread starts and exit handlers that are themselves generated code. */
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>

#include "jit.h"

static volatile uint32_t counter;

/* Adds k to the counter and returns its argument. */
#if defined(__x86_64__)
/* mov rax, &counter; add dword [rax], k; mov eax, edi; ret */
static void generate(byte *p, byte k) {
  uintptr_t at = (uintptr_t)&counter;
  p = jit_bytes(jit_bytes(p, "\x48\xb8", 2), &at, sizeof at);
  p = jit_bytes(jit_bytes(p, "\x83\x00", 2), &k, 1);
  jit_bytes(p, "\x89\xf8\xc3", 3);
}
#else
/* ldr x1, 1f; ldr w2, [x1]; add w2, w2, k; str w2, [x1]; ret; nop; 1: &counter */
static void generate(byte *p, byte k) {
  uintptr_t at = (uintptr_t)&counter;
  const uint32_t code[] = {0x580000c1, 0xb9400022, 0x11000042u | (uint32_t)k << 10,
                           0xb9000022, 0xd65f03c0, 0xd503201f};
  jit_announce(p, jit_bytes(jit_bytes(p, code, sizeof code), &at, sizeof at));
}
#endif

static void report(void) {
  printf("at exit %u\n", counter);
}

int main(void) {
  byte *page = jit_map(JIT_PAGE), *thread_code = page + 1024, *exit_code = page + 2048;
  CHECK(atexit(report) == 0);
  for (byte k = 1; k <= 100; k++) {
    generate(page, k);
    CHECK(signal(SIGUSR1, (void (*)(int))(uintptr_t)page) != SIG_ERR);
    CHECK(raise(SIGUSR1) == 0);
  }
  printf("after signals %u\n", counter);
  for (byte k = 1; k <= 20; k++) {
    pthread_t t;
    void *result;
    generate(thread_code, k);
    CHECK(pthread_create(&t, NULL, (void *(*)(void *))(uintptr_t)thread_code, (void *)77) == 0);
    CHECK(pthread_join(t, &result) == 0 && (uint32_t)(uintptr_t)result == 77);
  }
  printf("after threads %u\n", counter);
  generate(exit_code, 100);
  CHECK(atexit((void (*)(void))(uintptr_t)exit_code) == 0);
  return 0;
}
