/* decode_evex.c: the EVEX maps 0F and 0F 3A, and 5 and 6 (half precision): AVX-512. The largest map,
 * 0F 38, is in decode_evex38.c. The notation is explained in decode_tables.h. */
#include "engine/x64/decode_tables.h"

x64_map x64_evex_0f = {
    /* vmovups vmovupd vmovss vmovsd */
    [0x10] = ROWS(
        ROW(NP | W0, .rm = V(RD, SVL), .flags = KZ), ROW(P66 | W1, .rm = V(RD, SVL), .flags = KZ),
        ROW(PF3 | W0 | REG, .vvvv = V_VEC, .flags = KZ), ROW(PF3 | W0 | MEM, .rm = M(RD, S4), .flags = KZ),
        ROW(PF2 | W1 | REG, .vvvv = V_VEC, .flags = KZ), ROW(PF2 | W1 | MEM, .rm = M(RD, S8), .flags = KZ)),
    /* vmovups vmovupd vmovss vmovsd */
    [0x11] = ROWS(
        ROW(NP | W0, .rm = V(WR, SVL), .flags = KZ), ROW(P66 | W1, .rm = V(WR, SVL), .flags = KZ),
        ROW(PF3 | W0 | REG, .vvvv = V_VEC, .flags = KZ), ROW(PF3 | W0 | MEM, .rm = M(WR, S4), .flags = KM),
        ROW(PF2 | W1 | REG, .vvvv = V_VEC, .flags = KZ), ROW(PF2 | W1 | MEM, .rm = M(WR, S8), .flags = KM)),
    /* vmovhlps vmovlps vmovlpd vmovsldup vmovddup */
    [0x12] =
        ROWS(ROW(NP | W0 | L128, .rm = V(RD, S8), .vvvv = V_VEC),
             ROW(P66 | W1 | L128 | MEM, .rm = M(RD, S8), .vvvv = V_VEC),
             ROW(PF3 | W0, .rm = V(RD, SVL), .flags = KZ), ROW(PF2 | W1 | L128, .rm = V(RD, S8), .flags = KZ),
             ROW(PF2 | W1 | L256 | L512, .rm = V(RD, SVL), .flags = KZ)),
    /* vmovlps vmovlpd */
    [0x13] = ROWS(ROW(NP | W0 | L128 | MEM, .rm = M(WR, S8)), ROW(P66 | W1 | L128 | MEM, .rm = M(WR, S8))),
    /* vunpcklps vunpcklpd vunpckhps vunpckhpd */
    [0x14 ... 0x15] = ROWS(ROW(NP | W0, .rm = V(RD, SVL), .vvvv = V_VEC, .flags = KZ | BC(S4)),
                           ROW(P66 | W1, .rm = V(RD, SVL), .vvvv = V_VEC, .flags = KZ | BC(S8))),
    /* vmovhps vmovlhps vmovhpd vmovshdup */
    [0x16] = ROWS(ROW(NP | W0 | L128, .rm = V(RD, S8), .vvvv = V_VEC),
                  ROW(P66 | W1 | L128 | MEM, .rm = M(RD, S8), .vvvv = V_VEC),
                  ROW(PF3 | W0, .rm = V(RD, SVL), .flags = KZ)),
    /* vmovhps vmovhpd */
    [0x17] = ROWS(ROW(NP | W0 | L128 | MEM, .rm = M(WR, S8)), ROW(P66 | W1 | L128 | MEM, .rm = M(WR, S8))),
    /* vmovaps vmovapd */
    [0x28] = ROWS(ROW(NP | W0, .rm = V(RD, SVL), .flags = KZ), ROW(P66 | W1, .rm = V(RD, SVL), .flags = KZ)),
    /* vmovaps vmovapd */
    [0x29] = ROWS(ROW(NP | W0, .rm = V(WR, SVL), .flags = KZ), ROW(P66 | W1, .rm = V(WR, SVL), .flags = KZ)),
    /* vcvtsi2sd vcvtsi2ss */
    [0x2a] = ROWS(ROW(PF3 | PF2, .rm = G(RD, SY), .vvvv = V_VEC, .flags = RC)),
    /* vmovntps vmovntpd */
    [0x2b] = ROWS(ROW(NP | W0 | MEM, .rm = M(WR, SVL)), ROW(P66 | W1 | MEM, .rm = M(WR, SVL))),
    /* vcvttsd2si vcvttss2si vcvtsd2si vcvtss2si */
    [0x2c ... 0x2d] = ROWS(ROW(PF3 | PF2, .rm = V(RD, SPS), .reg = G(WR, SY), .flags = RC)),
    /* vucomiss vucomisd vcomiss vcomisd */
    [0x2e ... 0x2f] = ROWS(ROW(NP | W0, .rm = V(RD, S4), .effect = E_STATUS, .flags = RC),
                           ROW(P66 | W1, .rm = V(RD, S8), .effect = E_STATUS, .flags = RC)),
    /* vsqrtps vsqrtpd vsqrtss vsqrtsd */
    [0x51] = ROWS(ROW(NP | W0, .rm = V(RD, SVL), .flags = KZ | BC(S4) | RC),
                  ROW(P66 | W1, .rm = V(RD, SVL), .flags = KZ | BC(S8) | RC),
                  ROW(PF3 | W0, .rm = V(RD, S4), .vvvv = V_VEC, .flags = KZ | RC),
                  ROW(PF2 | W1, .rm = V(RD, S8), .vvvv = V_VEC, .flags = KZ | RC)),
    /* vandps vandpd vandnps vandnpd vorps vorpd vxorps vxorpd */
    [0x54 ... 0x57] = ROWS(ROW(NP | W0, .rm = V(RD, SVL), .vvvv = V_VEC, .flags = KZ | BC(S4)),
                           ROW(P66 | W1, .rm = V(RD, SVL), .vvvv = V_VEC, .flags = KZ | BC(S8))),
    /* vaddps vaddpd vaddss vaddsd vmulps vmulpd vmulss vmulsd */
    [0x58 ... 0x59] = ROWS(ROW(NP | W0, .rm = V(RD, SVL), .vvvv = V_VEC, .flags = KZ | BC(S4) | RC),
                           ROW(P66 | W1, .rm = V(RD, SVL), .vvvv = V_VEC, .flags = KZ | BC(S8) | RC),
                           ROW(PF3 | W0, .rm = V(RD, S4), .vvvv = V_VEC, .flags = KZ | RC),
                           ROW(PF2 | W1, .rm = V(RD, S8), .vvvv = V_VEC, .flags = KZ | RC)),
    /* vcvtps2pd vcvtpd2ps vcvtss2sd vcvtsd2ss */
    [0x5a] = ROWS(ROW(NP | W0, .rm = V(RD, SVL2), .flags = KZ | BC(S4) | RC),
                  ROW(P66 | W1, .rm = V(RD, SVL), .flags = KZ | BC(S8) | RC),
                  ROW(PF3 | W0, .rm = V(RD, S4), .vvvv = V_VEC, .flags = KZ | RC),
                  ROW(PF2 | W1, .rm = V(RD, S8), .vvvv = V_VEC, .flags = KZ | RC)),
    /* vcvtdq2ps vcvtqq2ps vcvtps2dq vcvttps2dq */
    [0x5b] = ROWS(ROW(NP, .rm = V(RD, SVL), .flags = KZ | BC(SY) | RC),
                  ROW(P66 | PF3 | W0, .rm = V(RD, SVL), .flags = KZ | BC(S4) | RC)),
    /* vsubps vsubpd vsubss vsubsd vminps vminpd vminss vminsd vdivps vdivpd vdivss vdivsd vmaxps vmaxpd */
    /* vmaxss vmaxsd */
    [0x5c ... 0x5f] = ROWS(ROW(NP | W0, .rm = V(RD, SVL), .vvvv = V_VEC, .flags = KZ | BC(S4) | RC),
                           ROW(P66 | W1, .rm = V(RD, SVL), .vvvv = V_VEC, .flags = KZ | BC(S8) | RC),
                           ROW(PF3 | W0, .rm = V(RD, S4), .vvvv = V_VEC, .flags = KZ | RC),
                           ROW(PF2 | W1, .rm = V(RD, S8), .vvvv = V_VEC, .flags = KZ | RC)),
    /* vpunpcklbw vpunpcklwd */
    [0x60 ... 0x61] = ROWS(ROW(P66, .rm = V(RD, SVL), .vvvv = V_VEC, .flags = KZ)),
    /* vpunpckldq */
    [0x62] = ROWS(ROW(P66 | W0, .rm = V(RD, SVL), .vvvv = V_VEC, .flags = KZ | BC(S4))),
    /* vpacksswb */
    [0x63] = ROWS(ROW(P66, .rm = V(RD, SVL), .vvvv = V_VEC, .flags = KZ)),
    /* vpcmpgtb vpcmpgtw */
    [0x64 ... 0x65] = ROWS(ROW(P66, .rm = V(RD, SVL), .reg = MASK, .vvvv = V_VEC, .flags = KM)),
    /* vpcmpgtd */
    [0x66] = ROWS(ROW(P66 | W0, .rm = V(RD, SVL), .reg = MASK, .vvvv = V_VEC, .flags = KM | BC(S4))),
    /* vpackuswb vpunpckhbw vpunpckhwd */
    [0x67 ... 0x69] = ROWS(ROW(P66, .rm = V(RD, SVL), .vvvv = V_VEC, .flags = KZ)),
    /* vpunpckhdq vpackssdw */
    [0x6a ... 0x6b] = ROWS(ROW(P66 | W0, .rm = V(RD, SVL), .vvvv = V_VEC, .flags = KZ | BC(S4))),
    /* vpunpcklqdq vpunpckhqdq */
    [0x6c ... 0x6d] = ROWS(ROW(P66 | W1, .rm = V(RD, SVL), .vvvv = V_VEC, .flags = KZ | BC(S8))),
    /* vmovd vmovq */
    [0x6e] = ROWS(ROW(P66 | L128, .rm = G(RD, SY))),
    /* vmovdqa32 vmovdqa64 vmovdqu16 vmovdqu32 vmovdqu64 vmovdqu8 */
    [0x6f] = ROWS(ROW(P66 | PF3 | PF2, .rm = V(RD, SVL), .flags = KZ)),
    /* vpshufd vpshufhw vpshuflw */
    [0x70] = ROWS(ROW(P66 | W0, .rm = V(RD, SVL), .imm = IB, .flags = KZ | BC(S4)),
                  ROW(PF3 | PF2, .rm = V(RD, SVL), .imm = IB, .flags = KZ)),
    /* vpsllw vpsraw vpsrlw */
    [0x71] = ROWS(ROW(P66 | X2 | X4 | X6, .rm = V(RD, SVL), .vvvv = V_VEC, .imm = IB, .flags = KZ)),
    /* vprold vprord vpslld vpsrad vpsrld vprolq vprorq vpsraq */
    [0x72] =
        ROWS(ROW(P66 | W0 | X0 | X1 | X2 | X4 | X6, .rm = V(RD, SVL), .vvvv = V_VEC, .imm = IB,
                 .flags = KZ | BC(S4)),
             ROW(P66 | W1 | X0 | X1 | X4, .rm = V(RD, SVL), .vvvv = V_VEC, .imm = IB, .flags = KZ | BC(S8))),
    /* vpslldq vpsrldq vpsllq vpsrlq */
    [0x73] = ROWS(ROW(P66 | X3 | X7, .rm = V(RD, SVL), .vvvv = V_VEC, .imm = IB),
                  ROW(P66 | W1 | X2 | X6, .rm = V(RD, SVL), .vvvv = V_VEC, .imm = IB, .flags = KZ | BC(S8))),
    /* vpcmpeqb vpcmpeqw */
    [0x74 ... 0x75] = ROWS(ROW(P66, .rm = V(RD, SVL), .reg = MASK, .vvvv = V_VEC, .flags = KM)),
    /* vpcmpeqd */
    [0x76] = ROWS(ROW(P66 | W0, .rm = V(RD, SVL), .reg = MASK, .vvvv = V_VEC, .flags = KM | BC(S4))),
    /* vcvttpd2udq vcvttps2udq vcvttps2uqq vcvttpd2uqq vcvttsd2usi vcvttss2usi vcvtpd2udq vcvtps2udq */
    /* vcvtps2uqq vcvtpd2uqq vcvtsd2usi vcvtss2usi */
    [0x78 ... 0x79] = ROWS(ROW(NP, .rm = V(RD, SVL), .flags = KZ | BC(SY) | RC),
                           ROW(P66 | W0, .rm = V(RD, SVL2), .flags = KZ | BC(S4) | RC),
                           ROW(P66 | W1, .rm = V(RD, SVL), .flags = KZ | BC(S8) | RC),
                           ROW(PF3 | PF2, .rm = V(RD, SPS), .reg = G(WR, SY), .flags = RC)),
    /* vcvttps2qq vcvtudq2pd vcvttpd2qq vcvtuqq2pd vcvtudq2ps vcvtuqq2ps */
    [0x7a] = ROWS(ROW(P66 | PF3 | W0, .rm = V(RD, SVL2), .flags = KZ | BC(S4) | RC),
                  ROW(P66 | PF3 | W1, .rm = V(RD, SVL), .flags = KZ | BC(S8) | RC),
                  ROW(PF2, .rm = V(RD, SVL), .flags = KZ | BC(SY) | RC)),
    /* vcvtps2qq vcvtpd2qq vcvtusi2sd vcvtusi2ss */
    [0x7b] = ROWS(ROW(P66 | W0, .rm = V(RD, SVL2), .flags = KZ | BC(S4) | RC),
                  ROW(P66 | W1, .rm = V(RD, SVL), .flags = KZ | BC(S8) | RC),
                  ROW(PF3 | PF2, .rm = G(RD, SY), .vvvv = V_VEC, .flags = RC)),
    /* vmovd vmovq */
    [0x7e] = ROWS(ROW(P66 | L128, .rm = G(WR, SY)), ROW(PF3 | W1 | L128, .rm = V(RD, S8))),
    /* vmovdqa32 vmovdqa64 vmovdqu16 vmovdqu32 vmovdqu64 vmovdqu8 */
    [0x7f] = ROWS(ROW(P66 | PF3 | PF2, .rm = V(WR, SVL), .flags = KZ)),
    /* vcmpps vcmppd vcmpss vcmpsd */
    [0xc2] = ROWS(
        ROW(NP | W0, .rm = V(RD, SVL), .reg = MASK, .vvvv = V_VEC, .imm = IB, .flags = KM | BC(S4) | RC),
        ROW(P66 | W1, .rm = V(RD, SVL), .reg = MASK, .vvvv = V_VEC, .imm = IB, .flags = KM | BC(S8) | RC),
        ROW(PF3 | W0, .rm = V(RD, S4), .reg = MASK, .vvvv = V_VEC, .imm = IB, .flags = KM | RC),
        ROW(PF2 | W1, .rm = V(RD, S8), .reg = MASK, .vvvv = V_VEC, .imm = IB, .flags = KM | RC)),
    /* vpinsrw */
    [0xc4] = ROWS(ROW(P66 | L128, .rm = GW(RD, S2), .vvvv = V_VEC, .imm = IB)),
    /* vpextrw */
    [0xc5] = ROWS(ROW(P66 | L128 | REG, .reg = G(WR, S4), .imm = IB)),
    /* vshufps vshufpd */
    [0xc6] = ROWS(ROW(NP | W0, .rm = V(RD, SVL), .vvvv = V_VEC, .imm = IB, .flags = KZ | BC(S4)),
                  ROW(P66 | W1, .rm = V(RD, SVL), .vvvv = V_VEC, .imm = IB, .flags = KZ | BC(S8))),
    /* vpsrlw */
    [0xd1] = ROWS(ROW(P66, .rm = V(RD, S16), .vvvv = V_VEC, .flags = KZ)),
    /* vpsrld */
    [0xd2] = ROWS(ROW(P66 | W0, .rm = V(RD, S16), .vvvv = V_VEC, .flags = KZ)),
    /* vpsrlq */
    [0xd3] = ROWS(ROW(P66 | W1, .rm = V(RD, S16), .vvvv = V_VEC, .flags = KZ)),
    /* vpaddq */
    [0xd4] = ROWS(ROW(P66 | W1, .rm = V(RD, SVL), .vvvv = V_VEC, .flags = KZ | BC(S8))),
    /* vpmullw */
    [0xd5] = ROWS(ROW(P66, .rm = V(RD, SVL), .vvvv = V_VEC, .flags = KZ)),
    /* vmovq */
    [0xd6] = ROWS(ROW(P66 | W1 | L128, .rm = V(WR, S8))),
    /* vpsubusb vpsubusw vpminub */
    [0xd8 ... 0xda] = ROWS(ROW(P66, .rm = V(RD, SVL), .vvvv = V_VEC, .flags = KZ)),
    /* vpandd vpandq */
    [0xdb] = ROWS(ROW(P66, .rm = V(RD, SVL), .vvvv = V_VEC, .flags = KZ | BC(SY))),
    /* vpaddusb vpaddusw vpmaxub */
    [0xdc ... 0xde] = ROWS(ROW(P66, .rm = V(RD, SVL), .vvvv = V_VEC, .flags = KZ)),
    /* vpandnd vpandnq */
    [0xdf] = ROWS(ROW(P66, .rm = V(RD, SVL), .vvvv = V_VEC, .flags = KZ | BC(SY))),
    /* vpavgb */
    [0xe0] = ROWS(ROW(P66, .rm = V(RD, SVL), .vvvv = V_VEC, .flags = KZ)),
    /* vpsraw vpsrad vpsraq */
    [0xe1 ... 0xe2] = ROWS(ROW(P66, .rm = V(RD, S16), .vvvv = V_VEC, .flags = KZ)),
    /* vpavgw vpmulhuw vpmulhw */
    [0xe3 ... 0xe5] = ROWS(ROW(P66, .rm = V(RD, SVL), .vvvv = V_VEC, .flags = KZ)),
    /* vcvtpd2dq vcvtqq2pd vcvttpd2dq vcvtdq2pd */
    [0xe6] = ROWS(ROW(P66 | PF3 | PF2 | W1, .rm = V(RD, SVL), .flags = KZ | BC(S8) | RC),
                  ROW(PF3 | W0, .rm = V(RD, SVL2), .flags = KZ | BC(S4) | RC)),
    /* vmovntdq */
    [0xe7] = ROWS(ROW(P66 | W0 | MEM, .rm = M(WR, SVL))),
    /* vpsubsb vpsubsw vpminsw */
    [0xe8 ... 0xea] = ROWS(ROW(P66, .rm = V(RD, SVL), .vvvv = V_VEC, .flags = KZ)),
    /* vpord vporq */
    [0xeb] = ROWS(ROW(P66, .rm = V(RD, SVL), .vvvv = V_VEC, .flags = KZ | BC(SY))),
    /* vpaddsb vpaddsw vpmaxsw */
    [0xec ... 0xee] = ROWS(ROW(P66, .rm = V(RD, SVL), .vvvv = V_VEC, .flags = KZ)),
    /* vpxord vpxorq */
    [0xef] = ROWS(ROW(P66, .rm = V(RD, SVL), .vvvv = V_VEC, .flags = KZ | BC(SY))),
    /* vpsllw */
    [0xf1] = ROWS(ROW(P66, .rm = V(RD, S16), .vvvv = V_VEC, .flags = KZ)),
    /* vpslld */
    [0xf2] = ROWS(ROW(P66 | W0, .rm = V(RD, S16), .vvvv = V_VEC, .flags = KZ)),
    /* vpsllq */
    [0xf3] = ROWS(ROW(P66 | W1, .rm = V(RD, S16), .vvvv = V_VEC, .flags = KZ)),
    /* vpmuludq */
    [0xf4] = ROWS(ROW(P66 | W1, .rm = V(RD, SVL), .vvvv = V_VEC, .flags = KZ | BC(S8))),
    /* vpmaddwd */
    [0xf5] = ROWS(ROW(P66, .rm = V(RD, SVL), .vvvv = V_VEC, .flags = KZ)),
    /* vpsadbw */
    [0xf6] = ROWS(ROW(P66, .rm = V(RD, SVL), .vvvv = V_VEC)),
    /* vpsubb vpsubw */
    [0xf8 ... 0xf9] = ROWS(ROW(P66, .rm = V(RD, SVL), .vvvv = V_VEC, .flags = KZ)),
    /* vpsubd */
    [0xfa] = ROWS(ROW(P66 | W0, .rm = V(RD, SVL), .vvvv = V_VEC, .flags = KZ | BC(S4))),
    /* vpsubq */
    [0xfb] = ROWS(ROW(P66 | W1, .rm = V(RD, SVL), .vvvv = V_VEC, .flags = KZ | BC(S8))),
    /* vpaddb vpaddw */
    [0xfc ... 0xfd] = ROWS(ROW(P66, .rm = V(RD, SVL), .vvvv = V_VEC, .flags = KZ)),
    /* vpaddd */
    [0xfe] = ROWS(ROW(P66 | W0, .rm = V(RD, SVL), .vvvv = V_VEC, .flags = KZ | BC(S4))),
};

x64_map x64_evex_0f3a = {
    /* vpermq vpermpd */
    [0x00 ... 0x01] = ROWS(ROW(P66 | W1 | L256 | L512, .rm = V(RD, SVL), .imm = IB, .flags = KZ | BC(S8))),
    /* valignd valignq */
    [0x03] = ROWS(ROW(P66, .rm = V(RD, SVL), .vvvv = V_VEC, .imm = IB, .flags = KZ | BC(SY))),
    /* vpermilps */
    [0x04] = ROWS(ROW(P66 | W0, .rm = V(RD, SVL), .imm = IB, .flags = KZ | BC(S4))),
    /* vpermilpd */
    [0x05] = ROWS(ROW(P66 | W1, .rm = V(RD, SVL), .imm = IB, .flags = KZ | BC(S8))),
    /* vrndscaleph vrndscaleps */
    [0x08] = ROWS(ROW(NP | W0, .rm = V(RD, SVL), .imm = IB, .flags = KZ | BC(S2) | RC),
                  ROW(P66 | W0, .rm = V(RD, SVL), .imm = IB, .flags = KZ | BC(S4) | RC)),
    /* vrndscalepd */
    [0x09] = ROWS(ROW(P66 | W1, .rm = V(RD, SVL), .imm = IB, .flags = KZ | BC(S8) | RC)),
    /* vrndscalesh vrndscaless */
    [0x0a] = ROWS(ROW(NP | W0, .rm = V(RD, S2), .vvvv = V_VEC, .imm = IB, .flags = KZ | RC),
                  ROW(P66 | W0, .rm = V(RD, S4), .vvvv = V_VEC, .imm = IB, .flags = KZ | RC)),
    /* vrndscalesd */
    [0x0b] = ROWS(ROW(P66 | W1, .rm = V(RD, S8), .vvvv = V_VEC, .imm = IB, .flags = KZ | RC)),
    /* vpalignr */
    [0x0f] = ROWS(ROW(P66, .rm = V(RD, SVL), .vvvv = V_VEC, .imm = IB, .flags = KZ)),
    /* vpextrb */
    [0x14] = ROWS(ROW(P66 | L128, .rm = GW(WR, S1), .imm = IB)),
    /* vpextrw */
    [0x15] = ROWS(ROW(P66 | L128, .rm = GW(WR, S2), .imm = IB)),
    /* vpextrd vpextrq */
    [0x16] = ROWS(ROW(P66 | L128, .rm = G(WR, SY), .imm = IB)),
    /* vextractps */
    [0x17] = ROWS(ROW(P66 | L128, .rm = G(WR, S4), .imm = IB)),
    /* vinsertf32x4 vinsertf64x2 */
    [0x18] = ROWS(ROW(P66 | L256 | L512, .rm = V(RD, S16), .vvvv = V_VEC, .imm = IB, .flags = KZ)),
    /* vextractf32x4 vextractf64x2 */
    [0x19] = ROWS(ROW(P66 | L256 | L512, .rm = V(WR, S16), .imm = IB, .flags = KZ)),
    /* vinsertf32x8 vinsertf64x4 */
    [0x1a] = ROWS(ROW(P66 | L512, .rm = V(RD, S32), .vvvv = V_VEC, .imm = IB, .flags = KZ)),
    /* vextractf32x8 vextractf64x4 */
    [0x1b] = ROWS(ROW(P66 | L512, .rm = V(WR, S32), .imm = IB, .flags = KZ)),
    /* vcvtps2ph */
    [0x1d] = ROWS(ROW(P66 | W0, .rm = V(WR, SVL2), .imm = IB, .flags = KZ | RC)),
    /* vpcmpud vpcmpuq vpcmpd vpcmpq */
    [0x1e ... 0x1f] =
        ROWS(ROW(P66, .rm = V(RD, SVL), .reg = MASK, .vvvv = V_VEC, .imm = IB, .flags = KM | BC(SY))),
    /* vpinsrb */
    [0x20] = ROWS(ROW(P66 | L128, .rm = GW(RD, S1), .vvvv = V_VEC, .imm = IB)),
    /* vinsertps */
    [0x21] = ROWS(ROW(P66 | W0 | L128, .rm = V(RD, S4), .vvvv = V_VEC, .imm = IB)),
    /* vpinsrd vpinsrq */
    [0x22] = ROWS(ROW(P66 | L128, .rm = G(RD, SY), .vvvv = V_VEC, .imm = IB)),
    /* vshuff32x4 vshuff64x2 */
    [0x23] = ROWS(ROW(P66 | L256 | L512, .rm = V(RD, SVL), .vvvv = V_VEC, .imm = IB, .flags = KZ | BC(SY))),
    /* vpternlogd vpternlogq */
    [0x25] = ROWS(ROW(P66, .rm = V(RD, SVL), .vvvv = V_VEC, .imm = IB, .flags = KZ | BC(SY))),
    /* vgetmantph vgetmantpd vgetmantps */
    [0x26] = ROWS(ROW(NP | W0, .rm = V(RD, SVL), .imm = IB, .flags = KZ | BC(S2) | RC),
                  ROW(P66, .rm = V(RD, SVL), .imm = IB, .flags = KZ | BC(SY) | RC)),
    /* vgetmantsh vgetmantsd vgetmantss */
    [0x27] = ROWS(ROW(NP | W0, .rm = V(RD, S2), .vvvv = V_VEC, .imm = IB, .flags = KZ | RC),
                  ROW(P66, .rm = V(RD, SY), .vvvv = V_VEC, .imm = IB, .flags = KZ | RC)),
    /* vinserti32x4 vinserti64x2 */
    [0x38] = ROWS(ROW(P66 | L256 | L512, .rm = V(RD, S16), .vvvv = V_VEC, .imm = IB, .flags = KZ)),
    /* vextracti32x4 vextracti64x2 */
    [0x39] = ROWS(ROW(P66 | L256 | L512, .rm = V(WR, S16), .imm = IB, .flags = KZ)),
    /* vinserti32x8 vinserti64x4 */
    [0x3a] = ROWS(ROW(P66 | L512, .rm = V(RD, S32), .vvvv = V_VEC, .imm = IB, .flags = KZ)),
    /* vextracti32x8 vextracti64x4 */
    [0x3b] = ROWS(ROW(P66 | L512, .rm = V(WR, S32), .imm = IB, .flags = KZ)),
    /* vpcmpub vpcmpuw vpcmpb vpcmpw */
    [0x3e ... 0x3f] = ROWS(ROW(P66, .rm = V(RD, SVL), .reg = MASK, .vvvv = V_VEC, .imm = IB, .flags = KM)),
    /* vdbpsadbw */
    [0x42] = ROWS(ROW(P66 | W0, .rm = V(RD, SVL), .vvvv = V_VEC, .imm = IB, .flags = KZ)),
    /* vshufi32x4 vshufi64x2 */
    [0x43] = ROWS(ROW(P66 | L256 | L512, .rm = V(RD, SVL), .vvvv = V_VEC, .imm = IB, .flags = KZ | BC(SY))),
    /* vpclmulqdq */
    [0x44] = ROWS(ROW(P66, .rm = V(RD, SVL), .vvvv = V_VEC, .imm = IB)),
    /* vrangepd vrangeps */
    [0x50] = ROWS(ROW(P66, .rm = V(RD, SVL), .vvvv = V_VEC, .imm = IB, .flags = KZ | BC(SY) | RC)),
    /* vrangesd vrangess */
    [0x51] = ROWS(ROW(P66, .rm = V(RD, SY), .vvvv = V_VEC, .imm = IB, .flags = KZ | RC)),
    /* vfixupimmpd vfixupimmps */
    [0x54] = ROWS(ROW(P66, .rm = V(RD, SVL), .vvvv = V_VEC, .imm = IB, .flags = KZ | BC(SY) | RC)),
    /* vfixupimmsd vfixupimmss */
    [0x55] = ROWS(ROW(P66, .rm = V(RD, SY), .vvvv = V_VEC, .imm = IB, .flags = KZ | RC)),
    /* vreduceph vreducepd vreduceps */
    [0x56] = ROWS(ROW(NP | W0, .rm = V(RD, SVL), .imm = IB, .flags = KZ | BC(S2) | RC),
                  ROW(P66, .rm = V(RD, SVL), .imm = IB, .flags = KZ | BC(SY) | RC)),
    /* vreducesh vreducesd vreducess */
    [0x57] = ROWS(ROW(NP | W0, .rm = V(RD, S2), .vvvv = V_VEC, .imm = IB, .flags = KZ | RC),
                  ROW(P66, .rm = V(RD, SY), .vvvv = V_VEC, .imm = IB, .flags = KZ | RC)),
    /* vfpclassph vfpclasspd vfpclassps */
    [0x66] = ROWS(ROW(NP | W0, .rm = V(RD, SVL), .reg = MASK, .imm = IB, .flags = KM | BC(S2)),
                  ROW(P66, .rm = V(RD, SVL), .reg = MASK, .imm = IB, .flags = KM | BC(SY))),
    /* vfpclasssh vfpclasssd vfpclassss */
    [0x67] = ROWS(ROW(NP | W0, .rm = V(RD, S2), .reg = MASK, .imm = IB, .flags = KM),
                  ROW(P66, .rm = V(RD, SY), .reg = MASK, .imm = IB, .flags = KM)),
    /* vpshldw */
    [0x70] = ROWS(ROW(P66 | W1, .rm = V(RD, SVL), .vvvv = V_VEC, .imm = IB, .flags = KZ)),
    /* vpshldd vpshldq */
    [0x71] = ROWS(ROW(P66, .rm = V(RD, SVL), .vvvv = V_VEC, .imm = IB, .flags = KZ | BC(SY))),
    /* vpshrdw */
    [0x72] = ROWS(ROW(P66 | W1, .rm = V(RD, SVL), .vvvv = V_VEC, .imm = IB, .flags = KZ)),
    /* vpshrdd vpshrdq */
    [0x73] = ROWS(ROW(P66, .rm = V(RD, SVL), .vvvv = V_VEC, .imm = IB, .flags = KZ | BC(SY))),
    /* vcmpph vcmpsh */
    [0xc2] =
        ROWS(ROW(NP | W0, .rm = V(RD, SVL), .reg = MASK, .vvvv = V_VEC, .imm = IB, .flags = KM | BC(S2) | RC),
             ROW(PF3 | W0, .rm = V(RD, S2), .reg = MASK, .vvvv = V_VEC, .imm = IB, .flags = KM | RC)),
    /* vgf2p8affineqb vgf2p8affineinvqb */
    [0xce ... 0xcf] = ROWS(ROW(P66 | W1, .rm = V(RD, SVL), .vvvv = V_VEC, .imm = IB, .flags = KZ | BC(S8))),
};

x64_map x64_evex_5 = {
    /* vmovsh */
    [0x10] = ROWS(ROW(PF3 | W0 | REG, .vvvv = V_VEC, .flags = KZ),
                  ROW(PF3 | W0 | MEM, .rm = M(RD, S2), .flags = KZ)),
    /* vmovsh */
    [0x11] = ROWS(ROW(PF3 | W0 | REG, .vvvv = V_VEC, .flags = KZ),
                  ROW(PF3 | W0 | MEM, .rm = M(WR, S2), .flags = KM)),
    /* vcvtss2sh vcvtps2phx */
    [0x1d] = ROWS(ROW(NP | W0, .rm = V(RD, S4), .vvvv = V_VEC, .flags = KZ | RC),
                  ROW(P66 | W0, .rm = V(RD, SVL), .flags = KZ | BC(S4) | RC)),
    /* vcvtsi2sh */
    [0x2a] = ROWS(ROW(PF3, .rm = G(RD, SY), .vvvv = V_VEC, .flags = RC)),
    /* vcvttsh2si vcvtsh2si */
    [0x2c ... 0x2d] = ROWS(ROW(PF3, .rm = V(RD, S2), .reg = G(WR, SY), .flags = RC)),
    /* vucomish vcomish */
    [0x2e ... 0x2f] = ROWS(ROW(NP | W0, .rm = V(RD, S2), .effect = E_STATUS, .flags = RC)),
    /* vsqrtph vsqrtsh */
    [0x51] = ROWS(ROW(NP | W0, .rm = V(RD, SVL), .flags = KZ | BC(S2) | RC),
                  ROW(PF3 | W0, .rm = V(RD, S2), .vvvv = V_VEC, .flags = KZ | RC)),
    /* vaddph vaddsh vmulph vmulsh */
    [0x58 ... 0x59] = ROWS(ROW(NP | W0, .rm = V(RD, SVL), .vvvv = V_VEC, .flags = KZ | BC(S2) | RC),
                           ROW(PF3 | W0, .rm = V(RD, S2), .vvvv = V_VEC, .flags = KZ | RC)),
    /* vcvtph2pd vcvtpd2ph vcvtsh2sd vcvtsd2sh */
    [0x5a] = ROWS(ROW(NP | W0, .rm = V(RD, SVL4), .flags = KZ | BC(S2) | RC),
                  ROW(P66 | W1, .rm = V(RD, SVL), .flags = KZ | BC(S8) | RC),
                  ROW(PF3 | W0, .rm = V(RD, S2), .vvvv = V_VEC, .flags = KZ | RC),
                  ROW(PF2 | W1, .rm = V(RD, S8), .vvvv = V_VEC, .flags = KZ | RC)),
    /* vcvtdq2ph vcvtqq2ph vcvtph2dq vcvttph2dq */
    [0x5b] = ROWS(ROW(NP, .rm = V(RD, SVL), .flags = KZ | BC(SY) | RC),
                  ROW(P66 | PF3 | W0, .rm = V(RD, SVL2), .flags = KZ | BC(S2) | RC)),
    /* vsubph vsubsh vminph vminsh vdivph vdivsh vmaxph vmaxsh */
    [0x5c ... 0x5f] = ROWS(ROW(NP | W0, .rm = V(RD, SVL), .vvvv = V_VEC, .flags = KZ | BC(S2) | RC),
                           ROW(PF3 | W0, .rm = V(RD, S2), .vvvv = V_VEC, .flags = KZ | RC)),
    /* vmovw */
    [0x6e] = ROWS(ROW(P66 | L128, .rm = GW(RD, S2))),
    /* vcvttph2udq vcvttph2uqq vcvttsh2usi vcvtph2udq vcvtph2uqq vcvtsh2usi */
    [0x78 ... 0x79] = ROWS(ROW(NP | W0, .rm = V(RD, SVL2), .flags = KZ | BC(S2) | RC),
                           ROW(P66 | W0, .rm = V(RD, SVL4), .flags = KZ | BC(S2) | RC),
                           ROW(PF3, .rm = V(RD, S2), .reg = G(WR, SY), .flags = RC)),
    /* vcvttph2qq vcvtudq2ph vcvtuqq2ph */
    [0x7a] = ROWS(ROW(P66 | W0, .rm = V(RD, SVL4), .flags = KZ | BC(S2) | RC),
                  ROW(PF2, .rm = V(RD, SVL), .flags = KZ | BC(SY) | RC)),
    /* vcvtph2qq vcvtusi2sh */
    [0x7b] = ROWS(ROW(P66 | W0, .rm = V(RD, SVL4), .flags = KZ | BC(S2) | RC),
                  ROW(PF3, .rm = G(RD, SY), .vvvv = V_VEC, .flags = RC)),
    /* vcvttph2uw vcvttph2w */
    [0x7c] = ROWS(ROW(NP | P66 | W0, .rm = V(RD, SVL), .flags = KZ | BC(S2) | RC)),
    /* vcvtph2uw vcvtph2w vcvtuw2ph vcvtw2ph */
    [0x7d] = ROWS(ROW(W0, .rm = V(RD, SVL), .flags = KZ | BC(S2) | RC)),
    /* vmovw */
    [0x7e] = ROWS(ROW(P66 | L128, .rm = GW(WR, S2))),
};

x64_map x64_evex_6 = {
    /* vcvtsh2ss vcvtph2psx */
    [0x13] = ROWS(ROW(NP | W0, .rm = V(RD, S2), .vvvv = V_VEC, .flags = KZ | RC),
                  ROW(P66 | W0, .rm = V(RD, SVL2), .flags = KZ | BC(S2) | RC)),
    /* vscalefph */
    [0x2c] = ROWS(ROW(P66 | W0, .rm = V(RD, SVL), .vvvv = V_VEC, .flags = KZ | BC(S2) | RC)),
    /* vscalefsh */
    [0x2d] = ROWS(ROW(P66 | W0, .rm = V(RD, S2), .vvvv = V_VEC, .flags = KZ | RC)),
    /* vgetexpph */
    [0x42] = ROWS(ROW(P66 | W0, .rm = V(RD, SVL), .flags = KZ | BC(S2) | RC)),
    /* vgetexpsh */
    [0x43] = ROWS(ROW(P66 | W0, .rm = V(RD, S2), .vvvv = V_VEC, .flags = KZ | RC)),
    /* vrcpph */
    [0x4c] = ROWS(ROW(P66 | W0, .rm = V(RD, SVL), .flags = KZ | BC(S2))),
    /* vrcpsh */
    [0x4d] = ROWS(ROW(P66 | W0, .rm = V(RD, S2), .vvvv = V_VEC, .flags = KZ)),
    /* vrsqrtph */
    [0x4e] = ROWS(ROW(P66 | W0, .rm = V(RD, SVL), .flags = KZ | BC(S2))),
    /* vrsqrtsh */
    [0x4f] = ROWS(ROW(P66 | W0, .rm = V(RD, S2), .vvvv = V_VEC, .flags = KZ)),
    /* vfcmaddcph vfmaddcph */
    [0x56] = ROWS(ROW(PF3 | PF2 | W0, .rm = V(RD, SVL), .vvvv = V_VEC, .flags = KZ | DISTINCT | BC(S4) | RC)),
    /* vfcmaddcsh vfmaddcsh */
    [0x57] = ROWS(ROW(PF3 | PF2 | W0, .rm = V(RD, S4), .vvvv = V_VEC, .flags = KZ | DISTINCT | RC)),
    /* vfmaddsub132ph vfmsubadd132ph vfmadd132ph */
    [0x96 ... 0x98] = ROWS(ROW(P66 | W0, .rm = V(RD, SVL), .vvvv = V_VEC, .flags = KZ | BC(S2) | RC)),
    /* vfmadd132sh */
    [0x99] = ROWS(ROW(P66 | W0, .rm = V(RD, S2), .vvvv = V_VEC, .flags = KZ | RC)),
    /* vfmsub132ph */
    [0x9a] = ROWS(ROW(P66 | W0, .rm = V(RD, SVL), .vvvv = V_VEC, .flags = KZ | BC(S2) | RC)),
    /* vfmsub132sh */
    [0x9b] = ROWS(ROW(P66 | W0, .rm = V(RD, S2), .vvvv = V_VEC, .flags = KZ | RC)),
    /* vfnmadd132ph */
    [0x9c] = ROWS(ROW(P66 | W0, .rm = V(RD, SVL), .vvvv = V_VEC, .flags = KZ | BC(S2) | RC)),
    /* vfnmadd132sh */
    [0x9d] = ROWS(ROW(P66 | W0, .rm = V(RD, S2), .vvvv = V_VEC, .flags = KZ | RC)),
    /* vfnmsub132ph */
    [0x9e] = ROWS(ROW(P66 | W0, .rm = V(RD, SVL), .vvvv = V_VEC, .flags = KZ | BC(S2) | RC)),
    /* vfnmsub132sh */
    [0x9f] = ROWS(ROW(P66 | W0, .rm = V(RD, S2), .vvvv = V_VEC, .flags = KZ | RC)),
    /* vfmaddsub213ph vfmsubadd213ph vfmadd213ph */
    [0xa6 ... 0xa8] = ROWS(ROW(P66 | W0, .rm = V(RD, SVL), .vvvv = V_VEC, .flags = KZ | BC(S2) | RC)),
    /* vfmadd213sh */
    [0xa9] = ROWS(ROW(P66 | W0, .rm = V(RD, S2), .vvvv = V_VEC, .flags = KZ | RC)),
    /* vfmsub213ph */
    [0xaa] = ROWS(ROW(P66 | W0, .rm = V(RD, SVL), .vvvv = V_VEC, .flags = KZ | BC(S2) | RC)),
    /* vfmsub213sh */
    [0xab] = ROWS(ROW(P66 | W0, .rm = V(RD, S2), .vvvv = V_VEC, .flags = KZ | RC)),
    /* vfnmadd213ph */
    [0xac] = ROWS(ROW(P66 | W0, .rm = V(RD, SVL), .vvvv = V_VEC, .flags = KZ | BC(S2) | RC)),
    /* vfnmadd213sh */
    [0xad] = ROWS(ROW(P66 | W0, .rm = V(RD, S2), .vvvv = V_VEC, .flags = KZ | RC)),
    /* vfnmsub213ph */
    [0xae] = ROWS(ROW(P66 | W0, .rm = V(RD, SVL), .vvvv = V_VEC, .flags = KZ | BC(S2) | RC)),
    /* vfnmsub213sh */
    [0xaf] = ROWS(ROW(P66 | W0, .rm = V(RD, S2), .vvvv = V_VEC, .flags = KZ | RC)),
    /* vfmaddsub231ph vfmsubadd231ph vfmadd231ph */
    [0xb6 ... 0xb8] = ROWS(ROW(P66 | W0, .rm = V(RD, SVL), .vvvv = V_VEC, .flags = KZ | BC(S2) | RC)),
    /* vfmadd231sh */
    [0xb9] = ROWS(ROW(P66 | W0, .rm = V(RD, S2), .vvvv = V_VEC, .flags = KZ | RC)),
    /* vfmsub231ph */
    [0xba] = ROWS(ROW(P66 | W0, .rm = V(RD, SVL), .vvvv = V_VEC, .flags = KZ | BC(S2) | RC)),
    /* vfmsub231sh */
    [0xbb] = ROWS(ROW(P66 | W0, .rm = V(RD, S2), .vvvv = V_VEC, .flags = KZ | RC)),
    /* vfnmadd231ph */
    [0xbc] = ROWS(ROW(P66 | W0, .rm = V(RD, SVL), .vvvv = V_VEC, .flags = KZ | BC(S2) | RC)),
    /* vfnmadd231sh */
    [0xbd] = ROWS(ROW(P66 | W0, .rm = V(RD, S2), .vvvv = V_VEC, .flags = KZ | RC)),
    /* vfnmsub231ph */
    [0xbe] = ROWS(ROW(P66 | W0, .rm = V(RD, SVL), .vvvv = V_VEC, .flags = KZ | BC(S2) | RC)),
    /* vfnmsub231sh */
    [0xbf] = ROWS(ROW(P66 | W0, .rm = V(RD, S2), .vvvv = V_VEC, .flags = KZ | RC)),
    /* vfcmulcph vfmulcph */
    [0xd6] = ROWS(ROW(PF3 | PF2 | W0, .rm = V(RD, SVL), .vvvv = V_VEC, .flags = KZ | DISTINCT | BC(S4) | RC)),
    /* vfcmulcsh vfmulcsh */
    [0xd7] = ROWS(ROW(PF3 | PF2 | W0, .rm = V(RD, S4), .vvvv = V_VEC, .flags = KZ | DISTINCT | RC)),
};
