/* decode.h: RV64GCV instructions with Zba, Zbb and Zbs, decoded once per line of code.
 *
 * A line of 64 bytes has 32 places at which an instruction can start. Each is decoded when it is first executed. Decoded lines are found by
 * physical address and are good as long as the bytes are those that were decoded: a hart that fetches a line anew compares them. */
#ifndef REPRISE_SIM_DECODE_H
#define REPRISE_SIM_DECODE_H

#include <stdint.h>

#include "sim/machine/memory.h"

/* Every operation of the interpreter. The first three are not instructions. */
/* clang-format off */
#define OPERATIONS(X)                                                                               \
  X(UNDECODED) X(LINE_END) X(CROSSING) X(ILLEGAL)                                                   \
  X(NOP) X(LUI) X(AUIPC) X(JAL) X(J) X(JALR) X(BEQ) X(BNE) X(BLT) X(BGE) X(BLTU) X(BGEU)            \
  X(LB) X(LH) X(LW) X(LD) X(LBU) X(LHU) X(LWU) X(SB) X(SH) X(SW) X(SD)                              \
  X(ADDI) X(SLTI) X(SLTIU) X(XORI) X(ORI) X(ANDI) X(SLLI) X(SRLI) X(SRAI)                           \
  X(ADD) X(SUB) X(SLL) X(SLT) X(SLTU) X(XOR) X(SRL) X(SRA) X(OR) X(AND)                             \
  X(ADDIW) X(SLLIW) X(SRLIW) X(SRAIW) X(ADDW) X(SUBW) X(SLLW) X(SRLW) X(SRAW)                       \
  X(SH1ADD) X(SH2ADD) X(SH3ADD) X(ADDUW) X(SH1ADDUW) X(SH2ADDUW) X(SH3ADDUW) X(SLLIUW)              \
  X(ANDN) X(ORN) X(XNOR) X(MIN) X(MINU) X(MAX) X(MAXU) X(ROL) X(ROR) X(RORI) X(ROLW) X(RORW) X(RORIW) \
  X(CLZ) X(CTZ) X(CPOP) X(CLZW) X(CTZW) X(CPOPW) X(SEXTB) X(SEXTH) X(ZEXTH) X(ORCB) X(REV8)         \
  X(BCLR) X(BEXT) X(BINV) X(BSET) X(BCLRI) X(BEXTI) X(BINVI) X(BSETI)                               \
  X(MUL) X(MULH) X(MULHSU) X(MULHU) X(DIV) X(DIVU) X(REM) X(REMU)                                   \
  X(MULW) X(DIVW) X(DIVUW) X(REMW) X(REMUW)                                                         \
  X(LRW) X(LRD) X(SCW) X(SCD) X(AMOW) X(AMOD)                                                       \
  X(FLW) X(FLD) X(FSW) X(FSD) X(FLOAT) X(VECTOR)                                                    \
  X(FENCE) X(FENCEI) X(ECALL) X(EBREAK) X(CSR)
/* clang-format on */

enum operation {
#define X(name) OP_##name,
  OPERATIONS(X)
#undef X
      OP_COUNT
};

struct insn {
  uint16_t op; /* enum operation */
  uint8_t rd, rs1, rs2;
  uint8_t length; /* bytes; 0 for what is no instruction */
  uint8_t amo;    /* enum amo */
  int32_t imm;    /* FLOAT, VECTOR and CSR: the instruction itself */
};

enum { LINE_PLACES = LINE_BYTES / 2 };

struct decoded_line {
  uint64_t paddr;
  struct insn place[LINE_PLACES + 1]; /* the last one is LINE_END */
  struct insn crossing
      [3]; /* the instruction that begins in the last place and ends in the next line; then LINE_END */
  uint16_t crossing_half; /* its second half */
  uint8_t bytes[LINE_BYTES];
  struct decoded_line *next; /* of the same hash */
};

/* bits: at least the two or four bytes of one instruction. */
struct insn decode(uint32_t bits);
/* A two-byte instruction as the four-byte one that it stands for, 0 if it stands for none. */
uint32_t expand_compressed(uint16_t bits);

struct decode_cache;
struct decode_cache *decode_cache_new(void);
void decode_cache_free(struct decode_cache *cache);
/* The decoded line for these bytes, NULL without memory. */
struct decoded_line *decode_cache_line(struct decode_cache *cache, uint64_t paddr, const uint8_t *bytes);
/* Decodes one place (not the last one if its instruction crosses: that becomes CROSSING). */
void decode_place(struct decoded_line *line, uint32_t place);

#endif
