/* Threads with names of their own, and signals among them. The first thread ends before all others. */
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

enum { THREADS = 3, CALLS = 500 };
static pthread_t threads[THREADS];
static int total;
static _Thread_local int seen;

static void on_signal(int signo) {
  seen += signo;
}

static void *work(void *argument) {
  char name[16];
  snprintf(name, sizeof name, "worker %ld", (long)argument);
  pthread_setname_np(pthread_self(), name);
  for (int i = 0; i < CALLS; i++) {
    __atomic_fetch_add(&total, 1, __ATOMIC_SEQ_CST);
    if (i % 100 == 0) pthread_kill(pthread_self(), SIGUSR1);
  }
  return NULL;
}

static void *await(void *argument) {
  for (int i = 0; i < THREADS; i++) pthread_join(threads[i], NULL);
  printf("%d\n", total);
  return argument;
}

int main(void) {
  pthread_t last;
  signal(SIGUSR1, on_signal);
  for (long i = 0; i < THREADS; i++) pthread_create(&threads[i], NULL, work, (void *)i);
  pthread_create(&last, NULL, await, NULL);
  pthread_exit(NULL);
}
