/* decode_0f.c: the two-byte opcodes, 0F xx: the rest of the integer set, system instructions, MMX and SSE.
 *
 * The notation is explained in decode_tables.h. 0F 38 and 0F 3A lead on to decode_0f38.c, and 0F 0F
 * (3DNow!) has its opcode after the operands, so decode.c deals with it. Instructions of virtual-machine
 * monitors and of enclaves are here for their lengths; user code cannot run them. */
#include "engine/x64/decode_tables.h"

#define PRIVILEGED .kind = INSN_PRIVILEGED

/* bt, bts, btr, btc with the bit number in a register: with memory, the number reaches beyond the operand. */
#define BIT_TEST(access, f)                                             \
  ROWS(ROW(REG, .rm = G(access, SV), .reg = G(RD, SV), .effect = E_BT), \
       ROW(MEM, .rm = M(access, SV), .reg = G(RD, SV), .effect = E_BT, .kind = INSN_BIT_STRING, .flags = f))

#define DOUBLE_SHIFT(i, e, f) \
  ROWS(ROW(ANY, .rm = G(RW, SV), .reg = G(RD, SV), .imm = i, .effect = e, .flags = f))

#define NOP ROWS(ROW(ANY, .rm = M(NO, S0)))

x64_map x64_legacy_0f = {
    [0x00] = ROWS(ROW(REG | X0 | X1, .rm = G(WR, SV), .kind = INSN_SMSW_LIKE), /* sldt, str */
                  ROW(MEM | X0 | X1, .rm = M(WR, S2), .kind = INSN_SMSW_LIKE),
                  ROW(X2 | X3, .rm = G(RD, S2), PRIVILEGED),      /* lldt, ltr */
                  ROW(X4 | X5, .rm = G(RD, S2), .effect = E_ZF)), /* verr, verw */
    [0x01] =
        ROWS(ROW(MEM | X0 | X1, .rm = M(WR, S10), .kind = INSN_SMSW_LIKE), /* sgdt, sidt */
             ROW(MEM | X2 | X3, .rm = M(RD, S10), PRIVILEGED),             /* lgdt, lidt */
             ROW(REG | X4, .rm = G(WR, SV), .kind = INSN_SMSW_LIKE),       /* smsw */
             ROW(MEM | X4, .rm = M(WR, S2), .kind = INSN_SMSW_LIKE),
             ROW(X6, .rm = G(RD, S2), PRIVILEGED),                                 /* lmsw */
             ROW(MEM | X7, .rm = M(NO, S0), PRIVILEGED),                           /* invlpg */
             ROW(PF3 | MEM | X5, .rm = M(RW, S8), .effect = E_STATUS, PRIVILEGED), /* rstorssp */
             ROW(NP | REG | X0 | M0, .effect = E_ENCLAVE, PRIVILEGED),             /* enclv */
             ROW(NP | REG | X0 | M1 | M2 | M3, .effect = E_POPF, PRIVILEGED), /* vmcall, vmlaunch, vmresume */
             ROW(NP | REG | X0 | M4, .effect = E_STATUS, PRIVILEGED),         /* vmxoff */
             ROW(NP | REG | X0 | M5, .effect = E_PCONFIG, PRIVILEGED),
             ROW(NP | REG | X1 | M0, .effect = E_READ_ACD, PRIVILEGED),       /* monitor */
             ROW(NP | REG | X1 | M1, .effect = E_READ_AC, PRIVILEGED),        /* mwait */
             ROW(NP | REG | X1 | M2 | M3, PRIVILEGED),                        /* clac, stac */
             ROW(NP | REG | X1 | M7, .effect = E_ENCLAVE, PRIVILEGED),        /* encls */
             ROW(P66 | REG | X1 | M4, .effect = E_READ_C, PRIVILEGED),        /* tdcall */
             ROW(P66 | REG | X1 | M5, .effect = E_STATUS, PRIVILEGED),        /* seamret */
             ROW(P66 | REG | X1 | M6 | M7, .effect = E_A_STATUS, PRIVILEGED), /* seamops, seamcall */
             ROW(NP | REG | X2 | M0, .effect = E_READ_COUNTER, .kind = INSN_XGETBV),
             ROW(NP | REG | X2 | M1, .effect = E_READ_ACD, PRIVILEGED),         /* xsetbv */
             ROW(NP | REG | X2 | M4, .effect = E_READ_A, PRIVILEGED),           /* vmfunc */
             ROW(NP | REG | X2 | M5, .kind = INSN_XBEGIN),                      /* xend */
             ROW(NP | REG | X2 | M6, .effect = E_STATUS, .kind = INSN_XBEGIN),  /* xtest */
             ROW(NP | REG | X2 | M7, .effect = E_ENCLAVE, PRIVILEGED),          /* enclu */
             ROW(REG | X3 | M0 | M2 | M3 | M6, .effect = E_READ_A, PRIVILEGED), /* svm */
             ROW(REG | X3 | M1 | M4 | M5, PRIVILEGED), ROW(REG | X3 | M7, .effect = E_READ_AC, PRIVILEGED),
             ROW(NP | REG | X5 | M0),                                       /* serialize */
             ROW(PF3 | REG | X5 | M0 | M2, .effect = E_STATUS, PRIVILEGED), /* setssbsy, saveprevssp */
             ROW(PF2 | REG | X5 | M0 | M1, .kind = INSN_XBEGIN),            /* xsusldtrk, xresldtrk */
             ROW(PF3 | REG | X5 | M4, .effect = E_IRET, PRIVILEGED),        /* uiret */
             ROW(PF3 | REG | X5 | M5, .effect = E_STATUS, PRIVILEGED),      /* testui */
             ROW(PF3 | REG | X5 | M6 | M7, PRIVILEGED),                     /* clui, stui */
             ROW(NP | REG | X5 | M6, .effect = E_READ_COUNTER, .kind = INSN_PKRU),
             ROW(NP | REG | X5 | M7, .effect = E_READ_ACD, .kind = INSN_PKRU),
             ROW(REG | X7 | M0, PRIVILEGED), /* swapgs */
             ROW(REG | X7 | M1, .effect = E_RDTSCP, .kind = INSN_RDTSCP),
             ROW(NP | REG | X7 | M2, .effect = E_READ_ACD, .kind = INSN_WAIT), /* monitorx */
             ROW(PF3 | REG | X7 | M2, .effect = E_CF, PRIVILEGED),             /* mcommit */
             ROW(NP | REG | X7 | M3, .effect = E_READ_ABC, .kind = INSN_WAIT), /* mwaitx */
             ROW(REG | X7 | M4, .effect = E_READ_A, .kind = INSN_CLZERO),
             ROW(REG | X7 | M5, .effect = E_READ_COUNTER, .kind = INSN_RDPMC), /* rdpru */
             ROW(NP | REG | X7 | M6, .effect = E_READ_ACD, PRIVILEGED),        /* invlpgb */
             ROW(NP | REG | X7 | M7, PRIVILEGED),                              /* tlbsync */
             ROW(PF2 | REG | X7 | M6, .effect = E_RMPUPDATE, PRIVILEGED),
             ROW(PF3 | REG | X7 | M6, .effect = E_RMPADJUST, PRIVILEGED),
             ROW(PF2 | REG | X7 | M7, .effect = E_PVALIDATE, PRIVILEGED),
             ROW(PF3 | REG | X7 | M7, .effect = E_PSMASH, PRIVILEGED)),
    [0x02] = ROWS(ROW(ANY, .rm = GW(RD, S2), .reg = G(CW, SV), .effect = E_ZF)), /* lar */
    [0x03] = ROWS(ROW(ANY, .rm = GW(RD, S2), .reg = G(CW, SV), .effect = E_ZF)), /* lsl */
    [0x05] = ROWS(ROW(ANY, .effect = E_SYSCALL, .kind = INSN_SYSCALL, .flags = NO_MODRM)),
    [0x06] = ROWS(ROW(ANY, PRIVILEGED, .flags = NO_MODRM)), /* clts */
    [0x07] = ROWS(ROW(ANY, .effect = E_SYSRET, .kind = INSN_SYSENTER, .flags = NO_MODRM)),
    [0x08 ... 0x09] = ROWS(ROW(ANY, PRIVILEGED, .flags = NO_MODRM)),    /* invd, wbinvd */
    [0x0b] = ROWS(ROW(ANY, .kind = INSN_UNDEFINED, .flags = NO_MODRM)), /* ud2 */
    [0x0d] = NOP,                                                       /* prefetchw */
    [0x0e] = ROWS(ROW(ANY, .flags = NO_MODRM)),                         /* femms */
    [0x18 ... 0x1d] = NOP,
    [0x1e] = ROWS(ROW(PF3 | REG | X1, .rm = G(CW, SY)), ROW(ANY, .rm = M(NO, S0))), /* rdssp, endbr */
    [0x1f] = NOP,
    [0x20] = ROWS(ROW(ANY, .rm = G(WR, S8), .reg = CONTROL, PRIVILEGED, .flags = NO_MEM)),
    [0x21] = ROWS(ROW(ANY, .rm = G(WR, S8), .reg = DEBUG_REG, PRIVILEGED, .flags = NO_MEM)),
    [0x22] = ROWS(ROW(ANY, .rm = G(RD, S8), .reg = CONTROL, PRIVILEGED, .flags = NO_MEM)),
    [0x23] = ROWS(ROW(ANY, .rm = G(RD, S8), .reg = DEBUG_REG, PRIVILEGED, .flags = NO_MEM)),
    [0x30] = ROWS(ROW(ANY, .effect = E_READ_ACD, PRIVILEGED, .flags = NO_MODRM)), /* wrmsr */
    [0x31] = ROWS(ROW(ANY, .effect = E_RDTSC, .kind = INSN_RDTSC, .flags = NO_MODRM)),
    [0x32] = ROWS(ROW(ANY, .effect = E_READ_COUNTER, PRIVILEGED, .flags = NO_MODRM)), /* rdmsr */
    [0x33] = ROWS(ROW(ANY, .effect = E_READ_COUNTER, .kind = INSN_RDPMC, .flags = NO_MODRM)),
    [0x34] = ROWS(ROW(ANY, .effect = E_SYSENTER, .kind = INSN_SYSENTER, .flags = NO_MODRM)),
    [0x35] = ROWS(ROW(ANY, .effect = E_SYSEXIT, .kind = INSN_SYSENTER, .flags = NO_MODRM)),
    [0x37] = ROWS(ROW(NP, .effect = E_GETSEC, PRIVILEGED, .flags = NO_MODRM)),
    [0x40 ... 0x4f] = ROWS(ROW(ANY, .rm = G(RD, SV), .reg = G(RCW, SV), .flags = CC)), /* cmov */
    [0x80 ... 0x8f] = ROWS(ROW(ANY, .imm = ID, .kind = INSN_JCC, .flags = NO_MODRM | F64 | CC)),
    [0x90 ... 0x9f] = ROWS(ROW(ANY, .rm = G(WR, S1), .flags = BYTE | CC)), /* set */
    [0xa0] = ROWS(ROW(ANY, .kind = INSN_MOV_FROM_SEG, .flags = NO_MODRM | D64 | PUSH)),
    [0xa1] = ROWS(ROW(ANY, .kind = INSN_MOV_TO_SEG, .flags = NO_MODRM | D64 | POP)),
    [0xa2] = ROWS(ROW(ANY, .effect = E_CPUID, .kind = INSN_CPUID, .flags = NO_MODRM)),
    [0xa3] = BIT_TEST(RD, 0),
    [0xa4] = DOUBLE_SHIFT(IB, E_STATUS, COUNT), /* shld */
    [0xa5] = DOUBLE_SHIFT(I_NONE, E_SHIFT_CL, 0),
    [0xa8] = ROWS(ROW(ANY, .kind = INSN_MOV_FROM_SEG, .flags = NO_MODRM | D64 | PUSH)),
    [0xa9] = ROWS(ROW(ANY, .kind = INSN_MOV_TO_SEG, .flags = NO_MODRM | D64 | POP)),
    [0xaa] = ROWS(ROW(ANY, .effect = E_POPF, PRIVILEGED, .flags = NO_MODRM)), /* rsm */
    [0xab] = BIT_TEST(RW, LOCK),
    [0xac] = DOUBLE_SHIFT(IB, E_STATUS, COUNT), /* shrd */
    [0xad] = DOUBLE_SHIFT(I_NONE, E_SHIFT_CL, 0),
    [0xae] = ROWS(
        ROW(NP | MEM | X0, .rm = M(WR, S512), .kind = INSN_XSAVE),                /* fxsave */
        ROW(NP | MEM | X1, .rm = M(RD, S512), .kind = INSN_XSAVE),                /* fxrstor */
        ROW(NP | MEM | X2, .rm = M(RD, S4)), ROW(NP | MEM | X3, .rm = M(WR, S4)), /* ldmxcsr, stmxcsr */
        ROW(NP | MEM | X4 | X6, .rm = M(RW, S0), .effect = E_READ_AD,
            .kind = INSN_XSAVE),                                                         /* xsave, xsaveopt */
        ROW(NP | MEM | X5, .rm = M(RD, S0), .effect = E_READ_AD, .kind = INSN_XSAVE),    /* xrstor */
        ROW(NP | P66 | MEM | X7, .rm = M(NO, S0)), ROW(P66 | MEM | X6, .rm = M(NO, S0)), /* clflush, clwb */
        ROW(NP | REG | X5 | X6 | X7), /* lfence, mfence, sfence */
        ROW(PF3 | REG | X0, .rm = G(WR, SY), .kind = INSN_RDFSBASE),
        ROW(PF3 | REG | X1, .rm = G(WR, SY), .kind = INSN_RDGSBASE),
        ROW(PF3 | REG | X2, .rm = G(RD, SY), .kind = INSN_WRFSBASE),
        ROW(PF3 | REG | X3, .rm = G(RD, SY), .kind = INSN_WRGSBASE),
        ROW(PF3 | X4, .rm = G(RD, SY)),                                       /* ptwrite */
        ROW(PF3 | REG | X5, .rm = G(RD, SY)),                                 /* incssp */
        ROW(PF3 | MEM | X6, .rm = M(RW, S8), .effect = E_STATUS, PRIVILEGED), /* clrssbsy */
        ROW(PF3 | REG | X6, .rm = G(RD, S8), .kind = INSN_WAIT),              /* umonitor */
        ROW(P66 | PF2 | REG | X6, .rm = G(RD, S4), .effect = E_READ_AD_STATUS,
            .kind = INSN_WAIT)),                                                    /* tpause, umwait */
    [0xaf] = ROWS(ROW(ANY, .rm = G(RD, SV), .reg = G(RW, SV), .effect = E_STATUS)), /* imul */
    [0xb0] = ROWS(ROW(ANY, .rm = G(RCW, S1), .reg = G(RD, S1), .effect = E_A_STATUS, .flags = BYTE | LOCK)),
    [0xb1] = ROWS(ROW(ANY, .rm = G(RCW, SV), .reg = G(RD, SV), .effect = E_A_STATUS, .flags = LOCK)),
    [0xb2] = ROWS(ROW(MEM, .rm = M(RD, SFAR), .reg = G(WR, SV), .kind = INSN_MOV_TO_SEG)), /* lss */
    [0xb3] = BIT_TEST(RW, LOCK),
    [0xb4 ... 0xb5] = ROWS(ROW(MEM, .rm = M(RD, SFAR), .reg = G(WR, SV), .kind = INSN_MOV_TO_SEG)),
    [0xb6] = ROWS(ROW(ANY, .rm = G(RD, S1), .reg = G(WR, SV))), /* movzx */
    [0xb7] = ROWS(ROW(ANY, .rm = G(RD, S2), .reg = G(WR, SV))),
    [0xb8] = ROWS(ROW(PF3, .rm = G(RD, SV), .reg = G(WR, SV), .effect = E_STATUS)),     /* popcnt */
    [0xb9] = ROWS(ROW(ANY, .rm = G(RD, SV), .reg = G(RD, SV), .kind = INSN_UNDEFINED)), /* ud1 */
    [0xba] = ROWS(ROW(X4, .rm = G(RD, SV), .imm = IB, .effect = E_BT),
                  ROW(X5 | X6 | X7, .rm = G(RW, SV), .imm = IB, .effect = E_BT, .flags = LOCK)),
    [0xbb] = BIT_TEST(RW, LOCK),
    [0xbc ... 0xbd] = ROWS(ROW(PF3, .rm = G(RD, SV), .reg = G(WR, SV), .effect = E_STATUS), /* tzcnt, lzcnt */
                           ROW(ANY, .rm = G(RD, SV), .reg = G(CW, SV), .effect = E_STATUS)), /* bsf, bsr */
    [0xbe] = ROWS(ROW(ANY, .rm = G(RD, S1), .reg = G(WR, SV))),                              /* movsx */
    [0xbf] = ROWS(ROW(ANY, .rm = G(RD, S2), .reg = G(WR, SV))),
    [0xc0] = ROWS(
        ROW(ANY, .rm = G(RW, S1), .reg = G(RW, S1), .effect = E_STATUS, .flags = BYTE | LOCK)), /* xadd */
    [0xc1] = ROWS(ROW(ANY, .rm = G(RW, SV), .reg = G(RW, SV), .effect = E_STATUS, .flags = LOCK)),
    [0xc7] =
        ROWS(ROW(MEM | X1, .rm = M(RW, SPAIR), .effect = E_CMPXCHG_PAIR, .flags = LOCK), /* cmpxchg8b, 16b */
             ROW(NP | MEM | X3, .rm = M(RD, S0), .effect = E_READ_AD, PRIVILEGED),       /* xrstors */
             ROW(NP | MEM | X4, .rm = M(WR, S0), .effect = E_READ_AD, .kind = INSN_XSAVE), /* xsavec */
             ROW(NP | MEM | X5, .rm = M(WR, S0), .effect = E_READ_AD, PRIVILEGED),         /* xsaves */
             ROW(NP | P66 | PF3 | MEM | X6, .rm = M(RD, S8), .effect = E_STATUS,
                 PRIVILEGED), /* vmptrld, vmclear, vmxon */
             ROW(NP | MEM | X7, .rm = M(WR, S8), .effect = E_STATUS, PRIVILEGED), /* vmptrst */
             ROW(NP | P66 | REG | X6, .rm = G(WR, SV), .effect = E_STATUS, .kind = INSN_RDRAND),
             ROW(NP | P66 | REG | X7, .rm = G(WR, SV), .effect = E_STATUS, .kind = INSN_RDSEED),
             ROW(PF3 | REG | X6, .rm = G(RD, S8), PRIVILEGED), /* senduipi */
             ROW(PF3 | REG | X7, .rm = G(WR, S8), .kind = INSN_RDPID)),
    [0xc8 ... 0xcf] = ROWS(ROW(ANY, .rm = G(RW, SV), .flags = NO_MODRM)),               /* bswap */
    [0xff] = ROWS(ROW(ANY, .rm = G(RD, S4), .reg = G(RD, S4), .kind = INSN_UNDEFINED)), /* ud0 */

    /* movsd movss movupd movups */
    [0x10] = ROWS(ROW(ANY, .rm = V(RD, SPS))),
    /* movsd movss movupd movups */
    [0x11] = ROWS(ROW(ANY, .rm = V(WR, SPS))),
    /* movhlps movlps movsldup movlpd movddup */
    [0x12] =
        ROWS(ROW(NP | PF3, .rm = V(RD, SMX)), ROW(P66 | MEM, .rm = M(RD, S8)), ROW(PF2, .rm = V(RD, S8))),
    /* movlpd movlps */
    [0x13] = ROWS(ROW(NP | P66 | MEM, .rm = M(WR, S8))),
    /* unpcklpd unpcklps unpckhpd unpckhps */
    [0x14 ... 0x15] = ROWS(ROW(NP | P66, .rm = V(RD, S16))),
    /* movhps movlhps movshdup movhpd */
    [0x16] = ROWS(ROW(NP | PF3, .rm = V(RD, SMX)), ROW(P66 | MEM, .rm = M(RD, S8))),
    /* movhpd movhps */
    [0x17] = ROWS(ROW(NP | P66 | MEM, .rm = M(WR, S8))),
    /* movapd movaps */
    [0x28] = ROWS(ROW(NP | P66, .rm = V(RD, S16))),
    /* movapd movaps */
    [0x29] = ROWS(ROW(NP | P66, .rm = V(WR, S16))),
    /* cvtpi2pd cvtpi2ps cvtsi2sd cvtsi2ss */
    [0x2a] = ROWS(ROW(NP | P66, .rm = V(RD, S8)), ROW(PF3 | PF2, .rm = G(RD, SY))),
    /* movntpd movntps movntsd movntss */
    [0x2b] = ROWS(ROW(MEM, .rm = M(WR, SPS))),
    /* cvttpd2pi cvttps2pi cvttsd2si cvttss2si cvtpd2pi cvtps2pi cvtsd2si cvtss2si */
    [0x2c ... 0x2d] =
        ROWS(ROW(NP | P66, .rm = V(RD, SMX)), ROW(PF3 | PF2, .rm = V(RD, SPS), .reg = G(WR, SY))),
    /* ucomiss ucomisd comiss comisd */
    [0x2e ... 0x2f] =
        ROWS(ROW(NP, .rm = V(RD, S4), .effect = E_STATUS), ROW(P66, .rm = V(RD, S8), .effect = E_STATUS)),
    /* movmskpd movmskps */
    [0x50] = ROWS(ROW(NP | P66 | REG, .reg = G(WR, SY))),
    /* sqrtpd sqrtps sqrtsd sqrtss */
    [0x51] = ROWS(ROW(ANY, .rm = V(RD, SPS))),
    /* rsqrtps rsqrtss rcpps rcpss */
    [0x52 ... 0x53] = ROWS(ROW(NP | PF3, .rm = V(RD, SPS))),
    /* andpd andps andnpd andnps orpd orps xorpd xorps */
    [0x54 ... 0x57] = ROWS(ROW(NP | P66, .rm = V(RD, S16))),
    /* addpd addps addsd addss mulpd mulps mulsd mulss */
    [0x58 ... 0x59] = ROWS(ROW(ANY, .rm = V(RD, SPS))),
    /* cvtpd2ps cvtps2pd cvtsd2ss cvtss2sd */
    [0x5a] = ROWS(ROW(NP | P66, .rm = V(RD, SMX)), ROW(PF3 | PF2, .rm = V(RD, SPS))),
    /* cvtdq2ps cvtps2dq cvttps2dq */
    [0x5b] = ROWS(ROW(NP | P66 | PF3, .rm = V(RD, S16))),
    /* subpd subps subsd subss minpd minps minsd minss divpd divps divsd divss maxpd maxps maxsd maxss */
    [0x5c ... 0x5f] = ROWS(ROW(ANY, .rm = V(RD, SPS))),
    /* punpcklbw punpcklwd punpckldq */
    [0x60 ... 0x62] = ROWS(ROW(NP, .rm = V(RD, S4)), ROW(P66, .rm = V(RD, S16))),
    /* packsswb pcmpgtb pcmpgtw pcmpgtd packuswb punpckhbw punpckhwd punpckhdq packssdw */
    [0x63 ... 0x6b] = ROWS(ROW(NP | P66, .rm = V(RD, SMX))),
    /* punpcklqdq punpckhqdq */
    [0x6c ... 0x6d] = ROWS(ROW(P66, .rm = V(RD, S16))),
    /* movd movq */
    [0x6e] = ROWS(ROW(NP | P66, .rm = G(RD, SY))),
    /* movdqa movdqu movq */
    [0x6f] = ROWS(ROW(NP | P66 | PF3, .rm = V(RD, SMX))),
    /* pshufd pshufhw pshuflw pshufw */
    [0x70] = ROWS(ROW(ANY, .rm = V(RD, SMX), .imm = IB)),
    /* psllw psraw psrlw pslld psrad psrld */
    [0x71 ... 0x72] = ROWS(ROW(NP | P66 | REG | X2 | X4 | X6, .imm = IB)),
    /* psllq psrlq pslldq psrldq */
    [0x73] = ROWS(ROW(NP | REG | X2 | X6, .imm = IB), ROW(P66 | REG | X2 | X3 | X6 | X7, .imm = IB)),
    /* pcmpeqb pcmpeqw pcmpeqd */
    [0x74 ... 0x76] = ROWS(ROW(NP | P66, .rm = V(RD, SMX))),
    /* emms */
    [0x77] = ROWS(ROW(NP, .flags = NO_MODRM)),
    /* vmread extrq insertq */
    [0x78] = ROWS(ROW(NP, .rm = G(WR, S8), .reg = G(RD, S8), .effect = E_STATUS, .kind = INSN_PRIVILEGED),
                  ROW(P66 | REG | X0, .imm = IBB), ROW(PF2 | REG, .imm = IBB)),
    /* vmwrite extrq insertq */
    [0x79] = ROWS(ROW(NP, .rm = G(RD, S8), .reg = G(RD, S8), .effect = E_STATUS, .kind = INSN_PRIVILEGED),
                  ROW(P66 | PF2 | REG)),
    /* haddpd haddps hsubpd hsubps */
    [0x7c ... 0x7d] = ROWS(ROW(P66 | PF2, .rm = V(RD, S16))),
    /* movd movq */
    [0x7e] = ROWS(ROW(NP | P66, .rm = G(WR, SY)), ROW(PF3, .rm = V(RD, S8))),
    /* movdqa movdqu movq */
    [0x7f] = ROWS(ROW(NP | P66 | PF3, .rm = V(WR, SMX))),
    /* cmppd cmpps cmpsd cmpss */
    [0xc2] = ROWS(ROW(ANY, .rm = V(RD, SPS), .imm = IB)),
    /* movnti */
    [0xc3] = ROWS(ROW(NP | MEM, .rm = M(WR, SY), .reg = G(RD, SY))),
    /* pinsrw */
    [0xc4] = ROWS(ROW(NP | P66, .rm = GW(RD, S2), .imm = IB)),
    /* pextrw */
    [0xc5] = ROWS(ROW(NP | P66 | REG, .reg = G(WR, S4), .imm = IB)),
    /* shufpd shufps */
    [0xc6] = ROWS(ROW(NP | P66, .rm = V(RD, S16), .imm = IB)),
    /* addsubpd addsubps */
    [0xd0] = ROWS(ROW(P66 | PF2, .rm = V(RD, S16))),
    /* psrlw psrld psrlq paddq pmullw */
    [0xd1 ... 0xd5] = ROWS(ROW(NP | P66, .rm = V(RD, SMX))),
    /* movq movdq2q movq2dq */
    [0xd6] = ROWS(ROW(P66, .rm = V(WR, S8)), ROW(PF3 | PF2 | REG)),
    /* pmovmskb */
    [0xd7] = ROWS(ROW(NP | P66 | REG, .reg = G(WR, S4))),
    /* psubusb psubusw pminub pand paddusb paddusw pmaxub pandn pavgb psraw psrad pavgw pmulhuw pmulhw */
    [0xd8 ... 0xe5] = ROWS(ROW(NP | P66, .rm = V(RD, SMX))),
    /* cvtpd2dq cvttpd2dq cvtdq2pd */
    [0xe6] = ROWS(ROW(P66 | PF2, .rm = V(RD, S16)), ROW(PF3, .rm = V(RD, S8))),
    /* movntdq movntq */
    [0xe7] = ROWS(ROW(NP | P66 | MEM, .rm = M(WR, SMX))),
    /* psubsb psubsw pminsw por paddsb paddsw pmaxsw pxor */
    [0xe8 ... 0xef] = ROWS(ROW(NP | P66, .rm = V(RD, SMX))),
    /* lddqu */
    [0xf0] = ROWS(ROW(PF2 | MEM, .rm = M(RD, S16))),
    /* psllw pslld psllq pmuludq pmaddwd psadbw */
    [0xf1 ... 0xf6] = ROWS(ROW(NP | P66, .rm = V(RD, SMX))),
    /* maskmovq maskmovdqu */
    [0xf7] = ROWS(ROW(NP | P66 | REG, .rm = V(NO, SMX), .flags = STR_DST)),
    /* psubb psubw psubd psubq paddb paddw paddd */
    [0xf8 ... 0xfe] = ROWS(ROW(NP | P66, .rm = V(RD, SMX))),
};
