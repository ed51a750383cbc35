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
 * left alone. Where the flags are live they are kept in the context meanwhile. */
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
  if (!insn->modrm_at) emit_mov_imm(c, s, (uint32_t)mem.disp);
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

void emit_check(struct translation *t, unsigned i) {
  struct code *c = &t->code;
  const struct item *item = &t->sb.items[i];
  bool flags_dead = superblock_flags_dead(&t->sb, i);
  uint16_t allowed = item->insn.mem.base == REG_RIP ? EASY_BASES : 0xffff; /* it serves as its base right after */
  unsigned s = borrow(t, i, flags_dead ? allowed : allowed & (uint16_t)~(1 << RAX));
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
