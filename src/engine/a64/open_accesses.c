/* open_accesses.c (AArch64): the code of an instruction that accesses open memory (order/open_blocks.h), in the stub of its check.
 *
 *     …                               ; x15 = the operand's address
 *     str   x30, [x18, #link];  ldr x30, [x18, #helper];  blr x30;  ldr x30, [x18, #link]
 *     cbz   x13, miss                 ; x13 = where the bytes are that the thread has seen (open.S)
 *     ldr   rt, [x13]                 ; the instruction itself, without displacement or index
 *     add   rn, rn, #amount           ; if it moves its base
 *     b     behind
 *
 * A store is emitted twice while recording: to memory, and to the bytes seen. So is an atomic update: what it finds in memory is learned first, and then the
 * update of the bytes seen gives the same result. Replay has the second of the two only.
 *
 * A fault is not expected in here: blocks are opened that can be read and written, and changes of mappings close them. */
#include "engine/a64/translate.h"
#include "engine/base/lib.h"

enum { BARRIER = 0xd5033bbfu }; /* dmb ish */

enum { GROUP_ORDERED, GROUP_UNSCALED, GROUP_PAIRS, GROUP_SINGLE }; /* bits 29 and 28 of loads and stores */

static unsigned group_of(uint32_t word) {
  return a64_bits(word, 29, 28);
}

static bool is_vector(uint32_t word) {
  return word >> 26 & 1;
}

static bool is_structure(uint32_t word) {
  return group_of(word) == GROUP_ORDERED && is_vector(word);
}

static bool is_cas(const struct a64_insn *insn) {
  return insn->atomic && group_of(insn->word) == GROUP_ORDERED;
}

/* Tags, copies of blocks and authenticated addresses need more than the bytes; pairs are compared and swapped by the engine's own memory only. */
bool can_open(const struct a64_insn *insn) {
  const struct a64_mem *mem = &insn->mem;
  uint32_t word = insn->word;
  if (mem->access == ACCESS_NONE || !has_simple_operand(mem) || mem->base == A64_LITERAL) return false;
  if (insn->authenticates || insn->pairs) return false;
  if (insn->kind == A64_LOAD_EXCLUSIVE || insn->kind == A64_STORE_EXCLUSIVE) return !(word >> 21 & 1);
  if (insn->kind != A64_COPY) return false;
  if (mem->access == ACCESS_BOTH) return insn->atomic;
  if (group_of(word) == GROUP_UNSCALED) return !a64_bits(word, 21, 21) && a64_bits(word, 11, 10) == 0;
  bool tagged =
      group_of(word) == GROUP_PAIRS && !is_vector(word) && word >> 30 == 1 && !a64_bits(word, 22, 22);
  return !tagged;
}

/* Stores with predicates have no such code. */
bool arch_stores_some(uintptr_t pc) {
  (void)pc;
  return false;
}

bool arch_opens(uintptr_t pc) {
  struct a64_insn insn;
  uint32_t word;
  if (safe_copy(&word, (const void *)pc, sizeof word)) return false;
  a64_decode(word, &insn);
  return can_open(&insn);
}

/* -- The instruction with another address ------------------------------------------------------------------------------------- */

static uint32_t without(uint32_t word, unsigned high, unsigned low) {
  return word & ~(((1u << (high - low + 1)) - 1) << low);
}

/* The form without displacement, index or writeback, and with register 0 as its base. */
static uint32_t plain_form(uint32_t word) {
  word = without(word, 9, 5);
  switch (group_of(word)) {
    case GROUP_ORDERED:
      return is_vector(word) ? without(without(word, 23, 23), 20, 16) : word;
    case GROUP_UNSCALED:
      return without(word, 20, 12);
    case GROUP_PAIRS:
      return without(without(word, 24, 23), 21, 15) | 2u << 23;
    default:
      if (a64_bits(word, 24, 24)) return without(word, 21, 10);
      if (!a64_bits(word, 21, 21)) return without(word, 20, 10);
      return a64_bits(word, 11, 10) == 2 ? without(word, 21, 10) : word;
  }
}

static uint32_t based_on(uint32_t word, unsigned base) {
  return word | base << 5;
}

/* The fields that name registers to be loaded or stored, not those of the address. */
static unsigned data_fields(const struct a64_insn *insn) {
  unsigned fields = (insn->reads | insn->writes) & ~(unsigned)IN_N;
  bool indexed = insn->mem.index != A64_NO_REGISTER || is_structure(insn->word);
  return indexed ? fields & ~(unsigned)IN_M : fields;
}

/* An instruction whose taken registers have substitutes. */
struct moved {
  uint32_t word;
  uint8_t substitute[FIELDS]; /* 31: none */
};

static uint32_t used_registers(const struct a64_insn *insn) {
  return a64_registers_read(insn) | a64_registers_written(insn) | 1u << SCRATCH | 1u << SCRATCH2;
}

static struct moved substitute(struct translation *t, const struct a64_insn *insn, uint32_t *used) {
  static const uint8_t at[FIELDS] = {0, 5, 10, 16};
  struct moved moved = {.word = plain_form(insn->word), .substitute = {31, 31, 31, 31}};
  unsigned fields = data_fields(insn);
  for (unsigned field = 0; field < FIELDS; field++) {
    unsigned reg = a64_register(insn->word, field);
    if (!(fields >> field & 1) || reg == ZERO || !(TAKEN >> reg & 1)) continue;
    unsigned other = borrow(t, used);
    if (insn->reads >> field & 1) emit_load(&t->code, other, GPR_WORD(reg));
    moved.substitute[field] = (uint8_t)other;
    moved.word = without(moved.word, at[field] + 4u, at[field]) | other << at[field];
  }
  return moved;
}

/* Behind the instruction. */
static void settle(struct translation *t, const struct a64_insn *insn, const struct moved *moved) {
  for (unsigned field = 0; field < FIELDS; field++)
    if (insn->writes >> field & 1 && moved->substitute[field] != 31)
      emit_save(&t->code, moved->substitute[field], GPR_WORD(a64_register(insn->word, field)));
  give_back_quietly(t);
}

/* -- Parts of the code ------------------------------------------------------------------------------------------------------------ */

/* Calls a routine of open.S. */
static void emit_help(struct code *c, unsigned helper) {
  emit_save(c, LINK, CTX_OPEN_LINK);
  emit_load(c, LINK, CTX_OPEN_HELPERS + 8 * helper);
  emit(c, 0xd63f0000u | LINK << 5); /* blr */
  emit_load(c, LINK, CTX_OPEN_LINK);
}

enum { ANY = 6 }; /* the routine for any number of bytes, behind those for powers of 2 */

static unsigned log2_bytes(unsigned bytes) {
  return bytes & (bytes - 1) || bytes > 32 ? ANY : (unsigned)__builtin_ctz(bytes);
}

/* x15 = the operand's address, and x13 = the bytes seen of it. Returns the branch that is taken if there are none. */
static uint32_t *emit_seen(struct translation *t, const struct check *check, unsigned helper) {
  struct code *c = &t->code;
  const struct item *item = &t->sb.items[check->item];
  const struct a64_mem *mem = &item->insn.mem;
  unsigned kind = log2_bytes(mem->size), address = emit_operand_address(c, item, mem);
  if (address != SCRATCH) emit_mov(c, SCRATCH, address);
  if (kind == ANY) {
    emit_mov_imm(c, SCRATCH2, mem->size);
    emit_save(c, SCRATCH2, CTX_OPEN_BYTES);
  }
  emit_help(c, helper + kind);
  return emit_cbz(c, SCRATCH2);
}

/* The base moves by a constant, or by a register. */
static void emit_writeback(struct translation *t, const struct a64_insn *insn) {
  struct code *c = &t->code;
  uint32_t word = insn->word;
  unsigned base = insn->mem.base, by = a64_register(word, FIELD_M);
  bool taken = base != A64_SP && TAKEN >> base & 1;
  if (!insn->mem.writeback) return;
  int32_t amount = group_of(word) == GROUP_PAIRS ? (int32_t)a64_signed(word, 21, 15) * (insn->mem.size / 2)
                   : is_structure(word)          ? insn->mem.size
                                                 : (int32_t)a64_signed(word, 20, 12);
  if (taken) {
    emit_load(c, SCRATCH, GPR_WORD(base));
    base = SCRATCH;
  }
  if (is_structure(word) && by != ZERO) {
    emit_read(c, SCRATCH2, by);
    emit(c, 0x8b206000u | SCRATCH2 << 16 | base << 5 | base); /* add base, base, x13, uxtx */
  } else if (amount < 0) {
    emit_sub_imm(c, base, base, (unsigned)-amount);
  } else {
    emit_add_imm(c, base, base, (unsigned)amount);
  }
  if (taken) emit_save(c, SCRATCH, GPR_WORD(insn->mem.base));
}

/* -- Loads and stores ----------------------------------------------------------------------------------------------------------------- */

/* ldar and its like: the load from memory is made by a plain one. */
static bool is_ordered(const struct a64_insn *insn) {
  uint32_t word = insn->word;
  if (group_of(word) == GROUP_ORDERED) return !is_vector(word) && a64_bits(word, 15, 15);
  if (group_of(word) == GROUP_UNSCALED) return true;
  return group_of(word) == GROUP_SINGLE && !a64_bits(word, 24, 24) && a64_bits(word, 21, 21) &&
         a64_bits(word, 11, 10) == 0;
}

static uint32_t *emit_ordered_seen(struct translation *t, const struct check *check) {
  const struct a64_insn *insn = &t->sb.items[check->item].insn;
  bool ordered = recording() && is_ordered(insn);
  if (ordered) emit(&t->code, BARRIER);
  uint32_t *miss = emit_seen(t, check, OPEN_HELP_LOAD);
  if (ordered) emit(&t->code, BARRIER);
  return miss;
}

static uint32_t *emit_open_load(struct translation *t, const struct check *check) {
  const struct a64_insn *insn = &t->sb.items[check->item].insn;
  uint32_t used = used_registers(insn), *miss = emit_ordered_seen(t, check);
  struct moved moved = substitute(t, insn, &used);
  emit(&t->code, based_on(moved.word, SCRATCH2));
  settle(t, insn, &moved);
  emit_writeback(t, insn);
  return miss;
}

/*     …
 *     str   rt, [x15]                 ; while recording
 *     str   rt, [x13]
 *     ldr   x13, [x18, #bounced];  cbz x13, 1f
 *     …                               ; it has gone to a copy: the engine is told
 *  1:                                                                                            */
static uint32_t *emit_open_store(struct translation *t, const struct check *check) {
  struct code *c = &t->code;
  const struct a64_insn *insn = &t->sb.items[check->item].insn;
  uint32_t used = used_registers(insn), *miss = emit_seen(t, check, OPEN_HELP_STORE);
  struct moved moved = substitute(t, insn, &used);
  if (recording()) emit(c, based_on(moved.word, SCRATCH));
  emit(c, based_on(moved.word, SCRATCH2));
  settle(t, insn, &moved);
  emit_load(c, SCRATCH2, CTX_OPEN_BOUNCED);
  uint32_t *whole = emit_cbz(c, SCRATCH2);
  emit_help(c, OPEN_HELP_STORED);
  patch_branch(whole, c->at);
  emit_writeback(t, insn);
  return miss;
}

/* -- Updates ---------------------------------------------------------------------------------------------------------------------------- */

/* x15 = what was in memory at the address in x15 when the update was made there:
 *
 *     ldadd rs, x15, [x15]            ; or whatever it is
 *
 *     str   x13, [x18, #at];  mov x13, x15
 *     mov   x15, rs
 *     cas   x15, rt, [x13]
 *     ldr   x13, [x18, #at]                                                                         */
static void emit_real_update(struct translation *t, const struct a64_insn *insn, const struct moved *moved) {
  struct code *c = &t->code;
  if (!is_cas(insn)) {
    emit(c, based_on(without(moved->word, 4, 0) | SCRATCH, SCRATCH));
    return;
  }
  emit_save(c, SCRATCH2, CTX_OPEN_AT);
  emit_mov(c, SCRATCH2, SCRATCH);
  emit_mov(c, SCRATCH, a64_register(moved->word, FIELD_M));
  emit(c, based_on(without(moved->word, 20, 16) | SCRATCH << 16, SCRATCH2));
  emit_load(c, SCRATCH2, CTX_OPEN_AT);
}

static uint32_t *emit_open_update(struct translation *t, const struct check *check) {
  struct code *c = &t->code;
  const struct a64_insn *insn = &t->sb.items[check->item].insn;
  uint32_t used = used_registers(insn), *miss = emit_seen(t, check, OPEN_HELP_UPDATE);
  struct moved moved = substitute(t, insn, &used);
  if (recording()) {
    emit_real_update(t, insn, &moved);
    emit_help(c, OPEN_HELP_LEARN + log2_bytes(insn->mem.size));
  }
  emit(c, based_on(moved.word, SCRATCH2));
  settle(t, insn, &moved);
  return miss;
}

/* -- Exclusives (see exclusive.c) ------------------------------------------------------------------------------------------------------- */

static void emit_plain_access(struct code *c, bool store, unsigned bytes, unsigned reg) {
  emit(c, (store ? 0x39000000u : 0x39400000u) | log2_bytes(bytes) << 30 | SCRATCH2 << 5 | reg);
}

/*     ldr   x15, [x13]
 *     …                               ; the monitor is set */
static uint32_t *emit_open_load_exclusive(struct translation *t, const struct check *check) {
  struct code *c = &t->code;
  const struct item *item = &t->sb.items[check->item];
  const struct a64_insn *insn = &item->insn;
  unsigned rt = a64_register(insn->word, FIELD_D);
  uint32_t *miss = emit_ordered_seen(t, check);
  emit_plain_access(c, false, insn->mem.size, SCRATCH);
  emit_save(c, SCRATCH, CTX_MONITOR_VALUE);
  emit_mov_imm(c, SCRATCH2, insn->mem.size);
  emit_save(c, SCRATCH2, CTX_MONITOR_SIZE);
  emit_save(c, emit_operand_address(c, item, &insn->mem), CTX_MONITOR_ADDRESS);
  if (rt == ZERO) return miss;
  emit_load(c, SCRATCH, CTX_MONITOR_VALUE);
  emit_write(c, rt, SCRATCH);
  return miss;
}

/* The branches that are taken unless the monitor is set for this address and size. */
static void emit_monitor_test(struct code *c, const struct item *item, uint32_t *fail[2]) {
  unsigned address = emit_operand_address(c, item, &item->insn.mem);
  emit_load(c, SCRATCH2, CTX_MONITOR_ADDRESS);
  emit_sub(c, SCRATCH2, SCRATCH2, address);
  fail[0] = emit_cbnz(c, SCRATCH2);
  emit_load(c, SCRATCH2, CTX_MONITOR_SIZE);
  emit_sub_imm(c, SCRATCH2, SCRATCH2, item->insn.mem.size);
  fail[1] = emit_cbnz(c, SCRATCH2);
}

/* In memory, at the address in x15: x15 = what was there, status = 0 if the value was stored.
 *
 *     str   x13, [x18, #at];  mov x13, x15
 *  1: ldxr  x15, [x13]
 *     eor   status, x15, expected;  cbnz status, 2f
 *     stxr  status, value, [x13];   cbnz status, 1b
 *  2: clrex;  ldr x13, [x18, #at]                                                                   */
static void emit_real_exclusive(struct code *c, const struct a64_insn *insn, unsigned value,
                                unsigned expected, unsigned status) {
  const uint32_t fields = 31u << 16 | 31u << 5 | 31u;
  emit_save(c, SCRATCH2, CTX_OPEN_AT);
  emit_mov(c, SCRATCH2, SCRATCH);
  const uint32_t *retry = c->at;
  emit(c, 0x085f7c00u | log2_bytes(insn->mem.size) << 30 | SCRATCH2 << 5 | SCRATCH); /* ldxr */
  emit_eor(c, status, SCRATCH, expected);
  uint32_t *differs = emit_cbnz(c, status);
  emit(c, (insn->word & ~fields) | status << 16 | SCRATCH2 << 5 | value);
  patch_branch(emit_cbnz(c, status), retry);
  patch_branch(differs, c->at);
  emit(c, CLREX);
  emit_load(c, SCRATCH2, CTX_OPEN_AT);
}

/*     …                               ; in memory, while recording; learned
 *     ldr   x15, [x13]
 *     eor   x15, x15, expected
 *     cbnz  x15, 1f
 *     str   value, [x13]
 *  1: cbz   x15, 2f
 *     mov   x15, #1                   ; here, too, if the monitor is not set
 *  2: str   xzr, [x18, #monitor size];  mov status, x15                                                  */
static uint32_t *emit_open_store_exclusive(struct translation *t, const struct check *check) {
  struct code *c = &t->code;
  const struct item *item = &t->sb.items[check->item];
  const struct a64_insn *insn = &item->insn;
  uint32_t used = used_registers(insn), *fail[2];
  unsigned result = a64_register(insn->word, FIELD_M);
  emit_monitor_test(c, item, fail);
  uint32_t *miss = emit_seen(t, check, OPEN_HELP_UPDATE);
  unsigned value = readable(t, a64_register(insn->word, FIELD_D), &used), expected = borrow(t, &used);
  unsigned status = recording() ? borrow(t, &used) : ZERO;
  emit_load(c, expected, CTX_MONITOR_VALUE);
  if (recording()) {
    emit_real_exclusive(c, insn, value, expected, status);
    emit_help(c, OPEN_HELP_LEARN + log2_bytes(insn->mem.size));
  }
  emit_plain_access(c, false, insn->mem.size, SCRATCH);
  emit_eor(c, SCRATCH, SCRATCH, expected);
  uint32_t *differs = emit_cbnz(c, SCRATCH);
  emit_plain_access(c, true, insn->mem.size, value);
  patch_branch(differs, c->at);
  give_back_quietly(t);
  uint32_t *stored = emit_cbz(c, SCRATCH);
  patch_branch(fail[0], c->at);
  patch_branch(fail[1], c->at);
  emit_mov_imm(c, SCRATCH, 1);
  patch_branch(stored, c->at);
  emit_save(c, ZERO, CTX_MONITOR_SIZE);
  if (result != ZERO) emit_write(c, result, SCRATCH);
  return miss;
}

void emit_open_access(struct translation *t, const struct check *check) {
  const struct a64_insn *insn = &t->sb.items[check->item].insn;
  uint32_t *miss = insn->kind == A64_LOAD_EXCLUSIVE    ? emit_open_load_exclusive(t, check)
                   : insn->kind == A64_STORE_EXCLUSIVE ? emit_open_store_exclusive(t, check)
                   : insn->mem.access == ACCESS_BOTH   ? emit_open_update(t, check)
                   : insn->mem.access == ACCESS_WRITE  ? emit_open_store(t, check)
                                                       : emit_open_load(t, check);
  patch_branch(emit_b(&t->code), check->behind);
  patch_branch(miss, t->code.at);
}
