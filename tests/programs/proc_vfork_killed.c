/* A child of vfork has written its parent's memory, goes to another program and is killed on the way: before that has done anything, while it is
 * loaded, or when it runs; perhaps just when it answers its parent, who reads what it wrote, and goes on with it. */
#include "sys_helpers.h"

enum { ROUNDS = 60, WORDS = 4096, STEP = 16 };

static volatile int written[WORDS];
static volatile unsigned spent;

int main(int count, char **arguments) {
  if (count > 1)
    for (;;) pause();
  int sum = 0, killed = 0;
  for (int round = 0; round < ROUNDS; round++) {
    pid_t child = vfork();
    if (child == 0) {
      for (int i = 0; i < WORDS; i += STEP) written[i] += round;
      execl("/proc/self/exe", arguments[0], "waits", (char *)NULL);
      _exit(127);
    }
    for (unsigned i = 0; i < (unsigned)(round * round) * 50; i++) spent++;
    if (kill(child, SIGKILL)) return 1;
    for (int i = 0; i < WORDS; i += STEP) sum += written[i]++;
    int status;
    if (waitpid(child, &status, 0) != child) return 1;
    killed += WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL;
  }
  say("%d killed, %d seen\n", killed, sum);
  return 0;
}
