/* processes.c: fork, pipes, wait, exit statuses, memory that is not shared after a fork and memory that is, execve of itself, posix_spawn. */
/* status: 5 */
#include <pthread.h>
#include <signal.h>
#include <spawn.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "program.h"

extern char **environ;
static int variable = 1;

static void child_of_pipe(int from, int to) {
  char text[64];
  variable = 2;
  ssize_t n = read(from, text, sizeof text);
  CHECK(n > 0);
  for (ssize_t i = 0; i < n; i++) text[i] ^= 1;
  CHECK(write(to, text, (size_t)n) == n);
  _exit(42);
}

static void test_pipe(void) {
  int there[2], back[2], status;
  char text[64];
  CHECK(!pipe(there) && !pipe(back));
  pid_t child = fork();
  if (!child) child_of_pipe(there[0], back[1]);
  CHECK(write(there[1], "idmmn", 5) == 5 && read(back[0], text, sizeof text) == 5);
  CHECK(waitpid(child, &status, 0) == child && WIFEXITED(status));
  printf("%.5s %d %d\n", text, WEXITSTATUS(status), variable);
  close(there[0]), close(there[1]), close(back[0]), close(back[1]);
}

struct common {
  pthread_mutex_t lock;
  long count;
};

static void test_shared(void) {
  struct common *common =
      mmap(NULL, sizeof *common, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  pthread_mutexattr_t attribute;
  pthread_mutexattr_init(&attribute);
  pthread_mutexattr_setpshared(&attribute, PTHREAD_PROCESS_SHARED);
  pthread_mutex_init(&common->lock, &attribute);
  fflush(stdout);
  for (int i = 0; i < 5; i++) {
    if (fork()) continue;
    for (int j = 0; j < 400; j++) {
      pthread_mutex_lock(&common->lock);
      common->count++;
      pthread_mutex_unlock(&common->lock);
    }
    _exit(0);
  }
  for (int i = 0; i < 5; i++) CHECK(wait(NULL) > 0);
  CHECK(wait(NULL) == -1);
  printf("%ld\n", common->count);
}

static void test_signalled(void) {
  int status;
  pid_t child = fork();
  if (!child) {
    for (;;) pause();
  }
  CHECK(!kill(child, SIGKILL) && waitpid(child, &status, 0) == child);
  printf("signal %d\n", WTERMSIG(status));
}

int main(int argc, char **argv) {
  int status;
  pid_t child;
  if (argc > 1) {
    printf("executed with %s %s\n", argv[1], argv[2]);
    return 5;
  }
  test_pipe();
  test_shared();
  test_signalled();
  char first[] = "one", second[] = "two";
  char *arguments[] = {argv[0], first, second, NULL};
  fflush(stdout);
  CHECK(!posix_spawn(&child, argv[0], NULL, NULL, arguments, environ));
  CHECK(waitpid(child, &status, 0) == child);
  printf("spawned: %d\n", WEXITSTATUS(status));
  fflush(stdout);
  execv("/nowhere/at/all", arguments);
  execv(argv[0], arguments);
  return 1;
}
