/* atomics.c (x86-64): instructions that synchronise threads, performed by the engine. See struct atomic in base/arch.h.
 *
 * These are the locked instructions, xchg with memory, and mfence. Loads that acquire and stores that release are ordinary ones here. So ordinary loads
 * near a locked instruction, or near the pause of a loop that waits, are watched; a store that releases is recognised by the value that the next
 * locked instruction finds.
 *
 * Recording and replay must watch the same loads. Which these are depends on code that the program can't write, and so does not change. */
#include "engine/base/lib.h"
#include "engine/code/near_atomics.h"
#include "engine/x64/translate.h"

/* -- What it is ------------------------------------------------------------------------------------------------------------- */

/* The arithmetic of the first opcodes, and of group 1, in their order. */
enum group { ADD, OR, ADC, SBB, AND, SUB, XOR, CMP };

static unsigned extension_of(const struct x64_insn *insn) { /* of the opcode, in ModRM */
  return insn->modrm >> 3 & 7u;
}

static bool is_locked(const struct x64_insn *insn) {
  bool known = insn->kind == INSN_COPY || insn->kind == INSN_BIT_STRING;
  return known && insn->atomic && insn->has_mem && insn->encoding == ENC_LEGACY && insn->map <= 1;
}

static bool is_fence(const struct x64_insn *insn) { /* mfence */
  return insn->kind == INSN_COPY && insn->encoding == ENC_LEGACY && insn->map == 1 && insn->opcode == 0xae &&
         insn->modrm >> 6 == 3 && extension_of(insn) == 6 && !(insn->prefixes & ~(unsigned)PREFIX_ADDRSIZE);
}

static bool is_test(const struct x64_insn *insn) {
  uint8_t op = insn->opcode;
  return op == 0x84 || op == 0x85 || ((op == 0xf6 || op == 0xf7) && extension_of(insn) < 2);
}

static bool is_compare(const struct x64_insn *insn) {
  uint8_t op = insn->opcode;
  bool immediate = op == 0x80 || op == 0x81 || op == 0x83;
  return (op >= 0x38 && op <= 0x3b) || (immediate && extension_of(insn) == CMP);
}

static bool is_signed_load(const struct x64_insn *insn) { /* movsx, movsxd */
  return insn->map ? insn->opcode == 0xbe || insn->opcode == 0xbf : insn->opcode == 0x63;
}

static bool is_move(const struct x64_insn *insn) {
  if (is_signed_load(insn)) return true;
  return insn->map ? insn->opcode == 0xb6 || insn->opcode == 0xb7
                   : insn->opcode == 0x8a || insn->opcode == 0x8b;
}

/* Of the stack, other threads know little; nor of the head of the thread's own control block, where the guard of the stack is. */
static bool is_own(const struct x64_mem *mem) {
  enum { HEAD = 0x80 };
  bool absolute = mem->base == REG_NONE && mem->index == REG_NONE;
  if (mem->segment == SEG_FS) return absolute && mem->disp >= 0 && mem->disp < HEAD;
  return mem->base == RSP || (mem->base == RBP && mem->index == REG_NONE && mem->disp < 0);
}

/* mov and its like into a general register, cmp, test. */
static bool is_plain_load(const struct x64_insn *insn) {
  bool simple = insn->kind == INSN_COPY && insn->encoding == ENC_LEGACY && insn->map <= 1 && insn->has_mem &&
                insn->mem.access == ACCESS_READ && !insn->mem.vsib && !insn->stack_access;
  if (!simple || is_own(&insn->mem)) return false;
  return is_move(insn) || (!insn->map && (is_compare(insn) || is_test(insn)));
}

/* A fence has no value, and replay finds its place in the order log. */
bool synchronises(const struct x64_insn *insn) {
  return sync_on() && (is_locked(insn) || (recording() && is_fence(insn)));
}

/* The second half of an entry of a procedure linkage table, and the word that its first half jumps through. Known limit: tables for processors that
 * track branches keep the halves apart, and are not recognised.
 *        jmp  *slot
 *   pc:  push number
 *        jmp  dynamic linker                  */
static bool is_binding(uintptr_t pc, uintptr_t *slot) {
  enum { JUMP = 6, PUSH = 5, OPERAND = 2 };
  uint8_t bytes[JUMP + PUSH + 1];
  int32_t disp;
  if (safe_copy(bytes, (const void *)(pc - JUMP), sizeof bytes)) return false;
  bool found = bytes[0] == 0xff && bytes[1] == 0x25 && bytes[JUMP] == 0x68 && bytes[JUMP + PUSH] == 0xe9;
  memcpy(&disp, bytes + OPERAND, sizeof disp);
  *slot = pc + (uintptr_t)(intptr_t)disp;
  return found && code_is_lasting(pc);
}

bool is_watched(const struct x64_insn *insn, uintptr_t pc) {
  uintptr_t slot;
  if (!sync_on()) return false;
  return is_plain_load(insn) ? code_is_near_atomic(pc) : insn->opcode == 0x68 && is_binding(pc, &slot);
}

/* The two bytes of a locked instruction's prefix and opcode are rare elsewhere, as are those of pause. */
static bool looks_atomic(const uint8_t *bytes, size_t count) {
  enum { LOCK = 0xf0, REP = 0xf3, PAUSE = 0x90 };
  struct x64_insn insn;
  if (count > 1 && bytes[0] == REP && bytes[1] == PAUSE) return true;
  return bytes[0] == LOCK && x64_decode(bytes, count, &insn) && is_locked(&insn);
}

/* Where instructions begin is not known. Those with a prefix are looked for at every byte. An xchg, which has none, is looked for where instructions
 * begin if one begins with the page: after a few wrong ones, these are the right ones. A wrong guess costs time only. */
void arch_find_atomics(uintptr_t page, const uint8_t *bytes, uint64_t *units) {
  (void)page;
  struct x64_insn insn;
  unsigned next = 0;
  for (unsigned i = 0; i < PAGE; i++) {
    unsigned unit = i / ARCH_ATOMIC_UNIT;
    size_t left = MIN(PAGE - i, (size_t)X64_INSN_MAX);
    bool begins = i == next && x64_decode(bytes + i, left, &insn);
    if (i == next) next += begins ? insn.len : 1;
    if ((begins && is_locked(&insn)) || looks_atomic(bytes + i, left)) units[unit / 64] |= 1UL << unit % 64;
  }
}

bool arch_atomic(struct thread *thread, struct atomic *atomic) {
  enum { PAIR = 16 };
  struct access accesses[ARCH_ACCESSES_MAX];
  const struct x64_insn *insn = instruction_at(thread, thread->arch.rip);
  if (!insn) return false;
  bool plain = is_plain_load(insn);
  if (insn->opcode == 0x68 && is_binding(thread->arch.rip, &atomic->address)) {
    *atomic = (struct atomic){.kind = ATOMIC_BINDING, .address = atomic->address, .bytes = sizeof(uintptr_t)};
    return true;
  }
  if (!plain && !synchronises(insn)) return false;
  *atomic = (struct atomic){.kind = plain ? ATOMIC_WATCHED : is_locked(insn) ? ATOMIC_UPDATE : ATOMIC_FENCE};
  if (atomic->kind == ATOMIC_FENCE) return true;
  if (arch_accesses(thread, thread->arch.rip, accesses) != 1) return false;
  atomic->address = accesses[0].address;
  atomic->bytes = (unsigned)accesses[0].bytes;
  return atomic->bytes < PAIR || atomic->address % PAIR == 0; /* else the processor refuses it */
}

/* -- What it leaves ----------------------------------------------------------------------------------------------------------- */

static uint64_t low_bytes(uint64_t value, unsigned bytes) {
  return bytes < 8 ? value & ((1UL << 8 * bytes) - 1) : value;
}

/* Without a REX prefix, four of the eight are the second bytes of others. */
static bool is_second_byte(const struct x64_insn *insn, unsigned reg, unsigned bytes) {
  return bytes == 1 && !insn->rex && reg >= RSP && reg <= RDI;
}

static uint64_t read_register(const struct thread *thread, const struct x64_insn *insn, unsigned reg,
                              unsigned bytes) {
  if (is_second_byte(insn, reg, bytes)) return thread->arch.gpr[reg - RSP] >> 8 & 0xff;
  return low_bytes(thread->arch.gpr[reg], bytes);
}

static void write_register(struct thread *thread, const struct x64_insn *insn, unsigned reg, unsigned bytes,
                           uint64_t value) {
  bool second = is_second_byte(insn, reg, bytes);
  uint64_t *gpr = &thread->arch.gpr[second ? reg - RSP : reg];
  if (second)
    *gpr = (*gpr & ~0xff00UL) | (value & 0xff) << 8;
  else if (bytes < 4)
    *gpr = (*gpr ^ low_bytes(*gpr, bytes)) | low_bytes(value, bytes);
  else
    *gpr = low_bytes(value, bytes);
}

static unsigned register_of(const struct x64_insn *insn) {
  return extension_of(insn) | (insn->rex & 4u) << 1;
}

static bool has_immediate(const struct x64_insn *insn) {
  uint8_t op = insn->opcode;
  return insn->map ? op == 0xba : op == 0x80 || op == 0x81 || op == 0x83 || op == 0xf6 || op == 0xf7;
}

static uint64_t operand(const struct thread *thread, const struct x64_insn *insn, unsigned bytes) {
  return has_immediate(insn) ? low_bytes((uint64_t)insn->imm, bytes)
                             : read_register(thread, insn, register_of(insn), bytes);
}

static uint64_t arithmetic(enum group group, uint64_t a, uint64_t b, unsigned bytes, uint64_t *flags) {
  uint64_t sign = 1UL << (8 * bytes - 1), carry = group == ADC || group == SBB ? *flags & FLAG_CF : 0;
  uint64_t result, overflow = 0, half = 0;
  bool borrows = false;
  switch (group) {
    case ADD:
    case ADC:
      result = low_bytes(a + b + carry, bytes);
      borrows = result < a || (carry && result == a);
      overflow = (a ^ result) & (b ^ result) & sign;
      half = a ^ b ^ result;
      break;
    case SUB:
    case SBB:
    case CMP:
      result = low_bytes(a - b - carry, bytes);
      borrows = a < b || (carry && a == b);
      overflow = (a ^ b) & (a ^ result) & sign;
      half = a ^ b ^ result;
      break;
    case OR:
      result = a | b;
      break;
    case AND:
      result = a & b;
      break;
    default:
      result = a ^ b;
  }
  bool even = !(__builtin_popcountl(result & 0xff) & 1);
  *flags = (*flags & ~(uint64_t)FLAGS_STATUS) | (borrows ? FLAG_CF : 0) | (even ? FLAG_PF : 0) |
           (half & FLAG_AF) | (result ? 0 : FLAG_ZF) | (result & sign ? FLAG_SF : 0) |
           (overflow ? FLAG_OF : 0);
  return result;
}

static uint64_t step_by_one(enum group group, uint64_t a, unsigned bytes, uint64_t *flags) {
  uint64_t carry = *flags & FLAG_CF, result = arithmetic(group, a, 1, bytes, flags);
  *flags = (*flags & ~(uint64_t)FLAG_CF) | carry;
  return result;
}

static uint64_t change_bit(unsigned opcode, uint64_t a, uint64_t which, unsigned bytes, uint64_t *flags) {
  enum { SET = 0xab, RESET = 0xb3 };
  uint64_t bit = 1UL << which % (8UL * bytes);
  *flags = (*flags & ~(uint64_t)FLAG_CF) | (a & bit ? FLAG_CF : 0);
  return opcode == SET ? a | bit : opcode == RESET ? a & ~bit : a ^ bit;
}

/* cmpxchg8b, cmpxchg16b */
static void exchange_pair(const struct thread *thread, struct atomic *atomic, uint64_t *flags) {
  const uint64_t *gpr = thread->arch.gpr;
  uint64_t expected[2] = {gpr[RAX], gpr[RDX]}, left[2] = {gpr[RBX], gpr[RCX]};
  if (atomic->bytes == 8) {
    expected[0] = (uint32_t)expected[0] | expected[1] << 32, expected[1] = 0;
    left[0] = (uint32_t)left[0] | left[1] << 32, left[1] = 0;
  }
  bool same = !memcmp(expected, atomic->found, sizeof expected);
  if (same) memcpy(atomic->left, left, sizeof left);
  *flags = (*flags & ~(uint64_t)FLAG_ZF) | (same ? FLAG_ZF : 0);
}

static void compute_long(const struct thread *thread, const struct x64_insn *insn, struct atomic *atomic,
                         uint64_t *flags) {
  static const uint8_t bit_opcodes[4] = {0, 0xab, 0xb3, 0xbb};
  unsigned bytes = atomic->bytes;
  uint64_t found = atomic->found[0], accumulator = low_bytes(thread->arch.gpr[RAX], bytes);
  switch (insn->opcode) {
    case 0xb0:
    case 0xb1: /* cmpxchg */
      arithmetic(CMP, accumulator, found, bytes, flags);
      if (accumulator == found) atomic->left[0] = operand(thread, insn, bytes);
      return;
    case 0xc0:
    case 0xc1: /* xadd */
      atomic->left[0] = arithmetic(ADD, found, operand(thread, insn, bytes), bytes, flags);
      return;
    case 0xc7:
      exchange_pair(thread, atomic, flags);
      return;
    case 0xba:
      atomic->left[0] =
          change_bit(bit_opcodes[extension_of(insn) & 3], found, (uint64_t)insn->imm, bytes, flags);
      return;
    case 0xab: /* bts, btr, btc */
    case 0xb3:
    case 0xbb:
      atomic->left[0] = change_bit(insn->opcode, found, thread->arch.gpr[register_of(insn)], bytes, flags);
      return;
    default:
      return;
  }
}

static void compute_short(const struct thread *thread, const struct x64_insn *insn, struct atomic *atomic,
                          uint64_t *flags) {
  unsigned bytes = atomic->bytes, op = insn->opcode;
  uint64_t found = atomic->found[0], other = operand(thread, insn, bytes);
  if (is_test(insn)) {
    arithmetic(AND, found, other, bytes, flags);
  } else if (is_compare(insn)) {
    bool reversed = op == 0x3a || op == 0x3b;
    arithmetic(CMP, reversed ? other : found, reversed ? found : other, bytes, flags);
  } else if (is_move(insn)) {
    return;
  } else if (op == 0x86 || op == 0x87) { /* xchg */
    atomic->left[0] = other;
  } else if (op < 0x40) {
    atomic->left[0] = arithmetic(op >> 3, found, other, bytes, flags);
  } else if (op == 0xfe || op == 0xff) {
    atomic->left[0] = step_by_one(extension_of(insn) ? SUB : ADD, found, bytes, flags);
  } else if (op == 0xf6 || op == 0xf7) {
    bool negates = extension_of(insn) == 3;
    atomic->left[0] = negates ? arithmetic(SUB, 0, found, bytes, flags) : low_bytes(~found, bytes);
  } else {
    atomic->left[0] = arithmetic(extension_of(insn), found, other, bytes, flags);
  }
}

/* What it leaves in memory, and in the flags. */
static uint64_t compute(const struct thread *thread, const struct x64_insn *insn, struct atomic *atomic) {
  uint64_t flags = thread->arch.rflags;
  memcpy(atomic->left, atomic->found, sizeof atomic->left);
  if (insn->map)
    compute_long(thread, insn, atomic, &flags);
  else
    compute_short(thread, insn, atomic, &flags);
  return flags;
}

void arch_atomic_compute(const struct thread *thread, struct atomic *atomic) {
  compute(thread, instruction_at((struct thread *)thread, thread->arch.rip), atomic);
}

/* -- What it puts into registers ------------------------------------------------------------------------------------------------ */

static uint64_t extended(const struct x64_insn *insn, const struct atomic *atomic) {
  unsigned shift = 64 - 8 * atomic->bytes;
  if (!is_signed_load(insn)) return atomic->found[0];
  return (uint64_t)((int64_t)(atomic->found[0] << shift) >> shift);
}

static void finish_exchange(struct thread *thread, const struct x64_insn *insn, const struct atomic *atomic) {
  unsigned bytes = atomic->bytes;
  bool pair = insn->opcode == 0xc7;
  if (pair && bytes == 8) {
    thread->arch.gpr[RAX] = (uint32_t)atomic->found[0];
    thread->arch.gpr[RDX] = atomic->found[0] >> 32;
  } else if (pair) {
    thread->arch.gpr[RAX] = atomic->found[0];
    thread->arch.gpr[RDX] = atomic->found[1];
  } else {
    thread->arch.gpr[RAX] =
        bytes < 4 ? (thread->arch.gpr[RAX] ^ low_bytes(thread->arch.gpr[RAX], bytes)) | atomic->found[0]
                  : atomic->found[0];
  }
}

static void finish_registers(struct thread *thread, const struct x64_insn *insn, const struct atomic *atomic,
                             uint64_t flags) {
  uint8_t op = insn->opcode;
  bool exchanges = insn->map && (op == 0xb0 || op == 0xb1 || op == 0xc7);
  bool swaps = insn->map ? op == 0xc0 || op == 0xc1 : op == 0x86 || op == 0x87;
  if (exchanges && !(flags & FLAG_ZF)) finish_exchange(thread, insn, atomic);
  if (swaps) write_register(thread, insn, register_of(insn), atomic->bytes, atomic->found[0]);
  if (atomic->kind == ATOMIC_WATCHED && is_move(insn))
    write_register(thread, insn, register_of(insn), insn->operand_size, extended(insn, atomic));
}

void arch_atomic_finish(struct thread *thread, const struct atomic *atomic) {
  const struct x64_insn *insn = instruction_at(thread, thread->arch.rip);
  struct atomic again = *atomic;
  if (atomic->kind != ATOMIC_FENCE) {
    uint64_t flags = compute(thread, insn, &again);
    finish_registers(thread, insn, atomic, flags);
    thread->arch.rflags = flags;
  }
  thread->arch.rip += insn->len;
  count_back(thread, 0, -1);
}
