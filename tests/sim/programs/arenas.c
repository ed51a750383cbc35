/* arenas.c: threads map, unmap, protect and allocate at the same time, without a lock of their own: the kernel's order alone says who gets which
   addresses. */
#include <pthread.h>
#include <string.h>
#include <sys/mman.h>

#include "program.h"

enum { THREADS = 8, ROUNDS = 12 };

static void *work(void *argument) {
  uint64_t me = (uint64_t)argument, state = me + 1;
  char *kept[ROUNDS];
  for (int i = 0; i < ROUNDS; i++) {
    size_t bytes = (next_random(&state) % 8 + 2) * 4096;
    char *block = mmap(NULL, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    CHECK(block != MAP_FAILED && !munmap(block, 4096) &&
          !mprotect(block + 4096, 4096, PROT_READ | PROT_WRITE));
    block[4096] = (char)me;
    if (bytes > 3 * 4096) CHECK(!munmap(block + 2 * 4096, bytes - 2 * 4096));
    kept[i] = block;
    char *small = malloc(next_random(&state) % 3000 + 1);
    CHECK(small);
    small[0] = 1;
    if (i % 2) free(small);
  }
  for (int i = 0; i < ROUNDS; i++) CHECK(kept[i][4096] == (char)me);
  return NULL;
}

int main(void) {
  pthread_t threads[THREADS];
  for (long i = 0; i < THREADS; i++) CHECK(!pthread_create(&threads[i], NULL, work, (void *)i));
  for (int i = 0; i < THREADS; i++) pthread_join(threads[i], NULL);
  puts("good");
  return 0;
}
