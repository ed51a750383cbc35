/* Functions that change their own return address now and then, in all the ways that reach it: the code that is made for them has come to
 * expect that they return to their caller. */
#include <stdio.h>

/* rdi is added to the return address: 0, or 5 to skip a jump. */
#define FUNCTION(name, body)                             \
  __asm__(".text\n" #name "_function: " body "\n" #name  \
          ":\n"                                          \
          "  xor %ecx, %ecx\n  call " #name              \
          "_function\n"                                  \
          "  nop\n nop\n nop\n jmp 1f\n  mov $1, %ecx\n" \
          "1: mov %ecx, %eax\n  ret\n");                 \
  extern int name(unsigned long further)

FUNCTION(at_top, "add %rdi, (%rsp)\n ret");
FUNCTION(popped, "pop %rax\n lea (%rax,%rdi), %rax\n push %rax\n ret");
FUNCTION(by_copy, "mov %rsp, %rax\n add %rdi, (%rax)\n ret");
FUNCTION(by_frame, "push %rbp\n mov %rsp, %rbp\n push %rdi\n add %rdi, 8(%rbp)\n leave\n ret");
FUNCTION(from_below, "sub $32, %rsp\n mov %rdi, 24(%rsp)\n add %rdi, 32(%rsp)\n add $32, %rsp\n ret");
FUNCTION(by_sum, "lea -16(%rsp), %rdx\n add %rdi, 16(%rdx)\n ret");
FUNCTION(by_index, "xor %eax, %eax\n add %rdi, (%rsp,%rax,8)\n ret");
FUNCTION(by_half,
         "movq %rdi, %xmm0\n pslldq $8, %xmm0\n movdqu -8(%rsp), %xmm1\n paddq %xmm0, %xmm1\n"
         "movdqu %xmm1, -8(%rsp)\n ret");
FUNCTION(by_byte, ".balign 64\n add %dil, (%rsp)\n ret\n .balign 64");
FUNCTION(exchanged, "mov (%rsp), %rax\n lea (%rax,%rdi), %rax\n xchg %rax, (%rsp)\n ret");
FUNCTION(as_string, "mov (%rsp), %rax\n lea (%rax,%rdi), %rax\n mov %rsp, %rdi\n stosq\n ret");
FUNCTION(by_another, "call 1f\n ret\n 1: add %rdi, 8(%rsp)\n ret");
FUNCTION(behind_another, "call 1f\n add %rdi, (%rsp)\n ret\n 1: mov %rdi, %rax\n ret");
FUNCTION(pushed_back, "mov (%rsp), %rax\n lea (%rax,%rdi), %rax\n lea 8(%rsp), %rsp\n push %rax\n ret");
FUNCTION(
    elsewhere,
    "mov %rsp, %rdx\n mov (%rsp), %rax\n lea (%rax,%rdi), %rax\n lea -64(%rsp), %rsp\n mov %rax, (%rsp)\n"
    "movq (%rsp), %xmm0\n movq %xmm0, 64(%rsp)\n mov %rdx, %rsp\n ret");
FUNCTION(from_other_stack,
         "mov %rsp, %rdx\n lea -256(%rsp), %rax\n and $-16, %rax\n mov %rax, %rsp\n push %rdi\n"
         "add %rdi, (%rdx)\n mov %rdx, %rsp\n ret");

static void use(const char *name, int (*function)(unsigned long further)) {
  int now_and_then = 0, always = 0;
  for (int i = 0; i < 40000; i++) now_and_then += function(i % 997 == 996 ? 5 : 0);
  for (int i = 0; i < 2000; i++) always += function(5);
  printf("%s: %d, %d\n", name, now_and_then, always);
}
#define USE(name) use(#name, name)

int main(void) {
  USE(at_top), USE(popped), USE(by_copy), USE(by_frame), USE(from_below), USE(by_sum), USE(by_index);
  USE(by_half), USE(by_byte), USE(exchanged), USE(as_string), USE(by_another), USE(behind_another);
  USE(pushed_back), USE(elsewhere), USE(from_other_stack);
  return 0;
}
