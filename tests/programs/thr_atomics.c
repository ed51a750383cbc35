/* Atomic operations of every width from four threads at once lose no update. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>

#include "check.h"

enum { THREADS = 4, ROUNDS = 20000 };

static _Atomic uint8_t u8;
static _Atomic uint16_t u16;
static _Atomic uint32_t u32, flags;
static _Atomic uint64_t u64, mixed;
static _Atomic double real;
static _Atomic(struct node *) top;
static struct node {
  struct node *next;
  int value;
} nodes[THREADS][1000];

static void *work(void *arg) {
  uint32_t me = (uint32_t)(uintptr_t)arg;
  for (uint32_t i = 0; i < ROUNDS; i++) {
    atomic_fetch_add(&u8, 1);
    atomic_fetch_sub(&u16, 3);
    atomic_fetch_xor(&u32, (me + 1) * i * 2654435761u);
    atomic_fetch_or(&flags, 1u << (i % 8 + 8 * me));
    uint64_t old = atomic_load_explicit(&u64, memory_order_relaxed);
    while (!atomic_compare_exchange_weak(&u64, &old, old * 3)) continue; /* commutes modulo 2^64 */
    double now = atomic_load(&real);
    while (!atomic_compare_exchange_weak(&real, &now, now + 0.5)) continue;
    atomic_fetch_add_explicit(&mixed, (uint64_t)i << (me * 8), memory_order_relaxed);
  }
  for (int i = 0; i < 1000; i++) {
    struct node *n = &nodes[me][i];
    n->value = (int)me * 1000 + i;
    n->next = atomic_load(&top);
    while (!atomic_compare_exchange_weak(&top, &n->next, n)) continue;
  }
  return NULL;
}

int main(void) {
  pthread_t t[THREADS];
  atomic_store(&u64, 1);
  for (uintptr_t i = 0; i < THREADS; i++) CHECK(pthread_create(&t[i], NULL, work, (void *)i) == 0);
  for (int i = 0; i < THREADS; i++) CHECK(pthread_join(t[i], NULL) == 0);
  long stack = 0, length = 0;
  for (struct node *n = atomic_load(&top); n; n = n->next) stack += n->value, length++;
  printf("%u %u %08x %08x %lx %.1f %lx\n", atomic_load(&u8), atomic_load(&u16), atomic_load(&u32),
         atomic_load(&flags), (unsigned long)atomic_load(&u64), atomic_load(&real),
         (unsigned long)atomic_load(&mixed));
  printf("stack of %ld, sum %ld\n", length, stack);
  return 0;
}
