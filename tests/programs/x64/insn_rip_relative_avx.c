/* rip-relative operands of VEX and EVEX instructions, with immediates, masks and broadcast. */
#include <stdint.h>

#include "check.h"
#include "digest.h"

unsigned char area[512] __asm__("area") __attribute__((aligned(64)));
unsigned char result[64] __attribute__((aligned(64)));

static void prepare(void) {
  for (int i = 0; i < 512; i++) area[i] = (unsigned char)(i * 7 + i / 9);
}

#define VEX(text)                                                                                   \
  do {                                                                                              \
    prepare();                                                                                      \
    __asm__ volatile("vmovdqu area+64(%%rip), %%ymm1\nvpxor %%ymm0, %%ymm0, %%ymm0\n" text          \
                     "\nvmovdqu %%ymm0, %0\nvzeroupper"                                             \
                     : "=m"(*(unsigned char(*)[32])result)::"xmm0", "xmm1", "memory", "rax", "cc"); \
    digest_bytes(result, 32);                                                                       \
    digest_bytes(area, sizeof area);                                                                \
    digest_print(text);                                                                             \
  } while (0)

#define EVEX(text)                                                                   \
  do {                                                                               \
    prepare();                                                                       \
    __asm__ volatile(                                                                \
        "mov $0x5a5a, %%eax\nkmovw %%eax, %%k1\nvmovdqu64 area+64(%%rip), %%zmm17\n" \
        "vpxorq %%zmm16, %%zmm16, %%zmm16\n" text "\nvmovdqu64 %%zmm16, %0"          \
        : "=m"(result)::"xmm16", "xmm17", "k1", "k2", "memory", "rax", "cc");        \
    digest_bytes(result, 64);                                                        \
    digest_bytes(area, sizeof area);                                                 \
    digest_print(text);                                                              \
  } while (0)

__attribute__((target("avx2,bmi2"))) static void vex(void) {
  VEX("vmovdqa area(%%rip), %%ymm0");
  VEX("vpaddd area+32(%%rip), %%ymm1, %%ymm0");
  VEX("vpshufd $0x39, area+32(%%rip), %%ymm0");
  VEX("vperm2i128 $0x21, area(%%rip), %%ymm1, %%ymm0");
  VEX("vpblendvb %%ymm1, area(%%rip), %%ymm1, %%ymm0");
  VEX("vbroadcastss area+12(%%rip), %%ymm0");
  VEX("vmovdqu %%ymm1, area+3(%%rip)");
  VEX("vextracti128 $1, %%ymm1, area+160(%%rip)");
  VEX("vpmaskmovd area(%%rip), %%ymm1, %%ymm0");
  VEX("andnq area(%%rip), %%rax, %%rax\nrorxq $9, area+8(%%rip), %%rax\nvmovq %%rax, %%xmm0");
  VEX("vpinsrd $2, area+20(%%rip), %%xmm1, %%xmm0");
  VEX("vpmovzxbw area+16(%%rip), %%ymm0");
}

__attribute__((target("avx512f,avx512bw,avx512dq"))) static void evex(void) {
  EVEX("vmovdqa64 area(%%rip), %%zmm16");
  EVEX("vpaddd area+128(%%rip), %%zmm17, %%zmm16%{%%k1%}");
  EVEX("vpaddd area+128(%%rip)%{1to16%}, %%zmm17, %%zmm16%{%%k1%}%{z%}");
  EVEX("vpternlogq $0x96, area+192(%%rip), %%zmm17, %%zmm16");
  EVEX("vmovdqu32 %%zmm17, area+256(%%rip)%{%%k1%}");
  EVEX("vpcompressd %%zmm17, area+256(%%rip)%{%%k1%}");
  EVEX("vpexpandd area+4(%%rip), %%zmm16%{%%k1%}");
  EVEX("vpcmpud $1, area(%%rip), %%zmm17, %%k2%{%%k1%}\nvpmovm2d %%k2, %%zmm16");
  EVEX("vbroadcasti64x4 area+96(%%rip), %%zmm16");
  EVEX("valignd $3, area(%%rip), %%zmm17, %%zmm16");
  EVEX("vpmovzxbd area+16(%%rip), %%zmm16");
  EVEX("kmovq area+8(%%rip), %%k2\nvpmovm2b %%k2, %%zmm16");
}

int main(void) {
  if (!__builtin_cpu_supports("avx2") || !__builtin_cpu_supports("bmi2")) {
    puts("skipped: needs avx2");
    return 0;
  }
  vex();
  if (__builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512dq"))
    evex();
  else
    puts("skipped: avx512");
  return 0;
}
