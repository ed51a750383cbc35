/* decode_xop.c: AMD's XOP maps 8, 9 and 10, with TBM and LWP. The notation is explained in
 * decode_tables.h. */
#include "engine/x64/decode_tables.h"

x64_map x64_xop_8 = {
    /* vpmacssww vpmacsswd vpmacssdql */
    [0x85 ... 0x87] = ROWS(ROW(NP | W0 | L128, .rm = V(RD, SVL), .vvvv = V_VEC, .imm = IB)),
    /* vpmacssdd vpmacssdqh */
    [0x8e ... 0x8f] = ROWS(ROW(NP | W0 | L128, .rm = V(RD, SVL), .vvvv = V_VEC, .imm = IB)),
    /* vpmacsww vpmacswd vpmacsdql */
    [0x95 ... 0x97] = ROWS(ROW(NP | W0 | L128, .rm = V(RD, SVL), .vvvv = V_VEC, .imm = IB)),
    /* vpmacsdd vpmacsdqh */
    [0x9e ... 0x9f] = ROWS(ROW(NP | W0 | L128, .rm = V(RD, SVL), .vvvv = V_VEC, .imm = IB)),
    /* vpcmov */
    [0xa2] = ROWS(ROW(NP, .rm = V(RD, SVL), .vvvv = V_VEC, .imm = IB)),
    /* vpperm */
    [0xa3] = ROWS(ROW(NP | L128, .rm = V(RD, SVL), .vvvv = V_VEC, .imm = IB)),
    /* vpmadcsswd */
    [0xa6] = ROWS(ROW(NP | W0 | L128, .rm = V(RD, SVL), .vvvv = V_VEC, .imm = IB)),
    /* vpmadcswd */
    [0xb6] = ROWS(ROW(NP | W0 | L128, .rm = V(RD, SVL), .vvvv = V_VEC, .imm = IB)),
    /* vprotb vprotw vprotd vprotq */
    [0xc0 ... 0xc3] = ROWS(ROW(NP | W0 | L128, .rm = V(RD, SVL), .imm = IB)),
    /* vpcomb vpcomw vpcomd vpcomq */
    [0xcc ... 0xcf] = ROWS(ROW(NP | W0 | L128, .rm = V(RD, SVL), .vvvv = V_VEC, .imm = IB)),
    /* vpcomub vpcomuw vpcomud vpcomuq */
    [0xec ... 0xef] = ROWS(ROW(NP | W0 | L128, .rm = V(RD, SVL), .vvvv = V_VEC, .imm = IB)),
};

x64_map x64_xop_9 = {
    /* blcfill blcic blcs blsfill blsic t1mskc tzmsk */
    [0x01] = ROWS(ROW(NP | L128 | X1 | X2 | X3 | X4 | X5 | X6 | X7, .rm = G(RD, SY), .vvvv = V_WRITE,
                      .effect = E_STATUS)),
    /* blci blcmsk */
    [0x02] = ROWS(ROW(NP | L128 | X1 | X6, .rm = G(RD, SY), .vvvv = V_WRITE, .effect = E_STATUS)),
    /* llwpcb slwpcb */
    [0x12] = ROWS(ROW(NP | L128 | REG | X0 | X1, .rm = G(WR, SY))),
    /* vfrczps vfrczpd */
    [0x80 ... 0x81] = ROWS(ROW(NP | W0, .rm = V(RD, SVL))),
    /* vfrczss */
    [0x82] = ROWS(ROW(NP | W0 | L128, .rm = V(RD, S4))),
    /* vfrczsd */
    [0x83] = ROWS(ROW(NP | W0 | L128, .rm = V(RD, S8))),
    /* vprotb vprotw vprotd vprotq vpshlb vpshlw vpshld vpshlq vpshab vpshaw vpshad vpshaq */
    [0x90 ... 0x9b] = ROWS(ROW(NP | L128, .rm = V(RD, SVL), .vvvv = V_VEC)),
    /* vphaddbw vphaddbd vphaddbq */
    [0xc1 ... 0xc3] = ROWS(ROW(NP | W0 | L128, .rm = V(RD, SVL))),
    /* vphaddwd vphaddwq */
    [0xc6 ... 0xc7] = ROWS(ROW(NP | W0 | L128, .rm = V(RD, SVL))),
    /* vphadddq */
    [0xcb] = ROWS(ROW(NP | W0 | L128, .rm = V(RD, SVL))),
    /* vphaddubw vphaddubd vphaddubq */
    [0xd1 ... 0xd3] = ROWS(ROW(NP | W0 | L128, .rm = V(RD, SVL))),
    /* vphadduwd vphadduwq */
    [0xd6 ... 0xd7] = ROWS(ROW(NP | W0 | L128, .rm = V(RD, SVL))),
    /* vphaddudq */
    [0xdb] = ROWS(ROW(NP | W0 | L128, .rm = V(RD, SVL))),
    /* vphsubbw vphsubwd vphsubdq */
    [0xe1 ... 0xe3] = ROWS(ROW(NP | W0 | L128, .rm = V(RD, SVL))),
};

x64_map x64_xop_a = {
    /* bextr */
    [0x10] = ROWS(ROW(NP | L128, .rm = G(RD, SY), .reg = G(WR, SY), .imm = ID, .effect = E_STATUS)),
    /* lwpins lwpval */
    [0x12] = ROWS(ROW(NP | L128 | X0, .rm = G(RD, S4), .vvvv = V_WRITE, .imm = ID, .effect = E_CF),
                  ROW(NP | L128 | X1, .rm = G(RD, S4), .vvvv = V_WRITE, .imm = ID)),
};
