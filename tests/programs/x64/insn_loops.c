/* loop, loope, loopne, jrcxz and jecxz: counts, the zero flag, high halves of rcx, no flags changed. */
#include <stdint.h>

#include "check.h"

__asm__(
    ".text\n"
    "count_loop:\n" /* rdi: initial rcx; returns how often the body ran */
    "  mov %rdi, %rcx\n"
    "  xor %eax, %eax\n"
    "1: inc %rax\n"
    "  loop 1b\n"
    "  ret\n"
    "count_loop32:\n" /* 67 prefix: counts in ecx and clears the upper half */
    "  mov %rdi, %rcx\n"
    "  xor %eax, %eax\n"
    "1: inc %rax\n"
    "  addr32 loop 1b\n"
    "  add %rcx, %rax\n"
    "  ret\n"
    "find_equal:\n" /* rdi: bytes, esi: count, dl: stop at the first that differs */
    "  mov %rsi, %rcx\n"
    "  dec %rdi\n"
    "1: inc %rdi\n"
    "  cmp %dl, (%rdi)\n"
    "  loope 1b\n"
    "  mov %rcx, %rax\n"
    "  ret\n"
    "find_different:\n"
    "  mov %rsi, %rcx\n"
    "  dec %rdi\n"
    "1: inc %rdi\n"
    "  cmp %dl, (%rdi)\n"
    "  loopne 1b\n"
    "  mov %rcx, %rax\n"
    "  ret\n"
    "zero_tests:\n"
    "  mov %rdi, %rcx\n"
    "  xor %eax, %eax\n"
    "  jrcxz 1f\n"
    "  or $1, %eax\n"
    "1: jecxz 2f\n"
    "  or $2, %eax\n"
    "2: ret\n"
    "carry_through:\n" /* adc chain: loop must not touch the carry */
    "  mov %rsi, %rcx\n"
    "  xor %eax, %eax\n"
    "  stc\n"
    "1: adc (%rdi), %rax\n"
    "  lea 8(%rdi), %rdi\n"
    "  loop 1b\n"
    "  setc %cl\n"
    "  movzbl %cl, %ecx\n"
    "  lea (%rax,%rcx), %rax\n"
    "  ret\n");

extern uint64_t count_loop(uint64_t), count_loop32(uint64_t), zero_tests(uint64_t);
extern uint64_t find_equal(const char *, uint64_t, int), find_different(const char *, uint64_t, int);
extern uint64_t carry_through(const uint64_t *, uint64_t);

int main(void) {
  printf("loop %lu %lu %lu\n", count_loop(1), count_loop(2), count_loop(100000));
  printf("loop32 %lu %lu\n", count_loop32(7), count_loop32(0xffffffff00000003u));
  printf("loope %lu %lu %lu\n", find_equal("aaaabaaa", 8, 'a'), find_equal("aaaaaaaa", 8, 'a'),
         find_equal("b", 1, 'a'));
  printf("loopne %lu %lu %lu\n", find_different("aaaabaaa", 8, 'b'), find_different("aaaaaaaa", 8, 'b'),
         find_different("ba", 2, 'b'));
  printf("rcx %lu %lu %lu\n", zero_tests(0), zero_tests(5), zero_tests(0x100000000u));
  static const uint64_t numbers[5] = {~0ul, 1, ~0ul, ~0ul, 0x8000000000000000u};
  for (uint64_t n = 1; n <= 5; n++) printf("adc %016lx\n", carry_through(numbers, n));
  return 0;
}
