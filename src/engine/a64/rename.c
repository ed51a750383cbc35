/* rename.c (AArch64): instructions that use a register which the engine has taken.
 *
 *     ldr  x15, [x18, #gpr 14]         ; the application's x14
 *     add  x15, x15, x0                ; add x14, x14, x0
 *     str  x15, [x18, #gpr 14]
 *
 * The two scratch registers serve first; when an instruction names more of the taken ones, registers that it does not name are
 * borrowed, their values waiting in spill slots meanwhile. The result of an instruction goes to the context after it, so a
 * fault finds the context as it was before. As long as nothing else needs the scratch registers, they go on holding the values that the
 * context has as well, and the next instruction need not load them. */
#include "engine/a64/translate.h"
#include "engine/base/lib.h"

static const uint8_t scratch[SCRATCHES] = {SCRATCH, SCRATCH2};
static const uint8_t slots[SPILL_SLOTS] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 16, 17, 20, 21};

unsigned spill_register(unsigned slot) {
  return slots[slot];
}

static void borrow_slot(struct translation *t, unsigned slot, uint32_t *used) {
  emit_save(&t->code, slots[slot], CTX_SPILL + 8 * slot);
  t->borrowed |= (uint16_t)(1u << slot);
  *used |= 1u << slots[slot];
}

unsigned borrow(struct translation *t, uint32_t *used) {
  for (unsigned i = 0; i < SCRATCHES; i++) {
    if (*used >> scratch[i] & 1) continue;
    *used |= 1u << scratch[i];
    t->held[i] = NOTHING;
    return scratch[i];
  }
  for (unsigned slot = 0; slot < SPILL_SLOTS; slot++) {
    if (*used >> slots[slot] & 1) continue;
    borrow_slot(t, slot, used);
    return slots[slot];
  }
  BUG("no register to borrow");
}

/* An even register and its successor. */
static unsigned borrow_pair(struct translation *t, uint32_t *used) {
  for (unsigned slot = 0; slot < SPILL_SLOTS; slot += 2) {
    if (*used >> slots[slot] & 3) continue;
    borrow_slot(t, slot, used);
    borrow_slot(t, slot + 1, used);
    return slots[slot];
  }
  BUG("no pair of registers to borrow");
}

void give_back_quietly(struct translation *t) {
  if (!t->borrowed) return;
  for (unsigned slot = 0; slot < SPILL_SLOTS; slot++)
    if (t->borrowed >> slot & 1) emit_load(&t->code, slots[slot], CTX_SPILL + 8 * slot);
  t->borrowed = 0;
}

void give_back(struct translation *t) {
  if (t->borrowed) t->map[t->block->map_count - 1].borrowed = t->borrowed;
  give_back_quietly(t);
}

static bool is_taken(unsigned reg) {
  return TAKEN >> reg & 1;
}

void forget_held(struct translation *t) {
  for (unsigned i = 0; i < SCRATCHES; i++) t->held[i] = NOTHING;
}

/* The scratch register that holds the value of a taken one, and is its substitute from now on; 31: none does. */
static unsigned find_held(struct translation *t, unsigned reg, uint32_t *used) {
  for (unsigned i = 0; i < SCRATCHES; i++) {
    if (t->held[i] != reg) continue;
    *used |= 1u << scratch[i];
    t->latest = (uint8_t)i;
    return scratch[i];
  }
  return 31;
}

/* A scratch register to hold another value, of those the one that was not used last; else another register. */
static unsigned find_room(struct translation *t, unsigned reg, uint32_t *used) {
  for (unsigned i = 0; i < SCRATCHES; i++) {
    unsigned place = (t->latest + 1 + i) % SCRATCHES;
    if (*used >> scratch[place] & 1) continue;
    *used |= 1u << scratch[place];
    t->held[place] = (uint8_t)reg;
    t->latest = (uint8_t)place;
    return scratch[place];
  }
  return borrow(t, used);
}

unsigned hold(struct translation *t, unsigned reg) {
  uint32_t used = 0;
  unsigned place = find_held(t, reg, &used);
  if (place != 31) return place;
  place = find_room(t, reg, &used);
  emit_load(&t->code, place, GPR_WORD(reg));
  return place;
}

unsigned readable(struct translation *t, unsigned reg, uint32_t *used) {
  if (!is_taken(reg)) return reg;
  unsigned temporary = borrow(t, used);
  emit_load(&t->code, temporary, GPR_WORD(reg));
  return temporary;
}

void emit_read(struct code *c, unsigned to, unsigned reg) {
  if (is_taken(reg))
    emit_load(c, to, GPR_WORD(reg));
  else
    emit_mov(c, to, reg);
}

void emit_write(struct code *c, unsigned reg, unsigned from) {
  if (is_taken(reg))
    emit_save(c, from, GPR_WORD(reg));
  else
    emit_mov(c, reg, from);
}

static uint32_t with_field(uint32_t word, enum a64_field field, unsigned reg) {
  static const uint8_t at[FIELDS] = {0, 5, 10, 16};
  return (word & ~(31u << at[field])) | reg << at[field];
}

/* A field that names two registers of which one is taken: both get a substitute. */
static unsigned rename_pair(struct translation *t, unsigned reg, uint32_t *used) {
  unsigned pair = borrow_pair(t, used);
  emit_read(&t->code, pair, reg);
  emit_read(&t->code, pair + 1, reg + 1);
  return pair;
}

/* True if a field of the word has the number of a taken register, whether or not it names a register here. */
static bool may_name_taken(const struct a64_insn *insn) {
  uint32_t numbers = 0;
  for (unsigned field = 0; field < FIELDS; field++) numbers |= 1u << a64_register(insn->word, field);
  return (insn->pairs ? numbers | numbers << 1 : numbers) & TAKEN;
}

void emit_renamed(struct translation *t, const struct a64_insn *insn) {
  if (!may_name_taken(insn)) { /* most instructions */
    emit(&t->code, insn->word);
    give_back(t);
    return;
  }
  uint32_t reads = a64_registers_read(insn), writes = a64_registers_written(insn);
  uint32_t used = (reads | writes) & ~TAKEN, word = insn->word;
  uint8_t substitute[32]; /* 31: none */
  memset(substitute, 31, sizeof substitute);
  if (insn->pairs) forget_held(t);
  for (uint32_t left = (reads | writes) & TAKEN; left; left &= left - 1) {
    unsigned reg = (unsigned)__builtin_ctz(left);
    substitute[reg] = (uint8_t)find_held(t, reg, &used);
  }
  for (unsigned field = 0; field < FIELDS; field++) {
    unsigned reg = a64_register(insn->word, field);
    if (!((insn->reads | insn->writes) >> field & 1) || reg == 31) continue;
    bool pair = insn->pairs >> field & 1;
    if (pair && (is_taken(reg) || is_taken(reg + 1))) {
      unsigned to = rename_pair(t, reg, &used);
      if (insn->writes >> field & 1) substitute[reg] = (uint8_t)to, substitute[reg + 1] = (uint8_t)(to + 1);
      word = with_field(word, field, to);
    } else if (!pair && is_taken(reg)) {
      if (substitute[reg] == 31) {
        substitute[reg] = (uint8_t)find_room(t, reg, &used);
        if (reads >> reg & 1) emit_load(&t->code, substitute[reg], GPR_WORD(reg));
      }
      word = with_field(word, field, substitute[reg]);
    }
  }
  emit(&t->code, word);
  for (uint32_t left = writes & ~(1u << STACK); left; left &= left - 1) {
    unsigned reg = (unsigned)__builtin_ctz(left);
    if (substitute[reg] != 31) emit_write(&t->code, reg, substitute[reg]);
  }
  give_back(t);
}
