/* stepped: kills a recorded process at an exact place of the engine's own code.
 *
 *   stepped kill PAGE STEPS COMMAND…   runs COMMAND, waits until a process has written its id into the file PAGE, follows it instruction by
 *                                      instruction until it has made its next store there, and so many instructions on, and kills it.
 *                                      Returns what COMMAND does
 *   stepped tally PAGE                 the program to be recorded: a child counts in PAGE until it is killed; prints how far it came
 *   stepped rival PAGE                 the same; the parent counts there, too, meanwhile
 *   stepped write PAGE                 the same; the child counts by calls that change the file
 *   stepped borrow PAGE                the same; the child has the memory of its parent, which the kernel holds meanwhile, and takes one page of
 *                                      it after the other between two counts; the parent then prints what it finds there
 *   stepped beside PAGE                the same, while the parent runs and asks for the pages, too
 *
 * SIGKILL from outside the sphere comes at any moment, so a random one hardly ever meets the few instructions that matter. */
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/uio.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>

struct page {
  volatile int victim;
  _Alignas(64) volatile uint64_t count;
  _Alignas(64) volatile uint64_t other;
};

static void die(const char *what) {
  fprintf(stderr, "stepped: %s: %s\n", what, strerror(errno));
  exit(99);
}

static struct page *map(const char *path) {
  int fd = open(path, O_RDWR | O_CREAT, 0600);
  if (fd < 0 || ftruncate(fd, 4096)) die(path);
  void *page = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  if (page == MAP_FAILED) die(path);
  close(fd);
  return page;
}

/* -- The killer ---------------------------------------------------------------------------------------------------------- */

/* Until it stops again; false: it is gone. */
static int go_on(pid_t pid, int how) {
  int status;
  return !ptrace(how, pid, 0, 0) && waitpid(pid, &status, __WALL) == pid && WIFSTOPPED(status);
}

#if defined(__aarch64__)
/* A step between a load-exclusive and its store-exclusive takes the reservation away, and the loop around them would never end: such a
 * sequence counts as one instruction, run to breakpoints behind its store and where branches leave it. */
enum { SEQUENCE = 16, BREAKPOINT = 0xd4200000 };

static uint32_t instruction_at(pid_t pid, uint64_t pc) {
  return (uint32_t)((uint64_t)ptrace(PTRACE_PEEKTEXT, pid, pc & ~7UL, 0) >> (pc & 4 ? 32 : 0));
}

static void set_instruction(pid_t pid, uint64_t pc, uint32_t instruction) {
  uint64_t word = (uint64_t)ptrace(PTRACE_PEEKTEXT, pid, pc & ~7UL, 0);
  unsigned shift = pc & 4 ? 32 : 0;
  word = (word & ~(0xffffffffUL << shift)) | (uint64_t)instruction << shift;
  if (ptrace(PTRACE_POKETEXT, pid, pc & ~7UL, word)) die("ptrace");
}

/* Where a conditional branch leads, or 0. */
static uint64_t branch_target(uint64_t pc, uint32_t instruction) {
  int64_t words = (int32_t)(instruction << 8) >> 13; /* b.cond, cbz, cbnz */
  if ((instruction & 0x7e000000) == 0x36000000)
    words = (int32_t)(instruction << 13) >> 18; /* tbz, tbnz */
  else if ((instruction & 0xfe000000) != 0x54000000 && (instruction & 0x7e000000) != 0x34000000)
    return 0;
  return pc + (uint64_t)words * 4;
}

/* The places at which the exclusive sequence at `pc` is over; how many, 0 where there is none. */
static unsigned ends_of_sequence(pid_t pid, uint64_t pc, uint64_t ends[SEQUENCE]) {
  unsigned count = 0;
  if ((instruction_at(pid, pc) & 0x3fc00000) != 0x08400000) return 0;
  for (unsigned i = 1; i < SEQUENCE; i++) {
    uint32_t instruction = instruction_at(pid, pc + 4 * i);
    uint64_t target = branch_target(pc + 4 * i, instruction);
    if (target) ends[count++] = target;
    if ((instruction & 0x3fc00000) != 0x08000000) continue;
    ends[count++] = pc + 4 * i + 4;
    return count;
  }
  return 0;
}

/* One instruction; false: it is gone. */
static int advance(pid_t pid) {
  struct user_regs_struct registers;
  struct iovec part = {&registers, sizeof registers};
  uint64_t ends[SEQUENCE];
  uint32_t replaced[SEQUENCE];
  if (ptrace(PTRACE_GETREGSET, pid, NT_PRSTATUS, &part)) return 0;
  unsigned count = ends_of_sequence(pid, registers.pc, ends);
  if (!count) return go_on(pid, PTRACE_SINGLESTEP);
  for (unsigned i = 0; i < count; i++) replaced[i] = instruction_at(pid, ends[i]);
  for (unsigned i = 0; i < count; i++) set_instruction(pid, ends[i], BREAKPOINT);
  if (!go_on(pid, PTRACE_CONT)) return 0;
  for (unsigned i = 0; i < count; i++) set_instruction(pid, ends[i], replaced[i]);
  return 1;
}
#else
static int advance(pid_t pid) {
  return go_on(pid, PTRACE_SINGLESTEP);
}
#endif

static void follow(pid_t pid, const struct page *page, long steps) {
  int status;
  if (ptrace(PTRACE_SEIZE, pid, 0, 0) || ptrace(PTRACE_INTERRUPT, pid, 0, 0)) die("ptrace");
  if (waitpid(pid, &status, __WALL) != pid || !WIFSTOPPED(status)) die("the process is gone");
  for (uint64_t before = page->count; page->count == before;)
    if (!advance(pid)) die("the process has ended by itself");
  while (steps--)
    if (!advance(pid)) die("the process has ended by itself");
  if (kill(pid, SIGKILL)) die("kill");
  while (waitpid(pid, &status, __WALL) == pid && WIFSTOPPED(status))
    continue; /* its parent is told only then */
}

static int run(const char *path, long steps, char **command) {
  struct page *page = map(path);
  int status;
  pid_t pid = fork();
  if (pid < 0) die("fork");
  if (!pid) {
    execvp(*command, command);
    die(*command);
  }
  while (!page->victim || page->count < 100)
    if (waitpid(pid, &status, WNOHANG) == pid) die("the command has ended by itself");
  follow(page->victim, page, steps);
  while (waitpid(pid, &status, 0) != pid) continue;
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

/* -- The program --------------------------------------------------------------------------------------------------------- */

static void count(struct page *page, const char *path, int by_calls) {
  int fd = open(path, O_RDWR);
  page->victim = getpid();
  while (!by_calls) page->count++;
  for (uint64_t n = 1;; n++)
    if (pwrite(fd, &n, sizeof n, offsetof(struct page, count)) != sizeof n) die("pwrite");
}

static int tally(const char *path, int rival, int by_calls) {
  struct page *page = map(path);
  int status;
  pid_t pid = fork();
  if (pid < 0) die("fork");
  if (!pid) count(page, path, by_calls);
  while (waitpid(pid, &status, rival ? WNOHANG : 0) != pid) page->other++;
  printf("%d %lu %lu\n", WTERMSIG(status), (unsigned long)page->count, (unsigned long)page->other);
  return 0;
}

enum { BORROWED = 2000, PAGE_BYTES = 4096 };

static volatile uint32_t memory[BORROWED][PAGE_BYTES / sizeof(uint32_t)];

static void take_pages(struct page *page) {
  page->victim = getpid();
  for (unsigned i = 0;; i = (i + 1) % BORROWED) {
    page->count++;
    memory[i][64]++;
    usleep(100); /* who is to kill it comes before it has all */
  }
}

static int take_beside(void *page) {
  take_pages(page);
  return 0;
}

static int beside(const char *path) {
  static _Alignas(16) char stack[1 << 16];
  struct page *page = map(path);
  int status;
  pid_t pid = clone(take_beside, stack + sizeof stack, CLONE_VM | SIGCHLD, page);
  if (pid < 0) die("clone");
  for (unsigned i = 0; waitpid(pid, &status, WNOHANG) != pid; i = (i + 1) % BORROWED) memory[i][64]++;
  printf("%d %lu\n", WTERMSIG(status), (unsigned long)page->count);
  return 0;
}

static int borrow(const char *path) {
  struct page *page = map(path);
  int status;
  for (unsigned i = 0; i < BORROWED; i++) memory[i][0] = memory[i][64] = i;
  pid_t pid = vfork();
  if (pid < 0) die("vfork");
  if (!pid) take_pages(page);
  uint64_t sum = 0;
  for (unsigned i = 0; i < BORROWED; i++) sum += memory[i][0] + ++memory[i][64];
  if (waitpid(pid, &status, 0) != pid) die("waitpid");
  printf("%d %lu %lu\n", WTERMSIG(status), (unsigned long)page->count, (unsigned long)sum);
  return 0;
}

int main(int argc, char **argv) {
  if (argc > 4 && !strcmp(argv[1], "kill")) return run(argv[2], strtol(argv[3], NULL, 10), argv + 4);
  if (argc == 3 && !strcmp(argv[1], "tally")) return tally(argv[2], 0, 0);
  if (argc == 3 && !strcmp(argv[1], "rival")) return tally(argv[2], 1, 0);
  if (argc == 3 && !strcmp(argv[1], "write")) return tally(argv[2], 0, 1);
  if (argc == 3 && !strcmp(argv[1], "borrow")) return borrow(argv[2]);
  if (argc == 3 && !strcmp(argv[1], "beside")) return beside(argv[2]);
  fprintf(stderr,
          "usage: stepped kill PAGE STEPS COMMAND… | tally PAGE | rival PAGE | write PAGE | borrow PAGE | "
          "beside PAGE\n");
  return 2;
}
