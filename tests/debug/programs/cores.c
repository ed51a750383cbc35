/* Three threads with values of their own: one waits, one computes, and one crashes in a function that the C library calls. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static _Thread_local long own = 10;
static volatile int started;
static char *text;
long numbers[] = {4, 3, 2, 1};

static void sleeps(void) {
  __atomic_add_fetch(&started, 1, __ATOMIC_SEQ_CST);
  for (;;) pause();
}

static void never_rests(volatile double x) {
  __atomic_add_fetch(&started, 1, __ATOMIC_SEQ_CST);
  for (;;) x *= 1.0000001;
}

static void *thread(void *which) {
  own += (long)which;
  which == (void *)1 ? sleeps() : never_rests(1.5);
  return NULL;
}

static int compare(const void *a, const void *b) {
  const long *x = a, *y = b;
  if (*x == 1 || *y == 1) *(volatile int *)0x18 = 4711;
  return (*x > *y) - (*x < *y);
}

int main(void) {
  pthread_t ignored;
  text = strdup("some words");
  for (long i = 1; i <= 2; i++) pthread_create(&ignored, NULL, thread, (void *)i);
  while (started < 2) usleep(1000);
  own++;
  printf("%d\n", getpid());
  fflush(stdout);
  qsort(numbers, sizeof numbers / sizeof *numbers, sizeof *numbers, compare);
  return puts(text) < 0;
}
