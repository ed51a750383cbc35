/* decode_vex.c: the VEX maps: AVX, AVX2, FMA, FMA4, BMI, AVX-VNNI, mask registers and AMX tiles. The
 * notation is explained in decode_tables.h. */
#include "engine/x64/decode_tables.h"

x64_map x64_vex_0f = {
    /* vmovupd vmovups vmovsd vmovss */
    [0x10] = ROWS(ROW(NP | P66, .rm = V(RD, SVL)), ROW(PF3 | PF2 | REG, .vvvv = V_VEC),
                  ROW(PF3 | PF2 | MEM, .rm = M(RD, SPS))),
    /* vmovupd vmovups vmovsd vmovss */
    [0x11] = ROWS(ROW(NP | P66, .rm = V(WR, SVL)), ROW(PF3 | PF2 | REG, .vvvv = V_VEC),
                  ROW(PF3 | PF2 | MEM, .rm = M(WR, SPS))),
    /* vmovhlps vmovlps vmovlpd vmovsldup vmovddup */
    [0x12] = ROWS(ROW(NP | L128, .rm = V(RD, S8), .vvvv = V_VEC),
                  ROW(P66 | L128 | MEM, .rm = M(RD, S8), .vvvv = V_VEC), ROW(PF3, .rm = V(RD, SVL)),
                  ROW(PF2 | L128, .rm = V(RD, S8)), ROW(PF2 | L256, .rm = V(RD, SVL))),
    /* vmovlpd vmovlps */
    [0x13] = ROWS(ROW(NP | P66 | L128 | MEM, .rm = M(WR, S8))),
    /* vunpcklpd vunpcklps vunpckhpd vunpckhps */
    [0x14 ... 0x15] = ROWS(ROW(NP | P66, .rm = V(RD, SVL), .vvvv = V_VEC)),
    /* vmovhps vmovlhps vmovhpd vmovshdup */
    [0x16] = ROWS(ROW(NP | L128, .rm = V(RD, S8), .vvvv = V_VEC),
                  ROW(P66 | L128 | MEM, .rm = M(RD, S8), .vvvv = V_VEC), ROW(PF3, .rm = V(RD, SVL))),
    /* vmovhpd vmovhps */
    [0x17] = ROWS(ROW(NP | P66 | L128 | MEM, .rm = M(WR, S8))),
    /* vmovapd vmovaps */
    [0x28] = ROWS(ROW(NP | P66, .rm = V(RD, SVL))),
    /* vmovapd vmovaps */
    [0x29] = ROWS(ROW(NP | P66, .rm = V(WR, SVL))),
    /* vcvtsi2sd vcvtsi2ss */
    [0x2a] = ROWS(ROW(PF3 | PF2, .rm = G(RD, SY), .vvvv = V_VEC)),
    /* vmovntpd vmovntps */
    [0x2b] = ROWS(ROW(NP | P66 | MEM, .rm = M(WR, SVL))),
    /* vcvttsd2si vcvttss2si vcvtsd2si vcvtss2si */
    [0x2c ... 0x2d] = ROWS(ROW(PF3 | PF2, .rm = V(RD, SPS), .reg = G(WR, SY))),
    /* vucomiss vucomisd vcomiss vcomisd */
    [0x2e ... 0x2f] =
        ROWS(ROW(NP, .rm = V(RD, S4), .effect = E_STATUS), ROW(P66, .rm = V(RD, S8), .effect = E_STATUS)),
    /* kandb kandd kandq kandw kandnb kandnd kandnq kandnw */
    [0x41 ... 0x42] = ROWS(ROW(NP | P66 | L256 | REG, .rm = MASK, .reg = MASK, .vvvv = V_MASK)),
    /* knotb knotd knotq knotw */
    [0x44] = ROWS(ROW(NP | P66 | L128 | REG, .rm = MASK, .reg = MASK)),
    /* korb kord korq korw kxnorb kxnord kxnorq kxnorw kxorb kxord kxorq kxorw */
    [0x45 ... 0x47] = ROWS(ROW(NP | P66 | L256 | REG, .rm = MASK, .reg = MASK, .vvvv = V_MASK)),
    /* kaddb kaddd kaddq kaddw */
    [0x4a] = ROWS(ROW(NP | P66 | L256 | REG, .rm = MASK, .reg = MASK, .vvvv = V_MASK)),
    /* kunpckdq kunpckwd kunpckbw */
    [0x4b] = ROWS(ROW(NP | L256 | REG, .rm = MASK, .reg = MASK, .vvvv = V_MASK),
                  ROW(P66 | W0 | L256 | REG, .rm = MASK, .reg = MASK, .vvvv = V_MASK)),
    /* vmovmskpd vmovmskps */
    [0x50] = ROWS(ROW(NP | P66 | REG, .reg = G(WR, S4))),
    /* vsqrtpd vsqrtps vsqrtsd vsqrtss */
    [0x51] = ROWS(ROW(NP | P66, .rm = V(RD, SVL)), ROW(PF3 | PF2, .rm = V(RD, SPS), .vvvv = V_VEC)),
    /* vrsqrtps vrsqrtss vrcpps vrcpss */
    [0x52 ... 0x53] = ROWS(ROW(NP, .rm = V(RD, SVL)), ROW(PF3, .rm = V(RD, S4), .vvvv = V_VEC)),
    /* vandpd vandps vandnpd vandnps vorpd vorps vxorpd vxorps */
    [0x54 ... 0x57] = ROWS(ROW(NP | P66, .rm = V(RD, SVL), .vvvv = V_VEC)),
    /* vaddpd vaddps vaddsd vaddss vmulpd vmulps vmulsd vmulss */
    [0x58 ... 0x59] = ROWS(ROW(ANY, .rm = V(RD, SPS), .vvvv = V_VEC)),
    /* vcvtps2pd vcvtpd2ps vcvtsd2ss vcvtss2sd */
    [0x5a] = ROWS(ROW(NP, .rm = V(RD, SVL2)), ROW(P66, .rm = V(RD, SVL)),
                  ROW(PF3 | PF2, .rm = V(RD, SPS), .vvvv = V_VEC)),
    /* vcvtdq2ps vcvtps2dq vcvttps2dq */
    [0x5b] = ROWS(ROW(NP | P66 | PF3, .rm = V(RD, SVL))),
    /* vsubpd vsubps vsubsd vsubss vminpd vminps vminsd vminss vdivpd vdivps vdivsd vdivss vmaxpd vmaxps */
    /* vmaxsd vmaxss */
    [0x5c ... 0x5f] = ROWS(ROW(ANY, .rm = V(RD, SPS), .vvvv = V_VEC)),
    /* vpunpcklbw vpunpcklwd vpunpckldq vpacksswb vpcmpgtb vpcmpgtw vpcmpgtd vpackuswb vpunpckhbw */
    /* vpunpckhwd vpunpckhdq vpackssdw vpunpcklqdq vpunpckhqdq */
    [0x60 ... 0x6d] = ROWS(ROW(P66, .rm = V(RD, SVL), .vvvv = V_VEC)),
    /* vmovd vmovq */
    [0x6e] = ROWS(ROW(P66 | L128, .rm = G(RD, SY))),
    /* vmovdqa vmovdqu */
    [0x6f] = ROWS(ROW(P66 | PF3, .rm = V(RD, SVL))),
    /* vpshufd vpshufhw vpshuflw */
    [0x70] = ROWS(ROW(P66 | PF3 | PF2, .rm = V(RD, SVL), .imm = IB)),
    /* vpsllw vpsraw vpsrlw vpslld vpsrad vpsrld */
    [0x71 ... 0x72] = ROWS(ROW(P66 | REG | X2 | X4 | X6, .vvvv = V_VEC, .imm = IB)),
    /* vpslldq vpsllq vpsrldq vpsrlq */
    [0x73] = ROWS(ROW(P66 | REG | X2 | X3 | X6 | X7, .vvvv = V_VEC, .imm = IB)),
    /* vpcmpeqb vpcmpeqw vpcmpeqd */
    [0x74 ... 0x76] = ROWS(ROW(P66, .rm = V(RD, SVL), .vvvv = V_VEC)),
    /* vzeroall vzeroupper */
    [0x77] = ROWS(ROW(NP, .flags = NO_MODRM)),
    /* vhaddpd vhaddps vhsubpd vhsubps */
    [0x7c ... 0x7d] = ROWS(ROW(P66 | PF2, .rm = V(RD, SVL), .vvvv = V_VEC)),
    /* vmovd vmovq */
    [0x7e] = ROWS(ROW(P66 | L128, .rm = G(WR, SY)), ROW(PF3 | L128, .rm = V(RD, S8))),
    /* vmovdqa vmovdqu */
    [0x7f] = ROWS(ROW(P66 | PF3, .rm = V(WR, SVL))),
    /* kmovw kmovq kmovb kmovd */
    [0x90] = ROWS(ROW(NP | W0 | L128, .rm = K(RD, S2), .reg = MASK),
                  ROW(NP | W1 | L128, .rm = K(RD, S8), .reg = MASK),
                  ROW(P66 | W0 | L128, .rm = K(RD, S1), .reg = MASK),
                  ROW(P66 | W1 | L128, .rm = K(RD, S4), .reg = MASK)),
    /* kmovw kmovq kmovb kmovd */
    [0x91] = ROWS(ROW(NP | W0 | L128 | MEM, .rm = M(WR, S2), .reg = MASK),
                  ROW(NP | W1 | L128 | MEM, .rm = M(WR, S8), .reg = MASK),
                  ROW(P66 | W0 | L128 | MEM, .rm = M(WR, S1), .reg = MASK),
                  ROW(P66 | W1 | L128 | MEM, .rm = M(WR, S4), .reg = MASK)),
    /* kmovb kmovw kmovd kmovq */
    [0x92] = ROWS(ROW(NP | P66 | W0 | L128 | REG, .rm = G(RD, S4), .reg = MASK),
                  ROW(PF2 | L128 | REG, .rm = G(RD, SY), .reg = MASK)),
    /* kmovb kmovw kmovd kmovq */
    [0x93] = ROWS(ROW(NP | P66 | W0 | L128 | REG, .rm = MASK, .reg = G(WR, S4)),
                  ROW(PF2 | L128 | REG, .rm = MASK, .reg = G(WR, SY))),
    /* kortestb kortestd kortestq kortestw ktestb ktestd ktestq ktestw */
    [0x98 ... 0x99] = ROWS(ROW(NP | P66 | L128 | REG, .rm = MASK, .reg = MASK, .effect = E_STATUS)),
    /* vldmxcsr vstmxcsr */
    [0xae] = ROWS(ROW(NP | L128 | MEM | X2, .rm = M(RD, S4)), ROW(NP | L128 | MEM | X3, .rm = M(WR, S4))),
    /* vcmppd vcmpps vcmpsd vcmpss */
    [0xc2] = ROWS(ROW(ANY, .rm = V(RD, SPS), .vvvv = V_VEC, .imm = IB)),
    /* vpinsrw */
    [0xc4] = ROWS(ROW(P66 | L128, .rm = GW(RD, S2), .vvvv = V_VEC, .imm = IB)),
    /* vpextrw */
    [0xc5] = ROWS(ROW(P66 | L128 | REG, .reg = G(WR, S4), .imm = IB)),
    /* vshufpd vshufps */
    [0xc6] = ROWS(ROW(NP | P66, .rm = V(RD, SVL), .vvvv = V_VEC, .imm = IB)),
    /* vaddsubpd vaddsubps */
    [0xd0] = ROWS(ROW(P66 | PF2, .rm = V(RD, SVL), .vvvv = V_VEC)),
    /* vpsrlw vpsrld vpsrlq */
    [0xd1 ... 0xd3] = ROWS(ROW(P66, .rm = V(RD, S16), .vvvv = V_VEC)),
    /* vpaddq vpmullw */
    [0xd4 ... 0xd5] = ROWS(ROW(P66, .rm = V(RD, SVL), .vvvv = V_VEC)),
    /* vmovq */
    [0xd6] = ROWS(ROW(P66 | L128, .rm = V(WR, S8))),
    /* vpmovmskb */
    [0xd7] = ROWS(ROW(P66 | REG, .reg = G(WR, S4))),
    /* vpsubusb vpsubusw vpminub vpand vpaddusb vpaddusw vpmaxub vpandn vpavgb */
    [0xd8 ... 0xe0] = ROWS(ROW(P66, .rm = V(RD, SVL), .vvvv = V_VEC)),
    /* vpsraw vpsrad */
    [0xe1 ... 0xe2] = ROWS(ROW(P66, .rm = V(RD, S16), .vvvv = V_VEC)),
    /* vpavgw vpmulhuw vpmulhw */
    [0xe3 ... 0xe5] = ROWS(ROW(P66, .rm = V(RD, SVL), .vvvv = V_VEC)),
    /* vcvtpd2dq vcvttpd2dq vcvtdq2pd */
    [0xe6] = ROWS(ROW(P66 | PF2, .rm = V(RD, SVL)), ROW(PF3, .rm = V(RD, SVL2))),
    /* vmovntdq */
    [0xe7] = ROWS(ROW(P66 | MEM, .rm = M(WR, SVL))),
    /* vpsubsb vpsubsw vpminsw vpor vpaddsb vpaddsw vpmaxsw vpxor */
    [0xe8 ... 0xef] = ROWS(ROW(P66, .rm = V(RD, SVL), .vvvv = V_VEC)),
    /* vlddqu */
    [0xf0] = ROWS(ROW(PF2 | MEM, .rm = M(RD, SVL))),
    /* vpsllw vpslld vpsllq */
    [0xf1 ... 0xf3] = ROWS(ROW(P66, .rm = V(RD, S16), .vvvv = V_VEC)),
    /* vpmuludq vpmaddwd vpsadbw */
    [0xf4 ... 0xf6] = ROWS(ROW(P66, .rm = V(RD, SVL), .vvvv = V_VEC)),
    /* vmaskmovdqu */
    [0xf7] = ROWS(ROW(P66 | L128 | REG, .rm = V(NO, S16), .flags = STR_DST)),
    /* vpsubb vpsubw vpsubd vpsubq vpaddb vpaddw vpaddd */
    [0xf8 ... 0xfe] = ROWS(ROW(P66, .rm = V(RD, SVL), .vvvv = V_VEC)),
};

x64_map x64_vex_0f38 = {
    /* vpshufb vphaddw vphaddd vphaddsw vpmaddubsw vphsubw vphsubd vphsubsw vpsignb vpsignw vpsignd */
    /* vpmulhrsw */
    [0x00 ... 0x0b] = ROWS(ROW(P66, .rm = V(RD, SVL), .vvvv = V_VEC)),
    /* vpermilps vpermilpd */
    [0x0c ... 0x0d] = ROWS(ROW(P66 | W0, .rm = V(RD, SVL), .vvvv = V_VEC)),
    /* vtestps vtestpd */
    [0x0e ... 0x0f] = ROWS(ROW(P66 | W0, .rm = V(RD, SVL), .effect = E_STATUS)),
    /* vcvtph2ps */
    [0x13] = ROWS(ROW(P66 | W0, .rm = V(RD, SVL2))),
    /* vpermps */
    [0x16] = ROWS(ROW(P66 | W0 | L256, .rm = V(RD, SVL), .vvvv = V_VEC)),
    /* vptest */
    [0x17] = ROWS(ROW(P66, .rm = V(RD, SVL), .effect = E_STATUS)),
    /* vbroadcastss */
    [0x18] = ROWS(ROW(P66 | W0, .rm = V(RD, S4))),
    /* vbroadcastsd */
    [0x19] = ROWS(ROW(P66 | W0 | L256, .rm = V(RD, S8))),
    /* vbroadcastf128 */
    [0x1a] = ROWS(ROW(P66 | W0 | L256 | MEM, .rm = M(RD, S16))),
    /* vpabsb vpabsw vpabsd */
    [0x1c ... 0x1e] = ROWS(ROW(P66, .rm = V(RD, SVL))),
    /* vpmovsxbw */
    [0x20] = ROWS(ROW(P66, .rm = V(RD, SVL2))),
    /* vpmovsxbd */
    [0x21] = ROWS(ROW(P66, .rm = V(RD, SVL4))),
    /* vpmovsxbq */
    [0x22] = ROWS(ROW(P66, .rm = V(RD, SVL8))),
    /* vpmovsxwd */
    [0x23] = ROWS(ROW(P66, .rm = V(RD, SVL2))),
    /* vpmovsxwq */
    [0x24] = ROWS(ROW(P66, .rm = V(RD, SVL4))),
    /* vpmovsxdq */
    [0x25] = ROWS(ROW(P66, .rm = V(RD, SVL2))),
    /* vpmuldq vpcmpeqq */
    [0x28 ... 0x29] = ROWS(ROW(P66, .rm = V(RD, SVL), .vvvv = V_VEC)),
    /* vmovntdqa */
    [0x2a] = ROWS(ROW(P66 | MEM, .rm = M(RD, SVL))),
    /* vpackusdw */
    [0x2b] = ROWS(ROW(P66, .rm = V(RD, SVL), .vvvv = V_VEC)),
    /* vmaskmovps vmaskmovpd */
    [0x2c ... 0x2d] = ROWS(ROW(P66 | W0 | MEM, .rm = M(RD, SVL), .vvvv = V_VEC)),
    /* vmaskmovps vmaskmovpd */
    [0x2e ... 0x2f] = ROWS(ROW(P66 | W0 | MEM, .rm = M(WR, SVL), .vvvv = V_VEC)),
    /* vpmovzxbw */
    [0x30] = ROWS(ROW(P66, .rm = V(RD, SVL2))),
    /* vpmovzxbd */
    [0x31] = ROWS(ROW(P66, .rm = V(RD, SVL4))),
    /* vpmovzxbq */
    [0x32] = ROWS(ROW(P66, .rm = V(RD, SVL8))),
    /* vpmovzxwd */
    [0x33] = ROWS(ROW(P66, .rm = V(RD, SVL2))),
    /* vpmovzxwq */
    [0x34] = ROWS(ROW(P66, .rm = V(RD, SVL4))),
    /* vpmovzxdq */
    [0x35] = ROWS(ROW(P66, .rm = V(RD, SVL2))),
    /* vpermd */
    [0x36] = ROWS(ROW(P66 | W0 | L256, .rm = V(RD, SVL), .vvvv = V_VEC)),
    /* vpcmpgtq vpminsb vpminsd vpminuw vpminud vpmaxsb vpmaxsd vpmaxuw vpmaxud vpmulld */
    [0x37 ... 0x40] = ROWS(ROW(P66, .rm = V(RD, SVL), .vvvv = V_VEC)),
    /* vphminposuw */
    [0x41] = ROWS(ROW(P66 | L128, .rm = V(RD, SVL))),
    /* vpsrlvd vpsrlvq */
    [0x45] = ROWS(ROW(P66, .rm = V(RD, SVL), .vvvv = V_VEC)),
    /* vpsravd */
    [0x46] = ROWS(ROW(P66 | W0, .rm = V(RD, SVL), .vvvv = V_VEC)),
    /* vpsllvd vpsllvq */
    [0x47] = ROWS(ROW(P66, .rm = V(RD, SVL), .vvvv = V_VEC)),
    /* tilerelease ldtilecfg sttilecfg tilezero */
    [0x49] =
        ROWS(ROW(NP | W0 | L128 | REG | X0 | M0), ROW(NP | W0 | L128 | MEM | X0, .rm = M(RD, S64)),
             ROW(P66 | W0 | L128 | MEM | X0, .rm = M(WR, S64)), ROW(PF2 | W0 | L128 | REG | M0, .reg = TILE)),
    /* tileloadd tileloaddt1 tilestored */
    [0x4b] =
        ROWS(ROW(P66 | PF2 | W0 | L128 | MEM | M4, .rm = M(RD, S0), .reg = TILE, .kind = INSN_TILE_MEMORY),
             ROW(PF3 | W0 | L128 | MEM | M4, .rm = M(WR, S0), .reg = TILE, .kind = INSN_TILE_MEMORY)),
    /* vpdpbusd vpdpbusds; with the other prefixes vpdpbssd, vpdpbsud, vpdpbuud and their s forms */
    [0x50 ... 0x51] = ROWS(ROW(W0, .rm = V(RD, SVL), .vvvv = V_VEC)),
    /* vpdpwssd vpdpwssds */
    [0x52 ... 0x53] = ROWS(ROW(P66 | W0, .rm = V(RD, SVL), .vvvv = V_VEC)),
    /* vpbroadcastd */
    [0x58] = ROWS(ROW(P66 | W0, .rm = V(RD, S4))),
    /* vpbroadcastq */
    [0x59] = ROWS(ROW(P66 | W0, .rm = V(RD, S8))),
    /* vbroadcasti128 */
    [0x5a] = ROWS(ROW(P66 | W0 | L256 | MEM, .rm = M(RD, S16))),
    /* tdpbf16ps tdpfp16ps */
    [0x5c] =
        ROWS(ROW(PF3 | PF2 | W0 | L128 | REG, .rm = TILE, .reg = TILE, .vvvv = V_TILE, .flags = DISTINCT)),
    /* tdpbssd tdpbsud tdpbusd tdpbuud */
    [0x5e] = ROWS(ROW(W0 | L128 | REG, .rm = TILE, .reg = TILE, .vvvv = V_TILE, .flags = DISTINCT)),
    /* tcmmimfp16ps tcmmrlfp16ps */
    [0x6c] =
        ROWS(ROW(NP | P66 | W0 | L128 | REG, .rm = TILE, .reg = TILE, .vvvv = V_TILE, .flags = DISTINCT)),
    /* vcvtneps2bf16 */
    [0x72] = ROWS(ROW(PF3 | W0, .rm = V(RD, SVL))),
    /* vpbroadcastb */
    [0x78] = ROWS(ROW(P66 | W0, .rm = V(RD, S1))),
    /* vpbroadcastw */
    [0x79] = ROWS(ROW(P66 | W0, .rm = V(RD, S2))),
    /* vpmaskmovd vpmaskmovq */
    [0x8c] = ROWS(ROW(P66 | MEM, .rm = M(RD, SVL), .vvvv = V_VEC)),
    /* vpmaskmovd vpmaskmovq */
    [0x8e] = ROWS(ROW(P66 | MEM, .rm = M(WR, SVL), .vvvv = V_VEC)),
    /* vpgatherdd vpgatherdq vpgatherqd vpgatherqq vgatherdpd vgatherdps vgatherqpd vgatherqps */
    [0x90 ... 0x93] = ROWS(ROW(P66 | MEM, .rm = VS(RD, SY), .vvvv = V_VEC, .flags = DISTINCT)),
    /* vfmaddsub132pd vfmaddsub132ps vfmsubadd132pd vfmsubadd132ps vfmadd132pd vfmadd132ps */
    [0x96 ... 0x98] = ROWS(ROW(P66, .rm = V(RD, SVL), .vvvv = V_VEC)),
    /* vfmadd132sd vfmadd132ss */
    [0x99] = ROWS(ROW(P66, .rm = V(RD, SY), .vvvv = V_VEC)),
    /* vfmsub132pd vfmsub132ps */
    [0x9a] = ROWS(ROW(P66, .rm = V(RD, SVL), .vvvv = V_VEC)),
    /* vfmsub132sd vfmsub132ss */
    [0x9b] = ROWS(ROW(P66, .rm = V(RD, SY), .vvvv = V_VEC)),
    /* vfnmadd132pd vfnmadd132ps */
    [0x9c] = ROWS(ROW(P66, .rm = V(RD, SVL), .vvvv = V_VEC)),
    /* vfnmadd132sd vfnmadd132ss */
    [0x9d] = ROWS(ROW(P66, .rm = V(RD, SY), .vvvv = V_VEC)),
    /* vfnmsub132pd vfnmsub132ps */
    [0x9e] = ROWS(ROW(P66, .rm = V(RD, SVL), .vvvv = V_VEC)),
    /* vfnmsub132sd vfnmsub132ss */
    [0x9f] = ROWS(ROW(P66, .rm = V(RD, SY), .vvvv = V_VEC)),
    /* vfmaddsub213pd vfmaddsub213ps vfmsubadd213pd vfmsubadd213ps vfmadd213pd vfmadd213ps */
    [0xa6 ... 0xa8] = ROWS(ROW(P66, .rm = V(RD, SVL), .vvvv = V_VEC)),
    /* vfmadd213sd vfmadd213ss */
    [0xa9] = ROWS(ROW(P66, .rm = V(RD, SY), .vvvv = V_VEC)),
    /* vfmsub213pd vfmsub213ps */
    [0xaa] = ROWS(ROW(P66, .rm = V(RD, SVL), .vvvv = V_VEC)),
    /* vfmsub213sd vfmsub213ss */
    [0xab] = ROWS(ROW(P66, .rm = V(RD, SY), .vvvv = V_VEC)),
    /* vfnmadd213pd vfnmadd213ps */
    [0xac] = ROWS(ROW(P66, .rm = V(RD, SVL), .vvvv = V_VEC)),
    /* vfnmadd213sd vfnmadd213ss */
    [0xad] = ROWS(ROW(P66, .rm = V(RD, SY), .vvvv = V_VEC)),
    /* vfnmsub213pd vfnmsub213ps */
    [0xae] = ROWS(ROW(P66, .rm = V(RD, SVL), .vvvv = V_VEC)),
    /* vfnmsub213sd vfnmsub213ss */
    [0xaf] = ROWS(ROW(P66, .rm = V(RD, SY), .vvvv = V_VEC)),
    /* vcvtneoph2ps vcvtneeph2ps vcvtneebf162ps vcvtneobf162ps */
    [0xb0] = ROWS(ROW(W0 | MEM, .rm = M(RD, SVL))),
    /* vbcstnesh2ps vbcstnebf162ps */
    [0xb1] = ROWS(ROW(P66 | PF3 | W0 | MEM, .rm = M(RD, S2))),
    /* vpmadd52luq vpmadd52huq */
    [0xb4 ... 0xb5] = ROWS(ROW(P66 | W1, .rm = V(RD, SVL), .vvvv = V_VEC)),
    /* vfmaddsub231pd vfmaddsub231ps vfmsubadd231pd vfmsubadd231ps vfmadd231pd vfmadd231ps */
    [0xb6 ... 0xb8] = ROWS(ROW(P66, .rm = V(RD, SVL), .vvvv = V_VEC)),
    /* vfmadd231sd vfmadd231ss */
    [0xb9] = ROWS(ROW(P66, .rm = V(RD, SY), .vvvv = V_VEC)),
    /* vfmsub231pd vfmsub231ps */
    [0xba] = ROWS(ROW(P66, .rm = V(RD, SVL), .vvvv = V_VEC)),
    /* vfmsub231sd vfmsub231ss */
    [0xbb] = ROWS(ROW(P66, .rm = V(RD, SY), .vvvv = V_VEC)),
    /* vfnmadd231pd vfnmadd231ps */
    [0xbc] = ROWS(ROW(P66, .rm = V(RD, SVL), .vvvv = V_VEC)),
    /* vfnmadd231sd vfnmadd231ss */
    [0xbd] = ROWS(ROW(P66, .rm = V(RD, SY), .vvvv = V_VEC)),
    /* vfnmsub231pd vfnmsub231ps */
    [0xbe] = ROWS(ROW(P66, .rm = V(RD, SVL), .vvvv = V_VEC)),
    /* vfnmsub231sd vfnmsub231ss */
    [0xbf] = ROWS(ROW(P66, .rm = V(RD, SY), .vvvv = V_VEC)),
    /* vsha512rnds2 vsha512msg1 vsha512msg2 */
    [0xcb] = ROWS(ROW(PF2 | W0 | L256 | REG, .vvvv = V_VEC)),
    [0xcc ... 0xcd] = ROWS(ROW(PF2 | W0 | L256 | REG)),
    /* vgf2p8mulb */
    [0xcf] = ROWS(ROW(P66 | W0, .rm = V(RD, SVL), .vvvv = V_VEC)),
    /* vpdpwuud vpdpwusd vpdpwsud and their s forms */
    [0xd2 ... 0xd3] = ROWS(ROW(NP | P66 | PF3 | W0, .rm = V(RD, SVL), .vvvv = V_VEC)),
    /* vsm3msg1 vsm3msg2, vsm4key4 vsm4rnds4 */
    [0xda] = ROWS(ROW(NP | P66 | W0 | L128, .rm = V(RD, SVL), .vvvv = V_VEC),
                  ROW(PF3 | PF2 | W0, .rm = V(RD, SVL), .vvvv = V_VEC)),
    /* vaesimc */
    [0xdb] = ROWS(ROW(P66 | L128, .rm = V(RD, SVL))),
    /* vaesenc vaesenclast vaesdec vaesdeclast */
    [0xdc ... 0xdf] = ROWS(ROW(P66, .rm = V(RD, SVL), .vvvv = V_VEC)),
    /* cmpccxadd: locked by nature */
    [0xe0 ... 0xef] = ROWS(ROW(P66 | L128 | MEM, .rm = M(RW, SY), .reg = G(RW, SY), .vvvv = V_READ,
                               .effect = E_STATUS, .flags = ATOMIC)),
    /* andn */
    [0xf2] = ROWS(ROW(NP | L128, .rm = G(RD, SY), .reg = G(WR, SY), .vvvv = V_READ, .effect = E_STATUS)),
    /* blsi blsmsk blsr */
    [0xf3] = ROWS(ROW(NP | L128 | X1 | X2 | X3, .rm = G(RD, SY), .vvvv = V_WRITE, .effect = E_STATUS)),
    /* bzhi pdep pext */
    [0xf5] = ROWS(ROW(NP | L128, .rm = G(RD, SY), .reg = G(WR, SY), .vvvv = V_READ, .effect = E_STATUS),
                  ROW(PF3 | PF2 | L128, .rm = G(RD, SY), .reg = G(WR, SY), .vvvv = V_READ)),
    /* mulx */
    [0xf6] = ROWS(ROW(PF2 | L128, .rm = G(RD, SY), .reg = G(WR, SY), .vvvv = V_WRITE, .effect = E_READ_D)),
    /* bextr sarx shlx shrx */
    [0xf7] = ROWS(ROW(NP | L128, .rm = G(RD, SY), .reg = G(WR, SY), .vvvv = V_READ, .effect = E_STATUS),
                  ROW(P66 | PF3 | PF2 | L128, .rm = G(RD, SY), .reg = G(WR, SY), .vvvv = V_READ)),
};

x64_map x64_vex_0f3a = {
    /* vpermq vpermpd */
    [0x00 ... 0x01] = ROWS(ROW(P66 | W1 | L256, .rm = V(RD, SVL), .imm = IB)),
    /* vpblendd */
    [0x02] = ROWS(ROW(P66 | W0, .rm = V(RD, SVL), .vvvv = V_VEC, .imm = IB)),
    /* vpermilps vpermilpd */
    [0x04 ... 0x05] = ROWS(ROW(P66 | W0, .rm = V(RD, SVL), .imm = IB)),
    /* vperm2f128 */
    [0x06] = ROWS(ROW(P66 | W0 | L256, .rm = V(RD, SVL), .vvvv = V_VEC, .imm = IB)),
    /* vroundps vroundpd */
    [0x08 ... 0x09] = ROWS(ROW(P66, .rm = V(RD, SVL), .imm = IB)),
    /* vroundss */
    [0x0a] = ROWS(ROW(P66, .rm = V(RD, S4), .vvvv = V_VEC, .imm = IB)),
    /* vroundsd */
    [0x0b] = ROWS(ROW(P66, .rm = V(RD, S8), .vvvv = V_VEC, .imm = IB)),
    /* vblendps vblendpd vpblendw vpalignr */
    [0x0c ... 0x0f] = ROWS(ROW(P66, .rm = V(RD, SVL), .vvvv = V_VEC, .imm = IB)),
    /* vpextrb */
    [0x14] = ROWS(ROW(P66 | L128, .rm = GW(WR, S1), .imm = IB)),
    /* vpextrw */
    [0x15] = ROWS(ROW(P66 | L128, .rm = GW(WR, S2), .imm = IB)),
    /* vpextrd vpextrq */
    [0x16] = ROWS(ROW(P66 | L128, .rm = G(WR, SY), .imm = IB)),
    /* vextractps */
    [0x17] = ROWS(ROW(P66 | L128, .rm = G(WR, S4), .imm = IB)),
    /* vinsertf128 */
    [0x18] = ROWS(ROW(P66 | W0 | L256, .rm = V(RD, S16), .vvvv = V_VEC, .imm = IB)),
    /* vextractf128 */
    [0x19] = ROWS(ROW(P66 | W0 | L256, .rm = V(WR, S16), .imm = IB)),
    /* vcvtps2ph */
    [0x1d] = ROWS(ROW(P66 | W0, .rm = V(WR, SVL2), .imm = IB)),
    /* vpinsrb */
    [0x20] = ROWS(ROW(P66 | L128, .rm = GW(RD, S1), .vvvv = V_VEC, .imm = IB)),
    /* vinsertps */
    [0x21] = ROWS(ROW(P66 | L128, .rm = V(RD, S4), .vvvv = V_VEC, .imm = IB)),
    /* vpinsrd vpinsrq */
    [0x22] = ROWS(ROW(P66 | L128, .rm = G(RD, SY), .vvvv = V_VEC, .imm = IB)),
    /* kshiftrb kshiftrw kshiftrd kshiftrq kshiftlb kshiftlw kshiftld kshiftlq */
    [0x30 ... 0x33] = ROWS(ROW(P66 | L128 | REG, .rm = MASK, .reg = MASK, .imm = IB)),
    /* vinserti128 */
    [0x38] = ROWS(ROW(P66 | W0 | L256, .rm = V(RD, S16), .vvvv = V_VEC, .imm = IB)),
    /* vextracti128 */
    [0x39] = ROWS(ROW(P66 | W0 | L256, .rm = V(WR, S16), .imm = IB)),
    /* vdpps */
    [0x40] = ROWS(ROW(P66, .rm = V(RD, SVL), .vvvv = V_VEC, .imm = IB)),
    /* vdppd */
    [0x41] = ROWS(ROW(P66 | L128, .rm = V(RD, SVL), .vvvv = V_VEC, .imm = IB)),
    /* vmpsadbw */
    [0x42] = ROWS(ROW(P66, .rm = V(RD, SVL), .vvvv = V_VEC, .imm = IB)),
    /* vpclmulqdq */
    [0x44] = ROWS(ROW(P66, .rm = V(RD, SVL), .vvvv = V_VEC, .imm = IB)),
    /* vperm2i128 */
    [0x46] = ROWS(ROW(P66 | W0 | L256, .rm = V(RD, SVL), .vvvv = V_VEC, .imm = IB)),
    /* vpermil2ps vpermil2pd */
    [0x48 ... 0x49] = ROWS(ROW(P66, .rm = V(RD, SVL), .vvvv = V_VEC, .imm = IB)),
    /* vblendvps vblendvpd vpblendvb */
    [0x4a ... 0x4c] = ROWS(ROW(P66 | W0, .rm = V(RD, SVL), .vvvv = V_VEC, .imm = IB)),
    /* vfmaddsubps vfmaddsubpd vfmsubaddps vfmsubaddpd */
    [0x5c ... 0x5f] = ROWS(ROW(P66, .rm = V(RD, SVL), .vvvv = V_VEC, .imm = IB)),
    /* vpcmpestrm */
    [0x60] = ROWS(ROW(P66 | L128, .rm = V(RD, SVL), .imm = IB, .effect = E_PCMPESTRM)),
    /* vpcmpestri */
    [0x61] = ROWS(ROW(P66 | L128, .rm = V(RD, SVL), .imm = IB, .effect = E_PCMPESTRI)),
    /* vpcmpistrm */
    [0x62] = ROWS(ROW(P66 | L128, .rm = V(RD, SVL), .imm = IB, .effect = E_STATUS)),
    /* vpcmpistri */
    [0x63] = ROWS(ROW(P66 | L128, .rm = V(RD, SVL), .imm = IB, .effect = E_PCMPISTRI)),
    /* vfmaddps vfmaddpd */
    [0x68 ... 0x69] = ROWS(ROW(P66, .rm = V(RD, SVL), .vvvv = V_VEC, .imm = IB)),
    /* vfmaddss */
    [0x6a] = ROWS(ROW(P66, .rm = V(RD, S4), .vvvv = V_VEC, .imm = IB)),
    /* vfmaddsd */
    [0x6b] = ROWS(ROW(P66, .rm = V(RD, S8), .vvvv = V_VEC, .imm = IB)),
    /* vfmsubps vfmsubpd */
    [0x6c ... 0x6d] = ROWS(ROW(P66, .rm = V(RD, SVL), .vvvv = V_VEC, .imm = IB)),
    /* vfmsubss */
    [0x6e] = ROWS(ROW(P66, .rm = V(RD, S4), .vvvv = V_VEC, .imm = IB)),
    /* vfmsubsd */
    [0x6f] = ROWS(ROW(P66, .rm = V(RD, S8), .vvvv = V_VEC, .imm = IB)),
    /* vfnmaddps vfnmaddpd */
    [0x78 ... 0x79] = ROWS(ROW(P66, .rm = V(RD, SVL), .vvvv = V_VEC, .imm = IB)),
    /* vfnmaddss */
    [0x7a] = ROWS(ROW(P66, .rm = V(RD, S4), .vvvv = V_VEC, .imm = IB)),
    /* vfnmaddsd */
    [0x7b] = ROWS(ROW(P66, .rm = V(RD, S8), .vvvv = V_VEC, .imm = IB)),
    /* vfnmsubps vfnmsubpd */
    [0x7c ... 0x7d] = ROWS(ROW(P66, .rm = V(RD, SVL), .vvvv = V_VEC, .imm = IB)),
    /* vfnmsubss */
    [0x7e] = ROWS(ROW(P66, .rm = V(RD, S4), .vvvv = V_VEC, .imm = IB)),
    /* vfnmsubsd */
    [0x7f] = ROWS(ROW(P66, .rm = V(RD, S8), .vvvv = V_VEC, .imm = IB)),
    /* vgf2p8affineqb vgf2p8affineinvqb */
    [0xce ... 0xcf] = ROWS(ROW(P66 | W1, .rm = V(RD, SVL), .vvvv = V_VEC, .imm = IB)),
    /* vsm3rnds2 */
    [0xde] = ROWS(ROW(P66 | W0 | L128, .rm = V(RD, SVL), .vvvv = V_VEC, .imm = IB)),
    /* vaeskeygenassist */
    [0xdf] = ROWS(ROW(P66 | L128, .rm = V(RD, SVL), .imm = IB)),
    /* rorx */
    [0xf0] = ROWS(ROW(PF2 | L128, .rm = G(RD, SY), .reg = G(WR, SY), .imm = IB)),
};
