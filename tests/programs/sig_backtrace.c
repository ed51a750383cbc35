/* Unwinding out of a handler goes through the signal frame into the interrupted function and its callers. */
#include "sys_helpers.h"
#include <execinfo.h>
#include <sys/mman.h>

#define SECTION(name) __attribute__((noinline, section(#name)))
extern char __start_in_outer[], __stop_in_outer[], __start_in_inner[], __stop_in_inner[];
extern char __start_in_handler[], __stop_in_handler[];
static volatile int sink;
static volatile int *hidden; /* in a page that the handler makes readable */

static int inside(void *p, char *start, char *stop) {
  return (char *)p >= start && (char *)p <= stop;
}

SECTION(in_handler) static void on_signal(int sig, siginfo_t *info, void *context) {
  void *frames[64];
  (void)info, (void)context;
  int count = backtrace(frames, 64), handler = -1, inner = -1, outer = -1, repeated = 0;
  for (int i = 0; i < count; i++) {
    if (inside(frames[i], __start_in_handler, __stop_in_handler)) handler = i;
    if (inside(frames[i], __start_in_inner, __stop_in_inner)) inner = i, repeated++;
    if (inside(frames[i], __start_in_outer, __stop_in_outer)) outer = i;
  }
  say("SIG%s: handler found %d, inner above it %d, outer above that %d, times %d\n", sigabbrev_np(sig),
      handler >= 0, inner > handler, outer > inner, repeated);
  if (sig == SIGSEGV) CHECK(mprotect((void *)(uintptr_t)hidden, 4096, PROT_READ) == 0);
}

SECTION(in_inner) static int inner(int how, int depth) {
  if (depth > 0) return inner(how, depth - 1) + sink;
  if (how == 0) raise(SIGUSR1);
  return how == 1 ? *hidden : sink;
}

SECTION(in_outer) static int outer(int how, int depth) {
  return inner(how, depth) + sink;
}

int main(void) {
  handle(SIGUSR1, on_signal, 0);
  handle(SIGSEGV, on_signal, 0);
  for (int how = 0; how < 2; how++)
    for (int depth = 0; depth < 5; depth += 4) {
      hidden = mmap(NULL, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
      CHECK(hidden != MAP_FAILED && outer(how, depth) == 0);
    }
  return 0;
}
