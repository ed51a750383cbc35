/* operations.h: the results of instructions, one line each. The interpreter makes a label of every line.
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
static inline uint64_t rotate_right(uint64_t a, unsigned bits) {
  return a >> (bits & 63) | a << (-bits & 63);
}
static inline int64_t rotate_right32(uint32_t a, unsigned bits) {
  return (int32_t)(a >> (bits & 31) | a << (-bits & 31));
}
static inline int leading_zeros(uint64_t a) {
  return a ? __builtin_clzll(a) : 64;
}
/* Every byte that is not 0 becomes 0xff. */
static inline uint64_t bytes_set(uint64_t a) {
  uint64_t low = UINT64_C(0x7f7f7f7f7f7f7f7f), high = (((a & low) + low) | a) & ~low;
  return (high >> 7) * 0xff;
}
static inline uint64_t bit_of(uint64_t number) {
  return UINT64_C(1) << (number & 63);
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
  X(SRAW, (int32_t)S1 >> (S2 & 31)) \
  X(SH1ADD, S2 + (S1 << 1)) \
  X(SH2ADD, S2 + (S1 << 2)) \
  X(SH3ADD, S2 + (S1 << 3)) \
  X(ADDUW, S2 + (uint32_t)S1) \
  X(SH1ADDUW, S2 + ((uint64_t)(uint32_t)S1 << 1)) \
  X(SH2ADDUW, S2 + ((uint64_t)(uint32_t)S1 << 2)) \
  X(SH3ADDUW, S2 + ((uint64_t)(uint32_t)S1 << 3)) \
  X(SLLIUW, (uint64_t)(uint32_t)S1 << IMM) \
  X(ANDN, S1 & ~S2) \
  X(ORN, S1 | ~S2) \
  X(XNOR, ~(S1 ^ S2)) \
  X(MIN, (int64_t)S1 < (int64_t)S2 ? S1 : S2) \
  X(MINU, S1 < S2 ? S1 : S2) \
  X(MAX, (int64_t)S1 > (int64_t)S2 ? S1 : S2) \
  X(MAXU, S1 > S2 ? S1 : S2) \
  X(ROL, rotate_right(S1, -(unsigned)S2)) \
  X(ROR, rotate_right(S1, (unsigned)S2)) \
  X(RORI, rotate_right(S1, (unsigned)IMM)) \
  X(ROLW, rotate_right32((uint32_t)S1, -(unsigned)S2)) \
  X(RORW, rotate_right32((uint32_t)S1, (unsigned)S2)) \
  X(RORIW, rotate_right32((uint32_t)S1, (unsigned)IMM)) \
  X(CLZ, leading_zeros(S1)) \
  X(CTZ, S1 ? __builtin_ctzll(S1) : 64) \
  X(CPOP, __builtin_popcountll(S1)) \
  X(CLZW, leading_zeros((uint32_t)S1) - 32) \
  X(CTZW, (uint32_t)S1 ? __builtin_ctz((uint32_t)S1) : 32) \
  X(CPOPW, __builtin_popcount((uint32_t)S1)) \
  X(SEXTB, (int64_t)(int8_t)S1) \
  X(SEXTH, (int64_t)(int16_t)S1) \
  X(ZEXTH, (uint16_t)S1) \
  X(ORCB, bytes_set(S1)) \
  X(REV8, __builtin_bswap64(S1)) \
  X(BCLR, S1 & ~bit_of(S2)) \
  X(BEXT, S1 >> (S2 & 63) & 1) \
  X(BINV, S1 ^ bit_of(S2)) \
  X(BSET, S1 | bit_of(S2)) \
  X(BCLRI, S1 & ~bit_of((uint64_t)IMM)) \
  X(BEXTI, S1 >> IMM & 1) \
  X(BINVI, S1 ^ bit_of((uint64_t)IMM)) \
  X(BSETI, S1 | bit_of((uint64_t)IMM))

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
