// Exceptions thrown out of handlers of synchronous signals, as -fnon-call-exceptions allows.
/* cflags: -fnon-call-exceptions */
#include <csignal>
#include <cstdio>
#include <cstdlib>

#include "check.h"

struct NullPointer {};
struct Division {};

static int destroyed;
struct Guard {
  ~Guard() { destroyed++; }
};

static void handler(int signo) {
  if (signo == SIGSEGV) throw NullPointer();
  throw Division();
}

__attribute__((noinline)) static int dereference(volatile int *p) {
  Guard guard;
  return *p;
}

__attribute__((noinline)) static int divide(volatile int a, volatile int b) {
  Guard guard;
  return a / b;
}

int main() {
  struct sigaction sa = {};
  sa.sa_handler = handler;
  sa.sa_flags = SA_NODEFER;  // the handler never returns
  CHECK(sigaction(SIGSEGV, &sa, nullptr) == 0 && sigaction(SIGFPE, &sa, nullptr) == 0);
  int nulls = 0, divisions = 0, sum = 0;
  for (int i = 0; i < 200; i++) {
    try {
      volatile int cell = i;
      sum += dereference(i % 4 == 0 ? nullptr : &cell);
      sum += divide(1000, i % 3);
    } catch (const NullPointer &) {
      nulls++;
    } catch (const Division &) {
      divisions++;
    }
  }
  std::printf("nulls %d, divisions %d, sum %d, destroyed %d\n", nulls, divisions, sum, destroyed);
  return 0;
}
