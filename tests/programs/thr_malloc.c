/* malloc, realloc and free from four threads, with blocks freed by a thread other than their maker. */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"

enum { THREADS = 4, SLOTS = 64, ROUNDS = 8000 };

static pthread_mutex_t mutex[SLOTS];
static struct block {
  size_t size;
  unsigned char fill, data[];
} * slot[SLOTS];

static void verify(const struct block *b) {
  for (size_t i = 0; i < b->size; i++) CHECK(b->data[i] == b->fill);
}

static struct block *fresh(unsigned seed) {
  size_t size = seed % 7 == 0 ? seed % 100000 : seed % 300;
  struct block *b = malloc(sizeof *b + size);
  CHECK(b);
  b->size = size;
  b->fill = (unsigned char)seed;
  memset(b->data, b->fill, size);
  return b;
}

static void *churn(void *arg) {
  unsigned seed = (unsigned)(long)arg;
  for (int i = 0; i < ROUNDS; i++) {
    int s = rand_r(&seed) % SLOTS;
    struct block *b = fresh((unsigned)rand_r(&seed));
    if (i % 5 == 0) {
      b = realloc(b, sizeof *b + b->size / 2);
      CHECK(b);
      b->size /= 2;
    }
    pthread_mutex_lock(&mutex[s]);
    struct block *old = slot[s];
    slot[s] = b;
    pthread_mutex_unlock(&mutex[s]);
    if (old) verify(old);
    free(old);
  }
  return NULL;
}

int main(void) {
  pthread_t t[THREADS];
  for (int i = 0; i < SLOTS; i++) CHECK(pthread_mutex_init(&mutex[i], NULL) == 0);
  for (long i = 0; i < THREADS; i++) CHECK(pthread_create(&t[i], NULL, churn, (void *)(i + 1)) == 0);
  for (int i = 0; i < THREADS; i++) CHECK(pthread_join(t[i], NULL) == 0);
  int kept = 0;
  for (int i = 0; i < SLOTS; i++) {
    if (slot[i]) verify(slot[i]), kept++;
    free(slot[i]);
  }
  printf("%d blocks at the end\n", kept);
  return 0;
}
