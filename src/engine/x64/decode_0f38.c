/* decode_0f38.c: the legacy three-byte opcodes, 0F 38 xx and 0F 3A xx: SSSE3, SSE4, AES, SHA, movbe, crc32
 * and their like. The notation is explained in decode_tables.h. */
#include "engine/x64/decode_tables.h"

x64_map x64_legacy_0f38 = {
    /* pshufb phaddw phaddd phaddsw pmaddubsw phsubw phsubd phsubsw psignb psignw psignd pmulhrsw */
    [0x00 ... 0x0b] = ROWS(ROW(NP | P66, .rm = V(RD, SMX))),
    /* pblendvb */
    [0x10] = ROWS(ROW(P66, .rm = V(RD, S16))),
    /* blendvps blendvpd */
    [0x14 ... 0x15] = ROWS(ROW(P66, .rm = V(RD, S16))),
    /* ptest */
    [0x17] = ROWS(ROW(P66, .rm = V(RD, S16), .effect = E_STATUS)),
    /* pabsb pabsw pabsd */
    [0x1c ... 0x1e] = ROWS(ROW(NP | P66, .rm = V(RD, SMX))),
    /* pmovsxbw */
    [0x20] = ROWS(ROW(P66, .rm = V(RD, S8))),
    /* pmovsxbd */
    [0x21] = ROWS(ROW(P66, .rm = V(RD, S4))),
    /* pmovsxbq */
    [0x22] = ROWS(ROW(P66, .rm = V(RD, S2))),
    /* pmovsxwd */
    [0x23] = ROWS(ROW(P66, .rm = V(RD, S8))),
    /* pmovsxwq */
    [0x24] = ROWS(ROW(P66, .rm = V(RD, S4))),
    /* pmovsxdq */
    [0x25] = ROWS(ROW(P66, .rm = V(RD, S8))),
    /* pmuldq pcmpeqq */
    [0x28 ... 0x29] = ROWS(ROW(P66, .rm = V(RD, S16))),
    /* movntdqa */
    [0x2a] = ROWS(ROW(P66 | MEM, .rm = M(RD, S16))),
    /* packusdw */
    [0x2b] = ROWS(ROW(P66, .rm = V(RD, S16))),
    /* pmovzxbw */
    [0x30] = ROWS(ROW(P66, .rm = V(RD, S8))),
    /* pmovzxbd */
    [0x31] = ROWS(ROW(P66, .rm = V(RD, S4))),
    /* pmovzxbq */
    [0x32] = ROWS(ROW(P66, .rm = V(RD, S2))),
    /* pmovzxwd */
    [0x33] = ROWS(ROW(P66, .rm = V(RD, S8))),
    /* pmovzxwq */
    [0x34] = ROWS(ROW(P66, .rm = V(RD, S4))),
    /* pmovzxdq */
    [0x35] = ROWS(ROW(P66, .rm = V(RD, S8))),
    /* pcmpgtq pminsb pminsd pminuw pminud pmaxsb pmaxsd pmaxuw pmaxud pmulld phminposuw */
    [0x37 ... 0x41] = ROWS(ROW(P66, .rm = V(RD, S16))),
    /* invept invvpid */
    [0x80 ... 0x81] =
        ROWS(ROW(P66 | MEM, .rm = M(RD, S16), .reg = G(RD, S8), .effect = E_STATUS, .kind = INSN_PRIVILEGED)),
    /* invpcid */
    [0x82] = ROWS(ROW(P66 | MEM, .rm = M(RD, S16), .reg = G(RD, S8), .kind = INSN_PRIVILEGED)),
    /* sha1nexte sha1msg1 sha1msg2 sha256rnds2 sha256msg1 sha256msg2 */
    [0xc8 ... 0xcd] = ROWS(ROW(NP, .rm = V(RD, S16))),
    /* gf2p8mulb */
    [0xcf] = ROWS(ROW(P66, .rm = V(RD, S16))),
    /* aesdecwide128kl aesencwide128kl aesdecwide256kl aesencwide256kl */
    [0xd8] = ROWS(ROW(PF3 | MEM | X0 | X1, .rm = M(RD, S48), .effect = E_STATUS),
                  ROW(PF3 | MEM | X2 | X3, .rm = M(RD, S64), .effect = E_STATUS)),
    /* aesimc */
    [0xdb] = ROWS(ROW(P66, .rm = V(RD, S16))),
    /* aesenc loadiwkey aesenc128kl */
    [0xdc] =
        ROWS(ROW(P66, .rm = V(RD, S16)), ROW(PF3 | REG, .effect = E_READ_A_STATUS, .kind = INSN_PRIVILEGED),
             ROW(PF3 | MEM, .rm = M(RD, S48), .effect = E_STATUS)),
    /* aesenclast aesdec128kl */
    [0xdd] = ROWS(ROW(P66, .rm = V(RD, S16)), ROW(PF3 | MEM, .rm = M(RD, S48), .effect = E_STATUS)),
    /* aesdec aesenc256kl aesdeclast aesdec256kl */
    [0xde ... 0xdf] = ROWS(ROW(P66, .rm = V(RD, S16)), ROW(PF3 | MEM, .rm = M(RD, S64), .effect = E_STATUS)),
    /* movbe crc32 */
    [0xf0] = ROWS(ROW(NP | MEM, .rm = M(RD, SY), .reg = G(WR, SY)),
                  ROW(P66 | W0 | MEM, .rm = M(RD, S2), .reg = G(WR, S2)),
                  ROW(P66 | W1 | MEM, .rm = M(RD, S8), .reg = G(WR, S8)),
                  ROW(PF2, .rm = G(RD, S1), .reg = G(RW, SY))),
    /* movbe crc32 */
    [0xf1] = ROWS(ROW(NP | MEM, .rm = M(WR, SY), .reg = G(RD, SY)),
                  ROW(P66 | W0 | MEM, .rm = M(WR, S2), .reg = G(RD, S2)),
                  ROW(P66 | W1 | MEM, .rm = M(WR, S8), .reg = G(RD, S8)),
                  ROW(PF2, .rm = G(RD, SV), .reg = G(RW, SY))),
    /* wrussd wrussq */
    [0xf5] = ROWS(ROW(P66 | MEM, .rm = M(WR, SY), .reg = G(RD, SY), .kind = INSN_PRIVILEGED)),
    /* wrssd wrssq adcx adox */
    [0xf6] = ROWS(ROW(NP | MEM, .rm = M(WR, SY), .reg = G(RD, SY)),
                  ROW(P66, .rm = G(RD, SY), .reg = G(RW, SY), .effect = E_ADCX),
                  ROW(PF3, .rm = G(RD, SY), .reg = G(RW, SY), .effect = E_ADOX)),
    /* movdir64b enqcmd enqcmds */
    [0xf8] = ROWS(
        ROW(P66 | MEM, .rm = M(RD, S64), .reg = G(RD, S8), .kind = INSN_MOVDIR64B),
        ROW(PF3 | PF2 | MEM, .rm = M(RD, S64), .reg = G(RD, S8), .effect = E_STATUS, .kind = INSN_MOVDIR64B)),
    /* movdiri */
    [0xf9] = ROWS(ROW(NP | MEM, .rm = M(WR, SY), .reg = G(RD, SY))),
    /* encodekey128 encodekey256 */
    [0xfa ... 0xfb] = ROWS(ROW(PF3 | REG, .rm = G(RD, S4), .reg = G(WR, S4), .effect = E_STATUS)),
    /* aadd aand aor axor: locked by nature */
    [0xfc] = ROWS(ROW(MEM, .rm = M(RW, SY), .reg = G(RD, SY), .flags = ATOMIC)),
};

x64_map x64_legacy_0f3a = {
    /* roundps roundpd */
    [0x08 ... 0x09] = ROWS(ROW(P66, .rm = V(RD, S16), .imm = IB)),
    /* roundss */
    [0x0a] = ROWS(ROW(P66, .rm = V(RD, S4), .imm = IB)),
    /* roundsd */
    [0x0b] = ROWS(ROW(P66, .rm = V(RD, S8), .imm = IB)),
    /* blendps blendpd pblendw */
    [0x0c ... 0x0e] = ROWS(ROW(P66, .rm = V(RD, S16), .imm = IB)),
    /* palignr */
    [0x0f] = ROWS(ROW(NP | P66, .rm = V(RD, SMX), .imm = IB)),
    /* pextrb */
    [0x14] = ROWS(ROW(P66, .rm = GW(WR, S1), .imm = IB)),
    /* pextrw */
    [0x15] = ROWS(ROW(P66, .rm = GW(WR, S2), .imm = IB)),
    /* pextrd pextrq */
    [0x16] = ROWS(ROW(P66, .rm = G(WR, SY), .imm = IB)),
    /* extractps */
    [0x17] = ROWS(ROW(P66, .rm = G(WR, S4), .imm = IB)),
    /* pinsrb */
    [0x20] = ROWS(ROW(P66, .rm = GW(RD, S1), .imm = IB)),
    /* insertps */
    [0x21] = ROWS(ROW(P66, .rm = V(RD, S4), .imm = IB)),
    /* pinsrd pinsrq */
    [0x22] = ROWS(ROW(P66, .rm = G(RD, SY), .imm = IB)),
    /* dpps dppd mpsadbw */
    [0x40 ... 0x42] = ROWS(ROW(P66, .rm = V(RD, S16), .imm = IB)),
    /* pclmulqdq */
    [0x44] = ROWS(ROW(P66, .rm = V(RD, S16), .imm = IB)),
    /* pcmpestrm */
    [0x60] = ROWS(ROW(P66, .rm = V(RD, S16), .imm = IB, .effect = E_PCMPESTRM)),
    /* pcmpestri */
    [0x61] = ROWS(ROW(P66, .rm = V(RD, S16), .imm = IB, .effect = E_PCMPESTRI)),
    /* pcmpistrm */
    [0x62] = ROWS(ROW(P66, .rm = V(RD, S16), .imm = IB, .effect = E_STATUS)),
    /* pcmpistri */
    [0x63] = ROWS(ROW(P66, .rm = V(RD, S16), .imm = IB, .effect = E_PCMPISTRI)),
    /* sha1rnds4 */
    [0xcc] = ROWS(ROW(NP, .rm = V(RD, S16), .imm = IB)),
    /* gf2p8affineqb gf2p8affineinvqb */
    [0xce ... 0xcf] = ROWS(ROW(P66, .rm = V(RD, S16), .imm = IB)),
    /* aeskeygenassist */
    [0xdf] = ROWS(ROW(P66, .rm = V(RD, S16), .imm = IB)),
    /* hreset */
    [0xf0] = ROWS(ROW(PF3 | REG | X0 | M0, .imm = IB, .effect = E_READ_A, .kind = INSN_PRIVILEGED)),
};
