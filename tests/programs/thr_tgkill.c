/* gettid and tgkill: signals reach the named thread only; wrong ids give ESRCH and EINVAL. */
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/syscall.h>

#include "check.h"

static atomic_int hits_here, hits_elsewhere, tid_of_worker, queued_value;
static __thread int is_worker;

static void handler(int signo, siginfo_t *info, void *context) {
  (void)signo, (void)context;
  CHECK(info->si_pid == getpid());
  if (info->si_code == SI_TKILL) atomic_fetch_add(is_worker ? &hits_here : &hits_elsewhere, 1);
  if (info->si_code == SI_QUEUE) atomic_store(&queued_value, info->si_value.sival_int);
}

static void *worker(void *arg) {
  is_worker = 1;
  atomic_store(&tid_of_worker, (int)syscall(SYS_gettid));
  while (atomic_load(&queued_value) == 0) sched_yield();
  return arg;
}

static int kill_errno(int tgid, int tid, int signo) {
  return syscall(SYS_tgkill, tgid, tid, signo) == 0 ? 0 : errno;
}

int main(void) {
  struct sigaction sa = {.sa_sigaction = handler, .sa_flags = SA_SIGINFO | SA_RESTART};
  CHECK(sigaction(SIGUSR1, &sa, NULL) == 0);
  pthread_t t;
  CHECK(pthread_create(&t, NULL, worker, NULL) == 0);
  while (!atomic_load(&tid_of_worker)) sched_yield();
  int tid = atomic_load(&tid_of_worker);
  CHECK(tid != getpid() && (pid_t)syscall(SYS_gettid) == getpid());
  for (int i = 1; i <= 10; i++) {
    CHECK(kill_errno(getpid(), tid, SIGUSR1) == 0);
    while (atomic_load(&hits_here) < i) sched_yield();
  }
  printf("wrong group %d, bad id %d, bad signal %d, null signal %d\n", kill_errno(1, tid, SIGUSR1) == ESRCH,
         kill_errno(-1, tid, SIGUSR1) == EINVAL, kill_errno(getpid(), tid, 200) == EINVAL,
         kill_errno(getpid(), tid, 0));
  siginfo_t info = {.si_code = SI_QUEUE};
  info.si_pid = getpid();
  info.si_value.sival_int = 77;
  CHECK(syscall(SYS_rt_tgsigqueueinfo, getpid(), tid, SIGUSR1, &info) == 0);
  CHECK(pthread_join(t, NULL) == 0);
  printf("here %d, elsewhere %d, queued %d\n", atomic_load(&hits_here), atomic_load(&hits_elsewhere),
         atomic_load(&queued_value));
  return 0;
}
