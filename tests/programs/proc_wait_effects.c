/* What a child has done is there when its parent has waited for it: in memory that they share, in files that the parent maps only
 * then, or has mapped. The child takes its time, so that a replay whose parent does not wait for it has
 * nothing yet. */
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <sys/ipc.h>
#include <sys/mman.h>
#include <sys/shm.h>

#include "sys_helpers.h"

enum { SIZE = 8192 };

static char *shared, *segment, *mapped;
static int file, later, copy;

static void compute(void) {
  for (volatile int i = 0; i < 300000; i++) continue;
}

static void writes_shared(void) {
  strcpy(shared, "shared");
}

static void writes_segment(void) {
  strcpy(segment + 5000, "segment");
}

static void stores_to_file(void) {
  char *at = mmap(NULL, SIZE, PROT_READ | PROT_WRITE, MAP_SHARED, later, 0);
  CHECK(at != MAP_FAILED);
  strcpy(at + 100, "stored");
}

static void writes_file(void) {
  CHECK(pwrite(copy, "written", 8, 200) == 8);
}

static void writes_mapped_file(void) {
  CHECK(pwrite(file, "into a mapping", 15, 300) == 15);
}

/* Waits in another way each time. */
static void await(pid_t child, unsigned n) {
  siginfo_t info;
  switch (n % 3) {
    case 0:
      CHECK(waitpid(child, NULL, 0) == child);
      break;
    case 1:
      CHECK(!waitid(P_PID, (id_t)child, &info, WEXITED | WNOWAIT) && info.si_pid == child);
      CHECK(waitpid(-1, NULL, WNOHANG) == child);
      break;
    default:
      while (!waitpid(child, NULL, WNOHANG)) sched_yield();
      break;
  }
}

static void in_child(void (*effect)(void)) {
  static unsigned n;
  pid_t child = fork();
  CHECK(child >= 0);
  if (!child) {
    compute();
    effect();
    if (n % 2) raise(SIGKILL);
    _exit(0);
  }
  await(child, n++);
}

static void say_file(int fd, int flags, size_t offset) {
  char *at = mmap(NULL, SIZE, PROT_READ, flags, fd, 0);
  CHECK(at != MAP_FAILED);
  say("%s\n", at + offset);
  CHECK(!munmap(at, SIZE));
}

static int sized_file(void) {
  int fd = scratch_file();
  CHECK(!ftruncate(fd, SIZE));
  return fd;
}

int main(void) {
  int id = shmget(IPC_PRIVATE, SIZE, 0600);
  file = sized_file();
  shared = mmap(NULL, SIZE, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  segment = shmat(id, NULL, 0);
  mapped = mmap(NULL, SIZE, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  CHECK(shared != MAP_FAILED && segment != MAP_FAILED && mapped != MAP_FAILED);
  CHECK(!shmctl(id, IPC_RMID, NULL));
  for (int round = 0; round < 2; round++) {
    later = sized_file(), copy = sized_file();
    *shared = segment[5000] = mapped[300] = 0;
    in_child(writes_shared);
    say("%s\n", shared);
    in_child(writes_segment);
    say("%s\n", segment + 5000);
    in_child(stores_to_file);
    say_file(later, MAP_SHARED, 100);
    in_child(writes_file);
    say_file(copy, MAP_PRIVATE, 200);
    in_child(writes_mapped_file);
    say("%s\n", mapped + 300);
  }
  return 0;
}
