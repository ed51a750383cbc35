/* operations.h: what instructions compute, one line each. The interpreter makes a label of every line.
 *
 * S1 and S2 are the source registers, F2 the second one of the floating-point registers, IMM the immediate, pc where the instruction is. */
#ifndef REPRISE_SIM_OPERATIONS_H
#define REPRISE_SIM_OPERATIONS_H

#include <stdint.h>

/* Division does not trap: it has results for everything. */
static inline int64_t divide(int64_t a, int64_t b) {
  return b == 0 ? -1 : b == -1 ? (int64_t)(0 - (uint64_t)a) : a / b;
}
static inline int64_t remainder_of(int64_t a, int64_t b) {
  return b == 0 ? a : b == -1 ? 0 : a % b;
}
static inline uint64_t divide_unsigned(uint64_t a, uint64_t b) {
  return b ? a / b : ~0ull;
}
static inline uint64_t remainder_unsigned(uint64_t a, uint64_t b) {
  return b ? a % b : a;
}
static inline int64_t extend(uint64_t a) {
  return (int32_t)a;
}

/* clang-format off */
/* The new value of rd. */
#define RESULTS(X) \
  X(LUI, IMM) \
  X(AUIPC, pc + (uint64_t)IMM) \
  X(ADDI, S1 + (uint64_t)IMM) \
  X(SLTI, (int64_t)S1 < IMM) \
  X(SLTIU, S1 < (uint64_t)IMM) \
  X(XORI, S1 ^ (uint64_t)IMM) \
  X(ORI, S1 | (uint64_t)IMM) \
  X(ANDI, S1 & (uint64_t)IMM) \
  X(SLLI, S1 << IMM) \
  X(SRLI, S1 >> IMM) \
  X(SRAI, (int64_t)S1 >> IMM) \
  X(ADD, S1 + S2) \
  X(SUB, S1 - S2) \
  X(SLL, S1 << (S2 & 63)) \
  X(SLT, (int64_t)S1 < (int64_t)S2) \
  X(SLTU, S1 < S2) \
  X(XOR, S1 ^ S2) \
  X(SRL, S1 >> (S2 & 63)) \
  X(SRA, (int64_t)S1 >> (S2 & 63)) \
  X(OR, S1 | S2) \
  X(AND, S1 & S2) \
  X(ADDIW, extend(S1 + (uint64_t)IMM)) \
  X(SLLIW, extend(S1 << IMM)) \
  X(SRLIW, extend((uint32_t)S1 >> IMM)) \
  X(SRAIW, (int32_t)S1 >> IMM) \
  X(ADDW, extend(S1 + S2)) \
  X(SUBW, extend(S1 - S2)) \
  X(SLLW, extend(S1 << (S2 & 31))) \
  X(SRLW, extend((uint32_t)S1 >> (S2 & 31))) \
  X(SRAW, (int32_t)S1 >> (S2 & 31))

/* The same, by the multiplier … */
#define PRODUCTS(X) \
  X(MUL, S1 * S2) \
  X(MULH, (__int128)(int64_t)S1 * (int64_t)S2 >> 64) \
  X(MULHSU, (__int128)(int64_t)S1 * (unsigned __int128)S2 >> 64) \
  X(MULHU, (unsigned __int128)S1 * S2 >> 64) \
  X(MULW, extend(S1 * S2))

/* … and by the divider. */
#define QUOTIENTS(X) \
  X(DIV, divide((int64_t)S1, (int64_t)S2)) \
  X(DIVU, divide_unsigned(S1, S2)) \
  X(REM, remainder_of((int64_t)S1, (int64_t)S2)) \
  X(REMU, remainder_unsigned(S1, S2)) \
  X(DIVW, extend((uint64_t)divide((int32_t)S1, (int32_t)S2))) \
  X(DIVUW, extend(divide_unsigned((uint32_t)S1, (uint32_t)S2))) \
  X(REMW, extend((uint64_t)remainder_of((int32_t)S1, (int32_t)S2))) \
  X(REMUW, extend(remainder_unsigned((uint32_t)S1, (uint32_t)S2)))

/* When the branch is taken. */
#define BRANCHES(X) \
  X(BEQ, S1 == S2) \
  X(BNE, S1 != S2) \
  X(BLT, (int64_t)S1 < (int64_t)S2) \
  X(BGE, (int64_t)S1 >= (int64_t)S2) \
  X(BLTU, S1 < S2) \
  X(BGEU, S1 >= S2)

/* The type that is loaded and extended to rd. */
#define LOADS(X) \
  X(LB, int8_t) \
  X(LH, int16_t) \
  X(LW, int32_t) \
  X(LD, int64_t) \
  X(LBU, uint8_t) \
  X(LHU, uint16_t) \
  X(LWU, uint32_t)

/* The type that is stored, and what of it. */
#define STORES(X) \
  X(SB, uint8_t, S2) \
  X(SH, uint16_t, S2) \
  X(SW, uint32_t, S2) \
  X(SD, uint64_t, S2) \
  X(FSW, uint32_t, F2) \
  X(FSD, uint64_t, F2)
/* clang-format on */

#endif
