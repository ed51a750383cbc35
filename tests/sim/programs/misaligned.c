/* misaligned.c: loads and stores of every size at every offset, over lines and over pages. */
#include <string.h>
#include <sys/mman.h>

#include "program.h"

int main(void) {
  unsigned char *base = mmap(NULL, 3 * 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  uint64_t digest = 0, state = 3;
  for (int i = 0; i < 3 * 4096; i++) base[i] = (unsigned char)next_random(&state);
  const int starts[] = {0, 40, 4096 - 16, 8192 - 20};
  for (int s = 0; s < 4; s++)
    for (int i = 0; i < 40; i++) {
      unsigned char *at = base + starts[s] + i;
      uint64_t d, w, wu, h, value = next_random(&state);
      double f;
      __asm__ volatile("ld %0, 0(%1)" : "=r"(d) : "r"(at) : "memory");
      __asm__ volatile("lw %0, 0(%1)" : "=r"(w) : "r"(at) : "memory");
      __asm__ volatile("lwu %0, 0(%1)" : "=r"(wu) : "r"(at) : "memory");
      __asm__ volatile("lh %0, 0(%1)" : "=r"(h) : "r"(at) : "memory");
      __asm__ volatile("fld %0, 0(%1)" : "=f"(f) : "r"(at) : "memory");
      uint64_t plain, bits;
      memcpy(&plain, at, 8);
      memcpy(&bits, &f, 8);
      CHECK(plain == d && bits == d && (uint32_t)d == wu && (int64_t)(int32_t)d == (int64_t)w);
      digest = mix(mix(digest, d), h);
      __asm__ volatile("sd %0, 0(%1)" : : "r"(value), "r"(at + 1) : "memory");
      __asm__ volatile("sh %0, 0(%1)" : : "r"(value >> 7), "r"(at + 5) : "memory");
      __asm__ volatile("sw %0, 0(%1)" : : "r"(value >> 9), "r"(at + 3) : "memory");
    }
  for (int i = 0; i < 3 * 4096; i++) digest = mix(digest, base[i]);
  printf("%016lx\n", digest);
  return 0;
}
