/* checks.c (AArch64): the inline permission check before a memory access.
 *
 *     add   x15, base, #disp          ; or the index, extended and shifted; nothing when there is neither
 *     ubfx  x15, x15, #6, #26         ; block number: address bits 6 to 31
 *     ldr   x13, [x18, #permissions]
 *     ldrb  w13, [x13, x15]
 *     tbz   w13, #bit, miss           ; may I read (0), may I write (1) this block and the next? The slow path comes back.
 *
 * A set bit covers the block and its successor, so that an access that straddles two blocks passes with one test. Accesses
 * through the stack pointer are left alone.
 *
 * A permission is given up at safepoints only, that is, never inside a block. So an access needs no test when an earlier test
 * of the same block covers it: the same registers with the same values, and a displacement at most 64 bytes minus the
 * access above the one tested (the bit vouches for the next block too). Additions of constants to a register are
 * followed, so that an unrolled walk over an array is tested once in 64 bytes. */
#include "engine/a64/translate.h"
#include "engine/lib.h"

enum {
  PERMISSION_READ = 1,
  PERMISSION_WRITE = 2,
  BLOCK_SHIFT = 6,
  BLOCK_BITS = 26,
  BLOCK_BYTES = 1 << BLOCK_SHIFT
};

bool wants_check(const struct a64_insn *insn) {
  const struct a64_mem *mem = &insn->mem;
  return mem->access != ACCESS_NONE && mem->base != A64_SP && mem->base != A64_NO_REGISTER && !mem->scattered;
}

/* x15 = base + disp, by the multiples of 4096 and the rest. */
static void emit_sum(struct code *c, unsigned base, int32_t disp) {
  uint32_t amount = (uint32_t)(disp < 0 ? -disp : disp);
  uint32_t opcode = disp < 0 ? 0xd1000000u : 0x91000000u;
  if (amount >> 12) {
    emit(c, opcode | 1u << 22 | amount >> 12 << 10 | base << 5 | SCRATCH);
    base = SCRATCH;
  }
  if (amount & 0xfff || !(amount >> 12)) emit(c, opcode | (amount & 0xfff) << 10 | base << 5 | SCRATCH);
}

/* x15 = base + disp vector lengths:  rdvl x13, #1;  mov x15, disp;  madd x15, x13, x15, base */
static void emit_scalable_sum(struct code *c, unsigned base, int32_t disp) {
  emit(c, 0x04bf5020u | SCRATCH2);
  emit_mov_imm(c, SCRATCH, (uint64_t)(int64_t)disp);
  emit(c, 0x9b000000u | SCRATCH << 16 | base << 10 | SCRATCH2 << 5 | SCRATCH);
}

/* x15 = the number of the block that the operand begins in. */
static void emit_block_number(struct translation *t, const struct item *item) {
  struct code *c = &t->code;
  const struct a64_mem *mem = &item->insn.mem;
  if (mem->base == A64_LITERAL) {
    uint64_t address = item->pc + (uint64_t)item->insn.offset;
    emit_mov_imm(c, SCRATCH, address >> BLOCK_SHIFT & ((1u << BLOCK_BITS) - 1));
    return;
  }
  unsigned base = mem->base;
  uint32_t used = 1u << SCRATCH2;
  if (TAKEN >> base & 1) base = readable(t, base, &used);
  if (mem->scalable && mem->disp) {
    uint32_t others = ~0u & ~(1u << 0 | 1u << 1);
    if (base == SCRATCH) { /* the sum needs both scratch registers */
      base = borrow(t, &others);
      emit_mov(c, base, SCRATCH);
    }
    emit_scalable_sum(c, base, mem->disp);
    base = SCRATCH;
  } else if (mem->index != A64_NO_REGISTER) {
    unsigned index = mem->index;
    if (index != ZERO && TAKEN >> index & 1) {
      emit_load(c, SCRATCH2, GPR_WORD(index));
      index = SCRATCH2;
    }
    emit(c, 0x8b200000u | index << 16 | (uint32_t)mem->extend << 13 | (uint32_t)mem->shift << 10 | base << 5 |
                SCRATCH);
    base = SCRATCH;
  } else if (mem->disp) {
    emit_sum(c, base, mem->disp);
    base = SCRATCH;
  }
  emit(c, 0xd3400000u | BLOCK_SHIFT << 16 | (BLOCK_SHIFT + BLOCK_BITS - 1) << 10 | base << 5 | SCRATCH);
  give_back(t);
}

static bool same_registers(const struct checked *checked, const struct a64_mem *mem) {
  return checked->base == mem->base && checked->index == mem->index &&
         (mem->index == A64_NO_REGISTER || (checked->extend == mem->extend && checked->shift == mem->shift));
}

/* Whether an earlier check covers the access. */
static bool is_covered(const struct translation *t, const struct a64_mem *mem) {
  if (mem->scalable || mem->size == 0) return false;
  for (unsigned i = 0; i < t->checked_count; i++) {
    const struct checked *checked = &t->checked[i];
    int64_t above = mem->disp - checked->disp;
    if (same_registers(checked, mem) && above >= 0 && above + mem->size <= BLOCK_BYTES &&
        (checked->write || !(mem->access & ACCESS_WRITE)))
      return true;
  }
  return false;
}

static void note_checked(struct translation *t, const struct a64_mem *mem) {
  if (mem->base == A64_LITERAL || mem->size == 0 || mem->scalable) return;
  unsigned at = t->checked_count < CHECKED_MAX ? t->checked_count++ : t->block->map_count % CHECKED_MAX;
  t->checked[at] = (struct checked){.base = mem->base,
                                    .index = mem->index,
                                    .extend = mem->extend,
                                    .shift = mem->shift,
                                    .write = mem->access & ACCESS_WRITE,
                                    .disp = mem->disp};
}

/* If the instruction adds a constant to a 64-bit register and does nothing else, that register; else A64_NO_REGISTER. */
static unsigned adds_constant(const struct a64_insn *insn, int64_t *constant) {
  uint32_t w = insn->word;
  if (!a64_matches(w, 0xbf800000, 0x91000000) || a64_register(w, FIELD_D) != a64_register(w, FIELD_N))
    return A64_NO_REGISTER;
  *constant = (int64_t)a64_bits(w, 21, 10) << (a64_bits(w, 22, 22) ? 12 : 0);
  if (a64_bits(w, 30, 30)) *constant = -*constant;
  return a64_register(w, FIELD_D);
}

void forget_checked(struct translation *t, const struct a64_insn *insn) {
  int64_t constant = 0;
  unsigned moved = adds_constant(insn, &constant);
  uint32_t written = a64_registers_written(insn);
  for (unsigned i = 0; i < t->checked_count;) {
    struct checked *checked = &t->checked[i];
    bool base_changed = written >> checked->base & 1;
    bool index_changed = checked->index < 31 && written >> checked->index & 1;
    if (base_changed && !index_changed && checked->base == moved) {
      checked->disp -= constant;
    } else if (base_changed || index_changed) {
      *checked = t->checked[--t->checked_count];
      continue;
    }
    i++;
  }
}

void emit_check(struct translation *t, unsigned i) {
  struct code *c = &t->code;
  const struct item *item = &t->sb.items[i];
  const struct a64_mem *mem = &item->insn.mem;
  if (is_covered(t, mem)) return;
  note_checked(t, mem);
  emit_block_number(t, item);
  const uint32_t *retry = c->at;
  emit_load(c, SCRATCH2, CTX_PERMISSIONS);
  emit(c, 0x38606800u | SCRATCH << 16 | SCRATCH2 << 5 | SCRATCH2);
  uint32_t *miss = emit_tbz(c, SCRATCH2, mem->access & ACCESS_WRITE ? 1 : 0);
  new_stub(t, miss, new_exit(t, EXIT_CHECK, 0))->retry = retry;
}

/* The all-permitting slow path. A first touch claims the whole page's worth of blocks. */
uintptr_t arch_check_missed(struct thread *thread, const struct exit *exit) {
  uint8_t *permissions = (uint8_t *)thread + SLOT_PERMISSIONS;
  uintptr_t block = thread->arch.value;
#if defined(REPRISE_STRESS_SLOW_PATHS)
  /* Every permission lasts until the next miss. */
  permissions[thread->arch.last_granted] = 0;
  thread->arch.last_granted = block;
  permissions[block] = PERMISSION_READ | PERMISSION_WRITE;
  return exit->target;
#endif
  memset(permissions + ALIGN_DOWN(block, 64), PERMISSION_READ | PERMISSION_WRITE, 64);
  return exit->target;
}
