/* Three generations, and a child that has gone to another program and lives as long as its parent wants. */
#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

int value;

static void step(int now) {
  value = now;
  __asm__ volatile("" ::: "memory");
}

static void await(pid_t child) {
  waitpid(child, NULL, 0);
}

static void grandchild(void) {
  step(2);
  step(22);
  _exit(0);
}

static void child(void) {
  step(1);
  pid_t other = fork();
  if (!other) grandchild();
  await(other);
  step(11);
  _exit(0);
}

int main(void) {
  int ends[2], gone[2];
  char byte;
  if (pipe(ends) || pipe2(gone, O_CLOEXEC)) return 1;
  step(0);
  pid_t reader = fork();
  if (!reader) {
    dup2(ends[0], 0);
    close(ends[1]);
    execl("/bin/cat", "cat", (char *)NULL);
    _exit(99);
  }
  close(gone[1]);
  if (read(gone[0], &byte, 1)) return 1; /* until the other program has begun */
  pid_t other = fork();
  if (!other) child();
  await(other);
  step(3);
  close(ends[1]);
  await(reader);
  step(4);
  return 0;
}
