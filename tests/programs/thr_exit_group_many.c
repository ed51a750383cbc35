/* More threads in total than an engine has slots at first, most of which exit_group ends without a word: their slots are found again. */
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

enum { PROCESSES = 44, THREADS = 12 };

static atomic_int running, all;

static void *end_process(void *argument) {
  atomic_fetch_add(&running, 1);
  while (!atomic_load(&all)) sched_yield();
  _exit((int)(long)argument);
}

static void child(void) {
  for (long i = 0; i < THREADS; i++) {
    pthread_t thread;
    if (pthread_create(&thread, NULL, end_process, (void *)7)) _exit(1);
  }
  while (atomic_load(&running) < THREADS) sched_yield();
  atomic_store(&all, 1);
  _exit(7);
}

int main(void) {
  int ended = 0;
  for (int i = 0; i < PROCESSES; i++) {
    int status;
    pid_t pid = fork();
    if (!pid) child();
    if (waitpid(pid, &status, 0) == pid && WIFEXITED(status) && WEXITSTATUS(status) == 7) ended++;
  }
  printf("%d processes of %d threads ended\n", ended, THREADS + 1);
  return 0;
}
