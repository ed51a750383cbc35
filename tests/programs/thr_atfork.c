/* pthread_atfork handlers run in order around fork, and keep a lock consistent in parent and child. */
#include <pthread.h>
#include <stdatomic.h>
#include <sys/wait.h>

#include "check.h"

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static atomic_bool stop;
static long first, second;
static char order[32];
static int length;

static void note(char c) {
  order[length++] = c;
}
static void prepare_lock(void) {
  CHECK(pthread_mutex_lock(&mutex) == 0);
  note('L');
}
static void release_lock(void) {
  note('U');
  CHECK(pthread_mutex_unlock(&mutex) == 0);
}
static void prepare_outer(void) {
  note('p');
}
static void parent_outer(void) {
  note('a');
}
static void child_outer(void) {
  note('c');
}

static void *holder(void *arg) {
  while (!atomic_load(&stop)) {
    pthread_mutex_lock(&mutex);
    first++;
    for (volatile int i = 0; i < 1000; i++) continue; /* hold it most of the time */
    second++;
    pthread_mutex_unlock(&mutex);
  }
  return arg;
}

int main(void) {
  pthread_t t;
  CHECK(pthread_atfork(prepare_lock, release_lock, release_lock) == 0);
  CHECK(pthread_atfork(prepare_outer, parent_outer, child_outer) == 0);
  CHECK(pthread_create(&t, NULL, holder, NULL) == 0);
  for (int i = 0; i < 20; i++) {
    length = 0;
    pid_t child = fork();
    CHECK(child >= 0);
    if (child == 0) {
      CHECK(pthread_mutex_lock(&mutex) == 0); /* would hang if fork had copied it held */
      CHECK(first == second);
      order[length] = 0;
      if (i == 19) printf("child: %s\n", order), fflush(stdout);
      _exit(0);
    }
    int status;
    CHECK(waitpid(child, &status, 0) == child && status == 0);
  }
  atomic_store(&stop, 1);
  CHECK(pthread_join(t, NULL) == 0);
  order[length] = 0;
  printf("parent: %s\n", order);
  return 0;
}
