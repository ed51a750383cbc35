/* The tightest loops, broken by a handler that moves the pc, and by another thread's plain store. */
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdint.h>
#include <ucontext.h>

#include "check.h"

__asm__(
    ".text\n"
    "self_jump: jmp self_jump\n" /* two bytes */
    "after_self_jump: mov $1, %eax\n"
    "  ret\n"
    "count_down: mov $-1, %rcx\n"
    "count_down_loop: dec %rcx\n"
    "  jnz count_down_loop\n"
    "after_count_down: mov $2, %eax\n"
    "  ret\n"
    "loop_loop: mov $-1, %rcx\n"
    "loop_self: loop loop_self\n"
    "after_loop_self: mov $3, %eax\n"
    "  ret\n"
    "register_jump: lea register_self(%rip), %rax\n"
    "register_self: jmp *%rax\n"
    "after_register_self: mov $4, %eax\n"
    "  ret\n"
    "memory_spin: cmpl $0, spin_word(%rip)\n"
    "  je memory_spin\n"
    "  mov $5, %eax\n"
    "  ret\n"
    "pause_spin: pause\n"
    "  testb $1, spin_word(%rip)\n"
    "  jz pause_spin\n"
    "  mov $6, %eax\n"
    "  ret\n");
extern char self_jump[], after_self_jump[], count_down[], count_down_loop[], after_count_down[];
extern char loop_loop[], loop_self[], after_loop_self[], register_jump[], register_self[],
    after_register_self[];
extern char memory_spin[], pause_spin[];
volatile int spin_word;

static char *from, *to;
static atomic_int broke;

static void handler(int signo, siginfo_t *info, void *context) {
  greg_t *pc = &((ucontext_t *)context)->uc_mcontext.gregs[REG_RIP];
  (void)signo, (void)info;
  if (*pc >= (greg_t)(uintptr_t)from && *pc < (greg_t)(uintptr_t)to) {
    *pc = (greg_t)(uintptr_t)to;
    atomic_store(&broke, 1);
  }
}

static void *run(void *code) {
  return (void *)(uintptr_t)((uint32_t(*)(void))(uintptr_t)code)();
}

static void break_by_signal(char *code, char *loop, char *after) {
  from = loop;
  to = after;
  atomic_store(&broke, 0);
  pthread_t t;
  void *result;
  CHECK(pthread_create(&t, NULL, run, code) == 0);
  while (!atomic_load(&broke)) { /* until the pc was really in the loop */
    CHECK(pthread_kill(t, SIGUSR1) == 0);
    sched_yield();
  }
  CHECK(pthread_join(t, &result) == 0);
  printf("loop %lu broken by a signal\n", (unsigned long)(uintptr_t)result);
}

static void break_by_store(char *code) {
  pthread_t t;
  void *result;
  spin_word = 0;
  CHECK(pthread_create(&t, NULL, run, code) == 0);
  for (int i = 0; i < 3; i++) sched_yield();
  spin_word = 1;
  CHECK(pthread_join(t, &result) == 0);
  printf("loop %lu broken by a store\n", (unsigned long)(uintptr_t)result);
}

int main(void) {
  struct sigaction sa = {.sa_sigaction = handler, .sa_flags = SA_SIGINFO};
  CHECK(sigaction(SIGUSR1, &sa, NULL) == 0);
  break_by_signal(self_jump, self_jump, after_self_jump);
  break_by_signal(count_down, count_down_loop, after_count_down);
  break_by_signal(loop_loop, loop_self, after_loop_self);
  break_by_signal(register_jump, register_self, after_register_self);
  for (int i = 0; i < 3; i++) {
    break_by_store(memory_spin);
    break_by_store(pause_spin);
  }
  return 0;
}
