/* Code that has run the same way thousands of times, and then does not: an indirect call that leads elsewhere, a return that
 * does, a load that faults in the middle of a function, a function that is rewritten, a branch that changes its mind. Flags and
 * registers must be those of the path taken; among them x13, x14, x15 and x18, which few other programs use much. */
#include <asm/hwcap.h>
#include <setjmp.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <ucontext.h>

#include "check.h"

enum { ROUNDS = 60000, LATE = 58000 };

__asm__(
    ".text\n"
    ".globl call_through, first, second, caller, other_caller, leaf_a, leaf_b, leaf_c\n"
    ".globl load_twice, busy, walk, swap\n"
    "call_through:\n" /* x0: function, x1: argument; the flags behind the call count */
    "  stp  x29, x30, [sp, #-16]!\n"
    "  mov  x14, x0\n"
    "  mov  x0, x1\n"
    "  add  x15, x1, #3\n"
    "  lsl  x18, x1, #2\n"
    "  cmp  x1, #1000\n"
    "  blr  x14\n"
    "  cset x1, hi\n"
    "  add  x0, x0, x15, lsl #1\n"
    "  eor  x0, x0, x18\n"
    "  add  x0, x0, x1, lsl #8\n"
    "  ldp  x29, x30, [sp], #16\n"
    "  ret\n"
    "first:\n" /* leaves the flags alone */
    "  add  x0, x0, #1\n"
    "  ret\n"
    "second:\n" /* reads and changes them */
    "  cset x2, hi\n"
    "  subs x0, x0, x2, lsl #3\n"
    "  ret\n"
    "caller:\n"
    "  stp  x29, x30, [sp, #-16]!\n"
    "  blr  x2\n"
    "  cset x1, gt\n"
    "  add  x0, x0, x1\n"
    "  ldp  x29, x30, [sp], #16\n"
    "  ret\n"
    "other_caller:\n"
    "  stp  x29, x30, [sp, #-16]!\n"
    "  blr  x2\n"
    "  cset x1, le\n"
    "  add  x0, x0, x1, lsl #1\n"
    "  add  x0, x0, #1000\n"
    "  ldp  x29, x30, [sp], #16\n"
    "  ret\n"
    "leaf_a:\n"
    "  cmp  x0, x1\n"
    "  add  x0, x0, #1\n"
    "  ret\n"
    "leaf_b:\n"
    "  stp  x19, x30, [sp, #-16]!\n"
    "  mov  x19, x0\n"
    "  cmp  x19, x1\n"
    "  add  x0, x19, #2\n"
    "  ldp  x19, x30, [sp], #16\n"
    "  ret\n"
    "leaf_c:\n"
    "  cmp  x1, x0\n"
    "  b.gt 1f\n"
    "  add  x0, x0, #5\n"
    "1: ret\n"
    "load:\n"
    "  ldr  w13, [x18]\n"
    "  add  x14, x14, x13\n"
    "  eor  x15, x15, x14, ror #7\n"
    "  ret\n"
    "load_twice:\n" /* x0, x1: where from */
    "  stp  x29, x30, [sp, #-16]!\n"
    "  mov  x14, #3\n"
    "  mov  x15, #5\n"
    "  mov  x18, x0\n"
    "  bl   load\n"
    "  mov  x18, x1\n"
    "  add  x15, x15, #1\n"
    "  bl   load\n"
    "  add  x0, x14, x15\n"
    "  ldp  x29, x30, [sp], #16\n"
    "  ret\n"
    "busy:\n" /* more of the four than fit anywhere; x0: start, x1: a table of 64 words */
    "  mov  x13, x0\n"
    "  mov  x14, #17\n"
    "  mov  x15, x1\n"
    "  mov  x18, #40\n"
    "  mov  x4, #20\n"
    "2: add  x13, x13, x14\n"
    "  eor  x14, x14, x13, lsr #3\n"
    "  madd x14, x13, x18, x14\n"
    "  and  x2, x14, #63\n"
    "  ldr  x3, [x15, x2, lsl #3]\n"
    "  add  x18, x18, x3, lsr #60\n"
    "  str  x13, [x15, x2, lsl #3]\n"
    "  ldp  x13, x14, [x15]\n"
    "  stp  x14, x18, [x15], #16\n"
    "  ldr  x14, [x15], #-16\n"
    "  add  w13, w13, w14, lsl #1\n"
    "  cmp  x13, x14\n"
    "  csel x13, x13, x18, hi\n"
    "  sub  x18, x18, #1\n"
    "  cbz  x13, 3f\n"
    "  sub  x4, x4, #1\n"
    "  cbnz x4, 2b\n"
    "3: add  x0, x13, x14\n"
    "  add  x0, x0, x18\n"
    "  ret\n"
    "walk:\n" /* x0: bytes, x1: their number */
    "  mov  x14, xzr\n"
    "  mov  x13, x0\n"
    "4: ldrb w15, [x13], #1\n"
    "  add  x14, x14, x15\n"
    "  subs x1, x1, #1\n"
    "  b.ne 4b\n"
    "  mov  x0, x14\n"
    "  ret\n"
    ".arch armv8-a+lse\n"
    "swap:\n" /* x0: two words, which are found in x14 and x15 */
    "  ldr  x14, [x0]\n"
    "  ldr  x15, [x0, #8]\n"
    "  add  x2, x14, #1\n"
    "  add  x3, x15, x14\n"
    "  add  x15, x15, x1\n"
    "  casp x14, x15, x2, x3, [x0]\n"
    "  add  x0, x14, x15, lsl #1\n"
    "  ret\n");

typedef uint64_t function(uint64_t, uint64_t);
extern uint64_t call_through(function *, uint64_t), caller(uint64_t, uint64_t, function *),
    other_caller(uint64_t, uint64_t, function *);
extern function first, second, leaf_a, leaf_b, leaf_c;
extern uint64_t load_twice(const uint32_t *, const uint32_t *), busy(uint64_t, uint64_t *);
extern uint64_t walk(const uint8_t *, uint64_t), swap(uint64_t *, uint64_t);

static uint64_t mix(uint64_t sum, uint64_t value) {
  return (sum << 5 | sum >> 59) ^ value * 2654435761u;
}

static sigjmp_buf home;
static uint64_t seen;

static void on_fault(int signo, siginfo_t *info, void *context) {
  const mcontext_t *registers = &((ucontext_t *)context)->uc_mcontext;
  seen = mix(seen, (uint64_t)signo);
  seen = mix(seen, (uintptr_t)info->si_addr);
  for (unsigned i = 13; i < 19; i++)
    if (i < 16 || i == 18) seen = mix(seen, registers->regs[i]);
  siglongjmp(home, 1);
}

static void indirect(void) {
  enum { TABLE = 64 };
  static function *volatile table[TABLE]; /* what decides is no branch */
  uint64_t sum = 0;
  for (unsigned i = 0; i < TABLE; i++) table[i] = first;
  for (unsigned i = 0; i < ROUNDS; i++) {
    sum = mix(sum, call_through(table[i % TABLE], i));
    if (i == LATE)
      for (unsigned k = 0; k < TABLE; k += 3) table[k] = second;
  }
  printf("indirect %lx\n", (unsigned long)sum);
}

/* Functions that are hot by themselves, since the call that leads to them leads to others too; they have one caller, until late. */
static void callers(void) {
  static function *const leaves[] = {leaf_a, leaf_b, leaf_c};
  uint64_t sum = 0;
  for (unsigned i = 0; i < 3 * ROUNDS; i++) {
    function *leaf = leaves[i * 7919 / 3 % 3];
    uint64_t bound = i * 31 % ROUNDS;
    sum = mix(sum, i >= 3 * LATE && i % 5 < 2 ? other_caller(i, bound, leaf) : caller(i, bound, leaf));
  }
  printf("callers %lx\n", (unsigned long)sum);
}

static void faults(void) {
  static uint32_t value = 77;
  static uint64_t sum;
  for (volatile unsigned i = 0; i < ROUNDS; i++) {
    if (sigsetjmp(home, 0)) continue;
    value += 3;
    const uint32_t *second_one = i >= LATE && i % 5 == 1 ? (const uint32_t *)(uintptr_t)(16 + 4 * i) : &value;
    sum = mix(sum, load_twice(&value, second_one));
  }
  printf("faults %lx %lx\n", (unsigned long)sum, (unsigned long)seen);
}

static void registers(void) {
  uint64_t table[68], sum = 0;
  for (unsigned i = 0; i < 68; i++) table[i] = i * 0x9e3779b97f4a7c15;
  for (unsigned i = 0; i < ROUNDS; i++) sum = mix(sum, busy(i, table + i % 4));
  printf("registers %lx\n", (unsigned long)sum);
}

/* Every third time the words are others than those expected. */
static void swaps(void) {
  _Alignas(16) uint64_t words[2] = {1, 2};
  uint64_t sum = 0;
  if (!(getauxval(AT_HWCAP) & HWCAP_ATOMICS)) return;
  for (unsigned i = 0; i < ROUNDS; i++) sum = mix(sum, swap(words, i % 3 == 2));
  printf("swaps %lx\n", (unsigned long)sum);
}

/* Walks to the end of a page, and late beyond it. */
static void walks(void) {
  enum { PAGE = 4096 };
  uint8_t *page = mmap((void *)0x20000000, 2 * PAGE, PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
  CHECK(page != MAP_FAILED && !mprotect(page + PAGE, PAGE, PROT_NONE));
  for (unsigned i = 0; i < PAGE; i++) page[i] = (uint8_t)(i * 7);
  static uint64_t sum;
  for (volatile unsigned i = 0; i < ROUNDS / 10; i++) {
    uint64_t bytes = 100 + i % 150;
    if (sigsetjmp(home, 0)) continue;
    sum = mix(sum, walk(page + PAGE - bytes, bytes + (i >= LATE / 10 && i % 3 == 0)));
  }
  printf("walks %lx %lx\n", (unsigned long)sum, (unsigned long)seen);
}

static void rewritten(void) {
  enum { MOVE = 0xd2800000u, CALL = 0x94000000u, RETURN = 0xd65f03c0u, FUNCTION = 64 };
  uint32_t *code = mmap(NULL, 4096, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  CHECK(code != MAP_FAILED);
  const uint32_t calls[] = {
      0xaa1e03e9u,                        /* mov x9, x30 */
      CALL | (FUNCTION - 1),              /* bl function */
      0xaa0003eau,                        /* mov x10, x0 */
      CALL | (FUNCTION - 3),              /* bl function */
      0x8b0a0400u,           0xd65f0120u, /* add x0, x0, x10, lsl #1;  ret x9 */
  };
  memcpy(code, calls, sizeof calls);
  code[FUNCTION] = MOVE | 5u << 5;
  code[FUNCTION + 1] = RETURN;
  __builtin___clear_cache((char *)code, (char *)(code + FUNCTION + 2));
  uint64_t sum = 0;
  for (unsigned i = 0; i < ROUNDS; i++) {
    if (i >= LATE && i % 25 == 0) {
      code[FUNCTION] = MOVE | (i & 0xffff) << 5;
      __builtin___clear_cache((char *)(code + FUNCTION), (char *)(code + FUNCTION + 1));
    }
    uint64_t (*function)(void);
    memcpy(&function, &code, sizeof function);
    sum = mix(sum, function());
  }
  printf("rewritten %lx\n", (unsigned long)sum);
}

static void branches(void) {
  uint64_t sum = 0, odd = 0;
  for (unsigned i = 0; i < ROUNDS; i++) {
    for (unsigned k = 0; k < (i < LATE ? 3u : i % 11); k++) sum = mix(sum, k);
    if (i >= LATE && (i * 7919) % 5 < 2) odd++;
    sum = mix(sum, odd);
  }
  printf("branches %lx\n", (unsigned long)sum);
}

int main(void) {
  struct sigaction action = {.sa_sigaction = on_fault, .sa_flags = SA_SIGINFO | SA_NODEFER};
  CHECK(sigaction(SIGSEGV, &action, NULL) == 0);
  indirect();
  callers();
  faults();
  registers();
  swaps();
  walks();
  rewritten();
  branches();
  return 0;
}
