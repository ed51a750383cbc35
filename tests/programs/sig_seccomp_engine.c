/* Filters judge all calls alike, those too that a translator performs in its own way: of memory, signals, threads, processes. Errors, signals and death;
 * threads with and without a filter, children, and programs that inherit one. */
#include "sys_helpers.h"
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/futex.h>
#include <linux/sched.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <stddef.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

static char *memory;
static int hits;

/* The filter answers that call, and no other. */
static void judge(long nr, unsigned answer, unsigned flags) {
  struct sock_filter code[] = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (unsigned)nr, 0, 1),
      BPF_STMT(BPF_RET | BPF_K, answer),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
  };
  struct sock_fprog program = {sizeof code / sizeof code[0], code};
  CHECK(prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0);
  CHECK(syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, flags, &program) == 0);
}

static int protect(void) {
  return syscall(SYS_mprotect, memory, 4096L, PROT_READ) ? errno : 0;
}

static void try(const char *name, long nr, long a, long b, long c, long d) {
  judge(nr, SECCOMP_RET_ERRNO | EXDEV, 0);
  long result = syscall(nr, a, b, c, d, -1L, 0L);
  say("%s: %ld %s\n", name, result, result == -1 ? strerrorname_np(errno) : "");
}

static void errors(void) {
  struct clone_args args = {.exit_signal = SIGCHLD};
  struct sigaction action = {0};
  sigset_t mask;
  stack_t stack;
  int word = 0;
  sigemptyset(&mask);
  try("mprotect", SYS_mprotect, (long)memory, 4096, PROT_READ, 0);
  memory[0] = 1; /* as it was */
  try("munmap", SYS_munmap, (long)memory, 4096, 0, 0);
  memory[0] = 2;
  try("mremap", SYS_mremap, (long)memory, 4096, 8192, MREMAP_MAYMOVE);
  try("madvise", SYS_madvise, (long)memory, 4096, MADV_DONTNEED, 0);
  say("memory %d\n", memory[0]);
  try("mmap", SYS_mmap, 0, 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS);
  try("brk", SYS_brk, 0, 0, 0, 0);
  try("rt_sigaction", SYS_rt_sigaction, SIGUSR1, 0, (long)&action, 8);
  try("rt_sigprocmask", SYS_rt_sigprocmask, SIG_SETMASK, (long)&mask, 0, 8);
  try("sigaltstack", SYS_sigaltstack, 0, (long)&stack, 0, 0);
  try("futex", SYS_futex, (long)&word, FUTEX_WAKE, 1, 0);
  try("set_tid_address", SYS_set_tid_address, (long)&word, 0, 0, 0);
  try("sched_yield", SYS_sched_yield, 0, 0, 0, 0);
  try("gettid", SYS_gettid, 0, 0, 0, 0);
  try("dup3", SYS_dup3, 1, 9, 0, 0);
  try("close", SYS_close, 1, 0, 0, 0);
  try("clone", SYS_clone, SIGCHLD, 0, 0, 0);
  try("clone3", SYS_clone3, (long)&args, sizeof args, 0, 0);
  try("execveat", SYS_execveat, -1, 0, 0, 0);
  try("setitimer", SYS_setitimer, 0, 0, 0, 0);
  try("kill", SYS_kill, 0, SIGKILL, 0, 0);
  try("exit_group", SYS_exit_group, 1, 0, 0, 0);
  syscall(SYS_exit, 3);
}

static void on_sys(int sig, siginfo_t *info, void *context) {
  (void)context;
  hits++;
  say("SIG%s code %d mprotect %d\n", sigabbrev_np(sig), info->si_code, info->si_syscall == SYS_mprotect);
}

static void traps(void) {
  handle(SIGSYS, on_sys, 0);
  judge(SYS_mprotect, SECCOMP_RET_TRAP, 0);
  for (int i = 0; i < 3; i++) protect();
  memory[0] = 3;
  say("%d signals, memory %d\n", hits, memory[0]);
  _exit(0);
}

static void *with_filter(void *flags) {
  judge(SYS_mprotect, SECCOMP_RET_ERRNO | EXDEV, (unsigned)(long)flags);
  say("the thread: %s\n", strerrorname_np(protect()));
  return NULL;
}

static void threads(unsigned flags) {
  pthread_t thread;
  CHECK(pthread_create(&thread, NULL, with_filter, (void *)(long)flags) == 0);
  CHECK(pthread_join(thread, NULL) == 0);
  int error = protect();
  say("the other: %s\n", error ? strerrorname_np(error) : "not judged");
  _exit(0);
}

static void kills(void) {
  judge(SYS_mprotect, SECCOMP_RET_KILL_PROCESS, 0);
  protect();
  _exit(0);
}

/* A process of its own in this one's memory. */
static void shares_memory(void) {
  pid_t child = vfork();
  if (child == 0) {
    judge(SYS_mprotect, SECCOMP_RET_ERRNO | EXDEV, 0);
    _exit(protect() == EXDEV ? 0 : 1);
  }
  say_status("child in the same memory", reap(child));
  int error = protect();
  say("its parent: %s\n", error ? strerrorname_np(error) : "not judged");
  _exit(0);
}

static void executes(char *self) {
  char *argv[] = {self, "inherits", NULL};
  judge(SYS_sigaltstack, SECCOMP_RET_ERRNO | EXDEV, 0); /* the dynamic linker makes no such call */
  if (fork() == 0) execv("/proc/self/exe", argv);
  wait(NULL);
  _exit(0);
}

int main(int argc, char **argv) {
  pid_t child;
  (void)argc;
  no_core();
  memory = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (argv[1]) {
    int error = sigaltstack(NULL, NULL) ? errno : 0;
    say("the next program: %s\n", error ? strerrorname_np(error) : "not judged");
    return 0;
  }
  for (int i = 0; i < 7; i++) {
    if ((child = fork())) {
      say_status("child", reap(child));
      continue;
    }
    if (i == 0) errors();
    if (i == 1) traps();
    if (i == 2) threads(0);
    if (i == 3) threads(SECCOMP_FILTER_FLAG_TSYNC);
    if (i == 4) kills();
    if (i == 5) shares_memory();
    executes(argv[0]);
  }
  int error = protect();
  say("their parent: %s\n", error ? strerrorname_np(error) : "not judged");
  return 0;
}
