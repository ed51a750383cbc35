/* Jumping where no code is: null, unmapped, non-executable, kernel; by call, jmp and ret. */
#include "jit.h"
#include "trap.h"

__asm__(
    ".text\n"
    "do_jump: mov bad_target(%rip), %rax\n"
    "jump_at: jmp *%rax\n"
    "do_call: mov bad_target(%rip), %rax\n"
    "call_at: call *%rax\n"
    "after_call: ret\n"
    "do_call_memory: call *bad_target(%rip)\n"
    "  ret\n"
    "do_ret: push bad_target(%rip)\n"
    "ret_at: ret\n"
    "do_conditional: xor %eax, %eax\n" /* a direct branch out of the address space's used part */
    "  mov bad_target(%rip), %rcx\n"
    "  jz 1f\n"
    "  ret\n"
    "1: jmp *%rcx\n");

extern char do_jump[], do_call[], do_call_memory[], do_ret[], do_conditional[];
extern char jump_at[], call_at[], after_call[], ret_at[];
uintptr_t bad_target;

static void show_place(uintptr_t pc) {
  if (pc == bad_target)
    printf("at the target");
  else if (pc == (uintptr_t)jump_at || pc == (uintptr_t)call_at || pc == (uintptr_t)ret_at)
    printf("at the branch");
  else
    printf("elsewhere");
}

static void show(const char *how, const char *code) {
  CHECK(trap_run(code) == 1);
  printf("  %s: %s code %d, pc ", how, trap_name(trap_seen.signo), trap_seen.code);
  show_place(trap_seen.pc);
  uintptr_t pushed = 0;
  if (code == do_call && trap_seen.pc == bad_target) memcpy(&pushed, (void *)trap_seen.sp, 8);
  printf(", address %s, error %llx%s\n",
         trap_seen.address == bad_target ? "the target"
         : trap_seen.address == 0        ? "zero"
                                         : "other",
         trap_seen.registers[REG_ERR], pushed == (uintptr_t)after_call ? ", return address pushed" : "");
}

int main(void) {
  trap_install();
  byte *data = mmap(NULL, 2 * JIT_PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  CHECK(data != MAP_FAILED && munmap(data + JIT_PAGE, JIT_PAGE) == 0);
  jit_constant(data, 1);
  const struct {
    const char *name;
    uintptr_t target;
  } place[] = {{"null", 0},
               {"small", 0x10},
               {"data", (uintptr_t)data},
               {"unmapped", (uintptr_t)data + JIT_PAGE},
               {"kernel", 0xffffffff81000000},
               {"vsyscall's neighbour", 0xffffffffff601000}};
  for (unsigned i = 0; i < sizeof place / sizeof place[0]; i++) {
    bad_target = place[i].target;
    puts(place[i].name);
    show("jmp", do_jump);
    show("call", do_call);
    show("call memory", do_call_memory);
    show("ret", do_ret);
    show("jcc to jmp", do_conditional);
  }
  return 0;
}
