/* compressed.c: the C extension: each two-byte instruction is put into the four-byte form that it abbreviates. */
#include "sim/machine/decode.h"

/* -- Four-byte forms --------------------------------------------------------------------------------------------------- */

static uint32_t form_r(uint32_t opcode, uint32_t rd, uint32_t funct3, uint32_t rs1, uint32_t rs2,
                       uint32_t funct7) {
  return opcode | rd << 7 | funct3 << 12 | rs1 << 15 | rs2 << 20 | funct7 << 25;
}
static uint32_t form_i(uint32_t opcode, uint32_t rd, uint32_t funct3, uint32_t rs1, int32_t imm) {
  return opcode | rd << 7 | funct3 << 12 | rs1 << 15 | (uint32_t)imm << 20;
}
static uint32_t form_s(uint32_t opcode, uint32_t funct3, uint32_t rs1, uint32_t rs2, uint32_t imm) {
  return opcode | (imm & 31) << 7 | funct3 << 12 | rs1 << 15 | rs2 << 20 | imm >> 5 << 25;
}
static uint32_t form_b(uint32_t funct3, uint32_t rs1, int32_t imm) {
  uint32_t u = (uint32_t)imm;
  return 0x63 | (u >> 11 & 1) << 7 | (u >> 1 & 15) << 8 | funct3 << 12 | rs1 << 15 | (u >> 5 & 63) << 25 |
         (u >> 12 & 1) << 31;
}
static uint32_t form_j(uint32_t rd, int32_t imm) {
  uint32_t u = (uint32_t)imm;
  return 0x6f | rd << 7 | (u & 0xff000) | (u >> 11 & 1) << 20 | (u >> 1 & 0x3ff) << 21 | (u >> 20 & 1) << 31;
}

/* -- Pieces of a two-byte one ---------------------------------------------------------------------------------------- */

/* Bits high … low of c, put at bit `to`. */
static uint32_t piece(uint32_t c, int high, int low, int to) {
  return (c >> low & ((1u << (high - low + 1)) - 1)) << to;
}
static int32_t sign_extend(uint32_t value, int bits) {
  return (int32_t)(value << (32 - bits)) >> (32 - bits);
}
static int32_t imm6(uint32_t c) {
  return sign_extend(piece(c, 12, 12, 5) | piece(c, 6, 2, 0), 6);
}

enum {
  LOAD = 0x03,
  LOAD_FP = 0x07,
  IMM = 0x13,
  IMM32 = 0x1b,
  STORE = 0x23,
  STORE_FP = 0x27,
  OP = 0x33,
  LUI = 0x37,
  OP32 = 0x3b,
  JALR = 0x67
};

static uint32_t quadrant0(uint32_t c) {
  uint32_t rd = 8 + piece(c, 4, 2, 0), rs1 = 8 + piece(c, 9, 7, 0);
  uint32_t word = piece(c, 5, 5, 6) | piece(c, 12, 10, 3) | piece(c, 6, 6, 2);
  uint32_t doubleword = piece(c, 6, 5, 6) | piece(c, 12, 10, 3);
  uint32_t wide = piece(c, 10, 7, 6) | piece(c, 12, 11, 4) | piece(c, 5, 5, 3) | piece(c, 6, 6, 2);
  switch (c >> 13) {
    case 0:
      return wide ? form_i(IMM, rd, 0, 2, (int32_t)wide) : 0; /* c.addi4spn */
    case 1:
      return form_i(LOAD_FP, rd, 3, rs1, (int32_t)doubleword);
    case 2:
      return form_i(LOAD, rd, 2, rs1, (int32_t)word);
    case 3:
      return form_i(LOAD, rd, 3, rs1, (int32_t)doubleword);
    case 5:
      return form_s(STORE_FP, 3, rs1, rd, doubleword);
    case 6:
      return form_s(STORE, 2, rs1, rd, word);
    case 7:
      return form_s(STORE, 3, rs1, rd, doubleword);
    default:
      return 0;
  }
}

static uint32_t arithmetic(uint32_t c) {
  static const struct {
    uint8_t opcode, funct3, funct7;
  } two[8] = {{OP, 0, 0x20},   {OP, 4, 0},   {OP, 6, 0}, {OP, 7, 0},
              {OP32, 0, 0x20}, {OP32, 0, 0}, {0, 0, 0},  {0, 0, 0}};
  uint32_t rd = 8 + piece(c, 9, 7, 0), rs2 = 8 + piece(c, 4, 2, 0);
  int32_t imm = imm6(c);
  switch (c >> 10 & 3) {
    case 0:
      return form_i(IMM, rd, 5, rd, imm & 63); /* c.srli */
    case 1:
      return form_i(IMM, rd, 5, rd, (imm & 63) | 0x400); /* c.srai */
    case 2:
      return form_i(IMM, rd, 7, rd, imm); /* c.andi */
  }
  uint32_t which = piece(c, 12, 12, 2) | piece(c, 6, 5, 0);
  return two[which].opcode ? form_r(two[which].opcode, rd, two[which].funct3, rd, rs2, two[which].funct7) : 0;
}

static uint32_t quadrant1(uint32_t c) {
  uint32_t rd = piece(c, 11, 7, 0), rs1 = 8 + piece(c, 9, 7, 0);
  int32_t imm = imm6(c);
  int32_t jump =
      sign_extend(piece(c, 12, 12, 11) | piece(c, 8, 8, 10) | piece(c, 10, 9, 8) | piece(c, 6, 6, 7) |
                      piece(c, 7, 7, 6) | piece(c, 2, 2, 5) | piece(c, 11, 11, 4) | piece(c, 5, 3, 1),
                  12);
  int32_t branch = sign_extend(
      piece(c, 12, 12, 8) | piece(c, 6, 5, 6) | piece(c, 2, 2, 5) | piece(c, 11, 10, 3) | piece(c, 4, 3, 1),
      9);
  int32_t stack = sign_extend(
      piece(c, 12, 12, 9) | piece(c, 4, 3, 7) | piece(c, 5, 5, 6) | piece(c, 2, 2, 5) | piece(c, 6, 6, 4),
      10);
  switch (c >> 13) {
    case 0:
      return form_i(IMM, rd, 0, rd, imm); /* c.addi, c.nop */
    case 1:
      return rd ? form_i(IMM32, rd, 0, rd, imm) : 0; /* c.addiw */
    case 2:
      return form_i(IMM, rd, 0, 0, imm); /* c.li */
    case 3:
      if (rd == 2) return stack ? form_i(IMM, 2, 0, 2, stack) : 0; /* c.addi16sp */
      return imm ? (LUI | rd << 7 | (uint32_t)imm << 12) : 0;      /* c.lui */
    case 4:
      return arithmetic(c);
    case 5:
      return form_j(0, jump);
    case 6:
      return form_b(0, rs1, branch);
    default:
      return form_b(1, rs1, branch);
  }
}

/* c.jr, c.mv, c.ebreak, c.jalr, c.add */
static uint32_t moves(uint32_t c) {
  uint32_t rd = piece(c, 11, 7, 0), rs2 = piece(c, 6, 2, 0);
  if (!(c >> 12 & 1)) {
    if (rs2) return form_r(OP, rd, 0, 0, rs2, 0);
    return rd ? form_i(JALR, 0, 0, rd, 0) : 0;
  }
  if (rs2) return form_r(OP, rd, 0, rd, rs2, 0);
  return rd ? form_i(JALR, 1, 0, rd, 0) : 0x00100073;
}

static uint32_t quadrant2(uint32_t c) {
  uint32_t rd = piece(c, 11, 7, 0), rs2 = piece(c, 6, 2, 0);
  uint32_t load8 = piece(c, 4, 2, 6) | piece(c, 12, 12, 5) | piece(c, 6, 5, 3);
  uint32_t load4 = piece(c, 3, 2, 6) | piece(c, 12, 12, 5) | piece(c, 6, 4, 2);
  uint32_t store8 = piece(c, 9, 7, 6) | piece(c, 12, 10, 3);
  uint32_t store4 = piece(c, 8, 7, 6) | piece(c, 12, 9, 2);
  switch (c >> 13) {
    case 0:
      return form_i(IMM, rd, 1, rd, imm6(c) & 63); /* c.slli */
    case 1:
      return form_i(LOAD_FP, rd, 3, 2, (int32_t)load8);
    case 2:
      return rd ? form_i(LOAD, rd, 2, 2, (int32_t)load4) : 0;
    case 3:
      return rd ? form_i(LOAD, rd, 3, 2, (int32_t)load8) : 0;
    case 4:
      return moves(c);
    case 5:
      return form_s(STORE_FP, 3, 2, rs2, store8);
    case 6:
      return form_s(STORE, 2, 2, rs2, store4);
    default:
      return form_s(STORE, 3, 2, rs2, store8);
  }
}

uint32_t expand_compressed(uint16_t bits) {
  switch (bits & 3) {
    case 0:
      return quadrant0(bits);
    case 1:
      return quadrant1(bits);
    default:
      return quadrant2(bits);
  }
}
