/* Threads that a process in the same memory stops by ptrace again and again, wherever they are, and lets go; meanwhile it uses what they use. */
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include "check.h"

enum { THREADS = 2, ROUNDS = 40, WORDS = 4096, STACK = 64 << 10 };

static volatile uint32_t words[WORDS];
static volatile int over, allowed;
static volatile pid_t ids[THREADS];
static char stack[STACK] __attribute__((aligned(16)));

static void touch(unsigned from) {
  for (unsigned i = 0; i < WORDS; i += 16) words[(from + i) % WORDS]++;
}

static void *run(void *number) {
  ids[(intptr_t)number] = (pid_t)syscall(SYS_gettid);
  for (unsigned i = 0; !over; i++) touch(i);
  return NULL;
}

static int trace(void *unused) {
  (void)unused;
  while (!allowed) sched_yield();
  for (unsigned i = 0; i < ROUNDS; i++) {
    pid_t tracee = ids[i % THREADS];
    int status;
    CHECK(!ptrace(PTRACE_ATTACH, tracee, NULL, NULL));
    CHECK(waitpid(tracee, &status, __WALL) == tracee && WIFSTOPPED(status));
    touch(i);
    CHECK(!ptrace(PTRACE_DETACH, tracee, NULL, NULL));
    touch(i);
  }
  over = 1;
  _exit(0);
}

int main(void) {
  pthread_t threads[THREADS];
  for (intptr_t i = 0; i < THREADS; i++) CHECK(!pthread_create(&threads[i], NULL, run, (void *)i));
  for (int i = 0; i < THREADS; i++)
    while (!ids[i]) sched_yield();
  pid_t tracer = clone(trace, stack + STACK, CLONE_VM | CLONE_FS | CLONE_FILES | SIGCHLD, NULL);
  CHECK(tracer > 0);
  prctl(PR_SET_PTRACER, tracer, 0, 0, 0); /* unless nobody is kept from it */
  allowed = 1;
  int status;
  CHECK(waitpid(tracer, &status, 0) == tracer);
  for (int i = 0; i < THREADS; i++) CHECK(!pthread_join(threads[i], NULL));
  printf("the tracer has ended with %d\n", WEXITSTATUS(status));
  return 0;
}
