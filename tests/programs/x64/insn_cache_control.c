/* Cache control changes no data: clflush, clwb, movnt, maskmovdqu, movdir64b, prefetch. */
#include <cpuid.h>
#include <stdint.h>
#include <string.h>

#include "digest.h"
#include "trap.h"

static unsigned char from[256] __attribute__((aligned(64))), to[256] __attribute__((aligned(64)));

static void always(void) {
  uint64_t word = 0x1122334455667788;
  __asm__ volatile("clflush %0\nprefetcht0 %0\nprefetchnta %0\nprefetcht2 %0\nprefetcht1 8(%1)"
                   : "+m"(from[64])
                   : "r"(NULL));
  __asm__ volatile("movnti %1, %0\nsfence" : "=m"(to[8]) : "r"(word) : "memory");
  __asm__ volatile("movdqa %1, %%xmm0\nmovntdq %%xmm0, %0\nmovntps %%xmm0, 16+%0\nsfence"
                   : "=m"(to[32])
                   : "m"(from[16])
                   : "xmm0", "memory");
  __asm__ volatile("movdqa %0, %%xmm0\nmovdqa %1, %%xmm1\nmaskmovdqu %%xmm1, %%xmm0\nsfence"
                   :
                   : "m"(from[32]), "m"(from[128]), "D"(to + 64)
                   : "xmm0", "xmm1", "memory");
  __asm__ volatile("mfence\nlfence\nmovntdqa %0, %%xmm1\nmovdqu %%xmm1, %1"
                   :
                   : "m"(from[96]), "m"(to[96])
                   : "xmm1", "memory");
  digest_bytes(to, sizeof to);
  digest_print("always there");
}

static void where_supported(unsigned b7, unsigned c7) {
  if (b7 & 1 << 23) __asm__ volatile("clflushopt %0" : "+m"(from[0]));
  if (b7 & 1 << 24) __asm__ volatile("clwb %0" : "+m"(from[0]));
  if (c7 & 1 << 25) __asm__ volatile("cldemote %0" : "+m"(from[0]));
  if (c7 & 1 << 27)
    __asm__ volatile("movdiri %1, %0\nsfence" : "=m"(to[128]) : "r"(0x0102030405060708ul) : "memory");
  else
    memcpy(to + 128, &(uint64_t){0x0102030405060708}, 8);
  if (c7 & 1 << 28)
    __asm__ volatile("movdir64b %0, %1\nsfence" : : "m"(from[64]), "r"(to + 192) : "memory");
  else
    memcpy(to + 192, from + 64, 64);
  digest_bytes(to, sizeof to);
  digest_print("where supported");
}

__asm__(
    ".text\n"
    "flush_null: xor %ecx, %ecx\n"
    "flush_null_at: clflush (%rcx)\n"
    "  ret\n"
    "prefetch_null: xor %ecx, %ecx\n"
    "  prefetcht0 (%rcx)\n"
    "  ret\n");
extern char flush_null[], flush_null_at[], prefetch_null[];

int main(void) {
  unsigned a, b, c, d;
  for (int i = 0; i < 256; i++) from[i] = (unsigned char)(i * 3 + i / 5);
  __cpuid_count(7, 0, a, b, c, d);
  always();
  where_supported(b, c);
  trap_install();
  CHECK(trap_run(flush_null) == 1);
  printf("clflush of null: %s, pc %+ld, address %lx\n", trap_name(trap_seen.signo),
         (long)(trap_seen.pc - (uintptr_t)flush_null_at), (unsigned long)trap_seen.address);
  printf("prefetch of null: %s\n", trap_run(prefetch_null) ? "trapped" : "nothing");
  return 0;
}
