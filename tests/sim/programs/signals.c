/* signals.c: handlers, masks, alternate stacks, faults that are recovered from, signals between threads, interrupted calls. */
#include <errno.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "program.h"

static volatile sig_atomic_t woken, seen, order[8], nested;
static sigjmp_buf back;
static void *fault_address;
static char alternate[65536];

static void on_signal(int number) {
  order[seen++ % 8] = number;
  if (number == SIGUSR1 && !nested) {
    nested = 1;
    raise(SIGUSR2);
    nested = 2;
  }
}

static void on_fault(int number, siginfo_t *info, void *context) {
  char here;
  (void)number, (void)context;
  CHECK(&here > alternate && &here < alternate + sizeof alternate);
  CHECK(info->si_addr == fault_address);
  siglongjmp(back, 1);
}

static void handle(int number, void (*handler)(int), int flags) {
  struct sigaction action = {.sa_handler = handler, .sa_flags = flags};
  CHECK(!sigaction(number, &action, NULL));
}

static void *sleeper(void *argument) {
  struct timespec long_time = {3600, 0};
  (void)argument;
  CHECK(clock_nanosleep(CLOCK_MONOTONIC, 0, &long_time, NULL) == EINTR);
  woken = 1;
  return NULL;
}

static void test_masks(void) {
  sigset_t set, pending;
  sigemptyset(&set);
  sigaddset(&set, SIGUSR2);
  sigprocmask(SIG_BLOCK, &set, NULL);
  int before = seen;
  raise(SIGUSR2);
  CHECK(seen == before);
  sigpending(&pending);
  CHECK(sigismember(&pending, SIGUSR2) && !sigismember(&pending, SIGUSR1));
  sigprocmask(SIG_UNBLOCK, &set, NULL);
  CHECK(seen == before + 1);
}

static void test_faults(void) {
  stack_t stack = {.ss_sp = alternate, .ss_size = sizeof alternate};
  struct sigaction action = {.sa_sigaction = on_fault, .sa_flags = SA_SIGINFO | SA_ONSTACK};
  CHECK(!sigaltstack(&stack, NULL) && !sigaction(SIGSEGV, &action, NULL));
  char *page = mmap(NULL, 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  fault_address = page + 100;
  if (!sigsetjmp(back, 1)) {
    page[100] = 1;
    CHECK(!"reached");
  }
  fault_address = NULL;
  if (!sigsetjmp(back, 1)) {
    *(volatile char *)fault_address = 1;
    CHECK(!"reached");
  }
  CHECK(page[100] == 0);
}

int main(void) {
  pthread_t thread;
  handle(SIGUSR1, on_signal, 0);
  handle(SIGUSR2, on_signal, 0);
  raise(SIGUSR1);
  CHECK(seen == 2 && order[0] == SIGUSR1 && order[1] == SIGUSR2 && nested == 2);
  test_masks();
  test_faults();
  CHECK(!pthread_create(&thread, NULL, sleeper, NULL));
  /* One that comes before it sleeps does not wake it. */
  while (!woken && !pthread_kill(thread, SIGUSR2)) sched_yield();
  pthread_join(thread, NULL);
  handle(SIGUSR1, SIG_IGN, 0);
  raise(SIGUSR1);
  printf("%s\n", seen >= 4 ? "all signals came" : "some did not");
  fflush(stdout);
  handle(SIGTERM, SIG_DFL, 0);
  kill(getpid(), SIGTERM);
  return 1;
}
