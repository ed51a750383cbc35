/* One thread frees a record that another still uses; its memory then holds something else. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct record {
  long kind, value;
};

static struct record *current;
static pthread_barrier_t freed;

static void release(struct record *record) {
  free(record);
}

static char *reuse(void) {
  char *text = malloc(sizeof(struct record));
  memset(text, 'x', sizeof(struct record));
  return text;
}

static void *work(void *argument) {
  release(current);
  char *text = reuse();
  pthread_barrier_wait(&freed);
  return text ? text : argument;
}

int main(void) {
  pthread_t thread;
  pthread_barrier_init(&freed, NULL, 2);
  /* As large as what comes after it, in the memory of the thread that frees it. */
  current = malloc(sizeof *current);
  current->kind = 1;
  current->value = 42;
  pthread_create(&thread, NULL, work, NULL);
  pthread_barrier_wait(&freed);
  if (current->kind != 1) abort();
  pthread_join(thread, NULL);
  return 0;
}
