/* Short functions that call no other, in loops that call them: with several returns, with return addresses changed or moved to other
 * registers, with returns that are no returns, and with faults inside. */
#include <setjmp.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>

#include "check.h"

__asm__(
    ".text\n"
    "two_returns:\n" /* x0 odd: x0 + 1, else 3 * x0 */
    "  tbz  x0, #0, 1f\n"
    "  add  x0, x0, #1\n"
    "  ret\n"
    "1: add  x0, x0, x0, lsl #1\n"
    "  ret\n"
    "skips:\n" /* returns behind the instruction that follows the call */
    "  add  x0, x0, #5\n"
    "  add  x30, x30, #4\n"
    "  ret\n"
    "moves:\n"
    "  mov  x9, x30\n"
    "  add  x0, x0, #7\n"
    "  mov  x30, xzr\n"
    "  ret  x9\n"
    "loads:\n" /* the return address comes from memory */
    "  stp  x29, x30, [sp, #-16]!\n"
    "  add  x0, x0, #9\n"
    "  ldp  x29, x30, [sp], #16\n"
    "  ret\n"
    "faults:\n"
    "  ldr  x2, [x1]\n"
    "  add  x0, x0, x2\n"
    "  ret\n"
    "falls:\n" /* into the next one */
    "  add  x0, x0, #11\n"
    "ends:\n"
    "  eor  x0, x0, #1\n"
    "  ret\n");

static sigjmp_buf back;
static unsigned faulted;

static void on_fault(int signo, siginfo_t *info, void *context) {
  (void)signo, (void)info, (void)context;
  faulted++;
  siglongjmp(back, 1);
}

#define CALLED "x1", "x2", "x9", "x30", "memory"

static uint64_t all(uint64_t x) {
  register uint64_t x0 __asm__("x0") = x;
  __asm__ volatile(
      "bl   two_returns\n"
      "bl   ends\n"
      "bl   skips\n"
      "mov  x0, xzr\n" /* not executed */
      "bl   moves\n"
      "bl   loads\n"
      "bl   falls\n"
      "bl   two_returns\n"
      : "+r"(x0)
      :
      : CALLED);
  return x0;
}

static uint64_t touch(uint64_t x, const uint64_t *at) {
  register uint64_t x0 __asm__("x0") = x;
  register const uint64_t *x1 __asm__("x1") = at;
  __asm__ volatile("bl faults\n" : "+r"(x0), "+r"(x1) : : "x2", "x9", "x30", "memory");
  return x0;
}

int main(void) {
  uint64_t sum = 1, word = 3;
  for (unsigned i = 0; i < 100000; i++) sum = all(sum ^ i) % 1000003;
  printf("sum %lu\n", (unsigned long)sum);
  struct sigaction action = {.sa_sigaction = on_fault, .sa_flags = SA_SIGINFO};
  CHECK(sigaction(SIGSEGV, &action, NULL) == 0);
  volatile uint64_t touched = 0;
  for (volatile unsigned i = 0; i < 2000; i++)
    if (!sigsetjmp(back, 1))
      touched = touch(touched + i, i % 20 == 19 ? (const uint64_t *)8 : &word) % 1000003;
  printf("touched %lu, faults %u\n", (unsigned long)touched, faulted);
  CHECK(faulted == 100);
  return 0;
}
