/* More threads at a time than an engine has slots at first. All live until the last has come, and some then have a child of vfork at the same
 * time. */
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { THREADS = 560, WITH_CHILD = 40, STACK = 1 << 16 };

static pthread_barrier_t all_here;

static long in_child(void) {
  int status = 0;
  pid_t pid = vfork();
  if (!pid) _exit(3);
  return waitpid(pid, &status, 0) == pid && WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static void *meet(void *argument) {
  long number = (long)argument;
  pthread_barrier_wait(&all_here);
  return (void *)(number < WITH_CHILD ? number + in_child() : number);
}

int main(void) {
  static pthread_t threads[THREADS];
  pthread_attr_t attributes;
  long sum = 0, made = 0;
  pthread_attr_init(&attributes);
  pthread_attr_setstacksize(&attributes, STACK);
  pthread_barrier_init(&all_here, NULL, THREADS);
  for (; made < THREADS; made++) {
    int error = pthread_create(&threads[made], &attributes, meet, (void *)made);
    if (error) {
      printf("thread %ld: %s\n", made, strerror(error));
      return 1;
    }
  }
  for (long i = 0; i < made; i++) {
    void *result;
    pthread_join(threads[i], &result);
    sum += (long)result;
  }
  printf("%ld threads at a time, %ld\n", made, sum);
  return 0;
}
