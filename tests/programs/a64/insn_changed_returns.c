/* Functions that change their own return address now and then, in all the ways that reach it: the code that is made for them has come to
 * expect that they return to their caller. */
#include <stdio.h>

/* x0 is added to the return address: 0, or 4 to skip a branch. */
#define FUNCTION(name, body)                                                         \
  __asm__(".text\n.globl " #name "\n" #name "_function:\n  " body "\n" #name         \
          ":\n"                                                                      \
          "  stp x29, x30, [sp, #-32]!\n  str x19, [sp, #16]\n  mov x19, xzr\n"      \
          "  mov x29, sp\n  bl " #name                                               \
          "_function\n"                                                              \
          "  b 1f\n  mov x19, #1\n"                                                  \
          "1: mov x0, x19\n  ldr x19, [sp, #16]\n  ldp x29, x30, [sp], #32\n  ret"); \
  extern int name(unsigned long further)

FUNCTION(at_once, "add x30, x30, x0\n ret");
FUNCTION(by_copy, "mov x1, x30\n add x1, x1, x0\n mov x30, x1\n ret");
FUNCTION(by_another_register, "add x9, x30, x0\n ret x9");
FUNCTION(by_a_taken_register, "add x14, x30, x0\n ret x14");
FUNCTION(by_branch, "add x17, x30, x0\n br x17");
FUNCTION(saved,
         "stp x29, x30, [sp, #-16]!\n ldr x1, [sp, #8]\n add x1, x1, x0\n str x1, [sp, #8]\n"
         " ldp x29, x30, [sp], #16\n ret");
FUNCTION(saved_below,
         "sub sp, sp, #32\n str x30, [sp, #24]\n mov x2, sp\n ldr x1, [x2, #24]\n add x1, x1, x0\n"
         " str x1, [x2, #24]\n ldr x30, [sp, #24]\n add sp, sp, #32\n ret");
FUNCTION(by_index,
         "str x30, [sp, #-16]!\n mov x2, xzr\n ldr x1, [sp, x2, lsl #3]\n add x1, x1, x0\n"
         " str x1, [sp, x2, lsl #3]\n ldr x30, [sp], #16\n ret");
FUNCTION(by_byte,
         ".balign 64\n str x30, [sp, #-16]!\n ldrb w1, [sp]\n add w1, w1, w0\n strb w1, [sp]\n"
         " ldr x30, [sp], #16\n ret\n .balign 64");
FUNCTION(by_vector,
         "str x30, [sp, #-16]!\n ldr d0, [sp]\n fmov d1, x0\n add d0, d0, d1\n str d0, [sp]\n"
         " ldr x30, [sp], #16\n ret");
FUNCTION(by_atomic,
         "str x30, [sp, #-16]!\n 2: ldxr x1, [sp]\n add x1, x1, x0\n stxr w2, x1, [sp]\n cbnz w2, 2b\n"
         " ldr x30, [sp], #16\n ret");
FUNCTION(by_another,
         "str x30, [sp, #-16]!\n bl 3f\n ldr x30, [sp], #16\n ret\n"
         " 3: ldr x1, [sp]\n add x1, x1, x0\n str x1, [sp]\n ret");
FUNCTION(behind_another,
         "str x30, [sp, #-16]!\n bl 3f\n ldr x30, [sp], #16\n add x30, x30, x0\n ret\n"
         " 3: mov x1, x0\n ret");
FUNCTION(by_condition, "add x1, x30, #4\n cmp x0, #4\n csel x30, x1, x30, eq\n ret");
FUNCTION(from_caller,
         "str x30, [sp, #-16]!\n mov x2, sp\n sub sp, sp, #256\n ldr x1, [x2]\n add x1, x1, x0\n"
         " str x1, [x2], #16\n ldur x30, [x2, #-16]\n mov sp, x2\n ret");

static void use(const char *name, int (*function)(unsigned long further)) {
  int now_and_then = 0, always = 0;
  for (int i = 0; i < 60000; i++) now_and_then += function(i % 997 == 996 ? 4 : 0);
  for (int i = 0; i < 2000; i++) always += function(4);
  printf("%s: %d, %d\n", name, now_and_then, always);
}
#define USE(name) use(#name, name)

int main(void) {
  USE(at_once), USE(by_copy), USE(by_another_register), USE(by_a_taken_register), USE(by_branch), USE(saved);
  USE(saved_below), USE(by_index), USE(by_byte), USE(by_vector), USE(by_atomic), USE(by_another);
  USE(behind_another), USE(by_condition), USE(from_caller);
  return 0;
}
