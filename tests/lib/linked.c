/* What musl.sh and static.sh build in several ways: threads, thread-local storage, a fault, fork, exec, a large heap. */
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
static __thread int mine = 7;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int shared;
static void *count(void *arg) {
  mine += *(int *)arg;
  for (int i = 0; i < 10000; i++) {
    pthread_mutex_lock(&lock);
    shared++;
    pthread_mutex_unlock(&lock);
  }
  *(int *)arg = mine;
  return arg;
}
static sigjmp_buf back;
static void on_fault(int sig, siginfo_t *info, void *context) {
  (void)context;
  siglongjmp(back, sig == SIGSEGV && info->si_addr == (void *)64 ? 1 : 2);
}
int main(int argc, char **argv) {
  pthread_t t[4];
  int args[4] = {1, 2, 3, 4}, sum = 0;
  for (int i = 0; i < 4; i++) pthread_create(&t[i], NULL, count, &args[i]);
  for (int i = 0; i < 4; i++) pthread_join(t[i], NULL);
  for (int i = 0; i < 4; i++) sum += args[i];
  printf("%s %d: shared %d, sum %d, mine %d\n", argv[0], argc, shared, sum, mine);
  struct sigaction action = {.sa_sigaction = on_fault, .sa_flags = SA_SIGINFO};
  sigaction(SIGSEGV, &action, NULL);
  int jumped = sigsetjmp(back, 1);
  if (!jumped) *(volatile int *)64 = 1;
  printf("jumped %d\n", jumped);
  fflush(stdout);
  pid_t child = fork();
  if (child == 0) execl("/bin/echo", "echo", "from exec", (char *)NULL);
  int status;
  waitpid(child, &status, 0);
  char *big = malloc(50 << 20);
  memset(big, 1, 50 << 20);
  printf("child %d, %s, environment %s\n", status, big[40 << 20] ? "memory" : "none", getenv("TERM"));
  return 5;
}
