/* A crash reporter: a process attaches to every thread of another one, computing or blocked, reads registers and stacks in all ways there are,
 * prints backtraces by frame pointers, and lets them go. Then what is refused: whoever is refused can go on. */
#include "sys_helpers.h"
#include <elf.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/user.h>
#include <sys/wait.h>

enum { THREADS = 4, FRAMES = 32, ROUNDS = 20, MARK = 0x5eed };
enum kind { COMPUTES, READS, PAUSES, SLEEPS };

/* What the reporter finds in the other's memory. */
static struct {
  volatile pid_t tids[THREADS];
  volatile int ready;
  volatile long marks[THREADS];
} common;
static int gate[2];
static volatile int over;
static volatile uintptr_t frame;

/* Each has a frame of its own. */
#define FRAME() (frame = (uintptr_t)__builtin_frame_address(0))

__attribute__((noinline)) static void wait_here(enum kind kind) {
  char byte;
  FRAME();
  __atomic_add_fetch(&common.ready, 1, __ATOMIC_SEQ_CST);
  while (!over) {
    if (kind == READS && read(gate[0], &byte, 1) == 1) break;
    if (kind == PAUSES) poll(NULL, 0, 50);
    if (kind == SLEEPS) usleep(50000);
  }
  FRAME();
}

__attribute__((noinline)) static void middle(enum kind kind, int depth) {
  FRAME();
  if (depth)
    middle(kind, depth - 1);
  else
    wait_here(kind);
  FRAME();
}

__attribute__((noinline)) static void outer(enum kind kind) {
  FRAME();
  middle(kind, (int)kind);
  FRAME();
}

static void *run(void *number) {
  FRAME();
  common.tids[(intptr_t)number] = (pid_t)syscall(SYS_gettid);
  common.marks[(intptr_t)number] = MARK + (intptr_t)number;
  outer((enum kind)(intptr_t)number);
  FRAME();
  return NULL;
}

static void victim(int ready) {
  pthread_t threads[THREADS];
  for (intptr_t i = 0; i < THREADS; i++) CHECK(pthread_create(&threads[i], NULL, run, (void *)i) == 0);
  while (common.ready < THREADS) sched_yield();
  CHECK(write(ready, "r", 1) == 1);
  CHECK(syscall(SYS_wait4, -1, NULL, 0, NULL) < 0); /* has no children */
  for (int i = 0; i < THREADS; i++) CHECK(pthread_join(threads[i], NULL) == 0);
  _exit(7);
}

/* -- The reporter ------------------------------------------------------------------------------------------------------ */

static pid_t pid;
static int memory;

static unsigned long read_word(pid_t tid, uintptr_t at) {
  unsigned long words[3] = {0};
  struct iovec here = {&words[1], 8}, there = {(void *)at, 8};
  errno = 0;
  words[0] = (unsigned long)ptrace(PTRACE_PEEKDATA, tid, (void *)at, NULL);
  CHECK(errno == 0);
  CHECK(process_vm_readv(pid, &here, 1, &there, 1, 0) == 8);
  CHECK(pread(memory, &words[2], 8, (off_t)at) == 8);
  CHECK(words[0] == words[1] && words[0] == words[2]);
  return words[0];
}

static const char *function_at(uintptr_t pc) {
  static const struct {
    uintptr_t start;
    const char *name;
  } functions[] = {{(uintptr_t)middle, "middle"}, {(uintptr_t)outer, "outer"}, {(uintptr_t)run, "run"}};
  for (unsigned i = 0; i < 3; i++)
    if (pc > functions[i].start && pc < functions[i].start + 160) return functions[i].name;
  return NULL;
}

static void backtrace_of(pid_t tid) {
  struct user_regs_struct registers;
  struct iovec set = {&registers, sizeof registers};
  CHECK(ptrace(PTRACE_GETREGSET, tid, NT_PRSTATUS, &set) == 0 && set.iov_len == sizeof registers);
#if defined(__x86_64__)
  uintptr_t pc = registers.rip, at = registers.rbp, sp = registers.rsp;
  struct user_regs_struct others;
  CHECK(ptrace(PTRACE_GETREGS, tid, NULL, &others) == 0 && others.rip == pc && others.rsp == sp);
#else
  uintptr_t pc = registers.pc, at = registers.regs[29], sp = registers.sp;
#endif
  const char *last = function_at(pc);
  int times = last ? 1 : 0;
  for (int i = 0; i < FRAMES && at && at >= sp; i++) {
    const char *name = function_at(read_word(tid, at + 8));
    at = read_word(tid, at);
    if (name == last) {
      times += name != NULL;
      continue;
    }
    if (last) say(" %s*%d", last, times);
    last = name, times = 1;
  }
  if (last) say(" %s*%d", last, times);
  say("\n");
}

static void attach(pid_t tid) {
  int status;
  CHECK(ptrace(PTRACE_ATTACH, tid, NULL, NULL) == 0);
  CHECK(waitpid(tid, &status, __WALL) == tid && WIFSTOPPED(status) && WSTOPSIG(status) == SIGSTOP);
}

static void report(void) {
  pid_t tids[THREADS];
  struct iovec here = {tids, sizeof tids}, there = {(void *)common.tids, sizeof tids};
  CHECK(process_vm_readv(pid, &here, 1, &there, 1, 0) == sizeof tids);
  attach(pid);
  for (int i = 0; i < THREADS; i++) attach(tids[i]);
  for (int i = 0; i < THREADS; i++) {
    CHECK(read_word(tids[i], (uintptr_t)&common.marks[i]) == (unsigned long)(MARK + i));
    say("thread %d:", i);
    backtrace_of(tids[i]);
  }
  for (int i = 0; i < THREADS; i++) CHECK(ptrace(PTRACE_DETACH, tids[i], NULL, NULL) == 0);
  CHECK(ptrace(PTRACE_DETACH, pid, NULL, NULL) == 0);
}

int main(void) {
  int ready[2], status;
  char byte, path[64];
  CHECK(pipe(ready) == 0 && pipe(gate) == 0);
  pid = fork();
  if (!pid) victim(ready[1]);
  CHECK(read(ready[0], &byte, 1) == 1);
  snprintf(path, sizeof path, "/proc/%d/mem", (int)pid);
  memory = open(path, O_RDONLY);
  CHECK(memory >= 0);
  for (int round = 0; round < ROUNDS; round++) report();
  close(memory);
  CHECK(write(gate[1], "g", 1) == 1);
  /* Not even the last word of its memory has changed: it ends by itself. */
  CHECK(kill(pid, 0) == 0);
  say("let go\n");
  CHECK(kill(pid, SIGTERM) == 0);
  CHECK(waitpid(pid, &status, 0) == pid);
  say_status("the other", status);
  return 0;
}
