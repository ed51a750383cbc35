/* A thread that wakes another again and again until there was somebody to wake: it does nothing but ask the kernel, and the other
   has to get to its wait meanwhile. */
#include <linux/futex.h>
#include <pthread.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { ROUNDS = 1000 };

static int word;

static void *sleeper(void *unused) {
  for (int i = 0; i < ROUNDS; i++) syscall(SYS_futex, &word, FUTEX_WAIT_PRIVATE, 0, NULL, NULL, 0);
  return unused;
}

int main(void) {
  pthread_t thread;
  pthread_create(&thread, NULL, sleeper, NULL);
  for (int i = 0; i < ROUNDS; i++)
    while (syscall(SYS_futex, &word, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0) != 1) {
    }
  pthread_join(thread, NULL);
  printf("%d times\n", ROUNDS);
  return 0;
}
