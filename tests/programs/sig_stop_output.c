/* Processes that are stopped while they write to standard output, or to memory that they share, do not keep others from either: in whatever
 * they are stopped, who has stopped them writes before it continues them. */
#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>

#include "check.h"

enum { ROUNDS = 60, LINES = 3000 };

static void put(volatile unsigned *shared) {
  CHECK(write(1, "x", 1) == 1);
  *shared += 1;
}

static void work(volatile unsigned *shared) {
  for (int i = 0; i < LINES; i++) put(shared);
  for (;;) ++*shared;
}

int main(void) {
  volatile unsigned *shared =
      mmap(NULL, 2 * sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  CHECK(shared != MAP_FAILED);
  pid_t child = fork();
  CHECK(child >= 0);
  if (!child) work(shared);
  CHECK(setpgid(child, child) == 0);
  for (int round = 0; round < ROUNDS || shared[0] < 2 * LINES; round++) {
    int status, signo = round % 2 ? SIGSTOP : SIGTSTP;
    CHECK(kill(child, signo) == 0);
    CHECK(waitpid(child, &status, WUNTRACED) == child && WIFSTOPPED(status) && WSTOPSIG(status) == signo);
    if (round < ROUNDS) put(shared + 1);
    CHECK(kill(child, SIGCONT) == 0);
    unsigned seen = shared[0];
    while (shared[0] == seen) continue;
  }
  CHECK(kill(child, SIGKILL) == 0);
  CHECK(waitpid(child, NULL, 0) == child);
  return 0;
}
