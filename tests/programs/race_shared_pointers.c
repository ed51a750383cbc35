/* Processes share a lock and the pointers to the functions that take it and let it go: the jump there reads shared memory, and the first
 * instruction behind it writes some. Then one waits in such a function for a signal, which another sends when it has had the lock. */
#include "race_processes.h"

#include <signal.h>

struct lock {
  volatile uint8_t taken;
  void (*take)(struct lock *);
  void (*release)(struct lock *);
  void (*wait)(struct lock *);
};

static struct {
  struct lock lock;
  _Alignas(64) volatile uint32_t count, ready;
} * shared;

static volatile sig_atomic_t called;
static uint32_t spins;

static void note(int signo) {
  (void)signo;
  called = 1;
}

static void take(struct lock *lock) {
  while (__atomic_exchange_n(&lock->taken, 1, __ATOMIC_SEQ_CST)) spins++;
}

__attribute__((noinline)) static void release(struct lock *lock) {
  lock->taken = 0;
}

static void wait_for_signal(struct lock *lock) {
  (void)lock;
  while (!called) continue;
}

/* Not inlined, so that its last act is a jump. */
__attribute__((noinline)) static void let_go(struct lock *lock) {
  lock->release(lock);
}

static void run(unsigned me) {
  uint32_t seen = me;
  for (unsigned i = 0; i < race_rounds; i++) {
    shared->lock.take(&shared->lock);
    seen = race_mix(seen, shared->count++);
    let_go(&shared->lock);
  }
  if (race_threads > 1) race_note(me, seen + spins);
}

static uint32_t more(void) {
  pid_t child = fork();
  CHECK(child >= 0);
  if (!child) {
    /* Twice: the second time it is known where the jump leads. */
    called = 1;
    shared->lock.wait(&shared->lock);
    called = 0;
    shared->ready = 1;
    shared->lock.wait(&shared->lock);
    _exit(0);
  }
  while (!shared->ready) sched_yield();
  for (unsigned i = 0; i < race_rounds; i++) {
    shared->lock.take(&shared->lock);
    let_go(&shared->lock);
  }
  CHECK(kill(child, SIGUSR1) == 0 && waitpid(child, NULL, 0) == child);
  CHECK(shared->count == race_threads * race_rounds);
  return 0;
}

int main(int argc, char **argv) {
  shared = race_share(sizeof *shared);
  shared->lock = (struct lock){0, take, release, wait_for_signal};
  signal(SIGUSR1, note);
  return race_fork(argc, argv, 2000, run, more);
}
