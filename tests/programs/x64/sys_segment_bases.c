/* The program's own FS and GS bases: arch_prctl, wrgsbase, gs-relative accesses, per thread, kept over
 * signals and fork. */
#include "sys_helpers.h"
#include <asm/prctl.h>
#include <pthread.h>
#include <sys/auxv.h>
#include <sys/syscall.h>

static long block_a[4] = {10, 11, 12, 13}, block_b[4] = {20, 21, 22, 23};

static long gs_word(int i) {
  long value;
  __asm__ volatile("mov %%gs:(%1), %0" : "=r"(value) : "r"(i * 8L));
  return value;
}
static long *gs_base(void) {
  long *base;
  CHECK(syscall(SYS_arch_prctl, ARCH_GET_GS, &base) == 0);
  return base;
}
static void set_gs(long *base) {
  CHECK(syscall(SYS_arch_prctl, ARCH_SET_GS, base) == 0);
}

static void on_signal(int sig, siginfo_t *info, void *context) {
  (void)sig, (void)info, (void)context;
  say("handler: %ld\n", gs_word(1));
  set_gs(block_a);
}
static void *thread(void *argument) {
  say("new thread inherits: %d\n", gs_base() == block_b);
  set_gs(block_a);
  say("thread: %ld\n", gs_word(2));
  return argument;
}

int main(void) {
  say("at start: base 0 %d\n", gs_base() == NULL);
  set_gs(block_a);
  say("a: %ld %ld\n", gs_word(0), gs_word(3));
  __asm__ volatile("addq $5, %%gs:8\n lock incq %%gs:16" ::: "memory", "cc");
  say("a changed through gs: %ld %ld\n", block_a[1], block_a[2]);
  set_gs(block_b);
  pthread_t worker;
  CHECK(pthread_create(&worker, NULL, thread, NULL) == 0 && pthread_join(worker, NULL) == 0);
  say("main keeps b: %ld\n", gs_word(0));
  pid_t child = fork();
  if (child == 0) _exit((int)gs_word(3));
  say_status("child has b", reap(child));
  handle(SIGUSR1, on_signal, 0);
  raise(SIGUSR1);
  say("set in a handler stays: %d\n", gs_base() == block_a);
  if (getauxval(AT_HWCAP2) & 2) { /* FSGSBASE instructions allowed */
    long *value, *fs, *fs_by_call;
    __asm__ volatile("wrgsbase %1\n rdgsbase %0" : "=r"(value) : "r"(block_b));
    say("wrgsbase: %d %ld, seen by the kernel %d\n", value == block_b, gs_word(1), gs_base() == block_b);
    __asm__ volatile("rdfsbase %0" : "=r"(fs));
    CHECK(syscall(SYS_arch_prctl, ARCH_GET_FS, &fs_by_call) == 0);
    say("rdfsbase: %d, first word is itself %d\n", fs == fs_by_call, *fs == (long)fs);
  }
  long selector;
  __asm__ volatile("mov %%gs, %0" : "=r"(selector));
  say("selector %ld, bad base: %s\n", selector & 0xffff,
      outcome(syscall(SYS_arch_prctl, ARCH_SET_GS, 1UL << 63)));
  say("unknown code: %s\n", outcome(syscall(SYS_arch_prctl, 0x9999, 0)));
  return 0;
}
