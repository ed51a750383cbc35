/* exclusive.c (AArch64): exclusive loads and stores, whose monitor is a few words of the context.
 *
 * A load remembers address, size and value. The store is a compare-and-swap with that value: the processor's own monitor would
 * not survive the code between the two, and may be lost for reasons that no log could repeat. Unlike the
 * processor's monitor, this stores to a word that was changed and changed back in between. */
#include "engine/a64/translate.h"

enum { PAIR = 21 }; /* a bit of the word */

static unsigned log2_size(const struct a64_insn *insn) {
  return insn->word >> 30;
}

/* Address of the operand in a register that can be compared, stored and used as a base. */
static unsigned address_register(struct translation *t, const struct a64_insn *insn, uint32_t *used) {
  if (insn->mem.base != A64_SP) return readable(t, insn->mem.base, used);
  unsigned copy = borrow(t, used);
  emit_add_imm(&t->code, copy, STACK, 0);
  return copy;
}

/* The instruction with other registers: the processor does the access itself, so that it faults and orders as it should. */
static void emit_access(struct code *c, const struct a64_insn *insn, unsigned status, unsigned value2,
                        unsigned base, unsigned value) {
  uint32_t fields = 31u << 16 | 31u << 10 | 31u << 5 | 31u;
  emit(c, (insn->word & ~fields) | status << 16 | value2 << 10 | base << 5 | value);
}

/*     str  base, [x18, #monitor address]
 *     ldxr x15, [base]                    ; ldxp for pairs, with x13
 *     str  x15, [x18, #monitor value]
 *     mov  x13, size;  str x13, [x18, #monitor size]
 *     mov  rt, x15                                                                                   */
void emit_load_exclusive(struct translation *t, const struct a64_insn *insn) {
  struct code *c = &t->code;
  unsigned rt = a64_register(insn->word, FIELD_D), rt2 = a64_register(insn->word, FIELD_A);
  bool pair = insn->word >> PAIR & 1;
  uint32_t used = a64_registers_read(insn) | a64_registers_written(insn) | 1u << SCRATCH | 1u << SCRATCH2;
  unsigned base = address_register(t, insn, &used);
  emit_save(c, base, CTX_MONITOR_ADDRESS);
  emit_access(c, insn, ZERO, pair ? SCRATCH2 : ZERO, base, SCRATCH);
  emit_save(c, SCRATCH, CTX_MONITOR_VALUE);
  if (pair) {
    emit_save(c, SCRATCH2, CTX_MONITOR_VALUE + 8);
    if (rt2 != ZERO) emit_write(c, rt2, SCRATCH2);
  }
  emit_mov_imm(c, SCRATCH2, insn->mem.size);
  emit_save(c, SCRATCH2, CTX_MONITOR_SIZE);
  if (rt != ZERO) emit_write(c, rt, SCRATCH);
  give_back(t);
}

/* Leaves for `fail` unless the monitor is set for this address and size. */
static void emit_monitor_check(struct code *c, unsigned base, unsigned size, uint32_t *fail[2]) {
  emit_load(c, SCRATCH, CTX_MONITOR_ADDRESS);
  emit_sub(c, SCRATCH, SCRATCH, base);
  fail[0] = emit_cbnz(c, SCRATCH);
  emit_load(c, SCRATCH, CTX_MONITOR_SIZE);
  emit_sub_imm(c, SCRATCH, SCRATCH, size);
  fail[1] = emit_cbnz(c, SCRATCH);
}

/*     …monitor check…
 *     ldr   x13, [x18, #monitor value]
 * 1:  ldxr  x15, [base]
 *     eor   x15, x15, x13;  cbnz x15, fail
 *     stxr  w15, rt, [base];  cbnz w15, 1b
 *     b     done
 * fail: clrex;  stxr w15, rt, [base]      ; can't succeed any more, but still fault
 * done: str xzr, [x18, #monitor size];  mov ws, w15
 *
 * Pairs: both halves are compared in two borrowed registers.                                                  */
void emit_store_exclusive(struct translation *t, const struct a64_insn *insn) {
  struct code *c = &t->code;
  unsigned status = a64_register(insn->word, FIELD_M), rt = a64_register(insn->word, FIELD_D);
  unsigned rt2 = a64_register(insn->word, FIELD_A), size = log2_size(insn);
  bool pair = insn->word >> PAIR & 1;
  uint32_t used = a64_registers_read(insn) | a64_registers_written(insn) | 1u << SCRATCH | 1u << SCRATCH2;
  unsigned base = address_register(t, insn, &used);
  unsigned value = readable(t, rt, &used), value2 = pair ? readable(t, rt2, &used) : ZERO;
  unsigned low = pair ? borrow(t, &used) : SCRATCH, high = pair ? borrow(t, &used) : ZERO;
  uint32_t *fail[3];
  emit_monitor_check(c, base, insn->mem.size, fail);
  emit_load(c, SCRATCH2, CTX_MONITOR_VALUE);
  if (pair) emit_load(c, SCRATCH, CTX_MONITOR_VALUE + 8);
  uint32_t *retry = c->at;
  if (pair) {
    emit(c, (size == 3 ? 0xc87f0000u : 0x887f0000u) | high << 10 | base << 5 | low); /* ldxp */
    emit_eor(c, low, low, SCRATCH2);
    emit_eor(c, high, high, SCRATCH);
    emit_orr(c, low, low, high);
  } else {
    emit(c, 0x085f7c00u | size << 30 | base << 5 | low); /* ldxr */
    emit_eor(c, low, low, SCRATCH2);
  }
  fail[2] = emit_cbnz(c, low);
  emit_access(c, insn, low, value2, base, value);
  patch_branch(emit_cbnz(c, low), retry);
  emit_mov_imm(c, SCRATCH, 0);
  uint32_t *done = emit_b(c);
  for (unsigned i = 0; i < 3; i++) patch_branch(fail[i], c->at);
  emit(c, CLREX);
  emit_access(c, insn, SCRATCH, value2, base, value);
  patch_branch(done, c->at);
  emit_save(c, ZERO, CTX_MONITOR_SIZE);
  if (status != ZERO) emit_write(c, status, SCRATCH);
  give_back(t);
}

void emit_clear_exclusive(struct code *c) {
  emit_save(c, ZERO, CTX_MONITOR_SIZE);
}
