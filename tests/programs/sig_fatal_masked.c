/* A fault whose signal is blocked or ignored ends the process all the same; one sent by kill does not. */
#include "sys_helpers.h"

static volatile int *volatile null_pointer;
static void fault(void) {
  *null_pointer = 1;
}
#if defined(__x86_64__)
enum { TRAP = SIGFPE };
static void trap(void) {
  __asm__ volatile("xor %%edx, %%edx\n mov $1, %%eax\n xor %%ecx, %%ecx\n div %%ecx" ::: "eax", "ecx", "edx");
}
#else
enum { TRAP = SIGILL };
static void trap(void) {
  __asm__ volatile(".inst 0");
}
#endif
static void nothing(int sig, siginfo_t *info, void *context) {
  (void)sig, (void)info, (void)context;
}
static void fault_again(int sig, siginfo_t *info, void *context) {
  (void)sig, (void)info, (void)context;
  fault();
}

static void run(const char *what, int sig, void (*handler)(int, siginfo_t *, void *), int ignore, int block,
                void (*act)(void)) {
  pid_t child = fork();
  if (child == 0) {
    if (handler) handle(sig, handler, 0);
    if (ignore) signal(sig, SIG_IGN);
    if (block) mask_one(SIG_BLOCK, sig);
    if (act)
      act();
    else
      kill(getpid(), sig);
    _exit(is_pending(sig) ? 2 : 1);
  }
  say_status(what, reap(child));
}

int main(void) {
  no_core();
  run("default", SIGSEGV, NULL, 0, 0, fault);
  run("blocked", SIGSEGV, NULL, 0, 1, fault);
  run("ignored", SIGSEGV, NULL, 1, 0, fault);
  run("handled but blocked", SIGSEGV, nothing, 0, 1, fault);
  run("fault inside its own handler", SIGSEGV, fault_again, 0, 0, fault);
  run("trap, blocked", TRAP, nothing, 0, 1, trap);
  run("trap, ignored", TRAP, NULL, 1, 0, trap);
  run("sent and ignored", SIGSEGV, NULL, 1, 0, NULL);
  run("sent and blocked", SIGSEGV, NULL, 0, 1, NULL);
  run("sent and handled", SIGSEGV, nothing, 0, 0, NULL);
  return 0;
}
