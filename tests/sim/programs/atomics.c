/* atomics.c: each AMO by many threads, compare-and-swap loops (LR/SC), byte and half-word atomics, a spinlock, a stack without locks. */
#include <pthread.h>
#include <stdatomic.h>

#include "program.h"

enum { THREADS = 8, ROUNDS = 500 };

static _Atomic uint64_t added, flipped, or_ed, least = UINT64_MAX, most, swapped;
static _Atomic uint32_t narrow;
static _Atomic uint8_t bytes[8];
static atomic_flag spin = ATOMIC_FLAG_INIT;
static long guarded;
static struct node {
  struct node *next;
  long value;
} nodes[THREADS][ROUNDS];
static _Atomic(struct node *) top;

static void raise_to(_Atomic uint64_t *to, uint64_t value) {
  uint64_t old = atomic_load(to);
  while (old < value && !atomic_compare_exchange_weak(to, &old, value)) continue;
}

static void *work(void *argument) {
  uint64_t me = (uint64_t)argument, swaps = 0;
  for (uint64_t i = 0; i < ROUNDS; i++) {
    atomic_fetch_add(&added, i);
    atomic_fetch_xor(&flipped, 1ull << (i % 64) | me << 32);
    atomic_fetch_or(&or_ed, 1ull << (me * 3 + i % 3));
    atomic_fetch_add(&bytes[i % 8], 1);
    atomic_fetch_sub(&narrow, 3);
    swaps += atomic_exchange(&swapped, me + 1);
    __asm__ volatile("amominu.d zero, %1, (%0)" : : "r"(&least), "r"(me * 1000 + i + 5) : "memory");
    raise_to(&most, me * 1000 + i);
    while (atomic_flag_test_and_set_explicit(&spin, memory_order_acquire)) continue;
    guarded++;
    atomic_flag_clear_explicit(&spin, memory_order_release);
    struct node *node = &nodes[me][i];
    node->value = (long)(me * i);
    node->next = atomic_load(&top);
    while (!atomic_compare_exchange_weak(&top, &node->next, node)) continue;
  }
  return (void *)swaps;
}

int main(void) {
  pthread_t threads[THREADS];
  uint64_t swaps = 0;
  long count = 0, values = 0;
  for (long i = 0; i < THREADS; i++) CHECK(!pthread_create(&threads[i], NULL, work, (void *)i));
  for (int i = 0; i < THREADS; i++) {
    void *result;
    pthread_join(threads[i], &result);
    swaps += (uint64_t)result;
  }
  for (struct node *node = top; node; node = node->next) count++, values += node->value;
  /* Every value that was put in came out once, or is still there. */
  CHECK(swaps + swapped == (uint64_t)ROUNDS * THREADS * (THREADS + 1) / 2);
  printf("%lu %lx %lx %lu %lu %u %ld %ld %ld\n", added, flipped, or_ed, least, most, narrow, guarded, count,
         values);
  for (int i = 0; i < 8; i++) printf("%u ", bytes[i]);
  puts("");
  return 0;
}
