/* checks.c (x86-64): the inline permission check before a memory access.
 *
 *     mov  gs:[long], s               ; s borrowed, often already
 *     lea  s32, [operand]
 *     shr  s32, 6                     ; block number: address bits 6 to 31
 *     test byte gs:[s + map], bit     ; may I read (1), may I write (2) this block and the next?
 *     jz   miss                       ; the slow path; it comes back to the test
 *
 * The map lies at a fixed distance from the thread's slot, so no base register is needed. A set bit covers the block and its
 * successor, so that an access that straddles two blocks passes with one test. Accesses through the stack pointer are
 * left alone. Where the flags are live they are kept in the context meanwhile.
 *
 * A permission is given up at safepoints only, that is, never inside a block. So an access needs no test when an earlier test
 * of the same block covers it: the same registers with the same values, and a displacement at most 64 bytes minus the
 * access above the one tested (the bit vouches for the next block too). Additions of constants to a register are
 * followed, so that an unrolled walk over an array is tested once in 64 bytes. */
#include "engine/x64/translate.h"

enum { PERMISSION_READ = 1, PERMISSION_WRITE = 2, BLOCK_SHIFT = 6 };

bool wants_check(const struct x64_insn *insn) {
  return insn->has_mem && insn->mem.access != ACCESS_NONE && insn->mem.base != RSP && !insn->mem.vsib;
}

/* s = the low 32 bits of the operand's address. */
static void emit_address(struct code *c, const struct item *item, unsigned s) {
  const struct x64_insn *insn = &item->insn;
  struct x64_mem mem = insn->mem;
  if (mem.base == REG_RIP) {
    emit_mov_imm(c, s, (uint32_t)(item->pc + insn->len + (uint64_t)mem.disp));
    return;
  }
  bool plain = mem.index == REG_NONE && mem.disp == 0 && mem.base != REG_NONE;
  enum x64_segment segment = mem.segment;
  mem.segment = SEG_NONE;
  if (!insn->modrm_at)
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
  if (segment == SEG_FS) {
    emit8(c, 0xf3), emit8(c, 0x48), emit8(c, 0x0f), emit8(c, 0xae), emit8(c, (uint8_t)(0xc0 | r));
  } else {
    emit_load(c, r, CTX_GS_BASE);
  }
  struct x64_mem sum = {.base = (uint8_t)s, .index = (uint8_t)r, .scale = 1};
  emit_mem_op(c, false, 0x8d, s, &sum, false);
  emit_load(c, r, SPILL(SLOT_SHORT));
}

enum { BLOCK_BYTES = 1 << BLOCK_SHIFT };

static bool same_registers(const struct checked *checked, const struct x64_mem *mem) {
  return checked->base == mem->base && checked->index == mem->index && checked->segment == mem->segment &&
         (mem->index == REG_NONE || checked->scale == mem->scale);
}

/* Whether an earlier check covers the access. */
static bool is_covered(const struct translation *t, const struct x64_insn *insn) {
  const struct x64_mem *mem = &insn->mem;
  for (unsigned i = 0; i < t->checked_count; i++) {
    const struct checked *checked = &t->checked[i];
    int64_t above = mem->disp - checked->disp;
    if (same_registers(checked, mem) && above >= 0 && above + mem->size <= BLOCK_BYTES &&
        (checked->write || !(mem->access & ACCESS_WRITE)))
      return true;
  }
  return false;
}

static void note_checked(struct translation *t, const struct x64_insn *insn) {
  const struct x64_mem *mem = &insn->mem;
  if (mem->base == REG_RIP || mem->size == 0 || insn->address_size == 4) return;
  unsigned at = t->checked_count < CHECKED_MAX ? t->checked_count++ : t->block->map_count % CHECKED_MAX;
  t->checked[at] = (struct checked){.base = mem->base,
                                    .index = mem->index,
                                    .scale = mem->scale,
                                    .segment = mem->segment,
                                    .write = mem->access & ACCESS_WRITE,
                                    .disp = mem->disp};
}

/* If the instruction adds a constant to a 64-bit register and does nothing else, that register; else REG_NONE. */
static unsigned adds_constant(const struct x64_insn *insn, int64_t *constant) {
  if (insn->encoding != ENC_LEGACY || insn->map != 0 || insn->operand_size != 8) return REG_NONE;
  unsigned reg = insn->modrm >> 3 & 7, rm = (insn->modrm & 7u) | (insn->rex & 1u) << 3;
  bool direct = insn->modrm_at && insn->modrm >> 6 == 3;
  if ((insn->opcode == 0x83 || insn->opcode == 0x81) && direct && (reg == 0 || reg == 5)) {
    *constant = reg == 0 ? insn->imm : -insn->imm;
    return rm;
  }
  if (insn->opcode == 0xff && direct && reg <= 1) {
    *constant = reg == 0 ? 1 : -1;
    return rm;
  }
  unsigned to = reg | (insn->rex & 4u) << 1;
  if (insn->opcode == 0x8d && insn->mem.base == to && insn->mem.index == REG_NONE &&
      insn->address_size == 8) {
    *constant = insn->mem.disp;
    return to;
  }
  return REG_NONE;
}

void forget_checked(struct translation *t, const struct x64_insn *insn) {
  int64_t constant = 0;
  unsigned moved = adds_constant(insn, &constant);
  for (unsigned i = 0; i < t->checked_count;) {
    struct checked *checked = &t->checked[i];
    bool base_changed = checked->base != REG_NONE && insn->gpr_written >> checked->base & 1;
    bool index_changed = checked->index != REG_NONE && insn->gpr_written >> checked->index & 1;
    if (base_changed && !index_changed && checked->base == moved) {
      checked->disp -= constant;
    } else if (index_changed && !base_changed && checked->index == moved) {
      checked->disp -= constant * checked->scale;
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
  if (is_covered(t, &item->insn)) return;
  note_checked(t, &item->insn);
  bool flags_dead = superblock_flags_dead(&t->sb, i);
  uint16_t allowed =
      item->insn.mem.base == REG_RIP ? EASY_BASES : 0xffff; /* it serves as its base right after */
  unsigned s = borrow(t, i, flags_dead ? allowed : allowed & (uint16_t) ~(1 << RAX));
  if (!flags_dead) {
    emit_save(c, RAX, SPILL(SLOT_RAX));
    emit_flags_to_rax(c);
    emit_save(c, RAX, CTX_SPILL_FLAGS);
    emit_load(c, RAX, SPILL(SLOT_RAX));
  }
  emit_address(c, item, s);
  if (s >= 8) emit8(c, 0x41);
  emit8(c, 0xc1), emit8(c, (uint8_t)(0xe8 | (s & 7))), emit8(c, BLOCK_SHIFT); /* shr s32, 6 */
  uint8_t *retry = c->at;
  emit8(c, 0x65); /* test byte gs:[s + map], bit */
  if (s >= 8) emit8(c, 0x41);
  emit8(c, 0xf6), emit8(c, (uint8_t)(0x80 | (s & 7)));
  if ((s & 7) == RSP) emit8(c, 0x24);
  emit32(c, SLOT_PERMISSIONS);
  emit8(c, item->insn.mem.access & ACCESS_WRITE ? PERMISSION_WRITE : PERMISSION_READ);
  struct exit *miss = new_exit(t, EXIT_CHECK, (uintptr_t)retry);
  miss->detail = s;
  new_stub(t, emit_jcc(c, COND_E), miss);
  if (!flags_dead) {
    emit_save(c, RAX, SPILL(SLOT_RAX));
    emit_load(c, RAX, CTX_SPILL_FLAGS);
    emit_flags_from_rax(c);
    emit_load(c, RAX, SPILL(SLOT_RAX));
  }
}

/* The all-permitting slow path. A first touch claims the whole page's worth of blocks. */
uintptr_t arch_check_missed(struct thread *thread, const struct exit *exit) {
  uint8_t *permissions = (uint8_t *)thread + SLOT_PERMISSIONS;
  uintptr_t block = thread->arch.gpr[exit->detail];
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
