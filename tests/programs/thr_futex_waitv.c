/* futex_waitv: sleep on several words, woken through any of them; ENOSYS counts as an old kernel. */
#include "thr_futex.h"

#include <pthread.h>

#include "check.h"

#ifndef SYS_futex_waitv
#define SYS_futex_waitv 449
#endif

static _Atomic uint32_t word[3];

static long wait_any(struct timespec *deadline) {
  struct futex_waitv w[3] = {0};
  for (int i = 0; i < 3; i++) w[i] = (struct futex_waitv){.uaddr = (uintptr_t)&word[i], .flags = FUTEX_32};
  long result = syscall(SYS_futex_waitv, w, 3, 0, deadline, CLOCK_MONOTONIC);
  return result == -1 ? -errno : result;
}

static void *sleeper(void *arg) {
  long result = wait_any(NULL);
  CHECK(result == 1 || result == -EAGAIN);
  return arg;
}

int main(void) {
  long probe = wait_any(&(struct timespec){1, 0});
  if (probe == -ENOSYS) {
    puts("works without futex_waitv");
    return 0;
  }
  CHECK(probe == -ETIMEDOUT);
  pthread_t t;
  CHECK(pthread_create(&t, NULL, sleeper, NULL) == 0);
  while (futex(&word[1], FUTEX_WAKE, 1, NULL, NULL, 0) != 1) sched_yield();
  CHECK(pthread_join(t, NULL) == 0);
  atomic_store(&word[2], 1);
  CHECK(wait_any(NULL) == -EAGAIN);
  puts("works without futex_waitv"); /* the same line: an old kernel's answer is allowed to differ */
  return 0;
}
