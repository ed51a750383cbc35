/* Running off a thread's stack hits the guard page: SIGSEGV on the alternate stack, address in the guard. */
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdint.h>

#include "check.h"

static char alternate[64 << 10];
static sigjmp_buf home;
static uintptr_t low, guard;
static int on_alternate, in_guard;

static void handler(int signo, siginfo_t *info, void *context) {
  char here;
  (void)signo, (void)context;
  on_alternate = &here >= alternate && &here < alternate + sizeof alternate;
  uintptr_t at = (uintptr_t)info->si_addr;
  in_guard = at >= low - guard && at < low + 4096;
  siglongjmp(home, 1);
}

static __attribute__((noinline)) long dive(volatile long depth) {
  volatile char frame[512];
  frame[0] = (char)depth;
  if (depth < 0) return 0;
  return dive(depth + 1) + frame[0];
}

static void *overflow(void *arg) {
  stack_t ss = {.ss_sp = alternate, .ss_size = sizeof alternate};
  CHECK(sigaltstack(&ss, NULL) == 0);
  pthread_attr_t attr;
  void *stack;
  size_t size;
  CHECK(pthread_getattr_np(pthread_self(), &attr) == 0);
  CHECK(pthread_attr_getstack(&attr, &stack, &size) == 0 && pthread_attr_getguardsize(&attr, &guard) == 0);
  low = (uintptr_t)stack;
  for (int i = 0; i < 3; i++) {
    in_guard = on_alternate = 0;
    if (sigsetjmp(home, 1) == 0) dive((long)arg);
    printf("overflow %d: on the alternate stack %d, in the guard %d\n", i, on_alternate, in_guard);
  }
  return NULL;
}

int main(void) {
  struct sigaction sa = {.sa_sigaction = handler, .sa_flags = SA_SIGINFO | SA_ONSTACK};
  CHECK(sigaction(SIGSEGV, &sa, NULL) == 0);
  pthread_t t;
  CHECK(pthread_create(&t, NULL, overflow, NULL) == 0 && pthread_join(t, NULL) == 0);
  return 0;
}
