/* atomics.c (AArch64): instructions that synchronise threads, performed by the engine. See struct atomic in base/arch.h.
 *
 * These are the exclusive loads and stores, the loads and stores that acquire and release, compare-and-swap, the atomics of LSE, and barriers.
 * A relaxed load of the program is an ordinary load: the code of locks has many of them, beside its atomics. So ordinary loads near an atomic, or
 * near a call of a function that begins with one (as compilers call atomics that the machine may lack), are watched.
 *
 * Recording and replay must watch the same loads. Which these are depends on code that the program can't write, and so does not change. */
#include "engine/a64/translate.h"
#include "engine/base/lib.h"
#include "engine/code/near_atomics.h"

enum { ZERO_REGISTER = 31 };

/* -- What it is ------------------------------------------------------------------------------------------------------------- */

static bool is_ordered(uint32_t w) { /* exclusive, ordered, compare and swap */
  return a64_matches(w, 0x3f000000, 0x08000000);
}

static bool is_swap(uint32_t w) { /* cas, and casp */
  return is_ordered(w) && a64_bits(w, 21, 21) && (a64_bits(w, 23, 23) || !(w >> 31));
}

static bool is_exclusive(uint32_t w) {
  return is_ordered(w) && !a64_bits(w, 23, 23) && !is_swap(w);
}

static bool is_pair(uint32_t w) { /* casp, ldxp, stxp */
  return is_ordered(w) && a64_bits(w, 21, 21) && !a64_bits(w, 23, 23);
}

static bool is_lse(uint32_t w) { /* ldadd and its like, swp, ldapr */
  return a64_matches(w, 0x3f200c00, 0x38200000);
}

static bool is_unscaled(uint32_t w) { /* ldapur, stlur */
  return a64_matches(w, 0x3f200c00, 0x19000000);
}

static bool is_barrier(uint32_t w) { /* dmb, dsb */
  return a64_matches(w, 0xfffff0df, 0xd503309f);
}

static enum atomic_kind kind_of(uint32_t w) {
  bool loads = a64_bits(w, 22, 22);
  if (is_swap(w)) return ATOMIC_UPDATE;
  if (is_exclusive(w)) return loads ? ATOMIC_LOAD : ATOMIC_UPDATE;
  if (is_ordered(w)) return loads ? ATOMIC_LOAD : ATOMIC_STORE;
  if (is_unscaled(w)) return a64_bits(w, 23, 22) ? ATOMIC_LOAD : ATOMIC_STORE;
  if (is_barrier(w)) return ATOMIC_FENCE;
  if (!is_lse(w)) return ATOMIC_NONE;
  if (!a64_bits(w, 15, 15) || !a64_bits(w, 14, 12)) return ATOMIC_UPDATE;
  return a64_bits(w, 14, 12) == 4 ? ATOMIC_LOAD : ATOMIC_NONE; /* the rest: 64 bytes in one */
}

/* ldr, ldrb, ldrsw … into a general register, that does not move its base. Of the stack, other threads know little. */
static bool is_plain_load(uint32_t w) {
  unsigned opc = a64_bits(w, 23, 22), size = a64_bits(w, 31, 30);
  bool immediate = a64_matches(w, 0x3f000000, 0x39000000), unscaled = a64_matches(w, 0x3f200c00, 0x38000000);
  bool indexed = a64_matches(w, 0x3f200c00, 0x38200800);
  if (!immediate && !unscaled && !indexed) return false;
  return opc && !(opc == 2 && size == 3) && a64_register(w, FIELD_N) != A64_SP;
}

/* -- Which loads are watched --------------------------------------------------------------------------------------------------- */

enum { HELPER = 8 }; /* instructions of a function that are looked at */

static bool is_atomic(uint32_t w) {
  enum atomic_kind kind = kind_of(w);
  return kind != ATOMIC_NONE && kind != ATOMIC_FENCE;
}

static bool begins_with_atomic(uintptr_t function) {
  uint32_t words[HELPER];
  if (!code_is_lasting(function) || safe_copy(words, (const void *)function, sizeof words)) return false;
  for (unsigned i = 0; i < HELPER; i++)
    if (is_atomic(words[i])) return true;
  return false;
}

void arch_find_atomics(uintptr_t page, const uint8_t *bytes, uint64_t *units) {
  uint32_t words[PAGE / INSN_BYTES];
  memcpy(words, bytes, sizeof words);
  for (unsigned i = 0; i < COUNT_OF(words); i++) {
    bool calls = a64_matches(words[i], 0xfc000000, 0x94000000);
    uintptr_t target =
        page + (uintptr_t)i * INSN_BYTES + (uintptr_t)(a64_signed(words[i], 25, 0) * INSN_BYTES);
    if (is_atomic(words[i]) || (calls && begins_with_atomic(target))) units[i / 64] |= 1UL << i % 64;
  }
}

bool is_watched(const struct a64_insn *insn, uintptr_t pc) {
  return sync_on() && insn->kind == A64_COPY && is_plain_load(insn->word) && code_is_near_atomic(pc);
}

/* A barrier has no value, and replay finds its place in the order log. */
bool synchronises(const struct a64_insn *insn) {
  bool defined =
      insn->kind == A64_COPY || insn->kind == A64_LOAD_EXCLUSIVE || insn->kind == A64_STORE_EXCLUSIVE;
  enum atomic_kind kind = sync_on() && defined ? kind_of(insn->word) : ATOMIC_NONE;
  return kind != ATOMIC_NONE && (kind != ATOMIC_FENCE || recording());
}

static uint64_t read_register(const struct thread *thread, unsigned reg) {
  return reg == ZERO_REGISTER ? 0 : thread->arch.gpr[reg];
}

static uint64_t low_bytes(uint64_t value, unsigned bytes) {
  return bytes < 8 ? value & ((1UL << 8 * bytes) - 1) : value;
}

/* One register, or a register and its second as the processor puts them into memory. */
static void read_value(const struct thread *thread, uint32_t w, unsigned bytes, unsigned reg, unsigned second,
                       uint64_t to[2]) {
  to[0] = low_bytes(read_register(thread, reg), bytes);
  to[1] = 0;
  if (!is_pair(w)) return;
  uint64_t high = read_register(thread, second);
  if (bytes == 16)
    to[1] = high;
  else
    to[0] = (to[0] & UINT32_MAX) | high << 32;
}

/* The monitor has the halves of a pair apart. */
static void monitored(const struct thread *thread, uint32_t w, unsigned bytes, uint64_t to[2]) {
  const uint64_t *value = thread->arch.monitor_value;
  bool halves = is_pair(w) && bytes == 8;
  to[0] = halves ? (value[0] & UINT32_MAX) | value[1] << 32 : value[0];
  to[1] = bytes == 16 ? value[1] : 0;
}

bool arch_atomic(struct thread *thread, struct atomic *atomic) {
  struct access accesses[ARCH_ACCESSES_MAX];
  struct a64_insn insn;
  uint32_t word;
  if (safe_copy(&word, (const void *)thread->arch.pc, sizeof word)) return false;
  a64_decode(word, &insn);
  bool plain = is_plain_load(word);
  if (!plain && !synchronises(&insn)) return false;
  *atomic = (struct atomic){.kind = plain ? ATOMIC_WATCHED : kind_of(word), .detail = word};
  if (atomic->kind == ATOMIC_FENCE) return true;
  if (arch_accesses(thread, thread->arch.pc, accesses) != 1) return false;
  atomic->address = accesses[0].address;
  atomic->bytes = insn.mem.size;
  if (atomic->kind == ATOMIC_STORE)
    read_value(thread, word, atomic->bytes, a64_register(word, FIELD_D), ZERO_REGISTER, atomic->left);
  bool set = thread->arch.monitor_size == atomic->bytes && thread->arch.monitor_address == atomic->address;
  if (insn.kind == A64_STORE_EXCLUSIVE && !set) atomic->kind = ATOMIC_NONE;
  return true;
}

/* -- What it leaves ----------------------------------------------------------------------------------------------------------- */

static int64_t as_signed(uint64_t value, unsigned bytes) {
  unsigned shift = 64 - 8 * bytes;
  return (int64_t)(value << shift) >> shift;
}

/* In the order of the opc field. */
static uint64_t combine(unsigned opc, uint64_t old, uint64_t operand, unsigned bytes) {
  int64_t a = as_signed(old, bytes), b = as_signed(operand, bytes);
  switch (opc) {
    case 0:
      return old + operand;
    case 1:
      return old & ~operand;
    case 2:
      return old ^ operand;
    case 3:
      return old | operand;
    case 4:
      return a > b ? old : operand;
    case 5:
      return a < b ? old : operand;
    case 6:
      return old > operand ? old : operand;
    default:
      return old < operand ? old : operand;
  }
}

void arch_atomic_compute(const struct thread *thread, struct atomic *atomic) {
  uint32_t w = (uint32_t)atomic->detail;
  unsigned d = a64_register(w, FIELD_D), m = a64_register(w, FIELD_M), bytes = atomic->bytes;
  uint64_t expected[2], operand = low_bytes(read_register(thread, m), bytes);
  memcpy(atomic->left, atomic->found, sizeof atomic->left);
  if (is_lse(w)) {
    bool swaps = a64_bits(w, 15, 15);
    uint64_t left = swaps ? operand : combine(a64_bits(w, 14, 12), atomic->found[0], operand, bytes);
    atomic->left[0] = low_bytes(left, bytes);
    return;
  }
  if (is_exclusive(w))
    monitored(thread, w, bytes, expected);
  else
    read_value(thread, w, bytes, m, m + 1, expected);
  if (memcmp(expected, atomic->found, sizeof expected) != 0) return;
  read_value(thread, w, bytes, d, is_exclusive(w) ? a64_register(w, FIELD_A) : d + 1, atomic->left);
}

/* -- What it puts into registers ------------------------------------------------------------------------------------------------ */

static void write_register(struct thread *thread, unsigned reg, uint64_t value) {
  if (reg != ZERO_REGISTER) thread->arch.gpr[reg] = value;
}

static void write_value(struct thread *thread, const struct atomic *atomic, unsigned reg, unsigned second) {
  bool pair = is_pair((uint32_t)atomic->detail), halves = pair && atomic->bytes == 8;
  write_register(thread, reg, halves ? (uint32_t)atomic->found[0] : atomic->found[0]);
  if (pair) write_register(thread, second, halves ? atomic->found[0] >> 32 : atomic->found[1]);
}

/* ldapurs and ldrs extend the sign, to 64 bits or to 32. */
static uint64_t extended(const struct atomic *atomic) {
  uint32_t w = (uint32_t)atomic->detail;
  unsigned opc = a64_bits(w, 23, 22);
  if (!(is_unscaled(w) || is_plain_load(w)) || opc < 2) return atomic->found[0];
  int64_t value = as_signed(atomic->found[0], atomic->bytes);
  return opc == 2 ? (uint64_t)value : (uint32_t)value;
}

static void remember(struct thread *thread, const struct atomic *atomic) {
  bool halves = is_pair((uint32_t)atomic->detail) && atomic->bytes == 8;
  thread->arch.monitor_address = atomic->address;
  thread->arch.monitor_size = atomic->bytes;
  thread->arch.monitor_value[0] = halves ? (uint32_t)atomic->found[0] : atomic->found[0];
  thread->arch.monitor_value[1] = halves ? atomic->found[0] >> 32 : atomic->found[1];
}

static void finish_exclusive(struct thread *thread, const struct atomic *atomic) {
  uint32_t w = (uint32_t)atomic->detail;
  uint64_t expected[2];
  if (atomic->kind == ATOMIC_LOAD) {
    remember(thread, atomic);
    write_value(thread, atomic, a64_register(w, FIELD_D), a64_register(w, FIELD_A));
    return;
  }
  monitored(thread, w, atomic->bytes, expected);
  bool stored = atomic->kind == ATOMIC_UPDATE && !memcmp(expected, atomic->found, sizeof expected);
  thread->arch.monitor_size = 0;
  write_register(thread, a64_register(w, FIELD_M), !stored);
}

void arch_atomic_finish(struct thread *thread, const struct atomic *atomic) {
  uint32_t w = (uint32_t)atomic->detail;
  unsigned d = a64_register(w, FIELD_D), m = a64_register(w, FIELD_M);
  if (is_exclusive(w))
    finish_exclusive(thread, atomic);
  else if (is_swap(w))
    write_value(thread, atomic, m, m + 1);
  else if (atomic->kind == ATOMIC_LOAD || atomic->kind == ATOMIC_WATCHED || atomic->kind == ATOMIC_UPDATE)
    write_register(thread, d, extended(atomic));
  thread->arch.pc += INSN_BYTES;
  thread->arch.countdown--;
}
