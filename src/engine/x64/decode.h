/* decode.h: the facts about one x86-64 instruction that the translator needs.
 *
 * The decoder is a set of tables (decode_tables.c) and one walk over them (decode.c). It knows lengths,
 * operands, directions and flags; it does not know mnemonics. It is freestanding: no libc, no allocation,
 * no state, and it never reads beyond `limit`.
 *
 * Two consumers shape it. The translator copies nearly every instruction as it is, so it needs to know
 * which ones it may not copy (kind), what the address of a memory operand is made of (to rewrite
 * RIP-relative and GS-relative ones and to check permissions) and which registers and flags are free to
 * borrow around it (gpr_read, gpr_written, gpr_killed, flags_*). The tests need enough to compare every
 * field with an independent disassembler. */
#ifndef REPRISE_X64_DECODE_H
#define REPRISE_X64_DECODE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { X64_INSN_MAX = 15 };

/* General registers by hardware number, so that bit r of a register mask is register r. */
enum x64_reg {
  RAX,
  RCX,
  RDX,
  RBX,
  RSP,
  RBP,
  RSI,
  RDI,
  R8,
  R9,
  R10,
  R11,
  R12,
  R13,
  R14,
  R15,
  REG_RIP = 16, /* as a base register only */
  REG_NONE = 17,
};

enum x64_segment { SEG_NONE, SEG_FS, SEG_GS }; /* the other four have no effect in 64-bit mode */

/* How the opcode is introduced. */
enum x64_encoding { ENC_LEGACY, ENC_VEX, ENC_EVEX, ENC_XOP, ENC_3DNOW };

/* Flag masks, in the layout of RFLAGS. */
enum {
  FLAG_CF = 0x001,
  FLAG_PF = 0x004,
  FLAG_AF = 0x010,
  FLAG_ZF = 0x040,
  FLAG_SF = 0x080,
  FLAG_TF = 0x100,
  FLAG_DF = 0x400,
  FLAG_OF = 0x800,
  FLAG_AC = 0x40000,
  FLAGS_STATUS = FLAG_CF | FLAG_PF | FLAG_AF | FLAG_ZF | FLAG_SF | FLAG_OF,
};

enum { PREFIX_LOCK = 1, PREFIX_REP = 2, PREFIX_REPNE = 4, PREFIX_OPSIZE = 8, PREFIX_ADDRSIZE = 16 };

enum { ACCESS_NONE = 0, ACCESS_READ = 1, ACCESS_WRITE = 2, ACCESS_BOTH = 3 };

/* How the translator handles an instruction. INSN_COPY covers the great majority. */
enum x64_kind {
  INSN_COPY,       /* run as it is (after rewriting its address where needed) */
  INSN_JMP,        /* direct jump: target = pc + len + imm */
  INSN_JCC,        /* conditional jump; condition code in the low four bits of opcode */
  INSN_LOOP,       /* loopne, loope, loop, jrcxz (E0..E3): 8-bit displacement only */
  INSN_CALL,       /* direct call */
  INSN_JMP_IND,    /* jmp r/m64 */
  INSN_CALL_IND,   /* call r/m64 */
  INSN_RET,        /* ret, imm = bytes released beyond the address (0 for plain ret) */
  INSN_FAR,        /* far call, far jump, far return, iret: may change the code segment */
  INSN_SYSCALL,    /* syscall */
  INSN_SYSENTER,   /* sysenter, sysexit, sysret: raise in user mode or are unusable */
  INSN_INT,        /* int imm8 */
  INSN_INT3,       /* int3: SIGTRAP, pc after the instruction */
  INSN_INT1,       /* int1 (F1) */
  INSN_UNDEFINED,  /* ud0, ud1, ud2, and every encoding the hardware rejects: SIGILL */
  INSN_PRIVILEGED, /* faults in user mode (hlt, in, out, wrmsr, …): may be copied, will raise */
  INSN_CPUID,
  INSN_RDTSC,
  INSN_RDTSCP,
  INSN_RDPMC,
  INSN_RDRAND,
  INSN_RDSEED,
  INSN_RDPID,
  INSN_XGETBV,
  INSN_RDFSBASE,
  INSN_RDGSBASE,
  INSN_WRFSBASE,
  INSN_WRGSBASE,
  INSN_MOV_FROM_SEG, /* mov r/m, Sreg (8C); push fs, push gs too */
  INSN_MOV_TO_SEG,   /* mov Sreg, r/m (8E); pop fs, pop gs, lfs, lgs, lss */
  INSN_STRING,       /* movs, cmps, stos, lods, scas, with or without rep; ins and outs are privileged */
  INSN_XSAVE,        /* fxsave, xsave, xsavec, xsaveopt, xrstor, fxrstor: size depends on the machine */
  INSN_XBEGIN,       /* transactional memory: xbegin, xabort, xend, xtest */
  INSN_SMSW_LIKE,    /* sgdt, sidt, sldt, str, smsw: trapped or emulated by the kernel (UMIP) */
  INSN_WAIT,         /* umonitor, umwait, tpause, monitorx, mwaitx */
  INSN_PKRU,         /* rdpkru, wrpkru */
  INSN_BIT_STRING,   /* bt, bts, btr, btc mem, reg: touches mem + (reg / bits, rounded down) * size */
  INSN_MOVDIR64B, /* movdir64b, enqcmd: reads mem, and writes 64 bytes where the register in ModRM.reg points */
  INSN_CLZERO,    /* writes the 64-byte line that rax points into */
  INSN_PUSHF,
  INSN_POPF,
  INSN_TILE_MEMORY, /* tile load or store: rows at base + disp, the index register times scale apart */
};

/* One memory operand given by ModRM (or moffs). A pop into memory computes its address after rsp has moved.
 * The segment also holds, without has_mem, for a string instruction's source and for xlat. */
struct x64_mem {
  uint8_t base;       /* x64_reg, REG_RIP or REG_NONE */
  uint8_t index;      /* x64_reg or REG_NONE; a vector register number (0..31) when vsib */
  uint8_t scale;      /* 1, 2, 4, 8 */
  uint8_t segment;    /* x64_segment in effect */
  bool vsib;          /* gather or scatter: one access per lane at base + index[lane]*scale + disp */
  uint8_t lanes;      /* how many (vsib only) */
  uint8_t index_size; /* bytes of one index, 4 or 8 (vsib only) */
  uint8_t access;     /* ACCESS_*; ACCESS_NONE for lea, nop, prefetch, clflush-like: address only */
  uint16_t size;      /* bytes touched (per lane when vsib); 0 when the machine decides (xsave, tiles) */
  int64_t disp;       /* displacement after EVEX disp8*N scaling; the whole address for moffs */
};

struct x64_insn {
  uint8_t len;       /* bytes, 1..15 */
  uint8_t kind;      /* enum x64_kind */
  uint8_t encoding;  /* enum x64_encoding */
  uint8_t map;       /* opcode map: 0 one-byte, 1 0F, 2 0F38, 3 0F3A, 4..7 EVEX/VEX maps, 8..10 XOP */
  uint8_t opcode;    /* the opcode byte inside the map */
  uint8_t prefixes;  /* PREFIX_* as present (mandatory prefixes included) */
  uint8_t rex;       /* the REX byte, 0 if none; for VEX/EVEX/XOP the equivalent 0x40|WRXB */
  uint8_t rex_at;    /* offset of the REX byte, or of the first byte of the VEX/EVEX/XOP prefix; 0xff none */
  uint8_t opcode_at; /* offset of the opcode byte */
  uint8_t modrm_at;  /* offset of ModRM, 0 if there is none */
  uint8_t modrm;     /* its value */
  uint8_t disp_at;   /* offset of the displacement */
  uint8_t disp_size; /* 0, 1, 4 or 8 (moffs) */
  uint8_t imm_at;    /* offset of the (first) immediate */
  uint8_t imm_size;  /* total bytes of immediates, 0 if none */
  bool has_mem;      /* ModRM or moffs names memory: mem is valid */
  bool atomic;       /* locked, or xchg with memory */
  uint8_t operand_size; /* effective operand size of general-register forms: 1, 2, 4, 8 */
  uint8_t address_size; /* 4 or 8 */

  /* Implicit access at the stack pointer: push and call write, pop and ret read, enter writes; leave reads at
   * rbp. enter with a nesting level, code[imm_at + 2], touches more than it says here. */
  uint8_t stack_access;
  uint8_t stack_size; /* its bytes (0 for none) */

  /* Bytes read at [rsi], written at [rdi] (by maskmovq and maskmovdqu too) and read at [rdi]; xlat: string_read
   * is 1, at [rbx + al]. */
  uint8_t string_read;
  uint8_t string_write;
  uint8_t string_read_di;

  uint16_t gpr_read;      /* registers whose old value matters, address registers included */
  uint16_t gpr_written;   /* registers changed in any way, conditionally or in part */
  uint16_t gpr_killed;    /* subset of gpr_written whose old value is wholly replaced, whatever happens */
  uint16_t flags_read;    /* FLAG_* that matter; DF for strings */
  uint16_t flags_written; /* FLAG_* changed or left undefined */
  /* Subset surely replaced: conditional writers (shifts by cl, rep cmps) kill none, and flags that the manuals
   * call undefined but processors keep (div, bt, rotates by more than one) are not in it. */
  uint16_t flags_killed;

  int64_t imm; /* the immediate, sign-extended as the instruction does; a branch's displacement */
  struct x64_mem mem;
};

/* Decodes the instruction at code, of which limit bytes (at least 1) may be read. True when it is complete. An
 * encoding that no machine accepts decodes as INSN_UNDEFINED with the length of what was looked at, which is
 * also the kind of more than 15 bytes, with len 15. False only when the instruction runs past a limit below 15. */
bool x64_decode(const uint8_t *code, size_t limit, struct x64_insn *out);

#endif
