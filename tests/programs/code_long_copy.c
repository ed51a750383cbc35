/* Functions are overwritten by long copies that begin before their page: on x86-64 by a single instruction, which is in the middle of its
 * work when it comes to the code. A timer interrupts it all now and then. */
#include <signal.h>
#include <stdio.h>
#include <sys/time.h>
#include <unistd.h>

#include "jit.h"

enum { PAGES = 8, PIECE = 4096, ROUNDS = 200 };

static volatile sig_atomic_t ticks;

static void tick(int signo) {
  (void)signo;
  ticks = 1;
}

static void copy(byte *to, const byte *from, size_t bytes) {
#if defined(__x86_64__)
  __asm__ volatile("rep movsb" : "+D"(to), "+S"(from), "+c"(bytes)::"memory");
#else
  memcpy(to, from, bytes);
#endif
}

int main(void) {
  static byte from[PAGES * JIT_PAGE];
  byte *code = jit_map((size_t)ROUNDS * PAGES * JIT_PAGE);
  struct itimerval often = {{0, 500}, {0, 500}};
  signal(SIGALRM, tick);
  setitimer(ITIMER_REAL, &often, NULL);
  uint32_t sum = 0;
  for (uint32_t round = 1; round <= ROUNDS; round++) {
    byte *function = code + ((size_t)(round - 1) * PAGES + 2) * JIT_PAGE;
    jit_fn call;
    memcpy(&call, &function, sizeof call);
    jit_announce(function, jit_constant(function, round));
    sum += call();
    size_t before = 1 + round * 97 % (JIT_PAGE + 50), bytes = 3 * PIECE + round * 31 % 100;
    jit_constant(from + before, 3 * round);
    copy(function - before, from, bytes);
    jit_announce(function - before, function - before + bytes);
    CHECK(getppid() > 0);
    sum += call();
  }
  printf("%u\n", sum);
  return 0;
}
