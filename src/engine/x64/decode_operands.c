/* decode_operands.c: applies a row of the tables to one instruction: the memory operand, the registers
 * and flags that are read, written and killed, the implicit accesses, and whether the encoding is legal. */
#include "engine/x64/decode_walk.h"

const struct x64_insn x64_blank_insn = {
    .rex_at = 0xff, .address_size = 8, .mem = {.base = REG_NONE, .index = REG_NONE, .scale = 1}};

static const uint16_t condition_flags[8] = {
    FLAG_OF, FLAG_CF, FLAG_ZF,           FLAG_CF | FLAG_ZF,
    FLAG_SF, FLAG_PF, FLAG_SF | FLAG_OF, FLAG_ZF | FLAG_SF | FLAG_OF,
};

uint8_t x64_operand_size(const struct walk *w, uint32_t flags) {
  bool small = w->insn->encoding == ENC_LEGACY && (w->insn->prefixes & PREFIX_OPSIZE);
  if (flags & BYTE) return 1;
  if (w->w || (flags & F64)) return 8;
  if (small) return 2;
  return flags & D64 ? 8 : 4;
}

static unsigned size_in_bytes(const struct walk *w, unsigned code) {
  static const uint16_t fixed[] = {[S1] = 1,   [S2] = 2,   [S4] = 4,   [S8] = 8,   [S10] = 10,
                                   [S16] = 16, [S32] = 32, [S48] = 48, [S64] = 64, [S512] = 512};
  unsigned vector = 16u << (w->length & 3);
  switch (code) {
    case SV:
      return w->operand_size;
    case SZ:
      return w->operand_size > 4 ? 4 : w->operand_size;
    case SY:
      return w->w ? 8 : 4;
    case SBW:
      return w->w ? 2 : 1;
    case SVL:
      return vector;
    case SVL2:
      return vector / 2;
    case SVL4:
      return vector / 4;
    case SVL8:
      return vector / 8;
    case SMX:
      return w->pp ? 16 : 8;
    case SPS:
      return w->pp < 2 ? vector : w->pp == 2 ? 4 : 8;
    case SPH:
      return w->pp < 2 ? vector : 2;
    case SPAIR:
      return w->w ? 16 : 8;
    case SFAR:
      return 2u + w->operand_size;
    case SENV:
      return w->operand_size == 2 ? 14 : 28;
    case SFPU:
      return w->operand_size == 2 ? 94 : 108;
    default:
      return fixed[code];
  }
}

/* ---- operands ---- */

static void note_gpr(struct x64_insn *insn, unsigned number, unsigned access, bool whole) {
  uint16_t bit = (uint16_t)(1u << number);
  if (access & RD) insn->gpr_read |= bit;
  if (access & WR) {
    insn->gpr_written |= bit;
    if (whole && !(access & ACCESS_CONDITIONAL)) insn->gpr_killed |= bit;
  }
}

/* A general register named by ModRM or by the opcode. Without REX, byte registers 4 to 7 are ah, ch, dh
 * and bh. */
static void note_gpr_operand(const struct walk *w, uint16_t operand, unsigned number) {
  unsigned size = size_in_bytes(w, OPERAND_SIZE(operand));
  bool whole = OPERAND_CLASS(operand) == C_GPR_WHOLE || size >= 4;
  if (OPERAND_CLASS(operand) == C_GPR && size == 1 && !w->insn->rex && number >= 4 && number < 8) number -= 4;
  note_gpr(w->insn, number, OPERAND_ACCESS(operand), whole);
}

void x64_note_memory(struct walk *w, uint8_t access, uint16_t size) {
  struct x64_mem *mem = &w->insn->mem;
  mem->access = access;
  mem->size = access ? size : 0;
  mem->disp = w->disp;
  if (mem->base < REG_RIP) w->insn->gpr_read |= (uint16_t)(1u << mem->base);
  if (mem->index < REG_RIP && !mem->vsib) w->insn->gpr_read |= (uint16_t)(1u << mem->index);
}

/* Gathers and scatters: odd opcodes have 8-byte indices; the wider of index and element sets the lanes. */
static void note_vector_index(struct walk *w, unsigned element) {
  struct x64_mem *mem = &w->insn->mem;
  mem->vsib = true;
  mem->index = (uint8_t)((w->code[w->insn->modrm_at + 1] >> 3 & 7) | w->x << 3 | w->v_high << 4);
  mem->index_size = w->insn->opcode & 1 ? 8 : 4;
  mem->lanes = (uint8_t)((16u << w->length) / (element > mem->index_size ? element : mem->index_size));
}

/* disp8 of an EVEX instruction counts in units of what is accessed, or of one element. */
static void scale_displacement(struct walk *w, const struct x64_row *row, unsigned size) {
  unsigned element = size_in_bytes(w, ELEMENT_OF(row->flags));
  w->disp *= row->flags & N_ELEMENT ? (int64_t)element : (int64_t)size;
}

static void note_memory_operand(struct walk *w, const struct x64_row *row) {
  struct x64_insn *insn = w->insn;
  bool broadcast = w->evex_b && (row->flags & BROADCAST);
  unsigned size = size_in_bytes(w, broadcast ? ELEMENT_OF(row->flags) : OPERAND_SIZE(row->rm));
  if (insn->encoding == ENC_EVEX && insn->disp_size == 1) scale_displacement(w, row, size);
  if (OPERAND_CLASS(row->rm) == C_VSIB) note_vector_index(w, size);
  if (row->flags & ADDRESS_ONLY) insn->mem.segment = SEG_NONE;
  insn->atomic = (row->flags & ATOMIC) || (insn->prefixes & PREFIX_LOCK);
  x64_note_memory(w, OPERAND_ACCESS(row->rm) & ACCESS_BOTH, (uint16_t)size);
}

static void note_operands(struct walk *w, const struct x64_row *row) {
  struct x64_insn *insn = w->insn;
  bool modrm = !(row->flags & NO_MODRM);
  unsigned class = OPERAND_CLASS(row->rm);
  if (insn->has_mem) {
    note_memory_operand(w, row);
  } else if (class == C_GPR || class == C_GPR_WHOLE) {
    note_gpr_operand(w, row->rm, (modrm ? w->rm : insn->opcode & 7u) | w->b << 3);
  }
  class = OPERAND_CLASS(row->reg);
  if (class == C_GPR || class == C_GPR_WHOLE) {
    note_gpr_operand(w, row->reg, modrm ? w->reg | w->r << 3 : RAX);
  }
  if (row->vvvv == V_READ) note_gpr(insn, w->vvvv, RD, true);
  if (row->vvvv == V_WRITE) note_gpr(insn, w->vvvv, WR, true);
}

static void note_effect(struct walk *w, const struct x64_row *row) {
  struct x64_insn *insn = w->insn;
  const struct x64_effect_row *effect = &x64_effects[row->effect];
  insn->gpr_read |= effect->gpr_read;
  insn->gpr_written |= effect->gpr_written;
  insn->gpr_killed |= effect->gpr_killed;
  if (w->operand_size >= 4) insn->gpr_killed |= effect->gpr_killed_wide;
  insn->flags_read = effect->flags_read;
  insn->flags_written = effect->flags_written;
  insn->flags_killed = effect->flags_killed;
  if (row->flags & CC) insn->flags_read |= condition_flags[insn->opcode >> 1 & 7];
  if ((row->flags & COUNT) && !(insn->imm & (w->operand_size == 8 ? 63 : 31))) insn->flags_killed = 0;
}

static void note_stack(struct walk *w, uint32_t flags) {
  if (!(flags & (PUSH | POP))) return;
  w->insn->stack_access = flags & PUSH ? ACCESS_WRITE : ACCESS_READ;
  w->insn->stack_size = w->operand_size;
  if (w->insn->kind == INSN_FAR)
    w->insn->stack_size *= w->insn->opcode == 0xcf ? 5 : 2; /* iret: five words */
  note_gpr(w->insn, RSP, RW, true);
}

/* A repeated string instruction may run no iteration at all, so it surely replaces nothing. */
static void note_string(struct walk *w, const struct x64_row *row) {
  struct x64_insn *insn = w->insn;
  uint8_t size = (uint8_t)size_in_bytes(w, OPERAND_SIZE(row->rm));
  unsigned access = row->flags & NO_MODRM ? RW : RD; /* only maskmovq and maskmovdqu have a ModRM */
  if (row->flags & XLAT) insn->string_read = 1;
  if (!(row->flags & (STR_SRC | STR_DST | STR_CMP))) return;
  if (row->flags & STR_SRC) {
    insn->string_read = size;
    note_gpr(insn, RSI, access, true);
  }
  if (row->flags & STR_DST) insn->string_write = size;
  if (row->flags & STR_CMP) insn->string_read_di = size;
  if (row->flags & (STR_DST | STR_CMP)) note_gpr(insn, RDI, access, true);
  if ((row->flags & NO_MODRM) && (insn->prefixes & (PREFIX_REP | PREFIX_REPNE))) {
    note_gpr(insn, RCX, RW, true);
    insn->gpr_killed = 0;
    insn->flags_killed = 0;
  }
}

void x64_note_row(struct walk *w, const struct x64_row *row) {
  note_operands(w, row);
  note_effect(w, row);
  note_stack(w, row->flags);
  note_string(w, row);
}

/* ---- legality ---- */

static bool lock_is_legal(const struct walk *w, const struct x64_row *row) {
  return !(w->insn->prefixes & PREFIX_LOCK) ||
         ((row->flags & LOCK) && w->mod != 3 && !(row->flags & NO_MODRM));
}

/* Registers that exist in smaller numbers than the encoding could name. */
static bool register_exists(const struct walk *w, const struct x64_row *row) {
  unsigned reg = w->reg | w->r << 3 | w->r_high << 4;
  if (OPERAND_CLASS(row->rm) == C_TILE && w->b) return false;
  switch (OPERAND_CLASS(row->reg)) {
    case C_MASK:
    case C_TILE:
      return reg < 8;
    case C_SEGMENT:
      return w->reg < 6;
    case C_CONTROL:
      return reg == 0 || (reg >= 2 && reg <= 4) || reg == 8;
    case C_DEBUG:
      return reg < 8;
    case C_GPR:
    case C_GPR_WHOLE:
      return reg < 16;
    default:
      return true;
  }
}

static bool vvvv_is_legal(const struct walk *w, const struct x64_row *row) {
  switch (row->vvvv) {
    case V_NONE:
      return !w->vvvv && (!w->v_high || OPERAND_CLASS(row->rm) == C_VSIB);
    case V_MASK:
    case V_TILE:
      return w->vvvv < 8 && !w->v_high;
    default:
      return true;
  }
}

/* The destination of a gather, a tile product or a complex product must differ from the other operands;
 * the first two want those different from each other as well. */
static bool operands_are_distinct(const struct walk *w, const struct x64_row *row) {
  const struct x64_insn *insn = w->insn;
  bool evex = insn->encoding == ENC_EVEX;
  unsigned reg = w->reg | w->r << 3 | w->r_high << 4;
  unsigned vvvv = w->vvvv | w->v_high << 4;
  unsigned other = w->rm | w->b << 3 | (evex ? w->x << 4 : 0);
  if (!(row->flags & DISTINCT)) return true;
  if (insn->has_mem) other = insn->mem.vsib ? insn->mem.index : UINT8_MAX;
  if (reg == other) return false;
  return row->vvvv == V_NONE || (vvvv != reg && (evex || vvvv != other));
}

static bool evex_is_legal(const struct walk *w, const struct x64_row *row) {
  uint32_t flags = row->flags;
  bool memory = w->insn->has_mem;
  if (w->insn->encoding != ENC_EVEX) return true;
  if (w->mask ? !(flags & MASKABLE) : (flags & MASK_MUST) != 0) return false;
  if (w->zeroing) {
    if (!(flags & ZEROING) || !w->mask) return false;
    if (memory && (OPERAND_ACCESS(row->rm) & WR)) return false;
  }
  if (w->evex_b && !(flags & (memory ? BROADCAST : ROUNDING))) return false;
  return true;
}

bool x64_is_legal(const struct walk *w, const struct x64_row *row) {
  return lock_is_legal(w, row) && register_exists(w, row) && vvvv_is_legal(w, row) && evex_is_legal(w, row) &&
         operands_are_distinct(w, row) && !(OPERAND_CLASS(row->rm) == C_VSIB && w->rm != RSP);
}
