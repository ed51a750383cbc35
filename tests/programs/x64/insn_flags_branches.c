/* Flags stay as they are across every kind of branch: direct, indirect, call, ret, linked or not. */
#include <stdint.h>

#include "check.h"
#include "digest.h"

/* rdi: flags to set; returns the flags after the branches of `body` */
#define CARRY_FLAGS(name, body) \
  __asm__(".text\n" name ": push %rbx\n push %rdi\n popf\n" body "\n pushf\n pop %rax\n pop %rbx\n ret\n")

__asm__(
    ".text\n"
    "just_ret: ret\n"
    "nested_ret: call just_ret\n ret\n");

CARRY_FLAGS("over_jmp", "jmp 1f\n .skip 200, 0x90\n1: jmp 2f\n .skip 3, 0x90\n2:");
CARRY_FLAGS("over_call", "call just_ret\n call nested_ret");
CARRY_FLAGS("over_indirect",
            "lea 3f(%rip), %rdx\n jmp *%rdx\n ud2\n3: lea just_ret(%rip), %rdx\n call *%rdx");
CARRY_FLAGS("over_memory", "lea just_ret(%rip), %rdx\n push %rdx\n call *(%rsp)\n lea 8(%rsp), %rsp");
CARRY_FLAGS("over_push_ret", "lea 4f(%rip), %rdx\n push %rdx\n ret\n ud2\n4:");
CARRY_FLAGS("over_jcc", "jc 5f\n5: jz 6f\n6: js 7f\n nop\n7: jo 8f\n nop\n8: jp 9f\n nop\n9:");
CARRY_FLAGS("over_loop", "mov $5, %ecx\n1: loop 1b\n jrcxz 2f\n nop\n2:");
CARRY_FLAGS("over_moves", "mov %rsp, %rdx\n lea 1(%rdx), %rdx\n not %rdx\n bswap %rdx\n push $1\n pop %rdx");

extern uint64_t over_jmp(uint64_t), over_call(uint64_t), over_indirect(uint64_t), over_memory(uint64_t);
extern uint64_t over_push_ret(uint64_t), over_jcc(uint64_t), over_loop(uint64_t), over_moves(uint64_t);

int main(void) {
  static const struct {
    const char *name;
    uint64_t (*run)(uint64_t);
  } kind[] = {{"jmp", over_jmp},       {"call", over_call},         {"indirect", over_indirect},
              {"memory", over_memory}, {"push+ret", over_push_ret}, {"jcc", over_jcc},
              {"loop", over_loop},     {"moves", over_moves}};
  for (unsigned k = 0; k < sizeof kind / sizeof kind[0]; k++) {
    for (int round = 0; round < 3; round++) /* cold, then linked */
      for (unsigned bits = 0; bits < 64; bits++) {
        uint64_t flags = 0x202 | (bits & 1 ? FLAG_C : 0) | (bits & 2 ? FLAG_P : 0) | (bits & 4 ? FLAG_A : 0) |
                         (bits & 8 ? FLAG_Z : 0) | (bits & 16 ? FLAG_S : 0) | (bits & 32 ? FLAG_O : 0);
        uint64_t got = kind[k].run(flags);
        CHECK((got & FLAGS_ALL) == (flags & FLAGS_ALL));
        digest(got & FLAGS_ALL);
      }
    digest_print(kind[k].name);
  }
  return 0;
}
