/* decode_evex38.c: the EVEX map 0F 38 of AVX-512. The notation is explained in decode_tables.h. */
#include "engine/x64/decode_tables.h"

x64_map x64_evex_0f38 = {
    /* vpshufb */
    [0x00] = ROWS(ROW(P66, .rm = V(RD, SVL), .vvvv = V_VEC, .flags = KZ)),
    /* vpmaddubsw */
    [0x04] = ROWS(ROW(P66, .rm = V(RD, SVL), .vvvv = V_VEC, .flags = KZ)),
    /* vpmulhrsw */
    [0x0b] = ROWS(ROW(P66, .rm = V(RD, SVL), .vvvv = V_VEC, .flags = KZ)),
    /* vpermilps */
    [0x0c] = ROWS(ROW(P66 | W0, .rm = V(RD, SVL), .vvvv = V_VEC, .flags = KZ | BC(S4))),
    /* vpermilpd */
    [0x0d] = ROWS(ROW(P66 | W1, .rm = V(RD, SVL), .vvvv = V_VEC, .flags = KZ | BC(S8))),
    /* vpsrlvw vpmovuswb */
    [0x10] = ROWS(ROW(P66 | W1, .rm = V(RD, SVL), .vvvv = V_VEC, .flags = KZ),
                  ROW(PF3 | W0, .rm = V(WR, SVL2), .flags = KZ)),
    /* vpsravw vpmovusdb */
    [0x11] = ROWS(ROW(P66 | W1, .rm = V(RD, SVL), .vvvv = V_VEC, .flags = KZ),
                  ROW(PF3 | W0, .rm = V(WR, SVL4), .flags = KZ)),
    /* vpsllvw vpmovusqb */
    [0x12] = ROWS(ROW(P66 | W1, .rm = V(RD, SVL), .vvvv = V_VEC, .flags = KZ),
                  ROW(PF3 | W0, .rm = V(WR, SVL8), .flags = KZ)),
    /* vcvtph2ps vpmovusdw */
    [0x13] = ROWS(ROW(P66 | W0, .rm = V(RD, SVL2), .flags = KZ | RC),
                  ROW(PF3 | W0, .rm = V(WR, SVL2), .flags = KZ)),
    /* vprorvd vprorvq vpmovusqw */
    [0x14] = ROWS(ROW(P66, .rm = V(RD, SVL), .vvvv = V_VEC, .flags = KZ | BC(SY)),
                  ROW(PF3 | W0, .rm = V(WR, SVL4), .flags = KZ)),
    /* vprolvd vprolvq vpmovusqd */
    [0x15] = ROWS(ROW(P66, .rm = V(RD, SVL), .vvvv = V_VEC, .flags = KZ | BC(SY)),
                  ROW(PF3 | W0, .rm = V(WR, SVL2), .flags = KZ)),
    /* vpermpd vpermps */
    [0x16] = ROWS(ROW(P66 | L256 | L512, .rm = V(RD, SVL), .vvvv = V_VEC, .flags = KZ | BC(SY))),
    /* vbroadcastss */
    [0x18] = ROWS(ROW(P66 | W0, .rm = V(RD, S4), .flags = KZ)),
    /* vbroadcastf32x2 vbroadcastsd */
    [0x19] = ROWS(ROW(P66 | L256 | L512, .rm = V(RD, S8), .flags = KZ)),
    /* vbroadcastf32x4 vbroadcastf64x2 */
    [0x1a] = ROWS(ROW(P66 | L256 | L512 | MEM, .rm = M(RD, S16), .flags = KZ)),
    /* vbroadcastf32x8 vbroadcastf64x4 */
    [0x1b] = ROWS(ROW(P66 | L512 | MEM, .rm = M(RD, S32), .flags = KZ)),
    /* vpabsb vpabsw */
    [0x1c ... 0x1d] = ROWS(ROW(P66, .rm = V(RD, SVL), .flags = KZ)),
    /* vpabsd */
    [0x1e] = ROWS(ROW(P66 | W0, .rm = V(RD, SVL), .flags = KZ | BC(S4))),
    /* vpabsq */
    [0x1f] = ROWS(ROW(P66 | W1, .rm = V(RD, SVL), .flags = KZ | BC(S8))),
    /* vpmovsxbw vpmovswb */
    [0x20] = ROWS(ROW(P66, .rm = V(RD, SVL2), .flags = KZ), ROW(PF3 | W0, .rm = V(WR, SVL2), .flags = KZ)),
    /* vpmovsxbd vpmovsdb */
    [0x21] = ROWS(ROW(P66, .rm = V(RD, SVL4), .flags = KZ), ROW(PF3 | W0, .rm = V(WR, SVL4), .flags = KZ)),
    /* vpmovsxbq vpmovsqb */
    [0x22] = ROWS(ROW(P66, .rm = V(RD, SVL8), .flags = KZ), ROW(PF3 | W0, .rm = V(WR, SVL8), .flags = KZ)),
    /* vpmovsxwd vpmovsdw */
    [0x23] = ROWS(ROW(P66, .rm = V(RD, SVL2), .flags = KZ), ROW(PF3 | W0, .rm = V(WR, SVL2), .flags = KZ)),
    /* vpmovsxwq vpmovsqw */
    [0x24] = ROWS(ROW(P66, .rm = V(RD, SVL4), .flags = KZ), ROW(PF3 | W0, .rm = V(WR, SVL4), .flags = KZ)),
    /* vpmovsxdq vpmovsqd */
    [0x25] =
        ROWS(ROW(P66 | W0, .rm = V(RD, SVL2), .flags = KZ), ROW(PF3 | W0, .rm = V(WR, SVL2), .flags = KZ)),
    /* vptestmb vptestmw vptestnmb vptestnmw */
    [0x26] = ROWS(ROW(P66 | PF3, .rm = V(RD, SVL), .reg = MASK, .vvvv = V_VEC, .flags = KM)),
    /* vptestmd vptestmq vptestnmd vptestnmq */
    [0x27] = ROWS(ROW(P66 | PF3, .rm = V(RD, SVL), .reg = MASK, .vvvv = V_VEC, .flags = KM | BC(SY))),
    /* vpmuldq vpmovm2b vpmovm2w */
    [0x28] = ROWS(ROW(P66 | W1, .rm = V(RD, SVL), .vvvv = V_VEC, .flags = KZ | BC(S8)),
                  ROW(PF3 | REG, .rm = MASK)),
    /* vpcmpeqq vpmovb2m vpmovw2m */
    [0x29] = ROWS(ROW(P66 | W1, .rm = V(RD, SVL), .reg = MASK, .vvvv = V_VEC, .flags = KM | BC(S8)),
                  ROW(PF3 | REG, .reg = MASK)),
    /* vmovntdqa vpbroadcastmb2q */
    [0x2a] = ROWS(ROW(P66 | W0 | MEM, .rm = M(RD, SVL)), ROW(PF3 | W1 | REG, .rm = MASK)),
    /* vpackusdw */
    [0x2b] = ROWS(ROW(P66 | W0, .rm = V(RD, SVL), .vvvv = V_VEC, .flags = KZ | BC(S4))),
    /* vscalefpd vscalefps */
    [0x2c] = ROWS(ROW(P66, .rm = V(RD, SVL), .vvvv = V_VEC, .flags = KZ | BC(SY) | RC)),
    /* vscalefsd vscalefss */
    [0x2d] = ROWS(ROW(P66, .rm = V(RD, SY), .vvvv = V_VEC, .flags = KZ | RC)),
    /* vpmovzxbw vpmovwb */
    [0x30] = ROWS(ROW(P66, .rm = V(RD, SVL2), .flags = KZ), ROW(PF3 | W0, .rm = V(WR, SVL2), .flags = KZ)),
    /* vpmovzxbd vpmovdb */
    [0x31] = ROWS(ROW(P66, .rm = V(RD, SVL4), .flags = KZ), ROW(PF3 | W0, .rm = V(WR, SVL4), .flags = KZ)),
    /* vpmovzxbq vpmovqb */
    [0x32] = ROWS(ROW(P66, .rm = V(RD, SVL8), .flags = KZ), ROW(PF3 | W0, .rm = V(WR, SVL8), .flags = KZ)),
    /* vpmovzxwd vpmovdw */
    [0x33] = ROWS(ROW(P66, .rm = V(RD, SVL2), .flags = KZ), ROW(PF3 | W0, .rm = V(WR, SVL2), .flags = KZ)),
    /* vpmovzxwq vpmovqw */
    [0x34] = ROWS(ROW(P66, .rm = V(RD, SVL4), .flags = KZ), ROW(PF3 | W0, .rm = V(WR, SVL4), .flags = KZ)),
    /* vpmovzxdq vpmovqd */
    [0x35] =
        ROWS(ROW(P66 | W0, .rm = V(RD, SVL2), .flags = KZ), ROW(PF3 | W0, .rm = V(WR, SVL2), .flags = KZ)),
    /* vpermd vpermq */
    [0x36] = ROWS(ROW(P66 | L256 | L512, .rm = V(RD, SVL), .vvvv = V_VEC, .flags = KZ | BC(SY))),
    /* vpcmpgtq */
    [0x37] = ROWS(ROW(P66 | W1, .rm = V(RD, SVL), .reg = MASK, .vvvv = V_VEC, .flags = KM | BC(S8))),
    /* vpminsb vpmovm2d vpmovm2q */
    [0x38] = ROWS(ROW(P66, .rm = V(RD, SVL), .vvvv = V_VEC, .flags = KZ), ROW(PF3 | REG, .rm = MASK)),
    /* vpminsd vpminsq vpmovd2m vpmovq2m */
    [0x39] =
        ROWS(ROW(P66, .rm = V(RD, SVL), .vvvv = V_VEC, .flags = KZ | BC(SY)), ROW(PF3 | REG, .reg = MASK)),
    /* vpminuw vpbroadcastmw2d */
    [0x3a] = ROWS(ROW(P66, .rm = V(RD, SVL), .vvvv = V_VEC, .flags = KZ), ROW(PF3 | W0 | REG, .rm = MASK)),
    /* vpminud vpminuq */
    [0x3b] = ROWS(ROW(P66, .rm = V(RD, SVL), .vvvv = V_VEC, .flags = KZ | BC(SY))),
    /* vpmaxsb */
    [0x3c] = ROWS(ROW(P66, .rm = V(RD, SVL), .vvvv = V_VEC, .flags = KZ)),
    /* vpmaxsd vpmaxsq */
    [0x3d] = ROWS(ROW(P66, .rm = V(RD, SVL), .vvvv = V_VEC, .flags = KZ | BC(SY))),
    /* vpmaxuw */
    [0x3e] = ROWS(ROW(P66, .rm = V(RD, SVL), .vvvv = V_VEC, .flags = KZ)),
    /* vpmaxud vpmaxuq vpmulld vpmullq */
    [0x3f ... 0x40] = ROWS(ROW(P66, .rm = V(RD, SVL), .vvvv = V_VEC, .flags = KZ | BC(SY))),
    /* vgetexppd vgetexpps */
    [0x42] = ROWS(ROW(P66, .rm = V(RD, SVL), .flags = KZ | BC(SY) | RC)),
    /* vgetexpsd vgetexpss */
    [0x43] = ROWS(ROW(P66, .rm = V(RD, SY), .vvvv = V_VEC, .flags = KZ | RC)),
    /* vplzcntd vplzcntq */
    [0x44] = ROWS(ROW(P66, .rm = V(RD, SVL), .flags = KZ | BC(SY))),
    /* vpsrlvd vpsrlvq vpsravd vpsravq vpsllvd vpsllvq */
    [0x45 ... 0x47] = ROWS(ROW(P66, .rm = V(RD, SVL), .vvvv = V_VEC, .flags = KZ | BC(SY))),
    /* vrcp14pd vrcp14ps */
    [0x4c] = ROWS(ROW(P66, .rm = V(RD, SVL), .flags = KZ | BC(SY))),
    /* vrcp14sd vrcp14ss */
    [0x4d] = ROWS(ROW(P66, .rm = V(RD, SY), .vvvv = V_VEC, .flags = KZ)),
    /* vrsqrt14pd vrsqrt14ps */
    [0x4e] = ROWS(ROW(P66, .rm = V(RD, SVL), .flags = KZ | BC(SY))),
    /* vrsqrt14sd vrsqrt14ss */
    [0x4f] = ROWS(ROW(P66, .rm = V(RD, SY), .vvvv = V_VEC, .flags = KZ)),
    /* vpdpbusd vpdpbusds */
    [0x50 ... 0x51] = ROWS(ROW(P66 | W0, .rm = V(RD, SVL), .vvvv = V_VEC, .flags = KZ | BC(S4))),
    /* vdpbf16ps vpdpwssd vp4dpwssd */
    [0x52] = ROWS(ROW(P66 | PF3 | W0, .rm = V(RD, SVL), .vvvv = V_VEC, .flags = KZ | BC(S4)),
                  ROW(PF2 | W0 | L512 | MEM, .rm = M(RD, S16), .vvvv = V_VEC, .flags = KZ)),
    /* vpdpwssds vp4dpwssds */
    [0x53] = ROWS(ROW(P66 | W0, .rm = V(RD, SVL), .vvvv = V_VEC, .flags = KZ | BC(S4)),
                  ROW(PF2 | W0 | L512 | MEM, .rm = M(RD, S16), .vvvv = V_VEC, .flags = KZ)),
    /* vpopcntb vpopcntw */
    [0x54] = ROWS(ROW(P66, .rm = V(RD, SVL), .flags = KZ)),
    /* vpopcntd vpopcntq */
    [0x55] = ROWS(ROW(P66, .rm = V(RD, SVL), .flags = KZ | BC(SY))),
    /* vpbroadcastd */
    [0x58] = ROWS(ROW(P66 | W0, .rm = V(RD, S4), .flags = KZ)),
    /* vbroadcasti32x2 vpbroadcastq */
    [0x59] = ROWS(ROW(P66, .rm = V(RD, S8), .flags = KZ)),
    /* vbroadcasti32x4 vbroadcasti64x2 */
    [0x5a] = ROWS(ROW(P66 | L256 | L512 | MEM, .rm = M(RD, S16), .flags = KZ)),
    /* vbroadcasti32x8 vbroadcasti64x4 */
    [0x5b] = ROWS(ROW(P66 | L512 | MEM, .rm = M(RD, S32), .flags = KZ)),
    /* vpexpandb vpexpandw */
    [0x62] = ROWS(ROW(P66, .rm = V(RD, SVL), .flags = KZ | NE(SBW))),
    /* vpcompressb vpcompressw */
    [0x63] = ROWS(ROW(P66, .rm = V(WR, SVL), .flags = KZ | NE(SBW))),
    /* vpblendmd vpblendmq vblendmpd vblendmps */
    [0x64 ... 0x65] = ROWS(ROW(P66, .rm = V(RD, SVL), .vvvv = V_VEC, .flags = KZ | BC(SY))),
    /* vpblendmb vpblendmw */
    [0x66] = ROWS(ROW(P66, .rm = V(RD, SVL), .vvvv = V_VEC, .flags = KZ)),
    /* vp2intersectd vp2intersectq */
    [0x68] = ROWS(ROW(PF2, .rm = V(RD, SVL), .reg = MASK, .vvvv = V_VEC, .flags = BC(SY))),
    /* vpshldvw */
    [0x70] = ROWS(ROW(P66 | W1, .rm = V(RD, SVL), .vvvv = V_VEC, .flags = KZ)),
    /* vpshldvd vpshldvq */
    [0x71] = ROWS(ROW(P66, .rm = V(RD, SVL), .vvvv = V_VEC, .flags = KZ | BC(SY))),
    /* vpshrdvw vcvtneps2bf16 vcvtne2ps2bf16 */
    [0x72] = ROWS(ROW(P66 | W1, .rm = V(RD, SVL), .vvvv = V_VEC, .flags = KZ),
                  ROW(PF3 | W0, .rm = V(RD, SVL), .flags = KZ | BC(S4)),
                  ROW(PF2 | W0, .rm = V(RD, SVL), .vvvv = V_VEC, .flags = KZ | BC(S4))),
    /* vpshrdvd vpshrdvq */
    [0x73] = ROWS(ROW(P66, .rm = V(RD, SVL), .vvvv = V_VEC, .flags = KZ | BC(SY))),
    /* vpermi2b vpermi2w */
    [0x75] = ROWS(ROW(P66, .rm = V(RD, SVL), .vvvv = V_VEC, .flags = KZ)),
    /* vpermi2d vpermi2q vpermi2pd vpermi2ps */
    [0x76 ... 0x77] = ROWS(ROW(P66, .rm = V(RD, SVL), .vvvv = V_VEC, .flags = KZ | BC(SY))),
    /* vpbroadcastb */
    [0x78] = ROWS(ROW(P66 | W0, .rm = V(RD, S1), .flags = KZ)),
    /* vpbroadcastw */
    [0x79] = ROWS(ROW(P66 | W0, .rm = V(RD, S2), .flags = KZ)),
    /* vpbroadcastb vpbroadcastw */
    [0x7a ... 0x7b] = ROWS(ROW(P66 | W0 | REG, .rm = G(RD, S4), .flags = KZ)),
    /* vpbroadcastd vpbroadcastq */
    [0x7c] = ROWS(ROW(P66 | REG, .rm = G(RD, SY), .flags = KZ)),
    /* vpermt2b vpermt2w */
    [0x7d] = ROWS(ROW(P66, .rm = V(RD, SVL), .vvvv = V_VEC, .flags = KZ)),
    /* vpermt2d vpermt2q vpermt2pd vpermt2ps */
    [0x7e ... 0x7f] = ROWS(ROW(P66, .rm = V(RD, SVL), .vvvv = V_VEC, .flags = KZ | BC(SY))),
    /* vpmultishiftqb */
    [0x83] = ROWS(ROW(P66 | W1, .rm = V(RD, SVL), .vvvv = V_VEC, .flags = KZ | BC(S8))),
    /* vexpandpd vexpandps vpexpandd vpexpandq */
    [0x88 ... 0x89] = ROWS(ROW(P66, .rm = V(RD, SVL), .flags = KZ | NE(SY))),
    /* vcompresspd vcompressps vpcompressd vpcompressq */
    [0x8a ... 0x8b] = ROWS(ROW(P66, .rm = V(WR, SVL), .flags = KZ | NE(SY))),
    /* vpermb vpermw */
    [0x8d] = ROWS(ROW(P66, .rm = V(RD, SVL), .vvvv = V_VEC, .flags = KZ)),
    /* vpshufbitqmb */
    [0x8f] = ROWS(ROW(P66 | W0, .rm = V(RD, SVL), .reg = MASK, .vvvv = V_VEC, .flags = KM)),
    /* vpgatherdd vpgatherdq vpgatherqd vpgatherqq vgatherdpd vgatherdps vgatherqpd vgatherqps */
    [0x90 ... 0x93] = ROWS(ROW(P66 | MEM, .rm = VS(RD, SY), .flags = KREQ | DISTINCT)),
    /* vfmaddsub132pd vfmaddsub132ps vfmsubadd132pd vfmsubadd132ps vfmadd132pd vfmadd132ps */
    [0x96 ... 0x98] = ROWS(ROW(P66, .rm = V(RD, SVL), .vvvv = V_VEC, .flags = KZ | BC(SY) | RC)),
    /* vfmadd132sd vfmadd132ss */
    [0x99] = ROWS(ROW(P66, .rm = V(RD, SY), .vvvv = V_VEC, .flags = KZ | RC)),
    /* vfmsub132pd vfmsub132ps v4fmaddps */
    [0x9a] = ROWS(ROW(P66, .rm = V(RD, SVL), .vvvv = V_VEC, .flags = KZ | BC(SY) | RC),
                  ROW(PF2 | W0 | L512 | MEM, .rm = M(RD, S16), .vvvv = V_VEC, .flags = KZ)),
    /* vfmsub132sd vfmsub132ss v4fmaddss */
    [0x9b] = ROWS(ROW(P66, .rm = V(RD, SY), .vvvv = V_VEC, .flags = KZ | RC),
                  ROW(PF2 | W0 | MEM, .rm = M(RD, S16), .vvvv = V_VEC, .flags = KZ)),
    /* vfnmadd132pd vfnmadd132ps */
    [0x9c] = ROWS(ROW(P66, .rm = V(RD, SVL), .vvvv = V_VEC, .flags = KZ | BC(SY) | RC)),
    /* vfnmadd132sd vfnmadd132ss */
    [0x9d] = ROWS(ROW(P66, .rm = V(RD, SY), .vvvv = V_VEC, .flags = KZ | RC)),
    /* vfnmsub132pd vfnmsub132ps */
    [0x9e] = ROWS(ROW(P66, .rm = V(RD, SVL), .vvvv = V_VEC, .flags = KZ | BC(SY) | RC)),
    /* vfnmsub132sd vfnmsub132ss */
    [0x9f] = ROWS(ROW(P66, .rm = V(RD, SY), .vvvv = V_VEC, .flags = KZ | RC)),
    /* vpscatterdd vpscatterdq vpscatterqd vpscatterqq vscatterdpd vscatterdps vscatterqpd vscatterqps */
    [0xa0 ... 0xa3] = ROWS(ROW(P66 | MEM, .rm = VS(CW, SY), .flags = KREQ)),
    /* vfmaddsub213pd vfmaddsub213ps vfmsubadd213pd vfmsubadd213ps vfmadd213pd vfmadd213ps */
    [0xa6 ... 0xa8] = ROWS(ROW(P66, .rm = V(RD, SVL), .vvvv = V_VEC, .flags = KZ | BC(SY) | RC)),
    /* vfmadd213sd vfmadd213ss */
    [0xa9] = ROWS(ROW(P66, .rm = V(RD, SY), .vvvv = V_VEC, .flags = KZ | RC)),
    /* vfmsub213pd vfmsub213ps v4fnmaddps */
    [0xaa] = ROWS(ROW(P66, .rm = V(RD, SVL), .vvvv = V_VEC, .flags = KZ | BC(SY) | RC),
                  ROW(PF2 | W0 | L512 | MEM, .rm = M(RD, S16), .vvvv = V_VEC, .flags = KZ)),
    /* vfmsub213sd vfmsub213ss v4fnmaddss */
    [0xab] = ROWS(ROW(P66, .rm = V(RD, SY), .vvvv = V_VEC, .flags = KZ | RC),
                  ROW(PF2 | W0 | MEM, .rm = M(RD, S16), .vvvv = V_VEC, .flags = KZ)),
    /* vfnmadd213pd vfnmadd213ps */
    [0xac] = ROWS(ROW(P66, .rm = V(RD, SVL), .vvvv = V_VEC, .flags = KZ | BC(SY) | RC)),
    /* vfnmadd213sd vfnmadd213ss */
    [0xad] = ROWS(ROW(P66, .rm = V(RD, SY), .vvvv = V_VEC, .flags = KZ | RC)),
    /* vfnmsub213pd vfnmsub213ps */
    [0xae] = ROWS(ROW(P66, .rm = V(RD, SVL), .vvvv = V_VEC, .flags = KZ | BC(SY) | RC)),
    /* vfnmsub213sd vfnmsub213ss */
    [0xaf] = ROWS(ROW(P66, .rm = V(RD, SY), .vvvv = V_VEC, .flags = KZ | RC)),
    /* vpmadd52luq vpmadd52huq */
    [0xb4 ... 0xb5] = ROWS(ROW(P66 | W1, .rm = V(RD, SVL), .vvvv = V_VEC, .flags = KZ | BC(S8))),
    /* vfmaddsub231pd vfmaddsub231ps vfmsubadd231pd vfmsubadd231ps vfmadd231pd vfmadd231ps */
    [0xb6 ... 0xb8] = ROWS(ROW(P66, .rm = V(RD, SVL), .vvvv = V_VEC, .flags = KZ | BC(SY) | RC)),
    /* vfmadd231sd vfmadd231ss */
    [0xb9] = ROWS(ROW(P66, .rm = V(RD, SY), .vvvv = V_VEC, .flags = KZ | RC)),
    /* vfmsub231pd vfmsub231ps */
    [0xba] = ROWS(ROW(P66, .rm = V(RD, SVL), .vvvv = V_VEC, .flags = KZ | BC(SY) | RC)),
    /* vfmsub231sd vfmsub231ss */
    [0xbb] = ROWS(ROW(P66, .rm = V(RD, SY), .vvvv = V_VEC, .flags = KZ | RC)),
    /* vfnmadd231pd vfnmadd231ps */
    [0xbc] = ROWS(ROW(P66, .rm = V(RD, SVL), .vvvv = V_VEC, .flags = KZ | BC(SY) | RC)),
    /* vfnmadd231sd vfnmadd231ss */
    [0xbd] = ROWS(ROW(P66, .rm = V(RD, SY), .vvvv = V_VEC, .flags = KZ | RC)),
    /* vfnmsub231pd vfnmsub231ps */
    [0xbe] = ROWS(ROW(P66, .rm = V(RD, SVL), .vvvv = V_VEC, .flags = KZ | BC(SY) | RC)),
    /* vfnmsub231sd vfnmsub231ss */
    [0xbf] = ROWS(ROW(P66, .rm = V(RD, SY), .vvvv = V_VEC, .flags = KZ | RC)),
    /* vpconflictd vpconflictq */
    [0xc4] = ROWS(ROW(P66, .rm = V(RD, SVL), .flags = KZ | BC(SY))),
    /* vgatherpf0dpd vgatherpf0dps vgatherpf1dpd vgatherpf1dps vscatterpf0dpd vscatterpf0dps vscatterpf1dpd */
    /* vscatterpf1dps vgatherpf0qpd vgatherpf0qps vgatherpf1qpd vgatherpf1qps vscatterpf0qpd vscatterpf0qps */
    /* vscatterpf1qpd vscatterpf1qps */
    [0xc6 ... 0xc7] = ROWS(ROW(P66 | L512 | MEM | X1 | X2 | X5 | X6, .rm = VS(NO, SY), .flags = KREQ)),
    /* vexp2pd vexp2ps */
    [0xc8] = ROWS(ROW(P66 | L512, .rm = V(RD, SVL), .flags = KZ | BC(SY) | RC)),
    /* vrcp28pd vrcp28ps */
    [0xca] = ROWS(ROW(P66 | L512, .rm = V(RD, SVL), .flags = KZ | BC(SY) | RC)),
    /* vrcp28sd vrcp28ss */
    [0xcb] = ROWS(ROW(P66, .rm = V(RD, SY), .vvvv = V_VEC, .flags = KZ | RC)),
    /* vrsqrt28pd vrsqrt28ps */
    [0xcc] = ROWS(ROW(P66 | L512, .rm = V(RD, SVL), .flags = KZ | BC(SY) | RC)),
    /* vrsqrt28sd vrsqrt28ss */
    [0xcd] = ROWS(ROW(P66, .rm = V(RD, SY), .vvvv = V_VEC, .flags = KZ | RC)),
    /* vgf2p8mulb */
    [0xcf] = ROWS(ROW(P66 | W0, .rm = V(RD, SVL), .vvvv = V_VEC, .flags = KZ)),
    /* vaesenc vaesenclast vaesdec vaesdeclast */
    [0xdc ... 0xdf] = ROWS(ROW(P66, .rm = V(RD, SVL), .vvvv = V_VEC)),
};
