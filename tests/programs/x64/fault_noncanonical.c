/* Jumps, calls and returns to addresses that no processor has: the fault is at the branch, which has moved nothing. */
#include "trap.h"

__asm__(
    ".text\n"
    "do_jump: mov bad_target(%rip), %rax\n mov %rsp, %r8\n"
    "jump_at: jmp *%rax\n"
    "do_jump_memory: mov %rsp, %r8\n"
    "jump_memory_at: jmp *bad_target(%rip)\n"
    "do_call: mov bad_target(%rip), %rax\n mov %rsp, %r8\n"
    "call_at: call *%rax\n"
    "do_call_memory: mov %rsp, %r8\n"
    "call_memory_at: call *bad_target(%rip)\n"
    "do_ret: push bad_target(%rip)\n mov %rsp, %r8\n"
    "ret_at: ret\n"
    "do_ret_releasing: push bad_target(%rip)\n mov %rsp, %r8\n"
    "ret_releasing_at: ret $16\n");

#define WAYS(X) X(jump) X(jump_memory) X(call) X(call_memory) X(ret) X(ret_releasing)
#define DECLARE(name) extern char do_##name[], name##_at[];
#define ENTRY(name) {#name, do_##name, name##_at},
WAYS(DECLARE)

static const struct {
  const char *name;
  const char *code, *branch;
} ways[] = {WAYS(ENTRY)};

uintptr_t bad_target;

int main(void) {
  static const uintptr_t targets[] = {0x800000000000, 0x1234567890abcdef, 0xffff7fffffffffff};
  trap_install();
  for (unsigned t = 0; t < 3; t++) {
    bad_target = targets[t];
    for (unsigned i = 0; i < sizeof ways / sizeof ways[0]; i++) {
      CHECK(trap_run(ways[i].code) == 1);
      printf("%s to %lx: %s code %d, address %lx, error %llx, at the branch %d, stack moved by %lld\n",
             ways[i].name, (unsigned long)bad_target, trap_name(trap_seen.signo), trap_seen.code,
             (unsigned long)trap_seen.address, trap_seen.registers[REG_ERR],
             trap_seen.pc == (uintptr_t)ways[i].branch,
             trap_seen.registers[REG_R8] - (long long)trap_seen.sp);
    }
  }
  return 0;
}
