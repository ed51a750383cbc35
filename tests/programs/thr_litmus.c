/* Memory-order litmus tests: outcomes the C memory model forbids never show up in 20,000 rounds. */
#include <pthread.h>
#include <stdatomic.h>

#include "check.h"

enum { ROUNDS = 20000 };

struct cell {
  _Alignas(64) atomic_int x;
  _Alignas(64) atomic_int y;
  _Alignas(64) int plain;
  int left, right;
};

static struct cell cell[ROUNDS / 10];
static pthread_barrier_t barrier;
static long forbidden[3];

static void left(struct cell *c, int test) {
  if (test == 0) { /* message passing */
    c->plain = 42;
    atomic_store_explicit(&c->x, 1, memory_order_release);
  } else if (test == 1) { /* store buffering, sequentially consistent */
    atomic_store(&c->x, 1);
    c->left = atomic_load(&c->y);
  } else { /* load buffering */
    c->left = atomic_load_explicit(&c->x, memory_order_acquire);
    atomic_store_explicit(&c->y, 1, memory_order_release);
  }
}

static void right(struct cell *c, int test) {
  if (test == 0) {
    c->right = atomic_load_explicit(&c->x, memory_order_acquire) ? c->plain : 42;
  } else if (test == 1) {
    atomic_store(&c->y, 1);
    c->right = atomic_load(&c->x);
  } else {
    c->right = atomic_load_explicit(&c->y, memory_order_acquire);
    atomic_store_explicit(&c->x, 1, memory_order_release);
  }
}

static int is_forbidden(const struct cell *c, int test) {
  if (test == 0) return c->right != 42;
  if (test == 1) return c->left == 0 && c->right == 0;
  return c->left == 1 && c->right == 1;
}

static void *side(void *is_right) {
  for (int test = 0; test < 3; test++)
    for (int batch = 0; batch < 10; batch++) {
      if (!is_right)
        for (int i = 0; i < ROUNDS / 10; i++) cell[i] = (struct cell){0};
      pthread_barrier_wait(&barrier);
      for (int i = 0; i < ROUNDS / 10; i++) (is_right ? right : left)(&cell[i], test);
      pthread_barrier_wait(&barrier);
      if (!is_right)
        for (int i = 0; i < ROUNDS / 10; i++) forbidden[test] += is_forbidden(&cell[i], test);
    }
  return NULL;
}

int main(void) {
  pthread_t t;
  CHECK(pthread_barrier_init(&barrier, NULL, 2) == 0);
  CHECK(pthread_create(&t, NULL, side, &barrier) == 0);
  side(NULL);
  CHECK(pthread_join(t, NULL) == 0);
  printf("forbidden: message passing %ld, store buffering %ld, load buffering %ld\n", forbidden[0],
         forbidden[1], forbidden[2]);
  return 0;
}
