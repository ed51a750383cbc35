/* Code that has run the same way thousands of times, and then does not: an indirect call that leads elsewhere, a return that
 * does, a load that faults in the middle of a function, a function that is rewritten, a branch that changes its mind. The
 * flags and registers must be those of the path taken. */
#include "emit.h"
#include "trap.h"

enum { ROUNDS = 8000, LATE = 7900 };

__asm__(
    ".text\n"
    "call_through:\n" /* rdi: function, rsi: argument; flags behind the call count */
    "  push %rbx\n"
    "  mov %rdi, %rbx\n mov %rsi, %rdi\n"
    "  stc\n"
    "  call *%rbx\n"
    "  lahf\n movzx %ah, %edx\n"
    "  movzx %ax, %eax\n shl $8, %edx\n xor %edx, %eax\n"
    "  pop %rbx\n"
    "  ret\n"
    "first: lea 1(%rdi), %eax\n ret\n"              /* leaves the flags alone */
    "second: mov %edi, %eax\n sbb $3, %eax\n ret\n" /* reads what the caller left */
    "move_return: test %esi, %esi\n je 1f\n mov (%rsp), %rax\n lea (%rax,%rsi), %rax\n mov %rax, (%rsp)\n"
    "1: cmp %esi, %edi\n mov %edi, %eax\n ret\n"
    "call_moved: call move_return\n nop\n nop\n jmp 2f\n"
    "  setg %cl\n movzx %cl, %ecx\n lea 100(%rax,%rcx), %eax\n ret\n"
    "2: setg %cl\n movzx %cl, %ecx\n lea (%rax,%rcx), %eax\n ret\n"
    "behind: call *%rbx\n pop %rbx\n ret\n" /* a block starts with the call, and is hot before those that lead there */
    "call_a: push %rbx\n mov %rdi, %rbx\n mov %rsi, %rdi\n test %rsp, %rsp\n jne behind\n"
    "call_b: push %rbx\n mov %rdi, %rbx\n mov %rsi, %rdi\n test %rsp, %rsp\n jne behind\n"
    "caller: call *%rdx\n setg %cl\n movzx %cl, %ecx\n lea (%rax,%rcx), %eax\n ret\n"
    "other_caller: call *%rdx\n setle %cl\n movzx %cl, %ecx\n lea 1000(%rax,%rcx,2), %eax\n ret\n"
    "leaf_a: lea 1(%rdi), %eax\n cmp %esi, %edi\n ret\n"
    "leaf_b: push %rbx\n mov %edi, %ebx\n lea 2(%rbx), %eax\n cmp %esi, %ebx\n pop %rbx\n ret\n"
    "leaf_c: mov %edi, %eax\n cmp %edi, %esi\n jg 3f\n lea 5(%rax), %eax\n 3: ret\n"
    "load: mov (%rdi), %eax\n xor %esi, %eax\n ret\n"
    "load_twice: push %rbx\n mov %rsi, %rbx\n xor %esi, %esi\n call load\n mov %eax, %esi\n mov %rbx, %rdi\n "
    "call load\n pop "
    "%rbx\n ret\n");

extern unsigned call_a(void *function, unsigned argument), call_b(void *function, unsigned argument);
extern unsigned call_through(void *function, unsigned argument), call_moved(unsigned, unsigned long);
extern unsigned load_twice(const unsigned *, const unsigned *);
extern unsigned caller(unsigned, unsigned, void *function), other_caller(unsigned, unsigned, void *function);
extern char first[], second[], load[], leaf_a[], leaf_b[], leaf_c[];

static unsigned mix(unsigned sum, unsigned value) {
  return (sum << 5 | sum >> 27) ^ value * 2654435761u;
}

static void indirect(void) {
  unsigned sum = 0;
  for (unsigned i = 0; i < ROUNDS; i++)
    sum = mix(sum, call_through(i >= LATE && i % 3 == 0 ? second : first, i));
  for (unsigned i = 0; i < ROUNDS; i++) {
    void *function = i >= LATE && i % 3 == 0 ? second : first;
    sum = mix(sum, call_a(function, i) ^ call_b(function, i + 1));
  }
  printf("indirect %x\n", sum);
}

static void returns(void) {
  unsigned sum = 0;
  for (unsigned i = 0; i < ROUNDS; i++) sum = mix(sum, call_moved(i, i >= LATE && i % 7 < 3 ? 4 : 0));
  printf("returns %x\n", sum);
}

/* Functions that are hot by themselves, since the call that leads to them leads to others too; they have one caller, until late. */
static void callers(void) {
  static char *const leaves[] = {leaf_a, leaf_b, leaf_c};
  unsigned sum = 0;
  for (unsigned i = 0; i < 3 * ROUNDS; i++) {
    void *leaf = leaves[i * 7919 / 3 % 3];
    unsigned bound = i * 31 % ROUNDS;
    sum = mix(sum, i >= 3 * LATE && i % 5 < 2 ? other_caller(i, bound, leaf) : caller(i, bound, leaf));
  }
  printf("callers %x\n", sum);
}

static void faults(void) {
  static unsigned value = 77, sum;
  for (volatile unsigned i = 0; i < ROUNDS; i++) {
    if (sigsetjmp(trap_home, 1)) {
      sum = mix(sum, (unsigned)(trap_seen.pc - (uintptr_t)load));
      sum = mix(sum, (unsigned)trap_seen.address);
      sum = mix(sum, (unsigned)trap_seen.registers[REG_RSI]);
      sum = mix(sum, (unsigned)trap_seen.registers[REG_RAX]);
      continue;
    }
    value += 3;
    sum = mix(sum,
              load_twice(&value, i >= LATE && i % 5 == 1 ? (const unsigned *)(uintptr_t)(16 + i) : &value));
  }
  printf("faults %x\n", sum);
}

static void rewritten(void) {
  byte *page = jit_map(JIT_PAGE);
  byte *function = page + 256, *p = function;
  p = JIT_EMIT(p, "\xb8"), p = jit_u32(p, 5),
  p = JIT_EMIT(p, "\x85\xc0\xc3"); /* mov eax, 5; test eax, eax; ret */
  p = page;
  p = JIT_EMIT(p, "\x53\x31\xdb\xe8"), p = jit_rel32(p, function); /* push rbx; xor ebx, ebx; call function */
  p = JIT_EMIT(p, "\x01\xc3\xe8"), p = jit_rel32(p, function);     /* add ebx, eax; call function */
  p = JIT_EMIT(p, "\x01\xd8\x5b\xc3");                             /* add eax, ebx; pop rbx; ret */
  unsigned sum = 0;
  for (unsigned i = 0; i < ROUNDS; i++) {
    if (i >= LATE && i % 25 == 0) jit_u32(function + 1, i);
    sum = mix(sum, ((jit_fn)(uintptr_t)page)());
  }
  printf("rewritten %x\n", sum);
}

static void branches(void) {
  unsigned sum = 0, odd = 0;
  for (unsigned i = 0; i < ROUNDS; i++) {
    for (unsigned k = 0; k < (i < LATE ? 3u : i % 11); k++) sum = mix(sum, k);
    if (i >= LATE && (i * 7919) % 5 < 2) odd++;
    sum = mix(sum, odd);
  }
  printf("branches %x\n", sum);
}

int main(void) {
  trap_install();
  indirect();
  returns();
  callers();
  faults();
  rewritten();
  branches();
  return 0;
}
