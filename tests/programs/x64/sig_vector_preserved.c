/* xmm, ymm, zmm and mask registers live through asynchronous handlers that overwrite them all. */
#include "sys_helpers.h"

static volatile int ticks;
static int level; /* 0 SSE, 1 AVX, 2 AVX-512 */

static void on_tick(int sig, siginfo_t *info, void *context) {
  (void)sig, (void)info, (void)context;
  if (level == 2)
    __asm__ volatile(
        "vpternlogd $255, %%zmm0, %%zmm0, %%zmm0\n vmovdqa64 %%zmm0, %%zmm17\n"
        "vmovdqa64 %%zmm0, %%zmm31\n kxnorq %%k1, %%k1, %%k1\n vzeroall" ::
            : "memory");
  else if (level == 1)
    __asm__ volatile("vzeroall" ::: "memory");
  else
    __asm__ volatile("pcmpeqd %%xmm0, %%xmm0\n movaps %%xmm0, %%xmm5\n movaps %%xmm0, %%xmm15" ::
                         : "xmm0", "xmm5", "xmm15");
  ticks++;
}

#define SPIN "mov $20000, %%ecx\n 1: dec %%ecx\n jnz 1b\n"
#define EACH16(X) X(0) X(1) X(2) X(3) X(4) X(5) X(6) X(7) X(8) X(9) X(10) X(11) X(12) X(13) X(14) X(15)
#define HIGH16(X) \
  X(16) X(17) X(18) X(19) X(20) X(21) X(22) X(23) X(24) X(25) X(26) X(27) X(28) X(29) X(30) X(31)
#define LOAD_X(n) "movdqu 64*" #n "(%0), %%xmm" #n "\n"
#define SAVE_X(n) "movdqu %%xmm" #n ", 64*" #n "(%1)\n"
#define LOAD_Y(n) "vmovdqu 64*" #n "(%0), %%ymm" #n "\n"
#define SAVE_Y(n) "vmovdqu %%ymm" #n ", 64*" #n "(%1)\n"
#define LOAD_Z(n) "vmovdqu64 64*" #n "(%0), %%zmm" #n "\n"
#define SAVE_Z(n) "vmovdqu64 %%zmm" #n ", 64*" #n "(%1)\n"

static void through(unsigned char *in, unsigned char *out) {
  if (level == 0)
    __asm__ volatile(EACH16(LOAD_X) SPIN EACH16(SAVE_X)::"r"(in), "r"(out) : "ecx", "cc", "memory");
  if (level == 1)
    __asm__ volatile(EACH16(LOAD_Y) SPIN EACH16(SAVE_Y) "vzeroupper" ::"r"(in), "r"(out)
                     : "ecx", "cc", "memory");
  if (level == 2)
    __asm__ volatile(EACH16(LOAD_Z)
                         HIGH16(LOAD_Z) "kmovq 64*32(%0), %%k1\n kmovq 64*32+8(%0), %%k7\n" SPIN
                                        "kmovq %%k1, 64*32(%1)\n kmovq %%k7, 64*32+8(%1)\n" EACH16(SAVE_Z)
                                            HIGH16(SAVE_Z) "vzeroupper" ::"r"(in),
                     "r"(out)
                     : "ecx", "cc", "memory");
}

static void run(const char *name, int registers, int bytes) {
  static unsigned char in[64 * 33], out[64 * 33];
  unsigned long state = 88172645463325252UL;
  long wrong = 0;
  ticks = 0;
  tick_every(500);
  while (ticks < 200) {
    for (unsigned i = 0; i < sizeof in; i++) {
      state ^= state << 13, state ^= state >> 7, state ^= state << 17;
      in[i] = state;
    }
    through(in, out);
    for (int r = 0; r < registers; r++) wrong += memcmp(in + 64 * r, out + 64 * r, bytes) != 0;
    if (level == 2) wrong += memcmp(in + 64 * 32, out + 64 * 32, 16) != 0;
  }
  tick_every(0);
  say("%s: registers lost %ld\n", name, wrong);
}

int main(void) {
  handle(SIGALRM, on_tick, SA_RESTART);
  run("xmm", 16, 16);
  level = 1;
  if (__builtin_cpu_supports("avx2")) run("ymm", 16, 32);
  level = 2;
  if (__builtin_cpu_supports("avx512bw")) run("zmm", 32, 64);
  return 0;
}
