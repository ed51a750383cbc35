/* Two threads behind a filter that kills for every call but the few that they make: they wait for a parent's bytes, for each other, and
 * compute. What runs them makes no difference to the filter. */
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

#include "sys_helpers.h"

enum { LETTERS = 20, WORK = 20000 };

static int requests[2], answers[2];
static pthread_barrier_t barrier;
static volatile unsigned sum;

static void enter_sandbox(void) {
  static const int allowed[] = {SYS_read, SYS_write, SYS_futex, SYS_exit_group, SYS_exit};
  enum { CALLS = sizeof allowed / sizeof allowed[0] };
  struct sock_filter code[1 + 2 * CALLS + 1] = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr))};
  for (int i = 0; i < CALLS; i++) {
    code[1 + 2 * i] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (unsigned)allowed[i], 0, 1);
    code[2 + 2 * i] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
  }
  code[1 + 2 * CALLS] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS);
  struct sock_fprog program = {sizeof code / sizeof code[0], code};
  CHECK(!prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0));
  CHECK(!syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_TSYNC, &program));
}

static void *compute(void *unused) {
  pthread_barrier_wait(&barrier); /* by now it has made the calls that begin a thread */
  for (int turn = 0; turn < LETTERS; turn++) {
    pthread_barrier_wait(&barrier);
    for (int i = 0; i < WORK; i++) sum += (unsigned)i;
    pthread_barrier_wait(&barrier);
  }
  for (;;) pthread_barrier_wait(&barrier); /* the end of a thread has calls of its own */
  return unused;
}

static _Noreturn void serve(void) {
  pthread_t thread;
  char letter;
  CHECK(!pthread_barrier_init(&barrier, NULL, 2) && !pthread_create(&thread, NULL, compute, NULL));
  pthread_barrier_wait(&barrier);
  enter_sandbox();
  for (int turn = 0; turn < LETTERS; turn++) {
    CHECK(read(requests[0], &letter, 1) == 1);
    pthread_barrier_wait(&barrier);
    pthread_barrier_wait(&barrier);
    letter++;
    CHECK(write(answers[1], &letter, 1) == 1);
  }
  _exit(sum == (unsigned)LETTERS * (WORK / 2 * (WORK - 1U)) ? 5 : 6);
}

int main(void) {
  char text[LETTERS + 1] = {0};
  CHECK(!pipe(requests) && !pipe(answers));
  pid_t child = fork();
  CHECK(child >= 0);
  if (!child) serve();
  CHECK(!close(requests[0]) && !close(answers[1]));
  for (int turn = 0; turn < LETTERS; turn++) {
    char letter = (char)('a' + turn);
    CHECK(write(requests[1], &letter, 1) == 1);
    if (read(answers[0], text + turn, 1) != 1) break;
  }
  say("%s\n", text);
  say_status("behind the filter", reap(child));
}
