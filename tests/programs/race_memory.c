/* Races with what is more than an instruction: memcpy and memset (long ones are one repeated instruction), a read() into a buffer that
 * others look at, a write() from one that others change, munmap and mprotect under the reader's hands, a variable on another
 * thread's stack, a signal handler.
 *
 *   race_memory [THREADS [ROUNDS]] */
#include <fcntl.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "check.h"

enum { THREADS_MAX = 16, BYTES = 3000, PAGE_BYTES = 4096 };

static uint8_t shared[BYTES], line[64];
static volatile uint64_t handled, *volatile on_stack;
static uint8_t *page;
static int pipes[2];
static unsigned rounds = 60, thread_count;
static uint64_t results[THREADS_MAX];
static pthread_t ids[THREADS_MAX];
static __thread sigjmp_buf back;
static __thread volatile sig_atomic_t guarded;

static uint64_t mix(uint64_t a, uint64_t b) {
  uint64_t x = (a ^ b) * 0x9e3779b97f4a7c15;
  return x ^ x >> 27;
}

static uint64_t digest(const uint8_t *bytes, size_t count) {
  uint64_t sum = count;
  for (size_t i = 0; i < count; i++) sum = sum * 31 + bytes[i];
  return sum;
}

static void on_fault(int signo) {
  (void)signo;
  if (guarded) siglongjmp(back, 1);
  _exit(77);
}

static void on_signal(int signo) {
  (void)signo;
  handled = mix(handled, shared[handled % BYTES]);
}

static uint64_t touch_page(uint64_t own) {
  uint64_t seen = 13;
  guarded = 1;
  if (!sigsetjmp(back, 1)) {
    seen = page[own % PAGE_BYTES];
    page[own % PAGE_BYTES] = (uint8_t)own;
  } else {
    seen = 17;
  }
  guarded = 0;
  return seen;
}

static void change_page(unsigned i) {
  if (i % 3 == 0) CHECK(!mprotect(page, PAGE_BYTES, PROT_NONE));
  if (i % 3 == 1) CHECK(!mprotect(page, PAGE_BYTES, PROT_READ | PROT_WRITE));
  if (i % 3 != 2) return;
  CHECK(!munmap(page, PAGE_BYTES));
  CHECK(mmap(page, PAGE_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) ==
        page);
}

static void *run(void *argument) {
  unsigned id = (unsigned)(uintptr_t)argument;
  volatile uint64_t mine = id;
  uint64_t own = id;
  uint8_t copy[BYTES], small[64];
  for (unsigned i = 0; i < rounds; i++) {
    memcpy(copy, shared, BYTES);
    own = mix(own, digest(copy, BYTES));
    if (i % 4 == id % 4) memset(shared, (int)own, BYTES);
    memcpy(shared + own % 64, copy, BYTES - 64);
    on_stack = &mine;
    volatile uint64_t *other = on_stack;
    *other = mix(*other, own);
    own = mix(own, mine);
    if (write(pipes[1], line, sizeof line) == sizeof line && read(pipes[0], small, sizeof small) > 0)
      own = mix(own, digest(small, sizeof small));
    if (write(pipes[1], &own, sizeof own) == sizeof own)
      own = mix(own, (uint64_t)read(pipes[0], line + own % 48, 8));
    if (id == 0) change_page(i);
    own = mix(own, touch_page(own));
    if (thread_count > 1 && i % 8 == 0) pthread_kill(pthread_self(), SIGUSR1);
    own = mix(own, handled);
  }
  results[id] = own;
  while (on_stack == &mine) on_stack = &handled; /* mine is gone soon */
  return NULL;
}

int main(int argc, char **argv) {
  unsigned threads = thread_count = argc > 1 ? (unsigned)atoi(argv[1]) : 1;
  if (argc > 2) rounds = (unsigned)atoi(argv[2]);
  CHECK(threads >= 1 && threads <= THREADS_MAX);
  struct sigaction fault = {.sa_handler = on_fault, .sa_flags = SA_NODEFER},
                   usual = {.sa_handler = on_signal};
  CHECK(!sigaction(SIGSEGV, &fault, NULL) && !sigaction(SIGBUS, &fault, NULL) &&
        !sigaction(SIGUSR1, &usual, NULL));
  page = mmap(NULL, PAGE_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  CHECK(page != MAP_FAILED && !pipe2(pipes, O_NONBLOCK));
  for (unsigned i = 0; i < threads; i++) CHECK(!pthread_create(&ids[i], NULL, run, (void *)(uintptr_t)i));
  for (unsigned i = 0; i < threads; i++) CHECK(!pthread_join(ids[i], NULL));
  uint64_t all = 0;
  for (unsigned i = 0; i < threads; i++) all = mix(all, results[i]);
  printf("memory %016lx\n", (unsigned long)all);
  return 0;
}
