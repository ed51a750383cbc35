/* Calls and returns that do not pair: ret imm16, push and ret, call and pop, calls through memory at rsp. */
#include <stdint.h>

#include "check.h"

__asm__(
    ".text\n"
    "ret_imm:\n" /* drops two arguments that the caller pushed */
    "  mov 8(%rsp), %rax\n"
    "  sub 16(%rsp), %rax\n"
    "  ret $16\n"
    "call_ret_imm:\n"
    "  mov %rsp, %rdx\n"
    "  push %rsi\n"
    "  push %rdi\n"
    "  call ret_imm\n"
    "  sub %rsp, %rdx\n"
    "  add %rdx, %rax\n" /* adds 0 if the stack is balanced */
    "  ret\n"
    "push_ret:\n" /* ret as an indirect jump */
    "  lea 1f(%rip), %rax\n"
    "  push %rax\n"
    "  ret\n"
    "  ud2\n"
    "1: lea 5(%rdi), %rax\n"
    "  ret\n"
    "call_pop:\n" /* the classic way to learn one's own address */
    "  call 1f\n"
    "1: pop %rax\n"
    "  lea 1b(%rip), %rdx\n"
    "  sub %rdx, %rax\n"
    "  ret\n"
    "thunk:\n"
    "  mov (%rsp), %rax\n"
    "  ret\n"
    "call_thunk:\n"
    "  call thunk\n"
    "1: lea 1b(%rip), %rdx\n"
    "  sub %rdx, %rax\n"
    "  ret\n"
    "change_return:\n" /* the callee moves its return address over an instruction */
    "  addq $2f-1f, (%rsp)\n"
    "  ret\n"
    "call_changed:\n"
    "  mov $1, %eax\n"
    "  call change_return\n"
    "1: add $100, %eax\n"
    "2: add $10, %eax\n"
    "  ret\n"
    "add_three:\n"
    "  lea 3(%rdi), %rax\n"
    "  ret\n"
    "call_at_rsp:\n" /* the operand is read with rsp as it is before the push */
    "  lea add_three(%rip), %rax\n"
    "  push %rax\n"
    "  push $0\n"
    "  call *8(%rsp)\n"
    "  add $16, %rsp\n"
    "  ret\n"
    "jump_at_rsp:\n"
    "  lea add_three(%rip), %rax\n"
    "  push %rax\n"
    "  add $8, %rsp\n"
    "  jmp *-8(%rsp)\n"
    "push_pop_rsp:\n"
    "  mov %rsp, %rdx\n"
    "  push %rsp\n" /* pushes the old value */
    "  mov (%rsp), %rax\n"
    "  sub %rdx, %rax\n"
    "  pop %rsp\n" /* loads it back; no increment on top */
    "  sub %rsp, %rdx\n"
    "  shl $8, %rdx\n"
    "  or %rdx, %rax\n"
    "  ret\n"
    "pop_to_rsp_memory:\n" /* the address is computed after rsp was increased */
    "  push $0\n"
    "  push $77\n"
    "  popq (%rsp)\n"
    "  pop %rax\n"
    "  ret\n"
    "skip_frames:\n" /* returns to the caller's caller */
    "  call 1f\n"
    "  ud2\n"
    "1: call 2f\n"
    "  ud2\n"
    "2: add $16, %rsp\n"
    "  lea 9(%rdi), %rax\n"
    "  ret\n");

extern long call_ret_imm(long, long), push_ret(long), call_pop(void), call_thunk(void), call_changed(void);
extern long call_at_rsp(long), jump_at_rsp(long), push_pop_rsp(void), pop_to_rsp_memory(void),
    skip_frames(long);

int main(void) {
  long sum = 0;
  for (long i = 0; i < 200; i++) {
    CHECK(call_ret_imm(i * 3, i) == i * 2);
    CHECK(push_ret(i) == i + 5 && call_pop() == 0 && call_thunk() == 0);
    CHECK(call_changed() == 11);
    CHECK(call_at_rsp(i) == i + 3 && jump_at_rsp(i) == i + 3);
    CHECK(push_pop_rsp() == 0 && pop_to_rsp_memory() == 77 && skip_frames(i) == i + 9);
    sum += call_ret_imm(i, 1) + skip_frames(i);
  }
  printf("sum %ld\n", sum);
  return 0;
}
