/* 300 children one after the other and a tree of 63 processes: all end as told, memory is each one's own. */
#include "sys_helpers.h"

static int counter;

static int tree(int depth) {
  int nodes = 1;
  counter += depth;
  if (depth == 0) return nodes;
  for (int i = 0; i < 2; i++) {
    pid_t child = fork();
    CHECK(child >= 0);
    if (child == 0) _exit(tree(depth - 1));
    int status = reap(child);
    CHECK(WIFEXITED(status));
    nodes += WEXITSTATUS(status);
  }
  return nodes;
}

int main(void) {
  long sum = 0;
  for (int i = 0; i < 300; i++) {
    pid_t child = fork();
    CHECK(child >= 0);
    if (child == 0) {
      counter += i;
      _exit(counter % 256);
    }
    sum += WEXITSTATUS(reap(child));
  }
  say("sum of statuses %ld, counter %d\n", sum, counter);
  say("tree of %d\n", tree(5));
  say("counter %d\n", counter);
  pid_t children[40];
  for (int i = 0; i < 40; i++)
    if ((children[i] = fork()) == 0) _exit(i);
  for (int i = 39; i >= 0; i--) CHECK(WEXITSTATUS(reap(children[i])) == i);
  say("forty at once reaped backwards, none left: %s\n", outcome(waitpid(-1, NULL, WNOHANG)));
  return 0;
}
