/* A statically linked, non-relocatable program: own entry, IRELATIVE relocations, threads, no interpreter. */
/* cflags: -static */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>

#include "check.h"

static __thread int local = 3;

static void *work(void *arg) {
  char buffer[1000];
  memset(buffer, (int)(long)arg, sizeof buffer); /* an ifunc, resolved by the start code */
  local += (int)strnlen(buffer, sizeof buffer);
  return (void *)(long)local;
}

int main(void) {
  CHECK(getauxval(AT_BASE) == 0);
  CHECK(getauxval(AT_ENTRY) != 0 && getauxval(AT_PHDR) != 0);
  pthread_t t[4];
  for (long i = 0; i < 4; i++) CHECK(pthread_create(&t[i], NULL, work, (void *)i) == 0);
  for (int i = 0; i < 4; i++) {
    void *result;
    CHECK(pthread_join(t[i], &result) == 0);
    printf("thread %d: %ld\n", i, (long)result);
  }
  char *copy = strdup("static");
  printf("%s %s %d\n", copy, strrchr("a/b/c", '/'), local);
  free(copy);
  return 0;
}
