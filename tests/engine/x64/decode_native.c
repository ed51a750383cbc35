/* decode_native.c: holds the decoder's register and flag sets against the processor itself.
 *
 *     decode_native [-n RANDOM] [-s SEED] [ELF...]
 *
 * What the translator borrows around an instruction it must not need afterwards, so this is tried out:
 * every register-only instruction that may be copied is run from a random state, and again from a state
 * that differs in everything the decoder says is not read. Then
 *   - registers and flags that are not written keep their value;
 *   - registers and flags that are killed end up the same in both runs.
 * Instructions that this processor does not have, or that raise, are counted and passed over. Vector and
 * x87 registers are put into the same state before every run, so what comes out of them is the same. */
/* <signal.h> would bring its own REG_RIP. */
#undef _GNU_SOURCE
#define _DEFAULT_SOURCE
#define _XOPEN_SOURCE 700
#include <cpuid.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "decode_bytes.h"
#include "engine/x64/decode.h"

enum { SLOTS = 16, FLAGS_SLOT = 15, COMPARED_FLAGS = FLAGS_STATUS | FLAG_DF, XSAVE_SIZE = 16384 };

/* The registers in the order in which the stub pushes and pops them, then the flags: rsp is left out. */
static const uint8_t slot_register[FLAGS_SLOT] = {R15, R14, R13, R12, R11, R10, R9, R8,
                                                  RDI, RSI, RBP, RBX, RDX, RCX, RAX};

struct state {
  uint64_t slot[SLOTS];
};

static struct {
  uint8_t *code;        /* stub, instruction, stub */
  unsigned insn_at;     /* where the instruction goes */
  struct state in, out; /* what the stub pops and pushes */
  uint64_t saved_rsp;
} machine;

static uint8_t vector_state[XSAVE_SIZE] __attribute__((aligned(64)));
static uint64_t vector_mask;
static sigjmp_buf escape;
static unsigned long passed, failed, raised;

/* ---- running one instruction ---- */

static void put(const void *bytes, unsigned count) {
  memcpy(machine.code + machine.insn_at, bytes, count);
  machine.insn_at += count;
}

static void put_pointer(uint8_t opcode, const void *target) { /* mov $target, %rsp */
  uint8_t bytes[10] = {0x48, opcode};
  memcpy(bytes + 2, &target, 8);
  put(bytes, sizeof bytes);
}

/* push %rbx %rbp %r12 %r13 %r14 %r15; movabs $saved, %rax; mov %rsp, (%rax); mov $in, %rsp;
 * pop %r15 ... %rax; popfq; mov $out_end, %rsp; <the instruction> */
static void build_prologue(void) {
  static const uint8_t save[] = {0x53, 0x55, 0x41, 0x54, 0x41, 0x55, 0x41, 0x56, 0x41, 0x57};
  static const uint8_t store_rsp[] = {0x48, 0x89, 0x20};
  static const uint8_t pops[] = {0x41, 0x5f, 0x41, 0x5e, 0x41, 0x5d, 0x41, 0x5c, 0x41, 0x5b, 0x41, 0x5a,
                                 0x41, 0x59, 0x41, 0x58, 0x5f, 0x5e, 0x5d, 0x5b, 0x5a, 0x59, 0x58, 0x9d};
  put(save, sizeof save);
  put_pointer(0xb8, &machine.saved_rsp);
  put(store_rsp, sizeof store_rsp);
  put_pointer(0xbc, &machine.in);
  put(pops, sizeof pops);
  put_pointer(0xbc, &machine.out + 1);
}

/* pushfq; push %rax ... %r15; cld; movabs $saved, %rax; mov (%rax), %rsp; pop callee-saved; ret */
static void place(const uint8_t *insn, unsigned len) {
  static const uint8_t pushes[] = {0x9c, 0x50, 0x51, 0x52, 0x53, 0x55, 0x56, 0x57, 0x41,
                                   0x50, 0x41, 0x51, 0x41, 0x52, 0x41, 0x53, 0x41, 0x54,
                                   0x41, 0x55, 0x41, 0x56, 0x41, 0x57, 0xfc};
  static const uint8_t restore[] = {0x48, 0x8b, 0x20, 0x41, 0x5f, 0x41, 0x5e,
                                    0x41, 0x5d, 0x41, 0x5c, 0x5d, 0x5b, 0xc3};
  unsigned start = machine.insn_at;
  put(insn, len);
  put(pushes, sizeof pushes);
  put_pointer(0xb8, &machine.saved_rsp);
  put(restore, sizeof restore);
  machine.insn_at = start;
}

static void on_signal(int number) {
  (void)number;
  siglongjmp(escape, 1);
}

static bool run(const struct state *in, struct state *out) {
  machine.in = *in;
  if (sigsetjmp(escape, 1)) {
    __asm__ volatile("cld; fninit");
    return false;
  }
  __asm__ volatile("fninit; xrstor %0" ::"m"(vector_state), "a"((uint32_t)vector_mask),
                   "d"((uint32_t)(vector_mask >> 32)));
  ((void (*)(void))(uintptr_t)machine.code)();
  *out = machine.out;
  return true;
}

/* ---- random states ---- */

static uint64_t random64(void) { /* xorshift* */
  static uint64_t state = 0x9e3779b97f4a7c15ULL;
  state ^= state >> 12;
  state ^= state << 25;
  state ^= state >> 27;
  return state * 0x2545f4914f6cdd1dULL;
}

/* Small numbers are likely: counts, zero divisors, equal operands. */
static uint64_t random_value(void) {
  uint64_t value = random64();
  switch (random64() >> 61) {
    case 0:
      return value & 63;
    case 1:
      return (uint64_t)(int64_t)(int8_t)value;
    case 2:
      return value & 0xffffffff;
    default:
      return value;
  }
}

static uint64_t random_flags(uint64_t old, uint16_t which) {
  which &= COMPARED_FLAGS & (uint16_t)~FLAG_DF;
  return (old & ~(uint64_t)which) | (random64() & which);
}

static void random_state(struct state *s) {
  for (unsigned i = 0; i < FLAGS_SLOT; i++) s->slot[i] = random_value();
  s->slot[FLAGS_SLOT] = random_flags(0x202, FLAGS_STATUS);
}

static struct state disturb(const struct state *s, const struct x64_insn *insn) {
  struct state other = *s;
  for (unsigned i = 0; i < FLAGS_SLOT; i++) {
    if (!(insn->gpr_read >> slot_register[i] & 1)) other.slot[i] = random_value();
  }
  other.slot[FLAGS_SLOT] = random_flags(s->slot[FLAGS_SLOT], (uint16_t)~insn->flags_read);
  return other;
}

/* ---- the checks ---- */

static void complain(const uint8_t *bytes, const struct x64_insn *insn, const char *what, unsigned which) {
  static bool seen[4][32][256];
  static unsigned printed;
  bool *again = &seen[insn->encoding & 3][insn->map][insn->opcode];
  failed++;
  if (*again || printed == 20) return;
  *again = true;
  printed++;
  for (unsigned i = 0; i < insn->len; i++) printf("%02x ", bytes[i]);
  printf("| %s %#x\n", what, which);
}

/* Sets of registers and flags that kept their value, and that came out alike. */
struct outcome {
  uint16_t gpr_kept, gpr_alike, flags_kept, flags_alike;
};

static void narrow(struct outcome *o, const struct state *in, const struct state *a, const struct state *b) {
  for (unsigned i = 0; i < FLAGS_SLOT; i++) {
    uint16_t bit = (uint16_t)(1u << slot_register[i]);
    if (a->slot[i] != in->slot[i]) o->gpr_kept &= (uint16_t)~bit;
    if (a->slot[i] != b->slot[i]) o->gpr_alike &= (uint16_t)~bit;
  }
  o->flags_kept &= (uint16_t) ~(a->slot[FLAGS_SLOT] ^ in->slot[FLAGS_SLOT]);
  o->flags_alike &= (uint16_t) ~(a->slot[FLAGS_SLOT] ^ b->slot[FLAGS_SLOT]);
}

static bool may_run(const struct x64_insn *insn) {
  return insn->kind == INSN_COPY && !insn->has_mem && !insn->stack_access && !insn->string_read &&
         !insn->string_write && !((insn->gpr_read | insn->gpr_written) >> RSP & 1);
}

static unsigned try_out(const uint8_t *bytes) {
  struct x64_insn insn;
  if (!x64_decode(bytes, X64_INSN_MAX, &insn) || insn.kind == INSN_UNDEFINED) return 0;
  if (!may_run(&insn)) return insn.len;
  struct outcome o = {0xffff, 0xffff, 0xffff, 0xffff};
  place(bytes, insn.len);
  for (unsigned trial = 0; trial < 6; trial++) {
    struct state in, out, other_out;
    random_state(&in);
    struct state other = disturb(&in, &insn);
    if (!run(&in, &out) || !run(&other, &other_out)) {
      raised++;
      return insn.len;
    }
    narrow(&o, &in, &out, &other_out);
  }
  uint16_t all = (uint16_t) ~(1u << RSP);
  uint16_t changed = (uint16_t)(all & ~insn.gpr_written & ~o.gpr_kept);
  uint16_t differ = (uint16_t)(insn.gpr_killed & ~o.gpr_alike);
  uint16_t flags_changed = (uint16_t)(COMPARED_FLAGS & ~insn.flags_written & ~o.flags_kept);
  uint16_t flags_differ = (uint16_t)(insn.flags_killed & ~o.flags_alike);
  if (changed) complain(bytes, &insn, "changes registers", changed);
  if (differ) complain(bytes, &insn, "does not kill registers", differ);
  if (flags_changed) complain(bytes, &insn, "changes flags", flags_changed);
  if (flags_differ) complain(bytes, &insn, "does not kill flags", flags_differ);
  if (!changed && !differ && !flags_changed && !flags_differ) passed++;
  return insn.len;
}

/* ---- setting up ---- */

static bool prepare(void) {
  unsigned a, b, c, d;
  static uint8_t alternate[65536];
  stack_t stack = {.ss_sp = alternate, .ss_size = sizeof alternate};
  struct sigaction action = {.sa_handler = on_signal, .sa_flags = SA_ONSTACK | SA_NODEFER};
  static const int signals[] = {SIGILL, SIGFPE, SIGSEGV, SIGBUS, SIGTRAP};
  if (sigaltstack(&stack, NULL)) return false;
  for (unsigned i = 0; i < sizeof signals / sizeof *signals; i++) sigaction(signals[i], &action, NULL);
  if (!__get_cpuid(1, &a, &b, &c, &d) || !(c & bit_OSXSAVE)) {
    printf("this processor has no xsave\n");
    return false;
  }
  __asm__ volatile("xgetbv" : "=a"(a), "=d"(d) : "c"(0));
  vector_mask = ((uint64_t)d << 32 | a) & 0xe7; /* x87, SSE, AVX, AVX-512; not the tiles */
  __asm__ volatile("xsave %0" : "+m"(vector_state) : "a"((uint32_t)vector_mask), "d"(0));
  for (unsigned i = 160; i < 416; i++) vector_state[i] = (uint8_t)random64(); /* xmm0..xmm15 */
  vector_state[512] |= 2;
  machine.code = mmap(NULL, 4096, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (machine.code == MAP_FAILED) return false;
  build_prologue();
  return true;
}

int main(int argc, char **argv) {
  unsigned long strings = 1000000;
  uint64_t seed = 1;
  int option;
  while ((option = getopt(argc, argv, "n:s:")) != -1) {
    if (option == 'n')
      strings = strtoul(optarg, NULL, 0);
    else if (option == 's')
      seed = strtoull(optarg, NULL, 0);
    else
      return 2;
  }
  if (!prepare()) return 2;
  for (int i = optind; i < argc; i++) visit_file(argv[i], try_out);
  visit_random(seed, strings, try_out);
  printf("%lu instructions are not for this processor, or raise\n", raised);
  printf("%lu passed, %lu failed\n", passed, failed);
  return failed || !passed;
}
