/* A child of vfork that does nothing but come to code that was never executed before is killed in the middle of that, by a process that has
 * memory of its own. Its parent goes on, in code that was never executed before either. */
#include <signal.h>
#include <stdio.h>
#include <sys/wait.h>

#include "jit.h"

enum { ROUNDS = 40, FUNCTIONS = 2000, SIZE = 16 };

static struct {
  volatile pid_t child;
  volatile unsigned called;
} * signs; /* shared by all */
static byte *code;

static byte *function(int round, int i) {
  return code + ((size_t)round * FUNCTIONS + (size_t)i) * SIZE;
}

static void run(int round) {
  signs->child = getpid();
  for (int i = 1; i < FUNCTIONS; i++) signs->called += jit_call(function(round, i)) == (unsigned)(round + i);
  for (;;) pause();
}

/* At another moment each time. */
static void kill_child(int round) {
  while (!signs->child || signs->called < (unsigned)(round % 8) * 10) continue;
  for (volatile int i = 0; i < round * 97; i++) continue;
  _exit(kill(signs->child, SIGKILL) ? 1 : 0);
}

int main(void) {
  signs = mmap(NULL, sizeof *signs, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  CHECK(signs != MAP_FAILED);
  code = jit_map((size_t)ROUNDS * FUNCTIONS * SIZE);
  for (int round = 0; round < ROUNDS; round++)
    for (int i = 0; i < FUNCTIONS; i++) jit_constant(function(round, i), (uint32_t)(round + i));
  jit_announce(code, code + (size_t)ROUNDS * FUNCTIONS * SIZE);
  unsigned sum = 0;
  for (volatile int round = 0; round < ROUNDS; round++) {
    int status;
    signs->child = 0;
    signs->called = 0;
    pid_t killer = fork();
    CHECK(killer >= 0);
    if (!killer) kill_child(round);
    pid_t child = vfork();
    CHECK(child >= 0);
    if (!child) run(round);
    sum += jit_call(function(round, 0));
    CHECK(waitpid(killer, &status, 0) == killer && !status);
    CHECK(waitpid(child, &status, 0) == child && WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
  }
  printf("%d killed, %u\n", ROUNDS, sum);
  return 0;
}
