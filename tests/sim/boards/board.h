/* board.h: what the small operating systems of this folder share: page table bits, control registers, calls of the firmware, and what start.S wants of them. */
#ifndef REPRISE_TESTS_SIM_BOARD_H
#define REPRISE_TESTS_SIM_BOARD_H

#include <stdint.h>

typedef uint64_t u64;
enum { PAGE = 4096, VALID = 1, READ = 2, WRITE = 4, EXECUTE = 8, USER = 16, ACCESSED = 64, DIRTY = 128 };
enum { ALL = VALID | READ | WRITE | EXECUTE | ACCESSED | DIRTY };

struct frame {
  u64 x[32], pc, status;
};

extern u64 begin_address;
void main(u64 hart, const void *tree);
void other(u64 hart);
void trapped(struct frame *frame);

#define READ_CSR(name)                                  \
  ({                                                    \
    u64 value_;                                         \
    __asm__ volatile("csrr %0, " #name : "=r"(value_)); \
    value_;                                             \
  })
#define WRITE_CSR(name, value) __asm__ volatile("csrw " #name ", %0" : : "r"((u64)(value)) : "memory")
#define SET_CSR(name, value) __asm__ volatile("csrs " #name ", %0" : : "r"((u64)(value)) : "memory")

static long firmware(u64 extension, u64 function, u64 a, u64 b, u64 c) {
  register u64 a0 __asm__("a0") = a, a1 __asm__("a1") = b, a2 __asm__("a2") = c, a6 __asm__("a6") = function,
                  a7 __asm__("a7") = extension;
  __asm__ volatile("ecall" : "+r"(a0), "+r"(a1) : "r"(a2), "r"(a6), "r"(a7) : "memory");
  return (long)a0;
}

static inline void print_hex(u64 value) {
  for (int shift = 60; shift >= 0; shift -= 4)
    firmware(1, 0, (u64) "0123456789abcdef"[value >> shift & 15], 0, 0);
  firmware(1, 0, '\n', 0, 0);
}

#endif
