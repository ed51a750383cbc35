/* checks.c (AArch64): the inline permission check before a memory access.
 *
 *     add   x15, base, #disp          ; or the index, extended and shifted; nothing when there is neither
 *     ubfx  x15, x15, #6, #26         ; block number: address bits 6 to 31
 *     ldr   x13, [x18, #permissions]
 *     ldrb  w13, [x13, x15]
 *     tbz   w13, #pair, stub          ; may I read (write) this block and the next?
 *  back:
 *     …
 *  stub:
 *     tbz   w13, #own, miss           ; may I read (write) this block at least …
 *     add   x15, base, #disp
 *     and   x15, x15, #63
 *     mov   x13, #64 - window         ; … and does all that relies on this check lie in it?
 *     sub   x15, x13, x15
 *     tbz   x15, #63, back
 *  miss:                              ; the slow path; it comes back to the first line
 *
 * The bit for a pair covers the block and its successor, so that an access that straddles two blocks passes with one test.
 *
 * A permission is given up at safepoints only, that is, never inside a block. So an access needs no test when an earlier test
 * of the same block covers it: the same registers with the same values, and a displacement at most 64 bytes minus the
 * access above the one tested. Additions of constants to a register, by accesses that move their base as well, are followed, so that an
 * unrolled walk over an array is tested once in 64 bytes. A check looks ahead for accesses to the same few bytes soon after it, and is
 * for writing, and starts lower, if they need that. The window of a check is as long as the accesses that rely on it reach, except for
 * checks that were often found to cover memory that other threads use: those are for their own instruction.
 *
 * An instruction that was found to access open memory (order/open_blocks.h) has a test for itself alone, and code for such an access in the
 * stub (open_accesses.c).
 *
 * Instructions whose accesses are long, or hard to compute (block zeroing, scalable vectors), are blocks of their own that the
 * engine steps over when it has taken their permissions (accesses.c). Known limit: gathers and scatters can't be, and are
 * refused there; scalable vectors are not offered to such programs. */
#include "engine/a64/translate.h"
#include "engine/base/lib.h"
#include "engine/region/value_log.h"

enum { BLOCK_SHIFT = 6, BLOCK_BITS = 26, BLOCK_BYTES = 1 << BLOCK_SHIFT };

/* The detail of a check's exit: its window, and from these bits on how far below its operand that starts, whether it is for writing, and whether its
 * instruction can access open memory. */
enum { DETAIL_BELOW = 8, DETAIL_WRITES = 16, DETAIL_OPENS = 17 };

bool has_simple_operand(const struct a64_mem *mem) {
  return mem->base != A64_NO_REGISTER && !mem->scattered && !mem->scalable && mem->size &&
         mem->size <= BLOCK_BYTES;
}

bool wants_engine(const struct a64_insn *insn) {
  if (synchronises(insn)) return true;
  if (config.check != CHECK_ALL || insn->mem.access == ACCESS_NONE || has_simple_operand(&insn->mem))
    return false;
  return !insn->mem.scattered || demands.told_accesses;
}

static bool wants_check(const struct a64_mem *mem) {
  if (mem->access == ACCESS_NONE || !has_simple_operand(mem)) return false;
  return config.check == CHECK_ALL || (config.check == CHECK_ACCESSES && mem->base != A64_SP);
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

/* Only x13 and x15 are changed. */
unsigned emit_operand_address(struct code *c, const struct item *item, const struct a64_mem *mem) {
  if (mem->base == A64_LITERAL) {
    emit_mov_address(c, SCRATCH, item->pc + (uint64_t)item->insn.offset);
    return SCRATCH;
  }
  unsigned base = mem->base;
  if (base != A64_SP && TAKEN >> base & 1) {
    emit_load(c, SCRATCH, GPR_WORD(base));
    base = SCRATCH;
  }
  if (mem->index != A64_NO_REGISTER) {
    unsigned index = mem->index;
    if (index != ZERO && TAKEN >> index & 1) {
      emit_load(c, SCRATCH2, GPR_WORD(index));
      index = SCRATCH2;
    }
    emit(c, 0x8b200000u | index << 16 | (uint32_t)mem->extend << 13 | (uint32_t)mem->shift << 10 | base << 5 |
                SCRATCH);
    return SCRATCH;
  }
  if (!mem->disp && base != A64_SP) return base;
  emit_sum(c, base, mem->disp);
  return SCRATCH;
}

static bool same_registers(const struct checked *checked, const struct a64_mem *mem) {
  return checked->base == mem->base && checked->index == mem->index &&
         (mem->index == A64_NO_REGISTER || (checked->extend == mem->extend && checked->shift == mem->shift));
}

/* True if an earlier check covers the access; widens its window if need be. */
static bool is_covered(struct translation *t, const struct a64_mem *mem) {
  for (unsigned i = 0; i < t->checked_count; i++) {
    const struct checked *checked = &t->checked[i];
    int64_t above = mem->disp - checked->disp;
    if (!same_registers(checked, mem) || above < 0 || above + mem->size > BLOCK_BYTES ||
        (!checked->write && mem->access & ACCESS_WRITE))
      continue;
    struct check *check = &t->checks[checked->check];
    if (check->narrow && above + mem->size > check->window) continue;
    check->window = (uint8_t)MAX(check->window, above + mem->size);
    return true;
  }
  return false;
}

static void note_checked(struct translation *t, const struct a64_mem *mem) {
  if (mem->base == A64_LITERAL) return;
  unsigned at = t->checked_count < CHECKED_MAX ? t->checked_count++ : t->check_count % CHECKED_MAX;
  t->checked[at] = (struct checked){.base = mem->base,
                                    .index = mem->index,
                                    .extend = mem->extend,
                                    .shift = mem->shift,
                                    .write = mem->access & ACCESS_WRITE,
                                    .disp = mem->disp,
                                    .check = (uint8_t)(t->check_count - 1)};
}

/* True if an access that moves its base moves it by a known amount. */
static bool moves_base(const struct a64_insn *insn, int64_t *constant) {
  uint32_t w = insn->word;
  bool pair = a64_matches(w, 0x3a800000, 0x28800000), single = a64_matches(w, 0x3b200400, 0x38000400);
  if (!insn->mem.writeback || !(pair || single)) return false;
  *constant = pair ? a64_signed(w, 21, 15) * (insn->mem.size / 2) : a64_signed(w, 20, 12);
  if (a64_bits(w, 26, 26)) return true; /* of vectors */
  return a64_register(w, FIELD_D) != insn->mem.base && !(pair && a64_register(w, FIELD_A) == insn->mem.base);
}

/* If the instruction adds a constant to a 64-bit register, that register; else A64_NO_REGISTER. */
static unsigned adds_constant(const struct a64_insn *insn, int64_t *constant) {
  uint32_t w = insn->word;
  if (moves_base(insn, constant)) return insn->mem.base;
  if (!a64_matches(w, 0xbf800000, 0x91000000) || a64_register(w, FIELD_D) != a64_register(w, FIELD_N))
    return A64_NO_REGISTER;
  *constant = (int64_t)a64_bits(w, 21, 10) << (a64_bits(w, 22, 22) ? 12 : 0);
  if (a64_bits(w, 30, 30)) *constant = -*constant;
  return a64_register(w, FIELD_D);
}

/* Follows the registers of a known address through an instruction; false when they get other values. */
static bool follow(struct checked *checked, const struct a64_insn *insn) {
  int64_t constant = 0;
  uint32_t written = a64_registers_written(insn);
  bool base_changed = written >> checked->base & 1;
  bool index_changed = checked->index < 31 && written >> checked->index & 1;
  if (!base_changed && !index_changed) return true;
  if (index_changed || adds_constant(insn, &constant) != checked->base) return false;
  checked->disp -= constant;
  return true;
}

void forget_checked(struct translation *t, const struct a64_insn *insn) {
  for (unsigned i = 0; i < t->checked_count;)
    if (follow(&t->checked[i], insn))
      i++;
    else
      t->checked[i] = t->checked[--t->checked_count];
}

static bool is_plain(const struct a64_insn *insn) {
  return insn->kind == A64_COPY || insn->kind == A64_ADDRESS || insn->kind == A64_LOAD_EXCLUSIVE ||
         insn->kind == A64_STORE_EXCLUSIVE;
}

/* Accesses to the same few bytes right after item i, before the block can be left, are checked with its operand: the check is for
 * writing if one of them writes, and starts at the lowest of them. Returns the distance of that below the operand. */
static unsigned look_ahead(const struct translation *t, unsigned i, struct a64_mem *mem, bool narrow) {
  enum { LOOK = 24 };
  struct checked at = {
      .base = mem->base, .index = mem->index, .extend = mem->extend, .shift = mem->shift, .disp = mem->disp};
  int64_t low = 0, high = mem->size;
  if (mem->base == A64_LITERAL) return 0;
  bool fixed = narrow || mem->index != A64_NO_REGISTER;
  for (unsigned j = i + 1; j < MIN(t->sb.count, i + LOOK); j++) {
    const struct a64_insn *before = &t->sb.items[j - 1].insn, *insn = &t->sb.items[j].insn;
    if (!is_plain(before) || !is_plain(insn) || !follow(&at, before)) break;
    if (!wants_check(&insn->mem) || !same_registers(&at, &insn->mem)) continue;
    int64_t above = insn->mem.disp - at.disp;
    int64_t lower = MIN(low, above), higher = MAX(high, above + insn->mem.size);
    if (fixed ? lower < low || higher > high : higher - lower > BLOCK_BYTES) continue;
    low = lower, high = higher;
    mem->access |= insn->mem.access & ACCESS_WRITE;
  }
  mem->disp += (int32_t)low;
  mem->size = (uint16_t)(mem->size - low);
  return (unsigned)-low;
}

static unsigned bit_of(unsigned permission) {
  return (unsigned)__builtin_ctz(permission);
}

/* ldrb w13, [x13, x15]: of the map in x13, for the block in x15 */
static void emit_permission(struct code *c) {
  emit(c, 0x38606800u | SCRATCH << 16 | SCRATCH2 << 5 | SCRATCH2);
}

/* The permission's byte for the block at the address in the register. */
static void emit_look(struct code *c, unsigned address) {
  emit(c, 0xd3400000u | BLOCK_SHIFT << 16 | (BLOCK_SHIFT + BLOCK_BITS - 1) << 10 | address << 5 | SCRATCH);
  emit_load(c, SCRATCH2, CTX_PERMISSIONS);
  emit_permission(c);
}

static struct check *new_check(struct translation *t, unsigned i, const struct a64_mem *mem) {
  CHECK(t->check_count < CHECKS_MAX);
  struct check *check = &t->checks[t->check_count++];
  *check = (struct check){.item = (uint8_t)i, .mem = *mem, .window = (uint8_t)mem->size};
  check->exit = new_exit(t, EXIT_CHECK, (uintptr_t)t->code.at);
  check->exit->instructions = (uint16_t)i;
  return check;
}

/* All that the instruction needs was taken before. It is only to be found out whether some of its memory is open: by the first byte or by the last one. */
static struct check *emit_open_test(struct translation *t, unsigned i) {
  struct code *c = &t->code;
  const struct item *item = &t->sb.items[i];
  struct a64_mem mem = item->insn.mem;
  struct check *check = new_check(t, i, &mem);
  check->opens = true;
  emit_look(c, emit_operand_address(c, item, &mem));
  check->branch = emit_tbnz(c, SCRATCH2, bit_of(PERMISSION_OPEN));
  unsigned address = emit_operand_address(c, item, &mem);
  emit_add_imm(c, SCRATCH, address, mem.size - 1u);
  emit_look(c, SCRATCH);
  check->beyond = emit_tbnz(c, SCRATCH2, bit_of(PERMISSION_OPEN));
  return check;
}

struct check *emit_check(struct translation *t, unsigned i) {
  struct code *c = &t->code;
  const struct item *item = &t->sb.items[i];
  struct a64_mem mem = item->insn.mem;
  if (!wants_check(&mem)) return NULL;
  bool opens = values_on() && cache_is_opened(item->pc) && can_open(&item->insn);
  if (!i) t->block->opens = opens;
  if (t->unchecked ? !opens : !opens && is_covered(t, &mem)) return NULL;
  forget_held(t);
  if (t->unchecked) return emit_open_test(t, i);
  bool narrow = opens || cache_is_narrow(item->pc, false);
  unsigned below = opens ? 0 : look_ahead(t, i, &mem, narrow);
  struct check *check = new_check(t, i, &mem);
  check->below = (uint8_t)below;
  check->narrow = narrow;
  check->opens = opens;
  emit_look(c, emit_operand_address(c, item, &mem));
  bool write = mem.access & ACCESS_WRITE;
  check->branch = emit_tbz(c, SCRATCH2, bit_of(write ? PERMISSION_WRITE_PAIR : PERMISSION_READ_PAIR));
  check->back = c->at;
  if (!opens) note_checked(t, &mem);
  return opens ? check : NULL;
}

/* Where the first line is not permitted, nor open, or both are open: to the access to open memory.
 *
 *     tbz   w13, #own, 1f
 *     …                               ; as above: back, if all of it lies in the block
 *     b     2f
 *  1: tbz   w13, #open, miss
 *  2: …                               ; the access                                              */
static void emit_open_stub(struct translation *t, const struct check *check, uint32_t *none) {
  struct code *c = &t->code;
  uint32_t *crossing = NULL, *missing = NULL;
  if (!check->beyond) {
    crossing = emit_b(c);
    patch_branch(none, c->at);
    missing = emit_tbz(c, SCRATCH2, bit_of(PERMISSION_OPEN));
    patch_branch(crossing, c->at);
  } else {
    patch_branch(check->branch, c->at);
    patch_branch(check->beyond, c->at);
  }
  emit_open_access(t, check);
  if (missing) patch_branch(missing, c->at);
}

/* Returns the branch that is taken if the thread may not even access the first block. */
static uint32_t *emit_window_test(struct translation *t, const struct check *check) {
  struct code *c = &t->code;
  const struct item *item = &t->sb.items[check->item];
  bool write = check->mem.access & ACCESS_WRITE;
  patch_branch(check->branch, c->at);
  uint32_t *none = emit_tbz(c, SCRATCH2, bit_of(write ? PERMISSION_WRITE : PERMISSION_READ));
  unsigned address = emit_operand_address(c, item, &check->mem);
  emit(c, 0xd3400000u | (BLOCK_SHIFT - 1) << 10 | address << 5 | SCRATCH); /* ubfx x15, address, #0, #6 */
  emit_mov_imm(c, SCRATCH2, BLOCK_BYTES - check->window);
  emit_sub(c, SCRATCH, SCRATCH2, SCRATCH);
  patch_branch(emit_tbz(c, SCRATCH, 63), check->back);
  return none;
}

void emit_check_stub(struct translation *t, const struct check *check) {
  struct code *c = &t->code;
  uint32_t *none = check->beyond ? NULL : emit_window_test(t, check);
  if (check->opens)
    emit_open_stub(t, check, none);
  else
    patch_branch(none, c->at);
  emit_exit_tail(c, check->exit);
  check->exit->detail = check->window | (uint64_t)check->below << DETAIL_BELOW |
                        (check->mem.access & ACCESS_WRITE ? 1u << DETAIL_WRITES : 0) |
                        (check->opens ? 1u << DETAIL_OPENS : 0);
}

/*     ldr   x13, [x18, #permissions]
 *     mov   x15, block
 *     ldrb  w13, [x13, x15]
 *     tbz   w13, #own, …              ; for every block of memory that its source lies in */
void emit_source_tests(struct translation *t) {
  struct code *c = &t->code;
  for (unsigned i = 0; i < t->sb.range_count; i++) {
    const struct source_range *range = &t->sb.ranges[i];
    struct exit *exit = new_exit(t, EXIT_SOURCE, t->block->pc);
    exit->detail = source_detail(range);
    for (uintptr_t at = ALIGN_DOWN(range->start, BLOCK_BYTES); at < range->end; at += BLOCK_BYTES) {
      emit_load(c, SCRATCH2, CTX_PERMISSIONS);
      emit_mov_imm(c, SCRATCH, (uint32_t)at >> BLOCK_SHIFT);
      emit_permission(c);
      new_stub(t, emit_tbz(c, SCRATCH2, bit_of(PERMISSION_READ)), exit);
    }
  }
}

/* -- The slow path ---------------------------------------------------------------------------------------------------- */

/* A first touch claims the whole page's worth of blocks. */
void arch_permit(struct thread *thread, const struct miss *miss) {
  enum { EVERYTHING = PERMISSION_READ | PERMISSION_WRITE | PERMISSION_READ_PAIR | PERMISSION_WRITE_PAIR };
  uint8_t *permissions = (uint8_t *)thread + SLOT_PERMISSIONS;
  uintptr_t block = (uint32_t)miss->address >> BLOCK_SHIFT;
#if defined(REPRISE_STRESS_SLOW_PATHS)
  /* Every permission lasts until the next miss. */
  permissions[thread->arch.last_granted] = 0;
  thread->arch.last_granted = block;
  permissions[block] = EVERYTHING;
#else
  memset(permissions + ALIGN_DOWN(block, 64), EVERYTHING, 64);
#endif
}

/* Generated code keeps nothing in the scratch registers at a check, so all of the context is the application's. */
void arch_miss(struct thread *thread, const struct exit *exit, struct miss *miss) {
  const struct block *block = exit->block;
  *miss = (struct miss){.retry = exit->target,
                        .pc = insn_pc(block, &block->map[exit->instructions]),
                        .instructions = block->instructions - exit->instructions,
                        .bytes = (uint8_t)exit->detail,
                        .write = exit->detail >> DETAIL_WRITES & 1,
                        .opens = exit->detail >> DETAIL_OPENS & 1};
  arch_uncount(thread, block, miss->instructions);
  struct access access[ARCH_ACCESSES_MAX];
  if (!arch_accesses(thread, miss->pc, access)) return;
  miss->address = access[0].address - (uint8_t)(exit->detail >> DETAIL_BELOW);
}

uintptr_t arch_miss_resume(struct thread *thread, const struct miss *miss) {
  thread->arch.countdown -= miss->instructions;
  return miss->retry;
}

void arch_miss_leave(struct thread *thread, const struct miss *miss) {
  arch_set_pc(thread, miss->pc);
}

/* Every access is checked by itself here. */
void arch_set_private(struct thread *thread, uintptr_t low, uintptr_t high) {
  (void)thread, (void)low, (void)high;
}
