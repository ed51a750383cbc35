/* checks.c (x86-64): the inline permission check before a memory access.
 *
 *     mov  gs:[long], s               ; s borrowed, often already
 *     lea  s32, [operand]
 *     shr  s32, 6                     ; block number: address bits 6 to 31
 *     test byte gs:[s + map], pair    ; may I read (write) this block and the next?
 *     jz   stub
 *  back:
 *     …
 *  stub:
 *     test byte gs:[s + map], own     ; may I read (write) this block at least …
 *     jz   miss
 *     lea  s32, [operand]
 *     and  s32, 63
 *     cmp  s32, 64 - window           ; … and does all that relies on this check lie in it?
 *     jbe  back
 *  miss:                              ; the slow path; it comes back to the first lea
 *
 * The map lies at a fixed distance from the thread's slot, so no base register is needed, and none at all where the operand is relative
 * to the program counter: its block is known here. The bit for a pair covers the block
 * and its successor, so that an access that straddles two blocks passes with one test. Where the flags are live they are kept
 * in the context meanwhile.
 *
 * A permission is given up at safepoints only, that is, never inside a block. So an access needs no test when an earlier test
 * of the same block covers it: the same registers with the same values, and a displacement at most 64 bytes minus the
 * access above the one tested. Additions of constants to a register are followed, so that an unrolled walk over an array is
 * tested once in 64 bytes. The window of a check is as long as the accesses that rely on it reach; if the thread lacks permission for
 * a part of it, because another thread has the next block, the block of code is left there; if that happens often it is made again, with
 * a narrow window for that instruction.
 *
 * An instruction that was found to access open memory (order/open_blocks.h) has a test for itself alone, and code for such an access in the
 * stub (open_accesses.c).
 *
 * Instructions whose accesses are many, long, or hard to compute (repeated strings, gathers, xsave) are blocks of their own that
 * the engine steps over when it has taken their permissions (accesses.c). */
#include "engine/x64/translate.h"

bool is_repeated(const struct x64_insn *insn) {
  return insn->kind == INSN_STRING && insn->prefixes & (PREFIX_REP | PREFIX_REPNE);
}

bool wants_engine(const struct x64_insn *insn, bool checked) {
  /* Iterations of a repeated instruction are counted in pieces, in replay too. */
  if (demands.told_accesses && is_repeated(insn)) return true;
  if (!checked) return false;
  bool accesses = insn->has_mem && insn->mem.access != ACCESS_NONE;
  if (accesses && (insn->mem.vsib || !insn->mem.size || insn->mem.size > BLOCK_BYTES ||
                   insn->stack_access == ACCESS_READ))
    return insn->kind != INSN_JMP_IND;
  if ((insn->string_read || insn->string_write || insn->string_read_di) && insn->kind != INSN_STRING)
    return true;
  bool enter = insn->encoding == ENC_LEGACY && insn->map == 0 && insn->opcode == 0xc8;
  switch (insn->kind) {
    case INSN_BIT_STRING:
    case INSN_MOVDIR64B:
    case INSN_CLZERO:
    case INSN_TILE_MEMORY:
    case INSN_XSAVE:
      return true;
    default:
      return enter || stores_fip(insn);
  }
}

static void add_operand(struct x64_mem *to, unsigned base, int64_t disp, unsigned size, unsigned access,
                        unsigned segment) {
  *to = (struct x64_mem){.base = (uint8_t)base,
                         .index = REG_NONE,
                         .scale = 1,
                         .segment = (uint8_t)segment,
                         .access = (uint8_t)access,
                         .size = (uint16_t)size,
                         .disp = disp};
}

unsigned checked_operands(const struct x64_insn *insn, struct x64_mem to[OPERANDS_MAX]) {
  unsigned count = 0;
  bool accesses = insn->has_mem && insn->mem.access != ACCESS_NONE;
  if (config.check == CHECK_ACCESSES) {
    if (accesses && insn->mem.base != RSP && !insn->mem.vsib) to[count++] = insn->mem;
    return count;
  }
  if (accesses) to[count++] = insn->mem;
  if (insn->string_read) add_operand(&to[count++], RSI, 0, insn->string_read, ACCESS_READ, insn->mem.segment);
  if (insn->string_write || insn->string_read_di)
    add_operand(&to[count++], RDI, 0, MAX(insn->string_write, insn->string_read_di),
                insn->string_write ? ACCESS_WRITE : ACCESS_READ, SEG_NONE);
  bool leave = insn->encoding == ENC_LEGACY && insn->map == 0 && insn->opcode == LEAVE;
  if (insn->stack_access == ACCESS_READ)
    add_operand(&to[count++], leave ? RBP : RSP, 0, insn->stack_size, ACCESS_READ, SEG_NONE);
  else if (insn->stack_access)
    add_operand(&to[count++], RSP, -(int64_t)insn->stack_size, insn->stack_size, ACCESS_WRITE, SEG_NONE);
  return count;
}

/* rdfsbase r, or load it */
static void emit_segment_base(struct code *c, unsigned r, enum x64_segment segment) {
  if (segment == SEG_FS) {
    emit8(c, 0xf3), emit8(c, 0x48), emit8(c, 0x0f), emit8(c, 0xae), emit8(c, (uint8_t)(0xc0 | r));
  } else {
    emit_load(c, r, CTX_GS_BASE);
  }
}

/* s = the low 32 bits of the operand's address. */
static void emit_address(struct code *c, const struct item *item, struct x64_mem mem, unsigned s) {
  const struct x64_insn *insn = &item->insn;
  if (mem.base == REG_RIP) {
    mark(c, LASTING_FIXED);
    emit_mov_imm(c, s, (uint32_t)(item->pc + insn->len + (uint64_t)mem.disp));
    return;
  }
  bool plain = mem.index == REG_NONE && mem.disp == 0 && mem.base != REG_NONE;
  enum x64_segment segment = mem.segment;
  mem.segment = SEG_NONE;
  if (mem.base == REG_NONE && mem.index == REG_NONE)
    emit_mov_imm(c, s, (uint32_t)mem.disp);
  else if (plain) {
    if (s >= 8 || mem.base >= 8) emit8(c, (uint8_t)(0x40 | (mem.base >> 3) << 2 | s >> 3));
    emit8(c, 0x89); /* mov s32, base32 */
    emit8(c, (uint8_t)(0xc0 | (mem.base & 7) << 3 | (s & 7)));
  } else {
    emit_mem_op(c, false, 0x8d, s, &mem, false); /* lea s32, [operand] */
  }
  if (segment == SEG_NONE) return;
  /* The segment's base: mov gs:[short], r; rdfsbase r (or load it); lea s32, [s + r]; mov r, gs:[short] */
  unsigned r = s == RAX ? RCX : RAX;
  emit_save(c, r, SPILL(SLOT_SHORT));
  emit_segment_base(c, r, segment);
  struct x64_mem sum = {.base = (uint8_t)s, .index = (uint8_t)r, .scale = 1};
  emit_mem_op(c, false, 0x8d, s, &sum, false);
  emit_load(c, r, SPILL(SLOT_SHORT));
}

void emit_whole_address(struct code *c, const struct item *item, unsigned s) {
  const struct x64_insn *insn = &item->insn;
  struct x64_mem mem = insn->mem;
  unsigned r = s == RAX ? RCX : RAX;
  mem.segment = SEG_NONE;
  if (mem.base == REG_RIP) {
    uint64_t address = item->pc + insn->len + (uint64_t)mem.disp;
    emit_mov_imm(c, s, insn->address_size == 4 ? (uint32_t)address : address);
  } else {
    emit_mem_op(c, true, 0x8d, s, &mem, insn->address_size == 4);
  }
  if (insn->mem.segment == SEG_NONE) return;
  emit_save(c, r, SPILL(SLOT_SHORT));
  emit_segment_base(c, r, insn->mem.segment);
  emit_lea_sum(c, s, s, r);
  emit_load(c, r, SPILL(SLOT_SHORT));
}

/* True if the operand's address is known at translation: it is the displacement then, see emit_operand_check. */
static bool is_fixed(const struct x64_mem *mem) {
  return mem->base == REG_RIP && mem->segment == SEG_NONE;
}

static uint32_t fixed_first(int64_t address) {
  return (uint32_t)address >> BLOCK_SHIFT;
}

static uint32_t fixed_last(int64_t address, unsigned size) {
  return (uint32_t)(address + MAX(size, 1U) - 1) >> BLOCK_SHIFT;
}

/* True if the checked blocks include those of the operand. */
static bool is_there(const struct checked *checked, const struct check *check, const struct x64_mem *mem) {
  uint32_t first = fixed_first(mem->disp), last = fixed_last(mem->disp, mem->size);
  uint32_t from = fixed_first(checked->disp), to = fixed_last(checked->disp, check->mem.size);
  return (first == from || first == to) && (last == from || last == to);
}

static bool same_registers(const struct checked *checked, const struct x64_mem *mem) {
  return checked->base == mem->base && checked->index == mem->index && checked->segment == mem->segment &&
         (mem->index == REG_NONE || checked->scale == mem->scale);
}

/* True if an earlier check covers the access; widens its window if need be. */
static bool is_covered(struct translation *t, const struct x64_mem *mem) {
  for (unsigned i = 0; i < t->checked_count; i++) {
    const struct checked *checked = &t->checked[i];
    int64_t above = mem->disp - checked->disp;
    struct check *check = &t->checks[checked->check];
    int64_t reach = check->narrow ? check->window : BLOCK_BYTES;
    if (!same_registers(checked, mem) || (!checked->write && mem->access & ACCESS_WRITE)) continue;
    if (is_fixed(mem) && is_there(checked, check, mem)) return true;
    if (is_fixed(mem) || above < 0 || above + mem->size > reach) continue;
    check->window = (uint8_t)MAX(check->window, above + mem->size);
    return true;
  }
  return false;
}

static void note_checked(struct translation *t, const struct x64_insn *insn, const struct x64_mem *mem) {
  if (mem->size == 0 || (!is_fixed(mem) && (mem->base == REG_RIP || insn->address_size == 4))) return;
  unsigned at = t->checked_count < CHECKED_MAX ? t->checked_count++ : t->check_count % CHECKED_MAX;
  t->checked[at] = (struct checked){.base = mem->base,
                                    .index = mem->index,
                                    .scale = mem->scale,
                                    .segment = mem->segment,
                                    .write = mem->access & ACCESS_WRITE,
                                    .disp = mem->disp,
                                    .check = (uint8_t)(t->check_count - 1)};
}

/* The address in terms of the registers after the instruction; false if there is none. */
static bool follow(struct checked *checked, const struct x64_insn *insn) {
  int64_t constant = 0;
  unsigned moved = adds_constant(insn, &constant);
  bool base_changed = checked->base != REG_NONE && insn->gpr_written >> checked->base & 1;
  bool index_changed = checked->index != REG_NONE && insn->gpr_written >> checked->index & 1;
  if (base_changed && !index_changed && checked->base == moved)
    checked->disp -= constant;
  else if (index_changed && !base_changed && checked->index == moved)
    checked->disp -= constant * checked->scale;
  else
    return !base_changed && !index_changed;
  return true;
}

void forget_checked(struct translation *t, const struct x64_insn *insn) {
  for (unsigned i = 0; i < t->checked_count;) {
    if (follow(&t->checked[i], insn))
      i++;
    else
      t->checked[i] = t->checked[--t->checked_count];
  }
}

/* Accesses to the same few bytes right after item i, before the block can be left, are checked with its operand: the check is for
 * writing if one of them writes, and starts at the lowest of them. Returns the distance of that below the operand. */
static unsigned look_ahead(const struct translation *t, unsigned i, struct x64_mem *mem) {
  enum { LOOK = 24 };
  struct checked at = {.base = mem->base,
                       .index = mem->index,
                       .scale = mem->scale,
                       .segment = mem->segment,
                       .disp = mem->disp};
  int64_t low = 0, high = mem->size;
  bool narrow = cache_is_narrow(t->sb.items[i].pc, false);
  if (mem->base == REG_RIP || t->sb.items[i].insn.address_size != 8) return 0;
  for (unsigned j = i + 1; j < MIN(t->sb.count, i + LOOK); j++) {
    const struct x64_insn *before = &t->sb.items[j - 1].insn, *insn = &t->sb.items[j].insn;
    if (before->kind != INSN_COPY || insn->kind != INSN_COPY || !follow(&at, before)) break;
    bool same = insn->has_mem && insn->mem.access != ACCESS_NONE && !insn->mem.vsib && insn->mem.size &&
                insn->address_size == 8 && same_registers(&at, &insn->mem);
    if (!same) continue;
    int64_t above = insn->mem.disp - at.disp;
    int64_t lower = MIN(low, above), higher = MAX(high, above + insn->mem.size);
    if (narrow ? lower < low || higher > high : higher - lower > BLOCK_BYTES) continue;
    low = lower, high = higher;
    mem->access |= insn->mem.access & ACCESS_WRITE;
  }
  mem->disp += low;
  mem->size = (uint16_t)(mem->size - low);
  return (unsigned)-low;
}

static void emit_test(struct code *c, unsigned s, uint8_t bit) {
  emit8(c, 0x65); /* test byte gs:[s + map], bit */
  if (s >= 8) emit8(c, 0x41);
  emit8(c, 0xf6), emit8(c, (uint8_t)(0x80 | (s & 7)));
  if ((s & 7) == RSP) emit8(c, 0x24);
  emit32(c, SLOT_PERMISSIONS);
  emit8(c, bit);
}

static void emit_small_op(struct code *c, unsigned operation, unsigned s, uint8_t value) {
  if (s >= 8) emit8(c, 0x41);
  emit8(c, 0x83), emit8(c, (uint8_t)(0xc0 | operation << 3 | (s & 7))), emit8(c, value);
}

/* Where the flags are live they are kept in the context around a check. */
void keep_flags(struct code *c) {
  emit_save(c, RAX, SPILL(SLOT_RAX));
  emit_flags_to_rax(c);
  emit_save(c, RAX, CTX_SPILL_FLAGS);
  emit_load(c, RAX, SPILL(SLOT_RAX));
}

void take_flags_back(struct code *c) {
  emit_save(c, RAX, SPILL(SLOT_RAX));
  emit_load(c, RAX, CTX_SPILL_FLAGS);
  emit_flags_from_rax(c);
  emit_load(c, RAX, SPILL(SLOT_RAX));
}

void test_may_read(struct code *c, uintptr_t address) {
  emit_gs_op(c, false, 0xf6, 0, (uint32_t)SLOT_PERMISSIONS + fixed_first((int64_t)address));
  emit8(c, PERMISSION_READ);
}

/*     test byte gs:[map + block], own (or pair)
 *     jz   miss                                    */
static void test_fixed(struct translation *t, const struct x64_mem *mem) {
  struct code *c = &t->code;
  bool write = mem->access & ACCESS_WRITE;
  uint32_t first = fixed_first(mem->disp);
  bool one = first == fixed_last(mem->disp, mem->size);
  emit_gs_op(c, false, 0xf6, 0, (uint32_t)SLOT_PERMISSIONS + first);
  mark_behind(c, sizeof first, LASTING_PERMISSION);
  emit8(c, one ? (write ? PERMISSION_WRITE : PERMISSION_READ)
               : (write ? PERMISSION_WRITE_PAIR : PERMISSION_READ_PAIR));
}

void test_bits(struct translation *t, unsigned i, const struct x64_mem *mem, unsigned s, uint8_t bits) {
  struct code *c = &t->code;
  emit_address(c, &t->sb.items[i], *mem, s);
  if (s >= 8) emit8(c, 0x41);
  emit8(c, 0xc1), emit8(c, (uint8_t)(0xe8 | (s & 7))), emit8(c, BLOCK_SHIFT); /* shr s32, 6 */
  emit_test(c, s, bits);
}

void test_block(struct translation *t, unsigned i, const struct x64_mem *mem, unsigned s) {
  test_bits(t, i, mem, s, mem->access & ACCESS_WRITE ? PERMISSION_WRITE_PAIR : PERMISSION_READ_PAIR);
}

struct check *new_check(struct translation *t, unsigned i, unsigned condition, uint8_t *retry,
                        const struct x64_mem *mem, unsigned s, bool flags_dead) {
  struct exit *miss = new_exit(t, EXIT_CHECK, (uintptr_t)retry);
  miss->detail = s | (flags_dead ? 0 : CHECK_KEEPS_FLAGS);
  miss->instructions = (uint16_t)i;
  CHECK(t->check_count < CHECKS_MAX);
  struct check *check = &t->checks[t->check_count++];
  *check = (struct check){.branch = emit_jcc(&t->code, condition),
                          .exit = miss,
                          .mem = *mem,
                          .item = (uint8_t)i,
                          .scratch = (uint8_t)s,
                          .window = (uint8_t)mem->size,
                          .narrow = cache_is_narrow(t->sb.items[i].pc, false)};
  check->back = t->code.at;
  return check;
}

static void emit_operand_check(struct translation *t, unsigned i, unsigned operand, struct x64_mem mem) {
  struct code *c = &t->code;
  const struct item *item = &t->sb.items[i];
  bool fixed = is_fixed(&mem);
  if (fixed) {
    mem.disp += (int64_t)item->pc + item->insn.len;
    if (item->insn.address_size == 4) mem.disp = (uint32_t)mem.disp;
  }
  if (is_covered(t, &mem)) return;
  unsigned below = look_ahead(t, i, &mem);
  bool flags_dead = superblock_flags_dead(&t->sb, i);
  uint16_t allowed = mem.base == REG_RIP ? EASY_BASES : 0xffff; /* it serves as its base right after */
  if (!flags_dead) allowed &= (uint16_t) ~(1 << RAX);
  unsigned s = !fixed ? borrow(t, i, allowed) : t->borrowed >= 0 ? (unsigned)t->borrowed : CHECK_NO_SCRATCH;
  if (!flags_dead) keep_flags(c);
  uint8_t *retry = c->at;
  if (fixed)
    test_fixed(t, &mem);
  else
    test_block(t, i, &mem, s);
  struct exit *miss = new_check(t, i, COND_E, retry, &mem, s, flags_dead)->exit;
  miss->detail |= (uint64_t)operand << CHECK_OPERAND | (mem.access & ACCESS_WRITE ? CHECK_WRITES : 0) |
                  (uint64_t)below << CHECK_BELOW;
  note_checked(t, &item->insn, &mem);
  if (!flags_dead) take_flags_back(c);
}

struct check *emit_checks(struct translation *t, unsigned i) {
  struct x64_mem operands[OPERANDS_MAX];
  if (t->opens[i]) return emit_open_check(t, i);
  if (config.check == CHECK_NONE || t->unchecked) return NULL;
  unsigned count = checked_operands(&t->sb.items[i].insn, operands);
  for (unsigned k = 0; k < count; k++)
    if (!(t->in_hull[i] >> k & 1)) emit_operand_check(t, i, k, operands[k]);
  if (count && t->borrowed >= 0) t->map[t->block->map_count - 1].borrowed = BORROWED(SLOT_LONG, t->borrowed);
  return NULL;
}

/* Where the first test is not permitted, nor open, or both are open: to the access to open memory.
 *
 *     test byte gs:[s + map], own;    jz 1f
 *     …                               ; as above: back, if all of it lies in the block
 *     jmp  2f
 *  1: test byte gs:[s + map], open;   jz miss
 *  2: …                               ; the access                                              */
static void emit_open_stub(struct translation *t, const struct check *check, uint8_t *none) {
  struct code *c = &t->code;
  uint8_t *crossing = NULL, *missing = NULL;
  if (!check->beyond) {
    crossing = emit_jmp(c);
    patch_branch(none, c->at);
    emit_test(c, check->scratch, PERMISSION_OPEN);
    missing = emit_jcc(c, COND_E);
    patch_branch(crossing, c->at);
  } else {
    patch_branch(check->beyond, c->at);
  }
  emit_open_access(t, check);
  if (missing) patch_branch(missing, c->at);
}

/* Returns the branch that is taken if the thread may not even access the first block. */
static uint8_t *emit_window_test(struct translation *t, const struct check *check) {
  struct code *c = &t->code;
  emit_test(c, check->scratch, check->mem.access & ACCESS_WRITE ? PERMISSION_WRITE : PERMISSION_READ);
  uint8_t *none = emit_jcc(c, COND_E);
  emit_address(c, &t->sb.items[check->item], check->mem, check->scratch);
  emit_small_op(c, 4, check->scratch, BLOCK_BYTES - 1);             /* and s32, 63 */
  emit_small_op(c, 7, check->scratch, BLOCK_BYTES - check->window); /* cmp s32, 64 - window */
  patch_branch(emit_jcc(c, COND_BE), check->back);
  return none;
}

void emit_check_stub(struct translation *t, const struct check *check) {
  struct code *c = &t->code;
  patch_branch(check->branch, c->at);
  check->exit->detail |= (uint64_t)(check->pairs ? check->pairs : check->window) << CHECK_WINDOW;
  if (check->pairs) {
    emit_hull_stub(t, check);
    return;
  }
  if (is_fixed(&check->mem) && !check->opens) {
    emit_exit_tail(c, check->exit);
    return;
  }
  uint8_t *none = check->beyond ? NULL : emit_window_test(t, check);
  if (check->opens)
    emit_open_stub(t, check, none);
  else
    patch_branch(none, c->at);
  emit_exit_tail(c, check->exit);
}

/* -- The slow path ---------------------------------------------------------------------------------------------------- */

/* A first touch claims the whole page's worth of blocks. */
void arch_permit(struct thread *thread, const struct miss *miss) {
  enum { EVERYTHING = PERMISSION_READ | PERMISSION_WRITE | PERMISSION_READ_PAIR | PERMISSION_WRITE_PAIR };
  uint8_t *permissions = (uint8_t *)thread + SLOT_PERMISSIONS;
  uintptr_t block = (uint32_t)miss->address >> BLOCK_SHIFT;
  size_t blocks = miss->stack ? miss->bytes / BLOCK_BYTES + 2 : 1;
#if defined(REPRISE_STRESS_SLOW_PATHS)
  /* Every permission lasts until the next miss. */
  for (size_t i = 0; i < thread->arch.last_granted_blocks; i++)
    permissions[(thread->arch.last_granted + i) % PERMISSION_BLOCKS] = 0;
  thread->arch.last_granted = block;
  thread->arch.last_granted_blocks = blocks;
  for (size_t i = 0; i < blocks; i++) permissions[(block + i) % PERMISSION_BLOCKS] = EVERYTHING;
#else
  for (size_t i = 0; i < blocks; i++)
    memset(permissions + ALIGN_DOWN((block + i) % PERMISSION_BLOCKS, 64), EVERYTHING, 64);
#endif
}

void arch_miss(struct thread *thread, const struct exit *exit, struct miss *miss) {
  const struct block *block = exit->block;
  *miss = (struct miss){.retry = exit->target,
                        .pc = insn_pc(block, &block->map[exit->instructions]),
                        .word = block->count_word,
                        .instructions = block->instructions - exit->instructions,
                        .bytes = exit->detail >> CHECK_WINDOW & 0xff,
                        .detail = exit->detail};
  unsigned s = miss->detail & 31;
  if (s != CHECK_NO_SCRATCH) {
    thread->arch.scratch = thread->arch.gpr[s];
    thread->arch.gpr[s] = thread->arch.spill[SLOT_LONG];
  }
  count_back(thread, miss->word, miss->instructions);
  thread->arch.stack_patience = STACK_PATIENCE;
  if (miss->detail & CHECK_HULL)
    hull_of_miss(thread, miss);
  else
    miss->address =
        operand_of(thread, miss->pc, miss->detail >> CHECK_OPERAND & 0xf) - (miss->detail >> CHECK_BELOW);
  miss->write = miss->detail & CHECK_WRITES;
  miss->opens = miss->detail & CHECK_OPENS;
}

uintptr_t arch_miss_resume(struct thread *thread, const struct miss *miss) {
  unsigned s = miss->detail & 31;
  if (s != CHECK_NO_SCRATCH) thread->arch.gpr[s] = thread->arch.scratch;
  count_back(thread, miss->word, -(int64_t)miss->instructions);
  return miss->retry;
}

void arch_miss_leave(struct thread *thread, const struct miss *miss) {
  thread->arch.rip = miss->pc;
  if (!(miss->detail & CHECK_KEEPS_FLAGS)) return;
  uint64_t kept = thread->arch.spill_flags; /* lahf, seto al */
  thread->arch.rflags = (thread->arch.rflags & ~(uint64_t)FLAGS_STATUS) | (kept >> 8 & 0xff & FLAGS_STATUS) |
                        (kept & 1 ? FLAG_OF : 0);
}
