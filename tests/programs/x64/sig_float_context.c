/* A handler rewrites saved xmm registers, mxcsr, an x87 register and the upper half of ymm; the program
 * sees them. */
#include "sys_helpers.h"
#include <cpuid.h>

extern char trap_run[];
unsigned vectors[2][8], mxcsr_out;
double x87_out;
__asm__(
    ".text\n"
    "trap_run:\n" /* rdi: whether the machine has AVX */
    "  mov $0x11111111, %eax\n movd %eax, %xmm3\n pshufd $0, %xmm3, %xmm3\n movaps %xmm3, %xmm15\n"
    "  test %edi, %edi\n jz 1f\n vinsertf128 $1, %xmm3, %ymm3, %ymm3\n"
    "1: fld1\n"
    "  ud2\n"
    "  test %edi, %edi\n jz 2f\n vmovdqu %ymm3, vectors(%rip)\n jmp 3f\n"
    "2: movdqu %xmm3, vectors(%rip)\n"
    "3: movdqu %xmm15, vectors+32(%rip)\n"
    "  stmxcsr mxcsr_out(%rip)\n"
    "  fstpl x87_out(%rip)\n"
    "  movl $0x1f80, -4(%rsp)\n ldmxcsr -4(%rsp)\n"
    "  ret\n");

static int has_avx;

static void on_illegal(int sig, siginfo_t *info, void *context) {
  ucontext_t *uc = context;
  struct _libc_fpstate *saved = uc->uc_mcontext.fpregs;
  unsigned a, upper, c, d;
  (void)sig, (void)info;
  say("saved xmm3 %x xmm15 %x mxcsr %x\n", saved->_xmm[3].element[0], saved->_xmm[15].element[2],
      saved->mxcsr);
  say("x87 1.0: exponent %x mantissa %x\n", saved->_st[0].exponent, saved->_st[0].significand[3]);
  for (unsigned i = 0; i < 4; i++)
    saved->_xmm[3].element[i] = 0xa0 + i, saved->_xmm[15].element[i] = 0xf0 + i;
  saved->mxcsr = 0x5f80;
  saved->_st[0].exponent++; /* doubles it */
  if (has_avx) {
    unsigned *words = (unsigned *)saved;
    CHECK(words[464 / 4] == 0x46505853); /* the extended area is there and says so */
    __cpuid_count(0xd, 2, a, upper, c, d);
    unsigned *ymm3 = (unsigned *)((char *)saved + upper + 3 * 16);
    say("saved upper ymm3 %x %x\n", ymm3[0], ymm3[3]);
    for (unsigned i = 0; i < 4; i++) ymm3[i] = 0xb0 + i;
  }
  REG(context, REG_RIP) += 2;
}

int main(void) {
  has_avx = __builtin_cpu_supports("avx") != 0;
  handle(SIGILL, on_illegal, 0);
  ((void (*)(int))trap_run)(has_avx);
  for (int i = 0; i < 8; i++) say("%x ", vectors[0][i]);
  for (int i = 0; i < 4; i++) say("%x ", vectors[1][i]);
  say("mxcsr %x x87 %g\n", mxcsr_out, x87_out);
  return 0;
}
