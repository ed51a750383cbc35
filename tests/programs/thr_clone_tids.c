/* CLONE_PARENT_SETTID, CHILD_SETTID and CHILD_CLEARTID write the words they name, and wake a futex waiter. */
#include "thr_futex.h"

#include <sched.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>

#include "check.h"

static _Atomic int parent_word, child_word;
static int seen_by_child, tid_in_child, word_in_child;

static int child(void *arg) {
  tid_in_child = (int)syscall(SYS_gettid);
  seen_by_child = atomic_load(&child_word);
  int *word = NULL;
  if (prctl(PR_GET_TID_ADDRESS, &word) != 0) word = (int *)&child_word; /* not every kernel tells */
  word_in_child = word == (int *)&child_word;
  syscall(SYS_set_tid_address, NULL);           /* no word to clear any more */
  if (!arg) syscall(SYS_set_tid_address, word); /* but as it was */
  return 0;
}

int main(void) {
  static char stack[64 << 10] __attribute__((aligned(16)));
  int flags = CLONE_VM | CLONE_PARENT_SETTID | CLONE_CHILD_SETTID | CLONE_CHILD_CLEARTID | SIGCHLD;
  for (int round = 0; round < 2; round++) {
    atomic_store(&child_word, -1);
    int pid = clone(child, stack + sizeof stack, flags, round ? &parent_word : NULL, &parent_word, NULL,
                    &child_word);
    CHECK(pid > 0 && atomic_load(&parent_word) == pid);
    if (round == 0) {
      int word;
      while ((word = atomic_load(&child_word)) != 0)
        futex(&child_word, FUTEX_WAIT, (uint32_t)word, NULL, NULL, 0);
    }
    CHECK(waitpid(pid, NULL, 0) == pid);
    CHECK(seen_by_child == pid && tid_in_child == pid && word_in_child);
    printf("round %d: word %s\n", round, atomic_load(&child_word) == 0 ? "cleared" : "kept");
  }
  return 0;
}
