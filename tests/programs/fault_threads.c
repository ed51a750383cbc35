/* Four threads fault at the same time, each 500 times in pages of its own; each handler sees its thread's
 * address. */
#include "sys_helpers.h"
#include <pthread.h>
#include <setjmp.h>
#include <sys/mman.h>

enum { THREADS = 4, ROUNDS = 500 };
static __thread sigjmp_buf back;
static __thread char *mine;
static __thread volatile int jumped, mapped, number;

static void on_fault(int sig, siginfo_t *info, void *context) {
  (void)sig;
  char *address = info->si_addr;
  CHECK(address >= mine && address < mine + ROUNDS * 4096);
  CHECK(fault_address(context) == (uintptr_t)address);
  if ((address - mine) / 4096 % 2 == 0) {
    mapped++;
    CHECK(mprotect((char *)((long)address & -4096L), 4096, PROT_READ | PROT_WRITE) == 0);
    return;
  }
  jumped++;
  siglongjmp(back, 1);
}

static void *work(void *argument) {
  number = (int)(long)argument;
  mine = mmap(NULL, ROUNDS * 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  CHECK(mine != MAP_FAILED);
  for (volatile int i = 0; i < ROUNDS; i++)
    if (sigsetjmp(back, 1) == 0) mine[i * 4096 + number * 100] = i;
  long sum = jumped * 1000 + mapped;
  for (int i = 0; i < ROUNDS; i += 2) sum += (unsigned char)mine[i * 4096 + number * 100];
  return (void *)sum;
}

int main(void) {
  pthread_t threads[THREADS];
  handle(SIGSEGV, on_fault, 0);
  for (long i = 0; i < THREADS; i++) CHECK(pthread_create(&threads[i], NULL, work, (void *)i) == 0);
  for (int i = 0; i < THREADS; i++) {
    void *sum;
    CHECK(pthread_join(threads[i], &sum) == 0);
    say("thread %d: %ld\n", i, (long)sum);
  }
  return 0;
}
