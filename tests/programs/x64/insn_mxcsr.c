/* mxcsr: rounding modes, sticky flags, denormals, and unmasked SSE exceptions as precise SIGFPE. */
#include <stdint.h>
#include <xmmintrin.h>

#include "digest.h"
#include "trap.h"

static const float third[4] = {1.0f / 3, -1.0f / 3, 1e-38f, 16777217.0f};

static void modes(void) {
  for (unsigned mode = 0; mode < 4; mode++) {
    _mm_setcsr(0x1f80 | mode << 13);
    for (int i = 0; i < 4; i++) {
      float a = third[i], b = 0.1f, r;
      int64_t n;
      __asm__ volatile(
          "movss %1, %%xmm0\nmulss %2, %%xmm0\ndivss %1, %%xmm0\naddss %1, %%xmm0\nmovss %%xmm0, %0"
          : "=m"(r)
          : "m"(a), "m"(b)
          : "xmm0");
      __asm__ volatile("cvtss2si %1, %0" : "=r"(n) : "m"(a));
      digest_bytes(&r, 4), digest((uint64_t)n);
    }
    printf("mode %u: flags %02x, ", mode, _mm_getcsr() & 0x3f);
    _mm_setcsr(0x1f80);
    digest_print("digest");
  }
}

__asm__(
    ".text\n"
    "divide: xorps %xmm0, %xmm0\n mov $0x3f800000, %eax\n movd %eax, %xmm1\n"
    "divide_at: divss %xmm0, %xmm1\n ret\n"
    "invalid: xorps %xmm0, %xmm0\n"
    "invalid_at: divss %xmm0, %xmm0\n ret\n"
    "overflow: mov $0x7f000000, %eax\n movd %eax, %xmm0\n"
    "overflow_at: mulss %xmm0, %xmm0\n ret\n"
    "bad_mxcsr: push $-1\n"
    "bad_mxcsr_at: ldmxcsr (%rsp)\n pop %rax\n ret\n");
extern char divide[], divide_at[], invalid[], invalid_at[], overflow[], overflow_at[], bad_mxcsr[],
    bad_mxcsr_at[];

static void show(const char *name, const char *code, const char *at) {
  _mm_setcsr(0x0000); /* nothing masked */
  int trapped = trap_run(code);
  unsigned after = _mm_getcsr();
  _mm_setcsr(0x1f80);
  CHECK(trapped);
  printf("%s: %s code %d, pc %+ld, mxcsr after %04x\n", name, trap_name(trap_seen.signo), trap_seen.code,
         (long)(trap_seen.pc - (uintptr_t)at), after);
}

int main(void) {
  modes();
  trap_install();
  show("division by zero", divide, divide_at);
  show("invalid", invalid, invalid_at);
  show("overflow", overflow, overflow_at);
  show("reserved bits", bad_mxcsr, bad_mxcsr_at);
  _mm_setcsr(0x9fc0); /* flush to zero, denormals are zero */
  volatile float tiny = 1e-40f, r = tiny * 2;
  _mm_setcsr(0x1f80);
  printf("denormals: %g, %g\n", (double)r, (double)(tiny * 2));
  return 0;
}
