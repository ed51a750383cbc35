/* Flags that are live across loads, stores, branches and block borders, one by one and partially changed. */
#include <stdint.h>

#include "check.h"
#include "digest.h"

uint64_t flag_memory[64] __asm__("flag_memory");

__asm__(
    ".text\n"
    "compare_then_touch:\n" /* the compare's flags are used after ten memory accesses and two jumps */
    "  cmp %rsi, %rdi\n"
    "  mov flag_memory(%rip), %rax\n"
    "  mov %rax, flag_memory+8(%rip)\n"
    "  lea flag_memory(%rip), %rdx\n"
    "  mov 16(%rdx), %ecx\n"
    "  movb $7, 24(%rdx)\n"
    "  jmp 1f\n"
    "  ud2\n"
    "1: movzwl 32(%rdx), %ecx\n"
    "  push %rdi\n"
    "  pop %rcx\n"
    "  movups 64(%rdx), %xmm0\n"
    "  movups %xmm0, 80(%rdx)\n"
    "  jmp 2f\n"
    "  ud2\n"
    "2: mov $0, %eax\n"
    "  seta %al\n"
    "  setg %ah\n"
    "  jl 3f\n"
    "  lea 0x10000(%rax), %eax\n"
    "3: jb 4f\n"
    "  lea 0x20000(%rax), %eax\n"
    "4: jne 5f\n"
    "  lea 0x40000(%rax), %eax\n"
    "5: ret\n"
    "partial:\n" /* inc and dec leave the carry, rotates leave the rest, bit tests leave zero */
    "  lea flag_memory(%rip), %rdx\n"
    "  cmp %rsi, %rdi\n"
    "  incq 40(%rdx)\n"
    "  mov $0, %eax\n"
    "  adc $0, %eax\n" /* the compare's carry */
    "  cmp %rsi, %rdi\n"
    "  rolq $1, 48(%rdx)\n"
    "  setz %ah\n" /* the compare's zero */
    "  cmp %rsi, %rdi\n"
    "  btq $3, 56(%rdx)\n"
    "  jnz 1f\n"
    "  lea 0x10000(%rax), %eax\n"
    "1: setc %cl\n"
    "  movzbl %cl, %ecx\n"
    "  shl $20, %ecx\n"
    "  add %ecx, %eax\n"
    "  ret\n"
    "sum_with_carry:\n" /* rdi: words, rsi: count; the carry lives around the loop through loads and stores */
    "  xor %eax, %eax\n"
    "1: mov (%rdi), %rdx\n"
    "  adc %rdx, %rax\n"
    "  mov %rax, (%rdi)\n"
    "  lea 8(%rdi), %rdi\n"
    "  dec %rsi\n"
    "  jnz 1b\n"
    "  adc $0, %rax\n"
    "  ret\n");
extern uint64_t compare_then_touch(uint64_t, uint64_t), partial(uint64_t, uint64_t);
extern uint64_t sum_with_carry(uint64_t *, uint64_t);

int main(void) {
  for (int i = 0; i < 64; i++) flag_memory[i] = (uint64_t)i * 0x9e3779b97f4a7c15u;
  for (int round = 0; round < 3; round++)
    for (int i = 0; i < DIGEST_OPERANDS; i++)
      for (int j = 0; j < DIGEST_OPERANDS; j++) {
        uint64_t a = digest_operands[i], b = digest_operands[j], got = compare_then_touch(a, b);
        CHECK((got & 1) == (a > b) && (got >> 8 & 1) == ((int64_t)a > (int64_t)b));
        CHECK((got >> 16 & 1) == ((int64_t)a >= (int64_t)b) && (got >> 17 & 1) == (a >= b) &&
              (got >> 18 & 1) == (a == b));
        digest(got);
      }
  digest_print("compare");
  for (int i = 0; i < DIGEST_OPERANDS; i++)
    for (int j = 0; j < DIGEST_OPERANDS; j++) digest(partial(digest_operands[i], digest_operands[j]));
  digest_print("partial");
  for (int i = 0; i < 64; i++) flag_memory[i] = ~(uint64_t)0 - (uint64_t)i * (i % 5);
  digest(sum_with_carry(flag_memory, 64));
  digest_bytes(flag_memory, sizeof flag_memory);
  digest_print("carry loop");
  return 0;
}
