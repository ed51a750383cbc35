/* Children that have the memory of their parent are killed while they write it, by the parent itself or, when the kernel holds it
 * (vfork), by another process: what they have left there is the same again in a replay.
 *
 *   race_killed [2 [ROUNDS]]: without an argument they are killed when they have come to an end, and wait. */
#include <signal.h>

#include "race_processes.h"

enum { WORDS = 512, STEPS = 5000, STACK = 1 << 16 };

struct signs {
  volatile int child; /* its id, once it has begun */
  volatile int waits; /* it is at its end */
};

static struct signs *signs; /* shared by all */
static volatile uint64_t written[WORDS];
static _Alignas(16) char stack[STACK];

static int child(void *unused) {
  (void)unused;
  signs->child = getpid();
  for (uint64_t i = 1; race_threads > 1 || i < STEPS; i++) written[i * 7 % WORDS] += i;
  signs->waits = 1;
  while (pause()) continue;
  return 0;
}

static void await_moment(unsigned round) {
  while (!signs->child || (race_threads == 1 && !signs->waits)) sched_yield();
  for (volatile unsigned i = 0; i < round * 997 % 20000; i++) continue;
}

static pid_t kill_beside(unsigned round) {
  pid_t pid = clone(child, stack + STACK, CLONE_VM | SIGCHLD, NULL);
  CHECK(pid > 0);
  await_moment(round);
  CHECK(!kill(pid, SIGKILL));
  return pid;
}

static pid_t kill_held(unsigned round) {
  int status;
  pid_t killer = fork();
  CHECK(killer >= 0);
  if (!killer) {
    await_moment(round);
    _exit(kill(signs->child, SIGKILL) ? 1 : 0);
  }
  pid_t pid = vfork();
  CHECK(pid >= 0);
  if (!pid) child(NULL);
  CHECK(waitpid(killer, &status, 0) == killer && !status);
  return pid;
}

int main(int argc, char **argv) {
  race_threads = argc > 1 ? (unsigned)atoi(argv[1]) : 1;
  race_rounds = argc > 2 ? (unsigned)atoi(argv[2]) : 12;
  signs = race_share(sizeof *signs);
  for (unsigned round = 0; round < race_rounds; round++) {
    int status;
    signs->child = signs->waits = 0;
    pid_t pid = round % 2 ? kill_beside(round) : kill_held(round);
    for (unsigned i = 0; i < WORDS; i++) race_note(0, (uint32_t)written[i]);
    CHECK(waitpid(pid, &status, 0) == pid && WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
    for (unsigned i = 0; i < WORDS; i++) race_note(0, (uint32_t)written[i]++);
  }
  printf("signature %08x\n", race_seen[0]);
  return 0;
}
