/* decode.c: four-byte instructions into the interpreter's operations, and the cache of decoded lines. */
#include "sim/machine/decode.h"

#include <stdlib.h>
#include <string.h>

#include "sim/machine/hart.h"

/* -- One instruction ----------------------------------------------------------------------------------------------------- */

static uint32_t funct3(uint32_t w) {
  return w >> 12 & 7;
}
static uint32_t funct7(uint32_t w) {
  return w >> 25;
}
static int32_t imm_i(uint32_t w) {
  return (int32_t)w >> 20;
}
static int32_t imm_s(uint32_t w) {
  return ((int32_t)w >> 25) * 32 + (int32_t)(w >> 7 & 31);
}
static int32_t imm_b(uint32_t w) {
  return -(int32_t)(w >> 31) * 4096 +
         (int32_t)((w >> 7 & 1) << 11 | (w >> 25 & 63) << 5 | (w >> 8 & 15) << 1);
}
static int32_t imm_j(uint32_t w) {
  return -(int32_t)(w >> 31) * 1048576 +
         (int32_t)((w & 0xff000) | (w >> 20 & 1) << 11 | (w >> 21 & 0x3ff) << 1);
}

/* Zba, Zbb and Zbs with two registers. */
static uint16_t op_bits(uint32_t w, int wide) {
  static const struct {
    uint8_t funct7;
    uint16_t op[2][8];
  } rows[] = {
      {0x04, {{0}, {[0] = OP_ADDUW, [4] = OP_ZEXTH}}},
      {0x05, {{[4] = OP_MIN, [5] = OP_MINU, [6] = OP_MAX, [7] = OP_MAXU}, {0}}},
      {0x10,
       {{[2] = OP_SH1ADD, [4] = OP_SH2ADD, [6] = OP_SH3ADD},
        {[2] = OP_SH1ADDUW, [4] = OP_SH2ADDUW, [6] = OP_SH3ADDUW}}},
      {0x14, {{[1] = OP_BSET}, {0}}},
      {0x24, {{[1] = OP_BCLR, [5] = OP_BEXT}, {0}}},
      {0x30, {{[1] = OP_ROL, [5] = OP_ROR}, {[1] = OP_ROLW, [5] = OP_RORW}}},
      {0x34, {{[1] = OP_BINV}, {0}}},
  };
  for (size_t n = 0; n < sizeof rows / sizeof *rows; n++) {
    uint16_t op = rows[n].funct7 == funct7(w) ? rows[n].op[wide][funct3(w)] : 0;
    if (op) return op == OP_ZEXTH && w >> 20 & 31 ? 0 : op;
  }
  return 0;
}

/* Integer computations with two registers: by funct3, for funct7 0, 0x20 and 1. */
static uint16_t op_register(uint32_t w, int wide) {
  static const uint16_t plain[2][8] = {{OP_ADD, OP_SLL, OP_SLT, OP_SLTU, OP_XOR, OP_SRL, OP_OR, OP_AND},
                                       {OP_ADDW, OP_SLLW, 0, 0, 0, OP_SRLW, 0, 0}};
  static const uint16_t other[2][8] = {{OP_SUB, 0, 0, 0, OP_XNOR, OP_SRA, OP_ORN, OP_ANDN},
                                       {OP_SUBW, 0, 0, 0, 0, OP_SRAW, 0, 0}};
  static const uint16_t times[2][8] = {
      {OP_MUL, OP_MULH, OP_MULHSU, OP_MULHU, OP_DIV, OP_DIVU, OP_REM, OP_REMU},
      {OP_MULW, 0, 0, 0, OP_DIVW, OP_DIVUW, OP_REMW, OP_REMUW}};
  switch (funct7(w)) {
    case 0:
      return plain[wide][funct3(w)];
    case 0x20:
      return other[wide][funct3(w)];
    case 1:
      return times[wide][funct3(w)];
    default:
      return op_bits(w, wide);
  }
}

/* Zbb with one register: the immediate says which. */
static uint16_t op_single(uint32_t w, int wide) {
  switch (funct3(w) << 12 | w >> 20) {
    case 0x1600:
      return wide ? OP_CLZW : OP_CLZ;
    case 0x1601:
      return wide ? OP_CTZW : OP_CTZ;
    case 0x1602:
      return wide ? OP_CPOPW : OP_CPOP;
    case 0x1604:
      return wide ? 0 : OP_SEXTB;
    case 0x1605:
      return wide ? 0 : OP_SEXTH;
    case 0x5287:
      return wide ? 0 : OP_ORCB;
    case 0x56b8:
      return wide ? 0 : OP_REV8;
    default:
      return 0;
  }
}

/* Zbb and Zbs with a register and a number of a bit. */
static uint16_t op_bit(uint32_t w) {
  switch (funct3(w) << 8 | w >> 26) {
    case 0x10a:
      return OP_BSETI;
    case 0x112:
      return OP_BCLRI;
    case 0x11a:
      return OP_BINVI;
    case 0x512:
      return OP_BEXTI;
    case 0x518:
      return OP_RORI;
    default:
      return op_single(w, 0);
  }
}

static uint16_t op_immediate(uint32_t w, int32_t *imm) {
  static const uint16_t plain[8] = {OP_ADDI, OP_SLLI, OP_SLTI, OP_SLTIU, OP_XORI, OP_SRLI, OP_ORI, OP_ANDI};
  if (funct3(w) != 1 && funct3(w) != 5) return plain[funct3(w)];
  *imm &= 63;
  if (w >> 26 == 0) return plain[funct3(w)];
  return w >> 26 == 0x10 && funct3(w) == 5 ? OP_SRAI : op_bit(w);
}

static uint16_t op_immediate32(uint32_t w, int32_t *imm) {
  if (funct3(w) == 0) return OP_ADDIW;
  if (funct3(w) == 1 && w >> 26 == 2) {
    *imm &= 63;
    return OP_SLLIUW;
  }
  *imm &= 31;
  if (funct3(w) == 1) return funct7(w) ? op_single(w, 1) : OP_SLLIW;
  if (funct3(w) != 5) return 0;
  return funct7(w) == 0 ? OP_SRLIW : funct7(w) == 0x20 ? OP_SRAIW : funct7(w) == 0x30 ? OP_RORIW : 0;
}

static uint16_t op_atomic(uint32_t w, uint8_t *amo) {
  static const int8_t operations[32] = {
      [0] = AMO_ADD + 1,  [1] = AMO_SWAP + 1, [4] = AMO_XOR + 1,   [8] = AMO_OR + 1,   [12] = AMO_AND + 1,
      [16] = AMO_MIN + 1, [20] = AMO_MAX + 1, [24] = AMO_MINU + 1, [28] = AMO_MAXU + 1};
  uint32_t which = w >> 27;
  if (funct3(w) != 2 && funct3(w) != 3) return 0;
  int word = funct3(w) == 2;
  if (which == 2) return w >> 20 & 31 ? 0 : word ? OP_LRW : OP_LRD;
  if (which == 3) return word ? OP_SCW : OP_SCD;
  if (!operations[which]) return 0;
  *amo = (uint8_t)(operations[which] - 1);
  return word ? OP_AMOW : OP_AMOD;
}

static uint16_t op_system(uint32_t w) {
  if (w == 0x00000073) return OP_ECALL;
  if (w == 0x00100073) return OP_EBREAK;
  return funct3(w) && funct3(w) != 4 ? OP_CSR : 0;
}

static uint16_t pick(const uint16_t table[8], uint32_t w) {
  return table[funct3(w)];
}

/* Loads and stores of floating-point registers; the other widths are those of vectors. */
static uint16_t op_float_access(uint32_t w, const uint16_t scalars[8], int32_t *imm) {
  if (scalars[funct3(w)]) return scalars[funct3(w)];
  if (funct3(w) && funct3(w) < 5) return 0;
  *imm = (int32_t)w;
  return OP_VECTOR;
}

/* An instruction whose only effect would be on x0. */
static int is_idle(const struct insn *i) {
  return i->rd == 0 && ((i->op >= OP_ADDI && i->op <= OP_REMUW) || i->op == OP_LUI || i->op == OP_AUIPC);
}

static struct insn decode_word(uint32_t w) {
  static const uint16_t loads[8] = {OP_LB, OP_LH, OP_LW, OP_LD, OP_LBU, OP_LHU, OP_LWU, 0};
  static const uint16_t stores[8] = {OP_SB, OP_SH, OP_SW, OP_SD, 0, 0, 0, 0};
  static const uint16_t branches[8] = {OP_BEQ, OP_BNE, 0, 0, OP_BLT, OP_BGE, OP_BLTU, OP_BGEU};
  static const uint16_t float_loads[8] = {0, 0, OP_FLW, OP_FLD}, float_stores[8] = {0, 0, OP_FSW, OP_FSD};
  struct insn i = {.rd = w >> 7 & 31, .rs1 = w >> 15 & 31, .rs2 = w >> 20 & 31, .length = 4, .imm = imm_i(w)};
  switch (w & 0x7f) {
    case 0x03:
      i.op = pick(loads, w);
      break;
    case 0x07:
      i.op = op_float_access(w, float_loads, &i.imm);
      break;
    case 0x0f:
      i.op = funct3(w) == 0 ? OP_FENCE : funct3(w) == 1 ? OP_FENCEI : 0, i.imm = (int32_t)w;
      break;
    case 0x13:
      i.op = op_immediate(w, &i.imm);
      break;
    case 0x17:
      i.op = OP_AUIPC, i.imm = (int32_t)(w & 0xfffff000);
      break;
    case 0x1b:
      i.op = op_immediate32(w, &i.imm);
      break;
    case 0x23:
      i.op = pick(stores, w), i.imm = imm_s(w);
      break;
    case 0x27:
      i.imm = imm_s(w), i.op = op_float_access(w, float_stores, &i.imm);
      break;
    case 0x2f:
      i.op = op_atomic(w, &i.amo);
      break;
    case 0x33:
      i.op = op_register(w, 0);
      break;
    case 0x37:
      i.op = OP_LUI, i.imm = (int32_t)(w & 0xfffff000);
      break;
    case 0x3b:
      i.op = op_register(w, 1);
      break;
    case 0x43:
    case 0x47:
    case 0x4b:
    case 0x4f:
    case 0x53:
      i.op = OP_FLOAT, i.imm = (int32_t)w;
      break;
    case 0x57:
      i.op = OP_VECTOR, i.imm = (int32_t)w;
      break;
    case 0x63:
      i.op = pick(branches, w), i.imm = imm_b(w);
      break;
    case 0x67:
      i.op = funct3(w) ? 0 : OP_JALR;
      break;
    case 0x6f:
      i.op = i.rd ? OP_JAL : OP_J, i.imm = imm_j(w);
      break;
    case 0x73:
      i.op = op_system(w), i.imm = (int32_t)w;
      break;
  }
  if (!i.op) i.op = OP_ILLEGAL;
  if (is_idle(&i)) i.op = OP_NOP;
  return i;
}

struct insn decode(uint32_t bits) {
  if ((bits & 3) == 3) return decode_word(bits);
  uint32_t word = expand_compressed((uint16_t)bits);
  struct insn i = word ? decode_word(word) : (struct insn){.op = OP_ILLEGAL};
  i.length = 2;
  return i;
}

/* -- Lines ----------------------------------------------------------------------------------------------------------------- */

enum { HASH = 4096 };
struct decode_cache {
  struct decoded_line *line[HASH];
};

struct decode_cache *decode_cache_new(void) {
  return calloc(1, sizeof(struct decode_cache));
}

void decode_cache_free(struct decode_cache *cache) {
  for (uint32_t i = 0; cache && i < HASH; i++)
    for (struct decoded_line *line = cache->line[i], *next; line; line = next) {
      next = line->next;
      free(line);
    }
  free(cache);
}

static void forget_places(struct decoded_line *line, const uint8_t *bytes) {
  memset(line->place, 0, sizeof line->place);
  memset(line->crossing, 0, sizeof line->crossing);
  line->place[LINE_PLACES].op = OP_LINE_END;
  memcpy(line->bytes, bytes, LINE_BYTES);
}

struct decoded_line *decode_cache_line(struct decode_cache *cache, uint64_t paddr, const uint8_t *bytes) {
  struct decoded_line **bucket = &cache->line[(paddr >> LINE_SHIFT) % HASH];
  for (struct decoded_line *line = *bucket; line; line = line->next) {
    if (line->paddr != paddr) continue;
    if (memcmp(line->bytes, bytes, LINE_BYTES)) forget_places(line, bytes);
    return line;
  }
  struct decoded_line *line = malloc(sizeof *line);
  if (!line) return NULL;
  line->paddr = paddr;
  line->next = *bucket;
  forget_places(line, bytes);
  return *bucket = line;
}

void decode_place(struct decoded_line *line, uint32_t place) {
  const uint8_t *at = &line->bytes[2 * (size_t)place];
  uint32_t bits = at[0] | (uint32_t)at[1] << 8;
  if ((bits & 3) == 3) {
    if (place == LINE_PLACES - 1) {
      line->place[place] = (struct insn){.op = OP_CROSSING};
      return;
    }
    bits |= (uint32_t)at[2] << 16 | (uint32_t)at[3] << 24;
  }
  line->place[place] = decode(bits);
}

uint32_t hart_instruction(const struct hart *hart) {
  uint64_t pc = hart->registers.pc;
  uint32_t bits = 0;
  for (int half = 0; half < 2; half++, pc += 2) {
    const uint8_t *bytes = &hart->decoded[fast_index(pc)]->bytes[pc % LINE_BYTES];
    bits |= (uint32_t)(bytes[0] | bytes[1] << 8) << 16 * half;
    if (!half && (bits & 3) != 3) break;
  }
  return bits;
}
