/* victim ROLE [N]: programs that tests kill while they are recorded, that the recorder refuses, or that leave others behind.
 *
 *   threads N    two threads that race for a variable print N lines each, with what they saw and the time
 *   forks N      a process prints, N times, what three children have left in memory that all share, and they print it too
 *   spawns N     a process prints, N times, what a program that it spawned has ended with, and that prints a line, too
 *   computes N   one thread computes a while before each of N lines
 *   refused      prints, and then makes a call that can't be recorded
 *   daemon       prints when it has left a process behind, in a session of its own, that SIGTERM ends
 *   stubborn     the same, but only SIGKILL ends it */
#include <pthread.h>
#include <signal.h>
#include <spawn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static int count;
static volatile uint64_t shared = 1;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static uint64_t step(uint64_t value) {
  return value * 6364136223846793005u + 1442695040888963407u;
}

static void *write_lines(void *argument) {
  for (int i = 0; i < count; i++) {
    struct timespec now;
    for (int k = 0; k < 300; k++) shared = step(shared);
    clock_gettime(CLOCK_MONOTONIC_RAW, &now);
    if (i % 8 == 0) {
      pthread_mutex_lock(&lock);
      shared++;
      pthread_mutex_unlock(&lock);
    }
    dprintf(1, "%s %d %016lx %ld\n", (char *)argument, i, (unsigned long)shared, now.tv_nsec);
  }
  return NULL;
}

static int threads(void) {
  pthread_t other;
  if (pthread_create(&other, NULL, write_lines, "two")) return 99;
  write_lines("one");
  pthread_join(other, NULL);
  return 7;
}

static int forks(void) {
  volatile int *tally = mmap(NULL, sizeof *tally, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  int status;
  if (tally == MAP_FAILED) return 99;
  for (int i = 0; i < count; i++) {
    for (int k = 0; k < 3; k++) {
      if (fork()) continue;
      for (int z = 0; z < 5; z++) dprintf(1, "child %d.%d of %d: %d\n", i, k, z, ++*tally);
      _exit(k);
    }
    while (wait(&status) > 0) dprintf(1, "parent %d: status %x, tally %d\n", i, (unsigned)status, *tally);
  }
  return 7;
}

static int spawns(void) {
  char number[16], *arguments[] = {"victim", "spawned", number, NULL};
  pid_t child;
  int status;
  for (int i = 0; i < count; i++) {
    snprintf(number, sizeof number, "%d", i);
    if (posix_spawn(&child, "/proc/self/exe", NULL, NULL, arguments, NULL)) return 99;
    if (waitpid(child, &status, 0) != child) return 99;
    dprintf(1, "parent %d: status %x\n", i, (unsigned)status);
  }
  return 7;
}

static int spawned(void) {
  dprintf(1, "spawned %d\n", count);
  return count & 127;
}

static int computes(void) {
  uint64_t value = (uint64_t)getpid();
  for (int i = 0; i < count; i++) {
    for (int k = 0; k < 400000; k++) value = step(value);
    dprintf(1, "%d %016lx\n", i, (unsigned long)value);
  }
  return 7;
}

static int refused(void) {
  void *two = mmap(NULL, 8192, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  dprintf(1, "an hour of work\n");
  syscall(SYS_remap_file_pages, two, 4096, 0, 1, 0);
  dprintf(1, "not reached\n");
  return 0;
}

static int leave_behind(int is_stubborn) {
  int ends[2];
  char byte;
  if (pipe(ends)) return 99;
  if (!fork()) {
    if (fork()) _exit(0);
    setsid();
    if (is_stubborn)
      for (int signo = 1; signo < 32; signo++) signal(signo, SIG_IGN);
    if (write(ends[1], "", 1) != 1) _exit(99);
    for (;;) pause();
  }
  if (read(ends[0], &byte, 1) != 1) return 99;
  dprintf(1, "left behind\n");
  return 3;
}

int main(int argc, char **argv) {
  const char *role = argc > 1 ? argv[1] : "";
  count = argc > 2 ? atoi(argv[2]) : 1000;
  if (!strcmp(role, "threads")) return threads();
  if (!strcmp(role, "forks")) return forks();
  if (!strcmp(role, "spawns")) return spawns();
  if (!strcmp(role, "spawned")) return spawned();
  if (!strcmp(role, "computes")) return computes();
  if (!strcmp(role, "refused")) return refused();
  if (!strcmp(role, "daemon")) return leave_behind(0);
  if (!strcmp(role, "stubborn")) return leave_behind(1);
  return 99;
}
