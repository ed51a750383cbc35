/* decode_tables.c: the one-byte opcodes, x87 included, and the table of implicit effects.
 *
 * The notation is explained in decode_tables.h. Opcodes that 64-bit mode does not have, and those that are
 * prefixes, have no entry. */
#include "engine/x64/decode_tables.h"

enum {
  A = 1 << RAX,
  B = 1 << RBX,
  C = 1 << RCX,
  D = 1 << RDX,
  BP = 1 << RBP,
  SP = 1 << RSP,
  R_11 = 1 << R11,
  STATUS = FLAGS_STATUS,
  ALL_FLAGS = FLAGS_STATUS | FLAG_DF,
  AH_FLAGS = FLAG_SF | FLAG_ZF | FLAG_AF | FLAG_PF | FLAG_CF,
};

#define READS(set) .gpr_read = (set)
#define CHANGES(set) .gpr_written = (set)
#define REPLACES(set) .gpr_written = (set), .gpr_killed = (set)
#define REPLACES_WIDE(set) .gpr_written = (set), .gpr_killed_wide = (set)
#define TESTS(set) .flags_read = (set)
#define SETS(set) .flags_written = (set), .flags_killed = (set)
#define MAY_SET(set) .flags_written = (set)

const struct x64_effect_row x64_effects[] = {
    [E_NONE] = {0},
    [E_STATUS] = {SETS(STATUS)},
    [E_STATUS_CARRY] = {TESTS(FLAG_CF), SETS(STATUS)},
    [E_NOT_CARRY] = {SETS(STATUS & ~FLAG_CF)},
    [E_CF] = {SETS(FLAG_CF)},
    [E_ZF] = {SETS(FLAG_ZF)},
    [E_DF] = {SETS(FLAG_DF)},
    [E_CMC] = {TESTS(FLAG_CF), SETS(FLAG_CF)},
    [E_BT] = {.flags_written = STATUS & ~FLAG_ZF, .flags_killed = FLAG_CF},
    [E_READ_CF] = {TESTS(FLAG_CF)},
    [E_READ_ZF] = {TESTS(FLAG_ZF)},
    [E_READ_PF] = {TESTS(FLAG_PF)},
    [E_READ_CF_ZF] = {TESTS(FLAG_CF | FLAG_ZF)},
    [E_SHIFT_CL] = {READS(C), MAY_SET(STATUS)},
    [E_ROTATE] = {SETS(FLAG_CF | FLAG_OF)},
    [E_ROTATE_IMM] = {.flags_written = FLAG_CF | FLAG_OF, .flags_killed = FLAG_CF},
    [E_ROTATE_CL] = {READS(C), MAY_SET(FLAG_CF | FLAG_OF)},
    [E_ROTATE_CARRY] = {TESTS(FLAG_CF), SETS(FLAG_CF | FLAG_OF)},
    [E_ROTATE_CARRY_IMM] = {TESTS(FLAG_CF), MAY_SET(FLAG_CF | FLAG_OF)},
    [E_ROTATE_CARRY_CL] = {READS(C), TESTS(FLAG_CF), MAY_SET(FLAG_CF | FLAG_OF)},
    [E_A_STATUS] = {READS(A), CHANGES(A), SETS(STATUS)},
    [E_MUL] = {READS(A), REPLACES_WIDE(A | D), SETS(STATUS)},
    [E_DIV] = {READS(A | D), REPLACES_WIDE(A | D), MAY_SET(STATUS)},
    [E_DIV_BYTE] = {READS(A), CHANGES(A), MAY_SET(STATUS)},
    [E_SIGN_A] = {READS(A), REPLACES_WIDE(A)},
    [E_SIGN_D] = {READS(A), REPLACES_WIDE(D)},
    [E_PUSHF] = {TESTS(ALL_FLAGS)},
    [E_POPF] = {SETS(ALL_FLAGS)},
    [E_SAHF] = {READS(A), SETS(AH_FLAGS)},
    [E_LAHF] = {CHANGES(A), TESTS(AH_FLAGS)},
    [E_STRING] = {TESTS(FLAG_DF)},
    [E_STRING_STATUS] = {TESTS(FLAG_DF), SETS(STATUS)},
    [E_IN_STRING] = {READS(D), TESTS(FLAG_DF)},
    [E_XLAT] = {READS(A | B), CHANGES(A)},
    [E_ABORT] = {READS(A), CHANGES(A)},
    [E_TRAP] = {0},
    [E_ENTER] = {READS(BP), REPLACES(BP)},
    [E_LEAVE] = {READS(BP), REPLACES(BP | SP)},
    [E_LOOP] = {READS(C), REPLACES(C)},
    [E_LOOP_ZF] = {READS(C), REPLACES(C), TESTS(FLAG_ZF)},
    [E_READ_C] = {READS(C)},
    [E_WRITE_A] = {CHANGES(A)},
    [E_CPUID] = {READS(A | C), REPLACES(A | B | C | D)},
    [E_RDTSC] = {REPLACES(A | D)},
    [E_RDTSCP] = {REPLACES(A | C | D)},
    [E_READ_COUNTER] = {READS(C), REPLACES(A | D)},
    [E_READ_ACD] = {READS(A | C | D)},
    [E_READ_AC] = {READS(A | C)},
    [E_READ_AD] = {READS(A | D)},
    [E_READ_A] = {READS(A)},
    [E_READ_D] = {READS(D)},
    [E_READ_AD_STATUS] = {READS(A | D), SETS(STATUS)},
    [E_READ_A_STATUS] = {READS(A), SETS(STATUS)},
    [E_SYSCALL] = {REPLACES(C | R_11), TESTS(ALL_FLAGS), SETS(ALL_FLAGS)},
    [E_SYSRET] = {READS(C | R_11), SETS(ALL_FLAGS)},
    [E_SYSEXIT] = {READS(C | D), REPLACES(SP)},
    [E_IRET] = {READS(SP), REPLACES(SP), SETS(ALL_FLAGS)},
    [E_CMPXCHG_PAIR] = {READS(A | B | C | D), CHANGES(A | D), SETS(FLAG_ZF)},
    [E_PCMPESTRI] = {READS(A | D), REPLACES(C), SETS(STATUS)},
    [E_PCMPESTRM] = {READS(A | D), SETS(STATUS)},
    [E_PCMPISTRI] = {REPLACES(C), SETS(STATUS)},
    [E_READ_ABC] = {READS(A | B | C)},
    [E_ENCLAVE] = {READS(A | B | C | D), CHANGES(B | C | D)},
    [E_PCONFIG] = {READS(A | B | C | D), CHANGES(A | B | C | D), SETS(STATUS)},
    [E_RMPUPDATE] = {READS(A | C), CHANGES(A), SETS(STATUS & ~FLAG_CF)},
    [E_RMPADJUST] = {READS(A | C | D), CHANGES(A), SETS(STATUS & ~FLAG_CF)},
    [E_PVALIDATE] = {READS(A | C | D), CHANGES(A), SETS(STATUS)},
    [E_PSMASH] = {READS(A), CHANGES(A), SETS(STATUS & ~FLAG_CF)},
    [E_SYSENTER] = {REPLACES(SP)},
    [E_GETSEC] = {READS(A | B), CHANGES(A)},
    [E_ADCX] = {TESTS(FLAG_CF), SETS(FLAG_CF)},
    [E_ADOX] = {TESTS(FLAG_OF), SETS(FLAG_OF)},
};

/* The eight arithmetic opcodes that share one layout: r/m,r  r,r/m  a,imm in byte and wide forms. */
#define ARITHMETIC(op, access, lock, e)                                                                    \
  [op + 0] = ROWS(ROW(ANY, .rm = G(access, S1), .reg = G(RD, S1), .effect = e, .flags = BYTE | (lock))),   \
        [op + 1] = ROWS(ROW(ANY, .rm = G(access, SV), .reg = G(RD, SV), .effect = e, .flags = (lock))),    \
        [op + 2] = ROWS(ROW(ANY, .rm = G(RD, S1), .reg = G(access, S1), .effect = e, .flags = BYTE)),      \
        [op + 3] = ROWS(ROW(ANY, .rm = G(RD, SV), .reg = G(access, SV), .effect = e)),                     \
        [op + 4] = ROWS(ROW(ANY, .reg = G(access, S1), .imm = IB, .effect = e, .flags = NO_MODRM | BYTE)), \
        [op + 5] = ROWS(ROW(ANY, .reg = G(access, SV), .imm = IZ, .effect = e, .flags = NO_MODRM))

/* The same eight in the group of opcodes 80, 81 and 83. */
#define ARITHMETIC_GROUP(size, i, f)                                                                      \
  ROWS(ROW(X0 | X1 | X4 | X5 | X6, .rm = G(RW, size), .imm = i, .effect = E_STATUS, .flags = LOCK | (f)), \
       ROW(X2 | X3, .rm = G(RW, size), .imm = i, .effect = E_STATUS_CARRY, .flags = LOCK | (f)),          \
       ROW(X7, .rm = G(RD, size), .imm = i, .effect = E_STATUS, .flags = (f)))

/* rol ror, rcl rcr, then shl shr sal sar. */
#define SHIFT_GROUP(size, i, f, rotate, rotate_carry, shift)                            \
  ROWS(ROW(X0 | X1, .rm = G(RW, size), .imm = i, .effect = rotate, .flags = (f)),       \
       ROW(X2 | X3, .rm = G(RW, size), .imm = i, .effect = rotate_carry, .flags = (f)), \
       ROW(X4 | X5 | X6 | X7, .rm = G(RW, size), .imm = i, .effect = shift, .flags = (f)))

#define TEST_NOT_NEG(size, i, f)                                               \
  ROW(X0 | X1, .rm = G(RD, size), .imm = i, .effect = E_STATUS, .flags = (f)), \
      ROW(X2, .rm = G(RW, size), .flags = LOCK | (f)),                         \
      ROW(X3, .rm = G(RW, size), .effect = E_STATUS, .flags = LOCK | (f))

#define STRING(size, r, e, f) \
  ROWS(ROW(ANY, .rm = V(NO, size), .reg = r, .effect = e, .kind = INSN_STRING, .flags = NO_MODRM | (f)))

x64_map x64_legacy_00 = {
    ARITHMETIC(0x00, RW, LOCK, E_STATUS),       /* add */
    ARITHMETIC(0x08, RW, LOCK, E_STATUS),       /* or */
    ARITHMETIC(0x10, RW, LOCK, E_STATUS_CARRY), /* adc */
    ARITHMETIC(0x18, RW, LOCK, E_STATUS_CARRY), /* sbb */
    ARITHMETIC(0x20, RW, LOCK, E_STATUS),       /* and */
    ARITHMETIC(0x28, RW, LOCK, E_STATUS),       /* sub */
    ARITHMETIC(0x30, RW, LOCK, E_STATUS),       /* xor */
    ARITHMETIC(0x38, RD, 0, E_STATUS),          /* cmp */
    [0x50 ... 0x57] = ROWS(ROW(ANY, .rm = G(RD, SV), .flags = NO_MODRM | D64 | PUSH)),
    [0x58 ... 0x5f] = ROWS(ROW(ANY, .rm = G(WR, SV), .flags = NO_MODRM | D64 | POP)),
    [0x63] = ROWS(ROW(ANY, .rm = G(RD, SZ), .reg = G(WR, SV))), /* movsxd */
    [0x68] = ROWS(ROW(ANY, .imm = IZ, .flags = NO_MODRM | D64 | PUSH)),
    [0x69] = ROWS(ROW(ANY, .rm = G(RD, SV), .reg = G(WR, SV), .imm = IZ, .effect = E_STATUS)), /* imul */
    [0x6a] = ROWS(ROW(ANY, .imm = IB, .flags = NO_MODRM | D64 | PUSH)),
    [0x6b] = ROWS(ROW(ANY, .rm = G(RD, SV), .reg = G(WR, SV), .imm = IB, .effect = E_STATUS)),
    [0x6c] = ROWS(ROW(ANY, .rm = V(NO, S1), .effect = E_IN_STRING, .kind = INSN_PRIVILEGED,
                      .flags = NO_MODRM | BYTE | STR_DST)), /* ins */
    [0x6d] = ROWS(ROW(ANY, .rm = V(NO, SZ), .effect = E_IN_STRING, .kind = INSN_PRIVILEGED,
                      .flags = NO_MODRM | STR_DST)),
    [0x6e] = ROWS(ROW(ANY, .rm = V(NO, S1), .effect = E_IN_STRING, .kind = INSN_PRIVILEGED,
                      .flags = NO_MODRM | BYTE | STR_SRC)), /* outs */
    [0x6f] = ROWS(ROW(ANY, .rm = V(NO, SZ), .effect = E_IN_STRING, .kind = INSN_PRIVILEGED,
                      .flags = NO_MODRM | STR_SRC)),
    [0x70 ... 0x7f] = ROWS(ROW(ANY, .imm = IB, .kind = INSN_JCC, .flags = NO_MODRM | F64 | CC)),
    [0x80] = ARITHMETIC_GROUP(S1, IB, BYTE),
    [0x81] = ARITHMETIC_GROUP(SV, IZ, 0),
    [0x83] = ARITHMETIC_GROUP(SV, IB, 0),
    [0x84] = ROWS(ROW(ANY, .rm = G(RD, S1), .reg = G(RD, S1), .effect = E_STATUS, .flags = BYTE)), /* test */
    [0x85] = ROWS(ROW(ANY, .rm = G(RD, SV), .reg = G(RD, SV), .effect = E_STATUS)),
    [0x86] = ROWS(ROW(ANY, .rm = G(RW, S1), .reg = G(RW, S1), .flags = BYTE | LOCK | ATOMIC)), /* xchg */
    [0x87] = ROWS(ROW(ANY, .rm = G(RW, SV), .reg = G(RW, SV), .flags = LOCK | ATOMIC)),
    [0x88] = ROWS(ROW(ANY, .rm = G(WR, S1), .reg = G(RD, S1), .flags = BYTE)), /* mov */
    [0x89] = ROWS(ROW(ANY, .rm = G(WR, SV), .reg = G(RD, SV))),
    [0x8a] = ROWS(ROW(ANY, .rm = G(RD, S1), .reg = G(WR, S1), .flags = BYTE)),
    [0x8b] = ROWS(ROW(ANY, .rm = G(RD, SV), .reg = G(WR, SV))),
    [0x8c] = ROWS(ROW(REG, .rm = G(WR, SV), .reg = SEGMENT, .kind = INSN_MOV_FROM_SEG),
                  ROW(MEM, .rm = M(WR, S2), .reg = SEGMENT, .kind = INSN_MOV_FROM_SEG)),
    [0x8d] = ROWS(ROW(MEM, .rm = M(NO, S0), .reg = G(WR, SV), .flags = ADDRESS_ONLY)), /* lea */
    [0x8e] = ROWS(ROW(X0 | X2 | X3 | X4 | X5, .rm = G(RD, S2), .reg = SEGMENT, .kind = INSN_MOV_TO_SEG)),
    [0x8f] = ROWS(ROW(X0, .rm = G(WR, SV), .flags = D64 | POP)),
    [0x90] = ROWS(ROW(PF3, .flags = NO_MODRM), ROW(ANY, .flags = NO_MODRM | NO_REX_B), /* pause, nop */
                  ROW(ANY, .rm = G(RW, SV), .reg = G(RW, SV), .flags = NO_MODRM)),
    [0x91 ... 0x97] = ROWS(ROW(ANY, .rm = G(RW, SV), .reg = G(RW, SV), .flags = NO_MODRM)), /* xchg */
    [0x98] = ROWS(ROW(ANY, .effect = E_SIGN_A, .flags = NO_MODRM)),
    [0x99] = ROWS(ROW(ANY, .effect = E_SIGN_D, .flags = NO_MODRM)),
    [0x9b] = ROWS(ROW(ANY, .flags = NO_MODRM)), /* fwait */
    [0x9c] = ROWS(ROW(ANY, .effect = E_PUSHF, .kind = INSN_PUSHF, .flags = NO_MODRM | D64 | PUSH)),
    [0x9d] = ROWS(ROW(ANY, .effect = E_POPF, .kind = INSN_POPF, .flags = NO_MODRM | D64 | POP)),
    [0x9e] = ROWS(ROW(ANY, .effect = E_SAHF, .flags = NO_MODRM)),
    [0x9f] = ROWS(ROW(ANY, .effect = E_LAHF, .flags = NO_MODRM)),
    [0xa0] = ROWS(ROW(ANY, .rm = M(RD, S1), .reg = G(WR, S1), .imm = IMOFFS, .flags = NO_MODRM | BYTE)),
    [0xa1] = ROWS(ROW(ANY, .rm = M(RD, SV), .reg = G(WR, SV), .imm = IMOFFS, .flags = NO_MODRM)),
    [0xa2] = ROWS(ROW(ANY, .rm = M(WR, S1), .reg = G(RD, S1), .imm = IMOFFS, .flags = NO_MODRM | BYTE)),
    [0xa3] = ROWS(ROW(ANY, .rm = M(WR, SV), .reg = G(RD, SV), .imm = IMOFFS, .flags = NO_MODRM)),
    [0xa4] = STRING(S1, 0, E_STRING, BYTE | STR_SRC | STR_DST), /* movs */
    [0xa5] = STRING(SV, 0, E_STRING, STR_SRC | STR_DST),
    [0xa6] = STRING(S1, 0, E_STRING_STATUS, BYTE | STR_SRC | STR_CMP), /* cmps */
    [0xa7] = STRING(SV, 0, E_STRING_STATUS, STR_SRC | STR_CMP),
    [0xa8] = ROWS(ROW(ANY, .reg = G(RD, S1), .imm = IB, .effect = E_STATUS, .flags = NO_MODRM | BYTE)),
    [0xa9] = ROWS(ROW(ANY, .reg = G(RD, SV), .imm = IZ, .effect = E_STATUS, .flags = NO_MODRM)),
    [0xaa] = STRING(S1, G(RD, S1), E_STRING, BYTE | STR_DST), /* stos */
    [0xab] = STRING(SV, G(RD, SV), E_STRING, STR_DST),
    [0xac] = STRING(S1, G(WR, S1), E_STRING, BYTE | STR_SRC), /* lods */
    [0xad] = STRING(SV, G(WR, SV), E_STRING, STR_SRC),
    [0xae] = STRING(S1, G(RD, S1), E_STRING_STATUS, BYTE | STR_CMP), /* scas */
    [0xaf] = STRING(SV, G(RD, SV), E_STRING_STATUS, STR_CMP),
    [0xb0 ... 0xb7] = ROWS(ROW(ANY, .rm = G(WR, S1), .imm = IB, .flags = NO_MODRM | BYTE)),
    [0xb8 ... 0xbf] = ROWS(ROW(ANY, .rm = G(WR, SV), .imm = IV, .flags = NO_MODRM)),
    [0xc0] = SHIFT_GROUP(S1, IB, BYTE | COUNT, E_ROTATE_IMM, E_ROTATE_CARRY_IMM, E_STATUS),
    [0xc1] = SHIFT_GROUP(SV, IB, COUNT, E_ROTATE_IMM, E_ROTATE_CARRY_IMM, E_STATUS),
    [0xc2] = ROWS(ROW(ANY, .imm = IW, .kind = INSN_RET, .flags = NO_MODRM | F64 | POP)),
    [0xc3] = ROWS(ROW(ANY, .kind = INSN_RET, .flags = NO_MODRM | F64 | POP)),
    [0xc6] = ROWS(ROW(X0, .rm = G(WR, S1), .imm = IB, .flags = BYTE),
                  ROW(REG | X7 | M0, .imm = IB, .effect = E_ABORT, .kind = INSN_XBEGIN, .flags = BYTE)),
    [0xc7] = ROWS(ROW(X0, .rm = G(WR, SV), .imm = IZ),
                  ROW(REG | X7 | M0, .imm = IZ, .effect = E_ABORT, .kind = INSN_XBEGIN)),
    [0xc8] = ROWS(ROW(ANY, .imm = IWB, .effect = E_ENTER, .flags = NO_MODRM | D64 | PUSH)),
    [0xc9] = ROWS(ROW(ANY, .effect = E_LEAVE, .flags = NO_MODRM | D64 | POP)),
    [0xca] = ROWS(ROW(ANY, .imm = IW, .kind = INSN_FAR, .flags = NO_MODRM | POP)),
    [0xcb] = ROWS(ROW(ANY, .kind = INSN_FAR, .flags = NO_MODRM | POP)),
    [0xcc] = ROWS(ROW(ANY, .effect = E_TRAP, .kind = INSN_INT3, .flags = NO_MODRM)),
    [0xcd] = ROWS(ROW(ANY, .imm = IB, .effect = E_TRAP, .kind = INSN_INT, .flags = NO_MODRM)),
    [0xcf] = ROWS(ROW(ANY, .effect = E_IRET, .kind = INSN_FAR, .flags = NO_MODRM | POP)),
    [0xd0] = SHIFT_GROUP(S1, I_NONE, BYTE, E_ROTATE, E_ROTATE_CARRY, E_STATUS),
    [0xd1] = SHIFT_GROUP(SV, I_NONE, 0, E_ROTATE, E_ROTATE_CARRY, E_STATUS),
    [0xd2] = SHIFT_GROUP(S1, I_NONE, BYTE, E_ROTATE_CL, E_ROTATE_CARRY_CL, E_SHIFT_CL),
    [0xd3] = SHIFT_GROUP(SV, I_NONE, 0, E_ROTATE_CL, E_ROTATE_CARRY_CL, E_SHIFT_CL),
    [0xd7] = ROWS(ROW(ANY, .effect = E_XLAT, .flags = NO_MODRM | BYTE | XLAT)),

    [0xd8] = ROWS(ROW(ANY, .rm = M(RD, S4))),          /* x87: arithmetic on m32 and st */
    [0xd9] = ROWS(ROW(MEM | X0, .rm = M(RD, S4)),      /* fld m32 */
                  ROW(MEM | X2 | X3, .rm = M(WR, S4)), /* fst m32 */
                  ROW(MEM | X4, .rm = M(RD, SENV)), ROW(MEM | X6, .rm = M(WR, SENV)), /* fldenv, fnstenv */
                  ROW(MEM | X5, .rm = M(RD, S2)), ROW(MEM | X7, .rm = M(WR, S2)),     /* fldcw, fnstcw */
                  ROW(REG | X0 | X1 | X3 | X6 | X7), ROW(REG | X2 | M0), ROW(REG | X4 | M0 | M1 | M4 | M5),
                  ROW(REG | X5 | M0 | M1 | M2 | M3 | M4 | M5 | M6)),
    [0xda] = ROWS(ROW(MEM, .rm = M(RD, S4)), /* arithmetic on integer m32 */
                  ROW(REG | X0, .effect = E_READ_CF), ROW(REG | X1, .effect = E_READ_ZF),
                  ROW(REG | X2, .effect = E_READ_CF_ZF), ROW(REG | X3, .effect = E_READ_PF), /* fcmovcc */
                  ROW(REG | X5 | M1)),                                                       /* fucompp */
    [0xdb] = ROWS(ROW(MEM | X0, .rm = M(RD, S4)), ROW(MEM | X1 | X2 | X3, .rm = M(WR, S4)),  /* fild, fistp */
                  ROW(MEM | X5, .rm = M(RD, S10)), ROW(MEM | X7, .rm = M(WR, S10)), /* fld, fstp m80 */
                  ROW(REG | X0, .effect = E_READ_CF), ROW(REG | X1, .effect = E_READ_ZF),
                  ROW(REG | X2, .effect = E_READ_CF_ZF), ROW(REG | X3, .effect = E_READ_PF), /* fcmovncc */
                  ROW(REG | X4 | M0 | M1 | M2 | M3 | M4),  /* fnclex, fninit */
                  ROW(REG | X5 | X6, .effect = E_STATUS)), /* fucomi, fcomi */
    [0xdc] = ROWS(ROW(ANY, .rm = M(RD, S8))),              /* arithmetic on m64 and st */
    [0xdd] =
        ROWS(ROW(MEM | X0, .rm = M(RD, S8)), ROW(MEM | X1 | X2 | X3, .rm = M(WR, S8)), /* fld, fstp m64 */
             ROW(MEM | X4, .rm = M(RD, SFPU)), ROW(MEM | X6, .rm = M(WR, SFPU)),       /* frstor, fnsave */
             ROW(MEM | X7, .rm = M(WR, S2)),                                           /* fnstsw */
             ROW(REG | X0 | X1 | X2 | X3 | X4 | X5)),
    [0xde] = ROWS(ROW(MEM, .rm = M(RD, S2)), /* arithmetic on integer m16 */
                  ROW(REG | X0 | X1 | X2 | X4 | X5 | X6 | X7), ROW(REG | X3 | M1)),
    [0xdf] = ROWS(ROW(MEM | X0, .rm = M(RD, S2)), ROW(MEM | X1 | X2 | X3, .rm = M(WR, S2)), /* m16 */
                  ROW(MEM | X4, .rm = M(RD, S10)), ROW(MEM | X6, .rm = M(WR, S10)),         /* fbld, fbstp */
                  ROW(MEM | X5, .rm = M(RD, S8)), ROW(MEM | X7, .rm = M(WR, S8)),           /* integer m64 */
                  ROW(REG | X0 | X1 | X2 | X3), ROW(REG | X4 | M0, .effect = E_WRITE_A),    /* fnstsw ax */
                  ROW(REG | X5 | X6, .effect = E_STATUS)), /* fucomip, fcomip */

    [0xe0 ... 0xe1] =
        ROWS(ROW(ANY, .imm = IB, .effect = E_LOOP_ZF, .kind = INSN_LOOP, .flags = NO_MODRM | F64)),
    [0xe2] = ROWS(ROW(ANY, .imm = IB, .effect = E_LOOP, .kind = INSN_LOOP, .flags = NO_MODRM | F64)),
    [0xe3] = ROWS(ROW(ANY, .imm = IB, .effect = E_READ_C, .kind = INSN_LOOP, .flags = NO_MODRM | F64)),
    [0xe4] = ROWS(ROW(ANY, .reg = G(WR, S1), .imm = IB, .kind = INSN_PRIVILEGED, .flags = NO_MODRM | BYTE)),
    [0xe5] = ROWS(ROW(ANY, .reg = G(WR, SZ), .imm = IB, .kind = INSN_PRIVILEGED, .flags = NO_MODRM)),
    [0xe6] = ROWS(ROW(ANY, .reg = G(RD, S1), .imm = IB, .kind = INSN_PRIVILEGED, .flags = NO_MODRM | BYTE)),
    [0xe7] = ROWS(ROW(ANY, .reg = G(RD, SZ), .imm = IB, .kind = INSN_PRIVILEGED, .flags = NO_MODRM)),
    [0xe8] = ROWS(ROW(ANY, .imm = ID, .kind = INSN_CALL, .flags = NO_MODRM | F64 | PUSH)),
    [0xe9] = ROWS(ROW(ANY, .imm = ID, .kind = INSN_JMP, .flags = NO_MODRM | F64)),
    [0xeb] = ROWS(ROW(ANY, .imm = IB, .kind = INSN_JMP, .flags = NO_MODRM | F64)),
    [0xec] = ROWS(ROW(ANY, .reg = G(WR, S1), .effect = E_READ_D, .kind = INSN_PRIVILEGED,
                      .flags = NO_MODRM | BYTE)), /* in */
    [0xed] = ROWS(ROW(ANY, .reg = G(WR, SZ), .effect = E_READ_D, .kind = INSN_PRIVILEGED, .flags = NO_MODRM)),
    [0xee] = ROWS(ROW(ANY, .reg = G(RD, S1), .effect = E_READ_D, .kind = INSN_PRIVILEGED,
                      .flags = NO_MODRM | BYTE)), /* out */
    [0xef] = ROWS(ROW(ANY, .reg = G(RD, SZ), .effect = E_READ_D, .kind = INSN_PRIVILEGED, .flags = NO_MODRM)),
    [0xf1] = ROWS(ROW(ANY, .effect = E_TRAP, .kind = INSN_INT1, .flags = NO_MODRM)),
    [0xf4] = ROWS(ROW(ANY, .kind = INSN_PRIVILEGED, .flags = NO_MODRM)), /* hlt */
    [0xf5] = ROWS(ROW(ANY, .effect = E_CMC, .flags = NO_MODRM)),
    [0xf6] =
        ROWS(TEST_NOT_NEG(S1, IB, BYTE), ROW(X4 | X5, .rm = G(RD, S1), .effect = E_A_STATUS, .flags = BYTE),
             ROW(X6 | X7, .rm = G(RD, S1), .effect = E_DIV_BYTE, .flags = BYTE)),
    [0xf7] = ROWS(TEST_NOT_NEG(SV, IZ, 0), ROW(X4 | X5, .rm = G(RD, SV), .effect = E_MUL),
                  ROW(X6 | X7, .rm = G(RD, SV), .effect = E_DIV)),
    [0xf8 ... 0xf9] = ROWS(ROW(ANY, .effect = E_CF, .flags = NO_MODRM)),                       /* clc, stc */
    [0xfa ... 0xfb] = ROWS(ROW(ANY, .kind = INSN_PRIVILEGED, .flags = NO_MODRM)),              /* cli, sti */
    [0xfc ... 0xfd] = ROWS(ROW(ANY, .effect = E_DF, .flags = NO_MODRM)),                       /* cld, std */
    [0xfe] = ROWS(ROW(X0 | X1, .rm = G(RW, S1), .effect = E_NOT_CARRY, .flags = LOCK | BYTE)), /* inc, dec */
    [0xff] = ROWS(ROW(X0 | X1, .rm = G(RW, SV), .effect = E_NOT_CARRY, .flags = LOCK),
                  ROW(X2, .rm = G(RD, SV), .kind = INSN_CALL_IND, .flags = F64 | PUSH),
                  ROW(MEM | X3, .rm = M(RD, SFAR), .kind = INSN_FAR, .flags = PUSH), /* far call */
                  ROW(X4, .rm = G(RD, SV), .kind = INSN_JMP_IND, .flags = F64),
                  ROW(MEM | X5, .rm = M(RD, SFAR), .kind = INSN_FAR), /* far jmp */
                  ROW(X6, .rm = G(RD, SV), .flags = D64 | PUSH)),
};
