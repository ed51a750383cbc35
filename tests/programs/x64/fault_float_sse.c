/* Unmasked SSE exceptions: the code of each, mxcsr in the context, the pc at the instruction, and going on
 * after. */
/* cflags: -lm */
#include "sys_helpers.h"
#include <fenv.h>

extern char float_run[], float_at[], float_done[];
__asm__(
    ".text\n"
    "float_run: cmp $3, %edi\n je 3f\n cmp $2, %edi\n je 2f\n cmp $1, %edi\n je 1f\n"
    "float_at: divsd %xmm1, %xmm0\n jmp float_done\n"
    "1: mulsd %xmm1, %xmm0\n jmp float_done\n"
    "2: sqrtsd %xmm1, %xmm0\n jmp float_done\n"
    "3: cvtsd2si %xmm1, %eax\n"
    "float_done: ret\n");

static void on_fpe(int sig, siginfo_t *info, void *context) {
  unsigned mxcsr = ((ucontext_t *)context)->uc_mcontext.fpregs->mxcsr;
  say("SIG%s code %d mxcsr %x trap %lld in the code %d at the address %d\n", sigabbrev_np(sig), info->si_code,
      mxcsr, REG(context, REG_TRAPNO),
      (char *)REG(context, REG_RIP) >= float_at && (char *)REG(context, REG_RIP) < float_done,
      (long long)info->si_addr == REG(context, REG_RIP));
  ((ucontext_t *)context)->uc_mcontext.fpregs->mxcsr &= ~0x3fu;
  REG(context, REG_RIP) = (long)float_done;
}

static void run(const char *what, int operation, double a, double b, int exceptions) {
  feclearexcept(FE_ALL_EXCEPT);
  feenableexcept(exceptions);
  say("%s: ", what);
  double result = ((double (*)(int, double, double))float_run)(operation, a, b);
  fedisableexcept(FE_ALL_EXCEPT);
  say("  result %g raised %x\n", result, (unsigned)fetestexcept(FE_ALL_EXCEPT));
}

int main(void) {
  handle(SIGFPE, on_fpe, 0);
  run("by zero", 0, 1, 0, FE_DIVBYZERO);
  run("invalid", 0, 0, 0, FE_INVALID);
  run("overflow", 1, 1e308, 1e10, FE_OVERFLOW);
  run("underflow", 1, 1e-308, 1e-10, FE_UNDERFLOW);
  run("inexact", 0, 1, 3, FE_INEXACT);
  run("negative root", 2, 0, -4, FE_INVALID);
  run("conversion", 3, 0, 1e300, FE_INVALID);
  run("all enabled, inexact result", 0, 2, 3, FE_ALL_EXCEPT);
  run("none enabled", 0, 1, 0, 0);
  return 0;
}
