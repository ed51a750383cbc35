/* ends.c (AArch64): branches and other instructions that end a block, or leave it half-way. */
#include "engine/a64/translate.h"
#include "engine/base/lib.h"

/* A loop branches directly to the block's own entry, which is patched when the block is dropped. */
static void end_direct(struct translation *t, uint32_t *branch, uintptr_t target) {
  if (target == t->block->pc && !t->block->step && !t->block->probe && !SLOW_PATHS)
    patch_branch(branch, (const void *)t->block->code);
  else
    new_stub(t, branch, new_exit(t, EXIT_DIRECT, target));
}

void end_jump(struct translation *t, uintptr_t target) {
  end_direct(t, emit_b(&t->code), target);
}

void end_exit(struct translation *t, enum exit_kind kind, uintptr_t target, uint64_t detail) {
  struct exit *exit = new_exit(t, kind, target);
  exit->detail = detail;
  emit_exit_tail(&t->code, exit);
}

/* The conditional branch itself, perhaps the other way round, on a register that is perhaps taken. */
static uint32_t *emit_conditional(struct translation *t, const struct item *item) {
  uint32_t word = item->insn.word;
  bool by_flags = a64_matches(word, 0xff000000, 0x54000000);
  if (item->taken) word ^= by_flags ? 1u : 1u << 24; /* the condition's lowest bit, or z against nz */
  if (by_flags) word &= ~0x10u;                      /* bc.cond: a hint that the copy can do without */
  if (item->insn.reads) {
    unsigned reg = a64_register(word, FIELD_D);
    if (TAKEN >> reg & 1) word = (word & ~31u) | hold(t, reg);
  }
  emit(&t->code, word);
  return t->code.at - 1;
}

/* Of fourteen conditions the lowest bit negates; always and never are the same, so neither has another way round. */
static bool always(const struct a64_insn *insn) {
  return a64_matches(insn->word, 0xff00000e, 0x5400000e);
}

void side_exit(struct translation *t, unsigned i) {
  const struct item *item = &t->sb.items[i];
  uintptr_t next = item->pc + INSN_BYTES,
            target = item->taken ? next : item->pc + (uintptr_t)item->insn.offset;
  if (always(&item->insn) && item->taken) return;
  struct stub *stub = new_stub(t, emit_conditional(t, item), new_exit(t, EXIT_DIRECT, target));
  stub->correction = t->sb.count - (i + 1);
}

/* A branch that is followed to where it must lead. If it may lead elsewhere that is tested, and it is left to another block then:
 *     ldr  x13, expected
 *     sub  x13, x13, target
 *     cbnz x13, side                                                                       */
void emit_followed(struct translation *t, unsigned i) {
  const struct item *item = &t->sb.items[i];
  struct code *c = &t->code;
  if (item->expected) {
    unsigned target = a64_register(item->insn.word, FIELD_N);
    forget_held(t);
    if (TAKEN >> target & 1) {
      emit_load(c, SCRATCH, GPR_WORD(target));
      target = SCRATCH;
    }
    emit_constant(t, SCRATCH2, item->expected);
    emit_sub(c, SCRATCH2, SCRATCH2, target);
    struct stub *stub = new_stub(t, emit_cbnz(c, SCRATCH2), new_exit(t, EXIT_DIRECT, item->pc));
    stub->correction = t->sb.count - i;
  }
  if (item->insn.links) emit_constant(t, LINK, item->pc + INSN_BYTES);
  forget_checked(t, &item->insn);
}

/* With the target in x15, back to the engine. */
static void indirect_exit(struct code *c) {
  emit_b_to(c, CODE_CACHE_BASE + SHARED_INDIRECT);
}

/* With the target in x15:
 *     and   x13, x15, #0x3fffc
 *     add   x13, x18, x13, lsl #1
 *     ldr   x13, [x13, #table]
 *     br    x13                                                                            */
static void indirect_jump(struct code *c) {
  emit(c, 0x92400000u | 62u << 16 | 15u << 10 | SCRATCH << 5 | SCRATCH2);
  emit(c, 0x8b000400u | SCRATCH2 << 16 | CONTEXT << 5 | SCRATCH2);
  emit(c, 0xf9400000u | TARGET_TABLE / 8 << 10 | SCRATCH2 << 5 | SCRATCH2);
  emit_br(c, SCRATCH2);
}

/* autia x15, modifier and its like, for braa, blraaz, retab … */
static void authenticate(struct code *c, const struct a64_insn *insn) {
  uint32_t key_b = insn->word & 0x400u;
  unsigned modifier = a64_register(insn->word, FIELD_D);
  bool zero = insn->kind != A64_RETURN && !(insn->word & 0x1000000u);
  if (zero) {
    emit(c, 0xdac133e0u | key_b | SCRATCH);
    return;
  }
  if (insn->kind == A64_RETURN) modifier = STACK;
  if (modifier != STACK && TAKEN >> modifier & 1) {
    emit_load(c, SCRATCH2, GPR_WORD(modifier));
    modifier = SCRATCH2;
  }
  emit(c, 0xdac11000u | key_b | modifier << 5 | SCRATCH);
}

static void end_indirect(struct translation *t, const struct item *item) {
  struct code *c = &t->code;
  const struct a64_insn *insn = &item->insn;
  unsigned target =
      insn->kind == A64_RETURN && insn->authenticates ? LINK : a64_register(insn->word, FIELD_N);
  if (target == ZERO)
    emit_mov_imm(c, SCRATCH, 0);
  else
    emit_read(c, SCRATCH, target);
  if (insn->authenticates) authenticate(c, insn);
  if (insn->links) emit_constant(t, LINK, item->pc + INSN_BYTES);
  /* A stepping thread may have taken permissions that it must give up right after the step. */
  if (t->block->step || t->block->probe)
    indirect_exit(c);
  else
    indirect_jump(c);
}

/* Instructions at which a block ends. */
void emit_end(struct translation *t, const struct item *item) {
  const struct a64_insn *insn = &item->insn;
  struct code *c = &t->code;
  uintptr_t next = item->pc + INSN_BYTES, target = item->pc + (uintptr_t)insn->offset;
  switch (insn->kind) {
    case A64_BRANCH:
      end_jump(t, target);
      return;
    case A64_CALL:
      emit_constant(t, LINK, next);
      end_jump(t, target);
      return;
    case A64_CONDITIONAL:
      end_direct(t, emit_conditional(t, item), target);
      end_jump(t, next);
      return;
    case A64_BRANCH_REGISTER:
    case A64_CALL_REGISTER:
    case A64_RETURN:
      end_indirect(t, item);
      return;
    case A64_SYSTEM_CALL:
      end_exit(t, EXIT_CALL, next, 0);
      return;
    case A64_READ_SPECIAL: /* the value itself, or the fault, comes from the machine; the engine may replace it */
      emit(c, (insn->word & ~31u) | SCRATCH);
      emit_save(c, SCRATCH, CTX_VALUE);
      end_exit(t, EXIT_EMULATE, next, insn->word);
      return;
    case A64_CODE_CHANGED:
      if (a64_register(insn->word, FIELD_D) == ZERO)
        emit_mov_imm(c, SCRATCH, 0);
      else
        emit_read(c, SCRATCH, a64_register(insn->word, FIELD_D));
      emit_save(c, SCRATCH, CTX_VALUE);
      end_exit(t, EXIT_EMULATE, next, insn->word);
      return;
    case A64_BREAKPOINT:
      emit(c, insn->word);
      return;
    default:
      emit(c, UDF);
  }
}
