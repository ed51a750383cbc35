/* pushf, popf, lahf, sahf, stc, clc, cmc, std, cld: the flags register as data. */
/* cflags: -mno-red-zone */
#include <stdint.h>

#include "check.h"
#include "digest.h"

static uint64_t get(void) {
  uint64_t f;
  __asm__ volatile("pushf\npop %0" : "=r"(f));
  return f;
}

static uint64_t set(uint64_t f) {
  uint64_t now;
  __asm__ volatile("push %1\npopf\npushf\npop %0\ncld" : "=r"(now) : "r"(f) : "cc");
  return now;
}

static uint64_t set16(uint16_t f) {
  uint64_t now;
  __asm__ volatile("pushw %w1\npopfw\npushf\npop %0\ncld" : "=r"(now) : "r"(f) : "cc");
  return now;
}

int main(void) {
  /* interrupts on, reserved bit on, IOPL 0, no trap flag, no direction flag */
  printf("start %lx\n", get() & ~(uint64_t)(FLAGS_ALL));
  for (unsigned bit = 0; bit < 22; bit++) {
    if (bit == 8 || bit == 18) continue; /* the trap flag; alignment checks, which would hit the C library */
    printf("bit %u: %lx\n", bit, set(0x202 | 1u << bit) & ~(uint64_t)0x202);
  }
  printf("zero: %lx, sixteen bits: %lx\n", set(0), set16(0x0ed5));
  printf("id flag stays: %d\n", (set(0x200202) & 0x200000) != 0);
  set(0x202);
  for (unsigned ah = 0; ah < 256; ah++) {
    uint64_t rax = ah << 8, f;
    __asm__ volatile("sahf\npushf\npop %0\nxor %%eax, %%eax\npush %0\npopf\nlahf"
                     : "=&r"(f), "+a"(rax)::"cc");
    digest(f & FLAGS_ALL);
    digest(rax);
  }
  digest_print("sahf, lahf");
  unsigned char c[6];
  __asm__ volatile(
      "stc\nsetc %0\nclc\nsetc %1\ncmc\nsetc %2\ncmc\nsetc %3\nstc\ninc %%eax\nsetc %4\ndec %%eax\nsetc %5"
      : "=m"(c[0]), "=m"(c[1]), "=m"(c[2]), "=m"(c[3]), "=m"(c[4]), "=m"(c[5])::"cc", "eax");
  printf("carry %d%d%d%d, kept by inc and dec %d%d\n", c[0], c[1], c[2], c[3], c[4], c[5]);
  uint64_t with_d, without_d;
  __asm__ volatile("std\npushf\npop %0\ncld\npushf\npop %1" : "=r"(with_d), "=r"(without_d)::"cc");
  printf("direction %lx %lx\n", with_d & 0x400, without_d & 0x400);
  return 0;
}
