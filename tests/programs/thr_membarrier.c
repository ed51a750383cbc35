/* membarrier: an asymmetric Dekker lock whose fast side has no fence; without it, plain fences. */
#include <linux/membarrier.h>
#include <pthread.h>
#include <stdatomic.h>
#include <sys/syscall.h>

#include "check.h"

static atomic_int fast_wants, slow_wants;
static int expedited;
static long inside, fast_entries, slow_entries;

static void fast_fence(void) {
  if (expedited)
    atomic_signal_fence(memory_order_seq_cst);
  else
    atomic_thread_fence(memory_order_seq_cst);
}

static void slow_fence(void) {
  if (expedited)
    CHECK(syscall(SYS_membarrier, MEMBARRIER_CMD_PRIVATE_EXPEDITED, 0, 0) == 0);
  else
    atomic_thread_fence(memory_order_seq_cst);
}

static void enter(void) {
  CHECK(++inside == 1); /* plain: the protocol alone keeps the two apart */
  inside--;
}

static void *fast(void *arg) {
  for (int i = 0; i < 200000; i++) {
    atomic_store_explicit(&fast_wants, 1, memory_order_relaxed);
    fast_fence();
    if (!atomic_load_explicit(&slow_wants, memory_order_acquire)) enter(), fast_entries++;
    atomic_store_explicit(&fast_wants, 0, memory_order_release);
  }
  return arg;
}

int main(void) {
  long commands = syscall(SYS_membarrier, MEMBARRIER_CMD_QUERY, 0, 0);
  expedited = commands > 0 && commands & MEMBARRIER_CMD_PRIVATE_EXPEDITED;
  if (expedited) CHECK(syscall(SYS_membarrier, MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED, 0, 0) == 0);
  CHECK(syscall(SYS_membarrier, -1, 0, 0) == -1);
  pthread_t t;
  CHECK(pthread_create(&t, NULL, fast, NULL) == 0);
  for (int i = 0; i < 2000; i++) {
    atomic_store_explicit(&slow_wants, 1, memory_order_relaxed);
    slow_fence();
    if (!atomic_load_explicit(&fast_wants, memory_order_acquire)) enter(), slow_entries++;
    atomic_store_explicit(&slow_wants, 0, memory_order_release);
  }
  CHECK(pthread_join(t, NULL) == 0);
  CHECK(fast_entries + slow_entries > 0);
  puts("never both inside");
  return 0;
}
