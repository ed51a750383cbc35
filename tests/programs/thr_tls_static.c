/* Static thread-local storage: initial values, alignment and privacy of every thread's copy. */
#include <pthread.h>
#include <stdint.h>
#include <string.h>

#include "check.h"

static __thread int initialised = 7;
static __thread char text[32] = "fresh";
static __thread long zero[100];
static __thread struct { char bytes[64]; } __attribute__((aligned(64))) block = {"aligned"};

static void *use(void *arg) {
  long n = (long)arg;
  CHECK(initialised == 7 && strcmp(text, "fresh") == 0 && strcmp(block.bytes, "aligned") == 0);
  CHECK((uintptr_t)&block % 64 == 0);
  for (int i = 0; i < 100; i++) CHECK(zero[i] == 0);
  for (int round = 0; round < 1000; round++)
    for (int i = 0; i < 100; i++) zero[i] += n;
  initialised += (int)n;
  snprintf(text, sizeof text, "thread %ld", n);
  long sum = initialised;
  for (int i = 0; i < 100; i++) sum += zero[i];
  return (void *)(sum * 100 + (long)strlen(text));
}

int main(void) {
  pthread_t t[8];
  initialised = 1000; /* the main thread's copy must not be the template of the others */
  text[0] = 'X';
  for (long i = 0; i < 8; i++) CHECK(pthread_create(&t[i], NULL, use, (void *)(i + 5)) == 0);
  for (int i = 0; i < 8; i++) {
    void *result;
    CHECK(pthread_join(t[i], &result) == 0);
    printf("%d: %ld\n", i, (long)result);
  }
  printf("main: %d %s %ld\n", initialised, text, zero[99]);
  return 0;
}
