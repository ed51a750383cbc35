/* wedged.c: a program for tests/cli/watchdog.sh whose threads are born and end, write to memory of each other and to standard output,
 * again and again, for ROUNDS times. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

static int counter;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static void *count(void *rounds) {
  for (int i = *(int *)rounds; i; i--) {
    pthread_mutex_lock(&mutex);
    counter++;
    if (counter % 10 == 0) printf("%d\n", counter), fflush(stdout);
    pthread_mutex_unlock(&mutex);
  }
  return NULL;
}

int main(int arguments, char **argument) {
  int rounds = 20;
  for (int i = arguments > 1 ? atoi(argument[1]) : 10; i; i--) {
    pthread_t thread[3];
    for (int j = 0; j < 3; j++)
      if (pthread_create(&thread[j], NULL, count, &rounds)) return 1;
    for (int j = 0; j < 3; j++) pthread_join(thread[j], NULL);
  }
  return 0;
}
