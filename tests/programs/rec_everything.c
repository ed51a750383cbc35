/* A little of everything that a recording holds, in little time: tests/mutations changes its logs. */
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "check.h"

enum { PAGE = 4096, ROUNDS = 200 };

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static volatile unsigned total, unlocked;
static volatile sig_atomic_t signals, faults;
static int pipes[2];

static void caught(int signo) {
  (void)signo;
  signals++;
}

static void faulted(int signo, siginfo_t *info, void *context) {
  (void)signo, (void)context;
  faults++;
  mprotect((void *)((uintptr_t)info->si_addr & ~(uintptr_t)(PAGE - 1)), PAGE, PROT_READ | PROT_WRITE);
}

static void *worker(void *argument) {
  char byte;
  for (unsigned i = 0; i < ROUNDS; i++) {
    pthread_mutex_lock(&mutex);
    total++;
    pthread_mutex_unlock(&mutex);
    unlocked++;
  }
  CHECK(read(pipes[0], &byte, 1) == 1);
  if (argument) pthread_kill(*(pthread_t *)argument, SIGUSR1);
  return (void *)(intptr_t)byte;
}

static void print(const char *text) {
  CHECK(write(1, text, strlen(text)) == (ssize_t)strlen(text));
}

static void threads(void) {
  pthread_t other[2], self = pthread_self();
  void *got[2];
  char line[64];
  CHECK(!pipe(pipes));
  pthread_create(&other[0], NULL, worker, NULL);
  pthread_create(&other[1], NULL, worker, &self);
  CHECK(write(pipes[1], "xx", 2) == 2);
  for (int i = 0; i < 2; i++) pthread_join(other[i], &got[i]);
  while (!signals) {
  }
  snprintf(line, sizeof line, "total %u, %c%c, signals %d\n", total, (char)(intptr_t)got[0],
           (char)(intptr_t)got[1], (int)signals);
  print(line);
}

static void processes(void) {
  unsigned *shared = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  CHECK(shared != MAP_FAILED);
  int status;
  pid_t child = fork();
  if (!child) {
    *shared = 7;
    print("child\n");
    _exit(3);
  }
  CHECK(waitpid(child, &status, 0) == child && WEXITSTATUS(status) == 3 && *shared == 7);
  child = fork();
  if (!child) {
    *shared = 8;
    raise(SIGKILL);
  }
  CHECK(waitpid(child, &status, 0) == child && WTERMSIG(status) == SIGKILL && *shared == 8);
}

static void files(void) {
  char path[] = "/tmp/everything-XXXXXX";
  int fd = mkstemp(path);
  struct stat information;
  off_t start = 0;
  CHECK(fd >= 0 && write(fd, "sent by a file\n", 15) == 15 && !fstat(fd, &information));
  char *mapped = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  CHECK(mapped != MAP_FAILED && information.st_size == 15);
  CHECK(pwrite(fd, "S", 1, 0) == 1);
  if (sendfile(1, fd, &start, 15) != 15) print("Sent by a file\n");
  struct iovec pieces[] = {{mapped, 4}, {" twice\n", 7}};
  CHECK(writev(1, pieces, 2) == 11);
  unlink(path);
}

static void memory(void) {
  char *p = mmap(NULL, 4 * PAGE, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0), line[64];
  struct sigaction action = {.sa_sigaction = faulted, .sa_flags = SA_SIGINFO};
  struct timespec now, then;
  CHECK(p != MAP_FAILED && !sigaction(SIGSEGV, &action, NULL));
  p[0] = 'a';
  p[PAGE] = 'b';
  p = mremap(p, 2 * PAGE, 16 * PAGE, MREMAP_MAYMOVE);
  CHECK(p != MAP_FAILED && !madvise(p, PAGE, MADV_DONTNEED) && !munmap(p + 8 * PAGE, PAGE));
  char *heap = sbrk(3 * PAGE);
  heap[PAGE] = 'h';
  CHECK(!clock_gettime(CLOCK_MONOTONIC, &then) && !clock_gettime(CLOCK_MONOTONIC, &now));
  snprintf(line, sizeof line, "faults %d, %d%c%c, time %s\n", (int)faults, p[0], p[PAGE], heap[PAGE],
           now.tv_sec >= then.tv_sec ? "goes on" : "goes back");
  print(line);
}

int main(void) {
  signal(SIGUSR1, caught);
  raise(SIGUSR1);
  threads();
  memory();
  processes();
  files();
  return 0;
}
