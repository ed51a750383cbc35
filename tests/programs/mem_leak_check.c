/* A program built with the address sanitizer, whose leak checker stops all threads by ptrace at the end. */
/* cflags: -fsanitize=address */
#include <pthread.h>
#include <stdlib.h>

#include "check.h"

static int ends[2];

static void *wait_for_end(void *at) {
  char byte;
  CHECK(read(ends[0], &byte, 1) == 1);
  return at;
}

int main(void) {
  pthread_t thread;
  CHECK(pipe(ends) == 0);
  CHECK(pthread_create(&thread, NULL, wait_for_end, malloc(10)) == 0);
  pthread_detach(thread); /* still there when the checker looks */
  char *p = malloc(10);
  p[3] = 1;
  printf("%d\n", p[3]);
  free(p);
  return 0;
}
