/* fork: pid and ppid relations, copied memory, own exit status, no pending signals or alarms in the child. */
#include "sys_helpers.h"

static int shared_name = 1;

int main(void) {
  pid_t parent = getpid();
  int stack = 10, *heap = malloc(sizeof *heap);
  CHECK(heap);
  *heap = 100;
  alarm(100);
  mask_one(SIG_BLOCK, SIGUSR1);
  raise(SIGUSR1);
  pid_t child = fork();
  CHECK(child >= 0);
  if (child == 0) {
    say("child: ppid is the parent %d, other pid %d, tid is pid %d\n", getppid() == parent,
        getpid() != parent, gettid() == getpid());
    say("child: pending %d blocked %d alarm %u\n", is_pending(SIGUSR1), is_blocked(SIGUSR1), alarm(0));
    say("child sees %d %d %d\n", shared_name, stack, *heap);
    shared_name++, stack++, ++*heap;
    say("child changes %d %d %d\n", shared_name, stack, *heap);
    exit(42);
  }
  say_status("child", reap(child));
  say("parent has %d %d %d, pending %d, alarm kept %d\n", shared_name, stack, *heap, is_pending(SIGUSR1),
      alarm(0) > 50);
  say("no child left: %s\n", outcome(wait(NULL)));
  free(heap);
  return 0;
}
