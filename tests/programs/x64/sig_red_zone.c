/* The 128 bytes below the stack pointer are the program's: handlers on the same stack never touch them. */
#include "sys_helpers.h"

static volatile int ticks;

static void on_tick(int sig, siginfo_t *info, void *context) {
  volatile char deep[2000];
  (void)sig, (void)info, (void)context;
  for (unsigned i = 0; i < sizeof deep; i++) deep[i] = (char)0xee;
  ticks++;
}

/* Fills the red zone with `seed`, spins, returns how many of its 16 words changed. */
long red_zone_spin(long seed, long rounds);
__asm__(
    ".text\n"
    "red_zone_spin:\n"
    "  mov $-128, %rdx\n"
    "1: mov %rdi, (%rsp,%rdx)\n add $8, %rdx\n jnz 1b\n"
    "2: dec %rsi\n jnz 2b\n"
    "  mov $-128, %rdx\n xor %eax, %eax\n"
    "3: cmp %rdi, (%rsp,%rdx)\n je 4f\n inc %rax\n"
    "4: add $8, %rdx\n jnz 3b\n"
    "  ret\n");

int main(void) {
  long changed = 0, seed = 0x1234567;
  handle(SIGALRM, on_tick, SA_RESTART);
  tick_every(500);
  while (ticks < 400) changed += red_zone_spin(seed++, 20000);
  tick_every(0);
  say("signals 400, changed words %ld\n", changed);
  return 0;
}
