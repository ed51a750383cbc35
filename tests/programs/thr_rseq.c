/* rseq registration: any answer of the kernel is tolerated, and the program works with it. */
#include <errno.h>
#include <linux/rseq.h>
#include <pthread.h>
#include <sys/syscall.h>

#include "check.h"

static __thread struct rseq area __attribute__((aligned(32)));

static void *attempt(void *arg) {
  area.cpu_id = (__u32)RSEQ_CPU_ID_UNINITIALIZED;
  long result = syscall(SYS_rseq, &area, sizeof area, 0, 0x53053053);
  if (result == 0) {
    CHECK((int)area.cpu_id >= 0);
    CHECK(syscall(SYS_rseq, &area, sizeof area, RSEQ_FLAG_UNREGISTER, 0x53053053) == 0);
  } else {
    /* EINVAL or EBUSY: the C library has registered its own; ENOSYS: an old kernel */
    CHECK(errno == EINVAL || errno == EBUSY || errno == ENOSYS || errno == EPERM);
  }
  CHECK(sched_getcpu() >= 0); /* the C library takes it from rseq or asks the kernel */
  return arg;
}

int main(void) {
  pthread_t t;
  attempt(NULL);
  CHECK(pthread_create(&t, NULL, attempt, NULL) == 0 && pthread_join(t, NULL) == 0);
  puts("works with and without rseq");
  return 0;
}
