/* Signal handlers, thread starts and exit handlers that are themselves generated code. */
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>

#include "emit.h"

static volatile uint32_t counter;

/* add dword [rax], k with rax = &counter; mov eax, edi; ret */
static byte *generate(byte *p, byte k) {
  uintptr_t at = (uintptr_t)&counter;
  p = jit_bytes(JIT_EMIT(p, "\x48\xb8"), (const char *)&at, 8);
  p = jit_bytes(JIT_EMIT(p, "\x83\x00"), (const char *)&k, 1);
  return JIT_EMIT(p, "\x89\xf8\xc3");
}

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
