/* decode_tables.h: the notation of the decoder's tables, shared by decode.c and the decode_*.c tables.
 *
 * A map is 256 pointers, one for each opcode byte, to a short list of rows. A row says for which encodings
 * it holds (when) and what the instruction does with its operands. The list ends with a row that holds for
 * none; an opcode without a list, or an encoding that no row of it covers, is undefined.
 *
 *     [0x58] = ROWS(ROW(NP | P66, .rm = V(RD, SVL), .vvvv = V_VEC),   vaddps, vaddpd
 *                   ROW(PF3 | PF2, .rm = V(RD, SPS), .vvvv = V_VEC))  vaddss, vaddsd
 *
 * `when` is a set of allowed values in six fields. The walk computes the instruction's own point, one bit
 * in each field, and a row holds when it contains that point: one AND for each row. A field that a row
 * does not mention is unrestricted, which WHEN() sees to. */
#ifndef REPRISE_X64_DECODE_TABLES_H
#define REPRISE_X64_DECODE_TABLES_H

#include "engine/x64/decode.h"

/* The fields of `when`. */
/* clang-format off */
enum {
  NP = 1 << 0, P66 = 1 << 1, PF3 = 1 << 2, PF2 = 1 << 3, /* mandatory prefix */
  W0 = 1 << 4, W1 = 1 << 5,                              /* REX.W, VEX.W */
  L128 = 1 << 6, L256 = 1 << 7, L512 = 1 << 8,           /* vector length; legacy encodings count as 128 */
  L_BAD = 1 << 9,                                        /* EVEX.L'L = 3: no row allows it */
  MEM = 1 << 10, REG = 1 << 11,                          /* ModRM.mod below 3, or 3 */
  X0 = 1 << 12, X1 = 1 << 13, X2 = 1 << 14, X3 = 1 << 15, /* ModRM.reg as an extension of the opcode */
  X4 = 1 << 16, X5 = 1 << 17, X6 = 1 << 18, X7 = 1 << 19,
  M0 = 1 << 20, M1 = 1 << 21, M2 = 1 << 22, M3 = 1 << 23, /* ModRM.rm likewise */
  M4 = 1 << 24, M5 = 1 << 25, M6 = 1 << 26, M7 = 1 << 27,

  WHEN_PP = NP | P66 | PF3 | PF2,
  WHEN_W = W0 | W1,
  WHEN_L = L128 | L256 | L512,
  WHEN_MOD = MEM | REG,
  WHEN_X = 0xff * X0,
  WHEN_M = 0xff * M0,
  ANY = 0,
};
/* clang-format on */

#define WHEN_FIELD(set, field) (((set) & (field)) ? 0 : (field))
#define WHEN(set)                                                                         \
  ((set) | WHEN_FIELD(set, WHEN_PP) | WHEN_FIELD(set, WHEN_W) | WHEN_FIELD(set, WHEN_L) | \
   WHEN_FIELD(set, WHEN_MOD) | WHEN_FIELD(set, WHEN_X) | WHEN_FIELD(set, WHEN_M))

/* The size of an operand, in bytes or as a rule. */
/* clang-format off */
enum operand_size_code {
  S0,                     /* none, or not for the decoder to know */
  S1, S2, S4, S8, S10, S16, S32, S48, S64, S512,
  SV,                     /* operand size: 2, 4 or 8 */
  SZ,                     /* operand size, 4 at most */
  SY,                     /* 4, or 8 with W; 0x66 has no say */
  SBW,                    /* 1, or 2 with W */
  SVL, SVL2, SVL4, SVL8,  /* the vector length and its fractions */
  SMX,                    /* 8 without a prefix (MMX), 16 with 0x66 */
  SPS,                    /* the vector length; 4 with F3, 8 with F2 (ps, pd, ss, sd) */
  SPH,                    /* the vector length; 2 with F3 or F2 */
  SPAIR,                  /* twice the SY size: cmpxchg8b, cmpxchg16b */
  SFAR,                   /* far pointer: a selector and an offset of the operand size */
  SENV, SFPU,             /* x87 environment and state: shorter with 0x66 */
};
/* clang-format on */

/* How an operand is accessed. CW and RCW: the write may not happen, so the old value lives on. */
enum { NO = 0, RD = 1, WR = 2, RW = 3, CW = 6, RCW = 7, ACCESS_CONDITIONAL = 4 };

/* The class of a register operand. Vector, MMX and x87 registers are of no interest. */
enum operand_class {
  C_PLAIN,     /* nothing to note */
  C_GPR,       /* general register of the operand's size */
  C_GPR_WHOLE, /* general register of at least 32 bits, whatever the size in memory */
  C_MASK,      /* k0..k7 */
  C_TILE,      /* tmm0..tmm7 */
  C_SEGMENT,
  C_CONTROL,
  C_DEBUG,
  C_VSIB, /* memory indexed by a vector */
};

#define OPERAND(class, access, size) ((uint16_t)((class) << 8 | (access) << 5 | (size)))
#define OPERAND_SIZE(operand) ((operand)&31)
#define OPERAND_ACCESS(operand) ((operand) >> 5 & 7)
#define OPERAND_CLASS(operand) ((operand) >> 8)

#define G(access, size) OPERAND(C_GPR, access, size)
#define GW(access, size) OPERAND(C_GPR_WHOLE, access, size)
#define V(access, size) OPERAND(C_PLAIN, access, size)
#define M(access, size) OPERAND(C_PLAIN, access, size)
#define K(access, size) OPERAND(C_MASK, access, size)
#define VS(access, size) OPERAND(C_VSIB, access, size)
#define MASK OPERAND(C_MASK, NO, S0)
#define TILE OPERAND(C_TILE, NO, S0)
#define SEGMENT OPERAND(C_SEGMENT, NO, S0)
#define CONTROL OPERAND(C_CONTROL, NO, S0)
#define DEBUG_REG OPERAND(C_DEBUG, NO, S0)

/* The register in VEX.vvvv. With V_NONE the field must hold its neutral value. */
enum { V_NONE, V_VEC, V_MASK, V_TILE, V_READ, V_WRITE };

/* Immediates. */
enum {
  I_NONE,
  IB,     /* one byte, sign-extended */
  IW,     /* two bytes, unsigned */
  ID,     /* four bytes, sign-extended, whatever the operand size */
  IZ,     /* two or four bytes by operand size, sign-extended */
  IV,     /* two, four or eight bytes by operand size */
  IBB,    /* two single bytes */
  IWB,    /* two bytes and one (enter) */
  IMOFFS, /* an address of the address size: it is a memory operand, not an immediate */
};

/* Flags of a row. */
enum {
  NO_MODRM = 1 << 0,  /* no ModRM: `rm` is the register in the opcode's low bits, `reg` the accumulator */
  LOCK = 1 << 1,      /* lock is allowed when `rm` is memory */
  ATOMIC = 1 << 2,    /* locked by nature when `rm` is memory */
  BYTE = 1 << 3,      /* the operand size is one byte */
  D64 = 1 << 4,       /* the operand size is 8 unless 0x66 makes it 2 */
  F64 = 1 << 5,       /* the operand size is 8 */
  PUSH = 1 << 6,      /* an operand-size write below the stack pointer */
  POP = 1 << 7,       /* an operand-size read at the stack pointer */
  CC = 1 << 8,        /* reads the flags of the condition in the opcode's low four bits */
  COUNT = 1 << 9,     /* changes no flag when the immediate, a shift count, is zero */
  NO_MEM = 1 << 10,   /* ModRM.mod is ignored and `rm` is always a register */
  STR_SRC = 1 << 11,  /* string operand at rsi */
  STR_DST = 1 << 12,  /* string operand at rdi, written */
  STR_CMP = 1 << 13,  /* string operand at rdi, read */
  NO_REX_B = 1 << 14, /* opcode 90: nop only without REX.B */
  XLAT = 1 << 15,     /* one byte read at rbx + al */

  MASKABLE = 1 << 16,     /* EVEX.aaa may name a mask */
  MASK_MUST = 1 << 17,    /* EVEX.aaa must name a mask */
  ZEROING = 1 << 18,      /* EVEX.z is allowed */
  BROADCAST = 1 << 19,    /* EVEX.b is allowed with memory: one element is read */
  ROUNDING = 1 << 20,     /* EVEX.b is allowed with registers: rounding or exceptions */
  N_ELEMENT = 1 << 21,    /* disp8 counts elements though the access is a whole vector (compress, expand) */
  DISTINCT = 1 << 22,     /* destination, index and mask must differ (gathers, tile products) */
  ADDRESS_ONLY = 1 << 23, /* lea: segments do not matter */

  KM = MASKABLE,
  KZ = MASKABLE | ZEROING,
  KREQ = MASKABLE | MASK_MUST,
  RC = ROUNDING,
};

/* The element of a broadcast, or of N_ELEMENT, in the flags' top bits. */
#define ELEMENT(size) ((uint32_t)(size) << 27)
#define ELEMENT_OF(flags) ((flags) >> 27)
#define BC(size) (BROADCAST | ELEMENT(size))
#define NE(size) (N_ELEMENT | ELEMENT(size))

struct x64_row {
  uint32_t when;
  uint32_t flags;
  uint16_t rm;  /* the operand in ModRM.rm, or in the opcode */
  uint16_t reg; /* the operand in ModRM.reg, or the accumulator */
  uint8_t vvvv;
  uint8_t imm;
  uint8_t effect; /* enum x64_effect: implicit registers and flags */
  uint8_t kind;   /* enum x64_kind */
};

typedef const struct x64_row *const x64_map[256];

#define ROW(set, ...) \
  { .when = WHEN(set), __VA_ARGS__ }
#define ROWS(...) ((const struct x64_row[]){__VA_ARGS__, {.when = 0}})

/* Implicit registers and flags. The letters are a for rax, c for rcx, d for rdx and so on. */
/* clang-format off */
enum x64_effect {
  E_NONE,
  E_STATUS,         /* writes all status flags */
  E_STATUS_CARRY,   /* reads the carry, writes all status flags */
  E_NOT_CARRY,      /* writes the status flags but the carry (inc, dec) */
  E_CF, E_ZF, E_DF, /* writes that one flag */
  E_CMC,            /* complements the carry */
  E_BT,             /* writes the carry; all others but ZF are undefined, and kept by today's processors */
  E_READ_CF, E_READ_ZF, E_READ_PF, E_READ_CF_ZF,
  E_SHIFT_CL,       /* count in cl: all status flags, unless the count is zero */
  E_ROTATE,         /* carry and overflow */
  E_ROTATE_IMM,     /* overflow is undefined for counts but 1, and kept by today's processors */
  E_ROTATE_CL,
  E_ROTATE_CARRY,
  E_ROTATE_CARRY_IMM,
  E_ROTATE_CARRY_CL,
  E_A_STATUS,       /* rax in part, and all status flags: byte mul, cmpxchg */
  E_MUL,
  E_DIV, E_DIV_BYTE, /* all status flags are undefined, and kept by today's processors */
  E_SIGN_A,         /* cbw, cwde, cdqe: rax from itself */
  E_SIGN_D,         /* cwd, cdq, cqo: rdx from rax */
  E_PUSHF, E_POPF, E_SAHF, E_LAHF,
  E_STRING,         /* direction flag */
  E_STRING_STATUS,  /* the same, and writes all status flags */
  E_IN_STRING,      /* direction flag, and the port in dx */
  E_XLAT, E_ENTER, E_LEAVE,
  E_ABORT,          /* a transaction's abort code in rax */
  E_TRAP,           /* nothing of its own; the kernel sees all */
  E_LOOP, E_LOOP_ZF, E_READ_C,
  E_WRITE_A,
  E_CPUID, E_RDTSC, E_RDTSCP,
  E_READ_COUNTER,   /* edx:eax from the counter named by ecx */
  E_READ_ACD, E_READ_AC, E_READ_AD, E_READ_A, E_READ_D,
  E_READ_AD_STATUS, E_READ_A_STATUS,
  E_SYSCALL, E_SYSRET, E_SYSEXIT, E_IRET,
  E_CMPXCHG_PAIR,
  E_PCMPESTRI, E_PCMPESTRM, E_PCMPISTRI,
  E_ADCX, E_ADOX,
  E_READ_ABC, E_ENCLAVE, E_PCONFIG, E_RMPUPDATE, E_RMPADJUST, E_PVALIDATE, E_PSMASH,
  E_SYSENTER, E_GETSEC,
};
/* clang-format on */

struct x64_effect_row {
  uint16_t gpr_read, gpr_written;
  uint16_t gpr_killed;      /* replaced whatever the operand size */
  uint16_t gpr_killed_wide; /* replaced when the operand size is 4 or 8 */
  uint16_t flags_read, flags_written, flags_killed;
};

extern const struct x64_effect_row x64_effects[];
extern x64_map x64_legacy_00, x64_legacy_0f, x64_legacy_0f38, x64_legacy_0f3a;
extern x64_map x64_vex_0f, x64_vex_0f38, x64_vex_0f3a;
extern x64_map x64_evex_0f, x64_evex_0f38, x64_evex_0f3a, x64_evex_5, x64_evex_6;
extern x64_map x64_xop_8, x64_xop_9, x64_xop_a;

#endif
