/* longjmp out of deep recursion, thousands of times, with values, and with the signal mask. */
#include <setjmp.h>
#include <signal.h>

#include "check.h"

static jmp_buf home;
static sigjmp_buf masked_home;
static long visited;

static __attribute__((noinline)) long dive(int depth, int value) {
  volatile char frame[64];
  frame[depth % 64] = (char)depth;
  visited++;
  if (depth == 0) longjmp(home, value);
  if (value < 0) return 0;
  return dive(depth - 1, value) + frame[depth % 64];
}

static int escape(int depth, int value) {
  int got = setjmp(home);
  if (got == 0) dive(depth, value);
  return got;
}

static void handler(int signo) {
  siglongjmp(masked_home, signo);
}

static int blocked_after(int save) {
  sigset_t now;
  if (sigsetjmp(masked_home, save) == 0) raise(SIGUSR1);
  CHECK(sigprocmask(SIG_BLOCK, NULL, &now) == 0);
  return sigismember(&now, SIGUSR1);
}

int main(void) {
  long sum = 0;
  for (int round = 1; round <= 2000; round++) {
    int got = escape(round % 500, round);
    CHECK(got == round);
    sum += got;
  }
  printf("sum %ld, visited %ld, zero becomes %d\n", sum, visited, escape(3, 0));
  CHECK(signal(SIGUSR1, handler) != SIG_ERR);
  int with = blocked_after(1), without = blocked_after(0);
  printf("mask restored: blocked %d, not restored: blocked %d\n", with, without);
  return 0;
}
