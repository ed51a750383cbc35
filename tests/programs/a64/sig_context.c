/* Signal frames: registers, flags and vectors of interrupted code come back whatever the handler does to them, and what the
 * handler writes into its context takes effect. */
#include <asm/sigcontext.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <ucontext.h>

#include "check.h"

static volatile sig_atomic_t handled;

static struct fpsimd_context *vectors_of(ucontext_t *uc) {
  struct fpsimd_context *record = (void *)uc->uc_mcontext.__reserved;
  CHECK(record->head.magic == FPSIMD_MAGIC && record->head.size == sizeof *record);
  return record;
}

static void clobber(int signo, siginfo_t *info, void *context) {
  (void)signo, (void)info;
  vectors_of(context);
  handled++;
  __asm__ volatile(
      "mov x9, #-1\n\tmov x13, #-1\n\tmov x14, #-1\n\tmov x15, #-1\n\tmov x18, #-1\n\tcmp x9, #0\n\t"
      "movi v0.16b, #0xff\n\tmovi v7.16b, #0xff\n\tmovi v16.16b, #0xff\n\tmovi v31.16b, #0xff"
      :
      :
      : "x9", "x13", "x14", "x15", "x18", "cc", "v0", "v7", "v16", "v31");
}

/* A long computation in registers that handlers may change, while a timer fires. */
static uint64_t compute(uint64_t rounds) {
  uint64_t result;
  __asm__ volatile(
      "mov x13, #1\n\tmov x14, #2\n\tmov x15, #3\n\tmov x18, #4\n\tmov x9, #5\n\t"
      "movi v0.2d, #0\n\tmovi v7.4s, #1\n\tmovi v16.4s, #3\n\tmovi v31.2d, #0\n\tmov x10, %1\n"
      "1: add x13, x13, x14\n\teor x14, x14, x15, ror #11\n\tadd x15, x15, x18\n\tadd x18, x18, x9, lsl "
      "#3\n\t"
      "add x9, x9, x13\n\tadd v0.4s, v0.4s, v7.4s\n\tadd v7.4s, v7.4s, v16.4s\n\teor v31.16b, v31.16b, "
      "v0.16b\n\t"
      "subs x10, x10, #1\n\tb.ne 1b\n\t"
      "umov x10, v31.d[0]\n\teor x13, x13, x10\n\tumov x10, v0.d[1]\n\tadd x13, x13, x10\n\t"
      "eor %0, x13, x14\n\tadd %0, %0, x15\n\teor %0, %0, x18\n\tadd %0, %0, x9"
      : "=r"(result)
      : "r"(rounds)
      : "x9", "x10", "x13", "x14", "x15", "x18", "cc", "v0", "v7", "v16", "v31");
  return result;
}

static void rewrite(int signo, siginfo_t *info, void *context) {
  (void)signo, (void)info;
  ucontext_t *uc = context;
  uc->uc_mcontext.pc += 4;
  for (unsigned i = 13; i <= 18; i++) uc->uc_mcontext.regs[i] = 1000 + i;
  uc->uc_mcontext.pstate = 0x60000000;
  struct fpsimd_context *vectors = vectors_of(uc);
  vectors->vregs[3] = 0x1234;
  vectors->fpsr = 0x1f;
  for (struct _aarch64_ctx *r = &vectors->head; r->magic; r = (void *)((char *)r + r->size))
    if (r->magic == SVE_MAGIC && r->size > sizeof(struct sve_context)) { /* as an emulator wants it */
      unsigned quads = ((struct sve_context *)r)->vl / 16;
      memcpy((char *)r + SVE_SIG_ZREG_OFFSET(quads, 3), &vectors->vregs[3], 16);
    }
}

static void rewritten(void) {
  uint64_t out[8];
  __asm__ volatile(
      "brk #0\n\t"
      "stp x13, x14, [%0]\n\tstp x15, x16, [%0, #16]\n\tstp x17, x18, [%0, #32]\n\tmrs x13, nzcv\n\t"
      "umov x14, v3.d[0]\n\tstp x13, x14, [%0, #48]"
      :
      : "r"(out)
      : "x13", "x14", "x15", "x16", "x17", "x18", "cc", "v3", "memory");
  for (unsigned i = 0; i < 8; i++) printf("%lx%c", (unsigned long)out[i], i < 7 ? ' ' : '\n');
}

int main(void) {
  struct sigaction action = {.sa_sigaction = clobber, .sa_flags = SA_SIGINFO};
  CHECK(sigaction(SIGALRM, &action, NULL) == 0);
  uint64_t expected = compute(3000000);
  struct itimerval often = {{0, 2000}, {0, 2000}}, never = {{0, 0}, {0, 0}};
  CHECK(setitimer(ITIMER_REAL, &often, NULL) == 0);
  bool same = true;
  do same &= compute(3000000) == expected;
  while (handled < 50);
  CHECK(setitimer(ITIMER_REAL, &never, NULL) == 0);
  printf("computed %016lx, undisturbed %d\n", (unsigned long)expected, same);
  action.sa_sigaction = rewrite;
  CHECK(sigaction(SIGTRAP, &action, NULL) == 0);
  rewritten();
  return 0;
}
