/* Signal frames to the last byte, and what is left of them below the stack pointer: siginfo, registers, all of the vector state with
 * its padding. Goes out through a write, so that a replay in which it is another fails. */
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/time.h>
#include <ucontext.h>

#include "check.h"

enum { FRAME = 3 << 10, STACK = 256 << 10 };

static int out;
static volatile int count;
static volatile double number = 1.5;
static char *stack;

static void put(const void *from, size_t bytes) {
  CHECK(write(out, from, bytes) == (ssize_t)bytes);
}

/* From the siginfo, or the frame's return address, up: all that was pushed. */
static void handler(int signo, siginfo_t *info, void *context) {
  ucontext_t *uc = context;
  put(info, sizeof *info);
  put(uc, sizeof *uc);
  put(uc, FRAME);
  number = number * 1.25 + signo;
  count++;
}

static void *work(void *arg) {
  for (int i = 0; i < 3; i++) {
    pthread_kill(pthread_self(), SIGUSR1);
    number += 0.5;
  }
  return arg;
}

int main(void) {
  out = open("/dev/null", O_WRONLY);
  stack = aligned_alloc(4096, STACK);
  memset(stack, 0x5a, STACK);
  stack_t alternate = {.ss_sp = stack, .ss_size = STACK};
  struct sigaction action = {.sa_sigaction = handler, .sa_flags = SA_SIGINFO | SA_ONSTACK};
  CHECK(out >= 0 && sigaltstack(&alternate, NULL) == 0);
  sigaction(SIGUSR1, &action, NULL);
  sigaction(SIGALRM, &action, NULL);
  sigaction(SIGSEGV, &action, NULL);
  for (int i = 0; i < 3; i++) {
    raise(SIGUSR1);
    put(stack, STACK);
  }
  /* Asynchronous, in the middle of arithmetic. */
  struct itimerval often = {{0, 3000}, {0, 3000}}, never = {0};
  setitimer(ITIMER_REAL, &often, NULL);
  while (count < 8) number = number * 1.0000001 + 1e-9;
  setitimer(ITIMER_REAL, &never, NULL);
  put(stack, STACK);
  pthread_t thread;
  CHECK(pthread_create(&thread, NULL, work, NULL) == 0 && pthread_join(thread, NULL) == 0);
  double last = number;
  put(&last, sizeof last);
  printf("done\n");
  return 0;
}
