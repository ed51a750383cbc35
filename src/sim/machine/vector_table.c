/* vector_table.c: the instructions of OP-V, and the elements of those on integers. */
#include <stddef.h>

#include "sim/machine/operations.h"
#include "sim/machine/vector.h"

typedef __int128 wide;
typedef unsigned __int128 unsigned_wide;

/* -- Fixed point ---------------------------------------------------------------------------------------------------------------- */

enum { ROUND_TO_NEAREST_UP, ROUND_TO_NEAREST_EVEN, ROUND_OFF, ROUND_TO_ODD };

/* Shifted right, and rounded as vxrm says. */
static wide rounded(const struct vector *v, wide value, uint32_t shift) {
  if (!shift) return value;
  unsigned_wide rest = (unsigned_wide)value & (((unsigned_wide)1 << shift) - 1),
                half = (unsigned_wide)1 << (shift - 1);
  bool odd = value >> shift & 1, more;
  switch (v->state->control >> 1) {
    case ROUND_TO_NEAREST_UP:
      more = rest >= half;
      break;
    case ROUND_TO_NEAREST_EVEN:
      more = rest > half || (rest == half && odd);
      break;
    case ROUND_OFF:
      more = false;
      break;
    default:
      more = !odd && rest;
  }
  return (value >> shift) + more;
}

static uint64_t limited(struct vector *v, wide value, wide least, wide largest) {
  if (value >= least && value <= largest) return (uint64_t)value;
  v->state->control |= 1; /* vxsat */
  return (uint64_t)(value < least ? least : largest);
}
static uint64_t limited_signed(struct vector *v, wide value) {
  wide limit = (wide)1 << (v->width - 1);
  return limited(v, value, -limit, limit - 1);
}
static uint64_t limited_unsigned(struct vector *v, wide value) {
  return limited(v, value, 0, ((wide)1 << v->width) - 1);
}

/* -- Elements of integers ----------------------------------------------------------------------------------------------------------- */

#define SIGNED_WIDE(x) ((wide)(int64_t)(x))
#define SHIFT (b & (v->width_a - 1))
#define LEFT SIGNED_WIDE(a)
#define RIGHT SIGNED_WIDE(b)

/* clang-format off */
#define INTEGERS(X) \
  X(add, a + b) \
  X(subtract, a - b) \
  X(subtract_from, b - a) \
  X(lesser, a < b ? a : b) \
  X(lesser_signed, (int64_t)a < (int64_t)b ? a : b) \
  X(larger, a > b ? a : b) \
  X(larger_signed, (int64_t)a > (int64_t)b ? a : b) \
  X(and, a & b) \
  X(or, a | b) \
  X(xor, a ^ b) \
  X(and_not, a & ~b) \
  X(or_not, a | ~b) \
  X(nand, ~(a & b)) \
  X(nor, ~(a | b)) \
  X(xnor, ~(a ^ b)) \
  X(first, a) \
  X(choice, v->carry || !v->masked ? b : a) \
  X(add_carry, a + b + v->carry) \
  X(carry, ((unsigned_wide)a + b + v->carry) >> v->width & 1) \
  X(subtract_borrow, a - b - v->carry) \
  X(borrow, (unsigned_wide)a < (unsigned_wide)b + v->carry) \
  X(equal, a == b) \
  X(unequal, a != b) \
  X(less, a < b) \
  X(less_signed, (int64_t)a < (int64_t)b) \
  X(less_equal, a <= b) \
  X(less_equal_signed, (int64_t)a <= (int64_t)b) \
  X(more, a > b) \
  X(more_signed, (int64_t)a > (int64_t)b) \
  X(shift_left, a << SHIFT) \
  X(shift_right, a >> SHIFT) \
  X(shift_right_signed, (int64_t)a >> SHIFT) \
  X(add_limited, limited_unsigned(v, (wide)a + b)) \
  X(add_limited_signed, limited_signed(v, LEFT + RIGHT)) \
  X(subtract_limited, limited_unsigned(v, (wide)a - b)) \
  X(subtract_limited_signed, limited_signed(v, LEFT - RIGHT)) \
  X(average, rounded(v, (wide)a + b, 1)) \
  X(average_signed, rounded(v, LEFT + RIGHT, 1)) \
  X(average_difference, rounded(v, (wide)a - b, 1)) \
  X(average_difference_signed, rounded(v, LEFT - RIGHT, 1)) \
  X(fraction_multiply, limited_signed(v, rounded(v, LEFT * RIGHT, v->width - 1))) \
  X(shift_rounded, rounded(v, a, SHIFT)) \
  X(shift_rounded_signed, rounded(v, LEFT, SHIFT)) \
  X(clip, limited_unsigned(v, rounded(v, a, SHIFT))) \
  X(clip_signed, limited_signed(v, rounded(v, LEFT, SHIFT))) \
  X(multiply, a * b) \
  X(multiply_high, (unsigned_wide)a * b >> v->width) \
  X(multiply_high_signed, LEFT * RIGHT >> v->width) \
  X(multiply_high_mixed, LEFT * (wide)b >> v->width) \
  X(quotient, divide_unsigned(a, b)) \
  X(quotient_signed, divide((int64_t)a, (int64_t)b)) \
  X(rest, remainder_unsigned(a, b)) \
  X(rest_signed, remainder_of((int64_t)a, (int64_t)b)) \
  X(multiply_add, b * a + d) \
  X(multiply_subtract, d - b * a) \
  X(multiply_by_add, b * d + a) \
  X(multiply_by_subtract, a - b * d) \
  X(before_first, a < b) \
  X(up_to_first, a <= b) \
  X(only_first, a == b)
/* clang-format on */

#define X(name, expression)                                                       \
  static uint64_t name##_(struct vector *v, uint64_t a, uint64_t b, uint64_t d) { \
    (void)v, (void)a, (void)b, (void)d;                                           \
    return (uint64_t)(expression);                                                \
  }
INTEGERS(X)
#undef X

/* -- The table ------------------------------------------------------------------------------------------------------------------------ */

/* Each by bits 31 to 26 of the instruction. */
enum { ROWS = 64 };
enum {
  VX = FORM_VV | FORM_VX,
  VXI = VX | FORM_VI,
  XI = FORM_VX | FORM_VI,
  MV = FORM_MVV,
  MVX = FORM_MVV | FORM_MVX,
  FV = FORM_FVV,
  FVF = FORM_FVV | FORM_VF,
  GATHER = APART | UNSIGNED_IMMEDIATE,
  COMPARES = TO_MASK | FLOAT_A,
  WIDENS = FLOAT | FLOAT_WIDENS | MULTIPLIES,
  DIVIDES_FLOAT = FLOAT | DIVIDES,
};
#define EACH vector_elements

/* clang-format off */
static const struct vector_row integer_rows[ROWS] = {
    [0x00] = {VXI, EACH, add_, 0, 0, 0},
    [0x02] = {VX, EACH, subtract_, 0, 0, 0},
    [0x03] = {XI, EACH, subtract_from_, 0, 0, 0},
    [0x04] = {VX, EACH, lesser_, 0, 0, 0},
    [0x05] = {VX, EACH, lesser_signed_, SIGNED, 0, 0},
    [0x06] = {VX, EACH, larger_, 0, 0, 0},
    [0x07] = {VX, EACH, larger_signed_, SIGNED, 0, 0},
    [0x09] = {VXI, EACH, and_, 0, 0, 0},
    [0x0a] = {VXI, EACH, or_, 0, 0, 0},
    [0x0b] = {VXI, EACH, xor_, 0, 0, 0},
    [0x0c] = {VXI, vector_gather, NULL, GATHER, 0, 0},
    [0x0e] = {XI, vector_slide_up, NULL, GATHER, 0, 0},
    [0x0f] = {XI, vector_slide_down, NULL, UNSIGNED_IMMEDIATE, 0, 0},
    [0x10] = {VXI, EACH, add_carry_, CARRY | ONLY_CARRY, 0, 0},
    [0x11] = {VXI, EACH, carry_, CARRY | TO_MASK, 0, 0},
    [0x12] = {VX, EACH, subtract_borrow_, CARRY | ONLY_CARRY, 0, 0},
    [0x13] = {VX, EACH, borrow_, CARRY | TO_MASK, 0, 0},
    [0x17] = {VXI, vector_merge, choice_, CARRY, 0, 0},
    [0x18] = {VXI, EACH, equal_, TO_MASK, 0, 0},
    [0x19] = {VXI, EACH, unequal_, TO_MASK, 0, 0},
    [0x1a] = {VX, EACH, less_, TO_MASK, 0, 0},
    [0x1b] = {VX, EACH, less_signed_, SIGNED | TO_MASK, 0, 0},
    [0x1c] = {VXI, EACH, less_equal_, TO_MASK, 0, 0},
    [0x1d] = {VXI, EACH, less_equal_signed_, SIGNED | TO_MASK, 0, 0},
    [0x1e] = {XI, EACH, more_, TO_MASK, 0, 0},
    [0x1f] = {XI, EACH, more_signed_, SIGNED | TO_MASK, 0, 0},
    [0x20] = {VXI, EACH, add_limited_, 0, 0, 0},
    [0x21] = {VXI, EACH, add_limited_signed_, SIGNED, 0, 0},
    [0x22] = {VX, EACH, subtract_limited_, 0, 0, 0},
    [0x23] = {VX, EACH, subtract_limited_signed_, SIGNED, 0, 0},
    [0x25] = {VXI, EACH, shift_left_, UNSIGNED_IMMEDIATE, 0, 0},
    [0x27] = {VX, EACH, fraction_multiply_, SIGNED | MULTIPLIES, 0, 0},
    [0x28] = {VXI, EACH, shift_right_, UNSIGNED_IMMEDIATE, 0, 0},
    [0x29] = {VXI, EACH, shift_right_signed_, SIGNED_A | UNSIGNED_IMMEDIATE, 0, 0},
    [0x2a] = {VXI, EACH, shift_rounded_, UNSIGNED_IMMEDIATE, 0, 0},
    [0x2b] = {VXI, EACH, shift_rounded_signed_, SIGNED_A | UNSIGNED_IMMEDIATE, 0, 0},
    [0x2c] = {VXI, EACH, shift_right_, UNSIGNED_IMMEDIATE, 1, 0},
    [0x2d] = {VXI, EACH, shift_right_signed_, SIGNED_A | UNSIGNED_IMMEDIATE, 1, 0},
    [0x2e] = {VXI, EACH, clip_, UNSIGNED_IMMEDIATE, 1, 0},
    [0x2f] = {VXI, EACH, clip_signed_, SIGNED_A | UNSIGNED_IMMEDIATE, 1, 0},
    [0x30] = {FORM_VV, vector_reduce, add_, 0, 0, 1},
    [0x31] = {FORM_VV, vector_reduce, add_, SIGNED, 0, 1},
};

/* Where the same number is another instruction in one of the forms. */
static const struct vector_row gather16_row = {FORM_VV, vector_gather16, NULL, APART, 0, 0},
                               groups_row = {FORM_VI, vector_move_groups, NULL, 0, 0, 0};

static const struct vector_row multiply_rows[ROWS] = {
    [0x00] = {MV, vector_reduce, add_, 0, 0, 0},
    [0x01] = {MV, vector_reduce, and_, 0, 0, 0},
    [0x02] = {MV, vector_reduce, or_, 0, 0, 0},
    [0x03] = {MV, vector_reduce, xor_, 0, 0, 0},
    [0x04] = {MV, vector_reduce, lesser_, 0, 0, 0},
    [0x05] = {MV, vector_reduce, lesser_signed_, SIGNED, 0, 0},
    [0x06] = {MV, vector_reduce, larger_, 0, 0, 0},
    [0x07] = {MV, vector_reduce, larger_signed_, SIGNED, 0, 0},
    [0x08] = {MVX, EACH, average_, 0, 0, 0},
    [0x09] = {MVX, EACH, average_signed_, SIGNED, 0, 0},
    [0x0a] = {MVX, EACH, average_difference_, 0, 0, 0},
    [0x0b] = {MVX, EACH, average_difference_signed_, SIGNED, 0, 0},
    [0x0e] = {FORM_MVX, vector_slide_up_one, NULL, APART, 0, 0},
    [0x0f] = {FORM_MVX, vector_slide_down_one, NULL, 0, 0, 0},
    [0x17] = {MV, vector_compress, NULL, APART | UNMASKED | FROM_START, 0, 0},
    [0x18] = {MV, vector_mask_logic, and_not_, 0, 0, 0},
    [0x19] = {MV, vector_mask_logic, and_, 0, 0, 0},
    [0x1a] = {MV, vector_mask_logic, or_, 0, 0, 0},
    [0x1b] = {MV, vector_mask_logic, xor_, 0, 0, 0},
    [0x1c] = {MV, vector_mask_logic, or_not_, 0, 0, 0},
    [0x1d] = {MV, vector_mask_logic, nand_, 0, 0, 0},
    [0x1e] = {MV, vector_mask_logic, nor_, 0, 0, 0},
    [0x1f] = {MV, vector_mask_logic, xnor_, 0, 0, 0},
    [0x20] = {MVX, EACH, quotient_, DIVIDES, 0, 0},
    [0x21] = {MVX, EACH, quotient_signed_, SIGNED | DIVIDES, 0, 0},
    [0x22] = {MVX, EACH, rest_, DIVIDES, 0, 0},
    [0x23] = {MVX, EACH, rest_signed_, SIGNED | DIVIDES, 0, 0},
    [0x24] = {MVX, EACH, multiply_high_, MULTIPLIES, 0, 0},
    [0x25] = {MVX, EACH, multiply_, MULTIPLIES, 0, 0},
    [0x26] = {MVX, EACH, multiply_high_mixed_, SIGNED_A | MULTIPLIES, 0, 0},
    [0x27] = {MVX, EACH, multiply_high_signed_, SIGNED | MULTIPLIES, 0, 0},
    [0x29] = {MVX, EACH, multiply_by_add_, MULTIPLIES, 0, 0},
    [0x2b] = {MVX, EACH, multiply_by_subtract_, MULTIPLIES, 0, 0},
    [0x2d] = {MVX, EACH, multiply_add_, MULTIPLIES, 0, 0},
    [0x2f] = {MVX, EACH, multiply_subtract_, MULTIPLIES, 0, 0},
    [0x30] = {MVX, EACH, add_, 0, 0, 1},
    [0x31] = {MVX, EACH, add_, SIGNED, 0, 1},
    [0x32] = {MVX, EACH, subtract_, 0, 0, 1},
    [0x33] = {MVX, EACH, subtract_, SIGNED, 0, 1},
    [0x34] = {MVX, EACH, add_, 0, 1, 1},
    [0x35] = {MVX, EACH, add_, SIGNED, 1, 1},
    [0x36] = {MVX, EACH, subtract_, 0, 1, 1},
    [0x37] = {MVX, EACH, subtract_, SIGNED, 1, 1},
    [0x38] = {MVX, EACH, multiply_, MULTIPLIES, 0, 1},
    [0x3a] = {MVX, EACH, multiply_, SIGNED_A | MULTIPLIES, 0, 1},
    [0x3b] = {MVX, EACH, multiply_, SIGNED | MULTIPLIES, 0, 1},
    [0x3c] = {MVX, EACH, multiply_add_, MULTIPLIES, 0, 1},
    [0x3d] = {MVX, EACH, multiply_add_, SIGNED | MULTIPLIES, 0, 1},
    [0x3e] = {FORM_MVX, EACH, multiply_add_, SIGNED_A | MULTIPLIES, 0, 1},
    [0x3f] = {MVX, EACH, multiply_add_, SIGNED_B | MULTIPLIES, 0, 1},
};

static const struct vector_row float_rows[ROWS] = {
    [0x00] = {FVF, EACH, float_element_add, FLOAT, 0, 0},
    [0x01] = {FV, vector_reduce, float_element_add, FLOAT, 0, 0},
    [0x02] = {FVF, EACH, float_element_subtract, FLOAT, 0, 0},
    [0x03] = {FV, vector_reduce, float_element_add, FLOAT, 0, 0},
    [0x04] = {FVF, EACH, float_element_minimum, FLOAT, 0, 0},
    [0x05] = {FV, vector_reduce, float_element_minimum, FLOAT, 0, 0},
    [0x06] = {FVF, EACH, float_element_maximum, FLOAT, 0, 0},
    [0x07] = {FV, vector_reduce, float_element_maximum, FLOAT, 0, 0},
    [0x08] = {FVF, EACH, float_element_sign, FLOAT, 0, 0},
    [0x09] = {FVF, EACH, float_element_sign_not, FLOAT, 0, 0},
    [0x0a] = {FVF, EACH, float_element_sign_xor, FLOAT, 0, 0},
    [0x0e] = {FORM_VF, vector_slide_up_one, NULL, FLOAT | APART, 0, 0},
    [0x0f] = {FORM_VF, vector_slide_down_one, NULL, FLOAT, 0, 0},
    [0x17] = {FORM_VF, vector_merge, choice_, FLOAT | CARRY, 0, 0},
    [0x18] = {FVF, EACH, float_element_equal, COMPARES, 0, 0},
    [0x19] = {FVF, EACH, float_element_less_equal, COMPARES, 0, 0},
    [0x1b] = {FVF, EACH, float_element_less, COMPARES, 0, 0},
    [0x1c] = {FVF, EACH, float_element_unequal, COMPARES, 0, 0},
    [0x1d] = {FORM_VF, EACH, float_element_greater, COMPARES, 0, 0},
    [0x1f] = {FORM_VF, EACH, float_element_greater_equal, COMPARES, 0, 0},
    [0x20] = {FVF, EACH, float_element_divide, DIVIDES_FLOAT, 0, 0},
    [0x21] = {FORM_VF, EACH, float_element_divide_into, DIVIDES_FLOAT, 0, 0},
    [0x24] = {FVF, EACH, float_element_multiply, FLOAT, 0, 0},
    [0x27] = {FORM_VF, EACH, float_element_subtract_from, FLOAT, 0, 0},
    [0x28] = {FVF, EACH, float_element_madd, FLOAT, 0, 0},
    [0x29] = {FVF, EACH, float_element_nmadd, FLOAT, 0, 0},
    [0x2a] = {FVF, EACH, float_element_msub, FLOAT, 0, 0},
    [0x2b] = {FVF, EACH, float_element_nmsub, FLOAT, 0, 0},
    [0x2c] = {FVF, EACH, float_element_macc, FLOAT, 0, 0},
    [0x2d] = {FVF, EACH, float_element_nmacc, FLOAT, 0, 0},
    [0x2e] = {FVF, EACH, float_element_msac, FLOAT, 0, 0},
    [0x2f] = {FVF, EACH, float_element_nmsac, FLOAT, 0, 0},
    [0x30] = {FVF, EACH, float_element_add, WIDENS, 0, 1},
    [0x31] = {FV, vector_reduce, float_element_add, WIDENS, 0, 1},
    [0x32] = {FVF, EACH, float_element_subtract, WIDENS, 0, 1},
    [0x33] = {FV, vector_reduce, float_element_add, WIDENS, 0, 1},
    [0x34] = {FVF, EACH, float_element_add, WIDENS, 1, 1},
    [0x36] = {FVF, EACH, float_element_subtract, WIDENS, 1, 1},
    [0x38] = {FVF, EACH, float_element_multiply, WIDENS, 0, 1},
    [0x3c] = {FVF, EACH, float_element_macc, WIDENS, 0, 1},
    [0x3d] = {FVF, EACH, float_element_nmacc, WIDENS, 0, 1},
    [0x3e] = {FVF, EACH, float_element_msac, WIDENS, 0, 1},
    [0x3f] = {FVF, EACH, float_element_nmsac, WIDENS, 0, 1},
};

/* -- Instructions that vs1's place tells apart ------------------------------------------------------------------------------------ */

enum { PLACES = 32 };

/* From vectors to scalar registers. */
static const struct vector_row to_scalars[PLACES] = {
    [0x00] = {MV, vector_first_to_scalar, NULL, UNARY, 0, 0},
    [0x10] = {MV, vector_mask_count, NULL, UNARY, 0, 0},
    [0x11] = {MV, vector_mask_first, NULL, UNARY, 0, 0},
};
static const struct vector_row extensions[PLACES] = {
    [0x02] = {MV, EACH, first_, UNARY, -3, 0},
    [0x03] = {MV, EACH, first_, UNARY | SIGNED_A, -3, 0},
    [0x04] = {MV, EACH, first_, UNARY, -2, 0},
    [0x05] = {MV, EACH, first_, UNARY | SIGNED_A, -2, 0},
    [0x06] = {MV, EACH, first_, UNARY, -1, 0},
    [0x07] = {MV, EACH, first_, UNARY | SIGNED_A, -1, 0},
};
static const struct vector_row masks[PLACES] = {
    [0x01] = {MV, vector_mask_edge, before_first_, UNARY, 0, 0},
    [0x02] = {MV, vector_mask_edge, only_first_, UNARY, 0, 0},
    [0x03] = {MV, vector_mask_edge, up_to_first_, UNARY, 0, 0},
    [0x10] = {MV, vector_iota, NULL, UNARY, 0, 0},
    [0x11] = {MV, vector_identity, NULL, UNARY, 0, 0},
};
static const struct vector_row conversions[PLACES] = {
    [0x00] = {FV, EACH, float_element_to_unsigned, UNARY | FLOAT_A, 0, 0},
    [0x01] = {FV, EACH, float_element_to_signed, UNARY | FLOAT_A, 0, 0},
    [0x02] = {FV, EACH, float_element_from_unsigned, UNARY | FLOAT_D, 0, 0},
    [0x03] = {FV, EACH, float_element_from_signed, UNARY | FLOAT_D | SIGNED_A, 0, 0},
    [0x06] = {FV, EACH, float_element_cut_to_unsigned, UNARY | FLOAT_A, 0, 0},
    [0x07] = {FV, EACH, float_element_cut_to_signed, UNARY | FLOAT_A, 0, 0},
    [0x08] = {FV, EACH, float_element_to_unsigned, UNARY | FLOAT_A, 0, 1},
    [0x09] = {FV, EACH, float_element_to_signed, UNARY | FLOAT_A, 0, 1},
    [0x0a] = {FV, EACH, float_element_from_unsigned, UNARY | FLOAT_D, 0, 1},
    [0x0b] = {FV, EACH, float_element_from_signed, UNARY | FLOAT_D | SIGNED_A, 0, 1},
    [0x0c] = {FV, EACH, float_element_convert, UNARY | FLOAT, 0, 1},
    [0x0e] = {FV, EACH, float_element_cut_to_unsigned, UNARY | FLOAT_A, 0, 1},
    [0x0f] = {FV, EACH, float_element_cut_to_signed, UNARY | FLOAT_A, 0, 1},
    [0x10] = {FV, EACH, float_element_to_unsigned, UNARY | FLOAT_A, 1, 0},
    [0x11] = {FV, EACH, float_element_to_signed, UNARY | FLOAT_A, 1, 0},
    [0x12] = {FV, EACH, float_element_from_unsigned, UNARY | FLOAT_D, 1, 0},
    [0x13] = {FV, EACH, float_element_from_signed, UNARY | FLOAT_D | SIGNED_A, 1, 0},
    [0x14] = {FV, EACH, float_element_convert, UNARY | FLOAT, 1, 0},
    [0x15] = {FV, EACH, float_element_convert_odd, UNARY | FLOAT, 1, 0},
    [0x16] = {FV, EACH, float_element_cut_to_unsigned, UNARY | FLOAT_A, 1, 0},
    [0x17] = {FV, EACH, float_element_cut_to_signed, UNARY | FLOAT_A, 1, 0},
};
static const struct vector_row float_unaries[PLACES] = {
    [0x00] = {FV, EACH, float_element_root, UNARY | DIVIDES_FLOAT, 0, 0},
    [0x04] = {FV, EACH, float_element_root_estimate, UNARY | FLOAT, 0, 0},
    [0x05] = {FV, EACH, float_element_reciprocal_estimate, UNARY | FLOAT, 0, 0},
    [0x10] = {FV, EACH, float_element_class, UNARY | FLOAT_A, 0, 0},
};
/* The first element and a scalar register: the other place is 0. */
static const struct vector_row from_scalar = {FORM_MVX, vector_first_from_scalar, NULL, 0, 0, 0},
                               from_float = {FORM_VF, vector_first_from_float, NULL, FLOAT, 0, 0},
                               to_float = {FV, vector_first_to_float, NULL, UNARY | FLOAT, 0, 0};
/* clang-format on */

/* -- Finding ---------------------------------------------------------------------------------------------------------------------------- */

enum form { VV, FVV, MVV, VI, VX_, VF, MVX_ };
enum { SCALARS = 0x10, UNARIES = 0x12, MORE_UNARIES = 0x13, MASKS = 0x14, SLIDES = 0x0e, GROUPS = 0x27 };

static const struct vector_row *find_integer(uint32_t bits, enum form form) {
  if (form == VV && bits >> 26 == SLIDES) return &gather16_row;
  return form == VI && bits >> 26 == GROUPS ? &groups_row : &integer_rows[bits >> 26];
}

static const struct vector_row *find_multiply(uint32_t bits, enum form form) {
  uint32_t place = bits >> 15 & 31;
  switch (bits >> 26) {
    case SCALARS:
      if (form == MVX_) return bits >> 20 & 31 ? NULL : &from_scalar;
      return &to_scalars[place];
    case UNARIES:
      return &extensions[place];
    case MASKS:
      return &masks[place];
    default:
      return &multiply_rows[bits >> 26];
  }
}

static const struct vector_row *find_float(uint32_t bits, enum form form) {
  uint32_t place = bits >> 15 & 31;
  switch (bits >> 26) {
    case SCALARS:
      if (form == VF) return bits >> 20 & 31 ? NULL : &from_float;
      return place ? NULL : &to_float;
    case UNARIES:
      return &conversions[place];
    case MORE_UNARIES:
      return &float_unaries[place];
    default:
      return &float_rows[bits >> 26];
  }
}

const struct vector_row *vector_find(uint32_t bits) {
  enum form form = bits >> 12 & 7;
  const struct vector_row *row = form == FVV || form == VF     ? find_float(bits, form)
                                 : form == MVV || form == MVX_ ? find_multiply(bits, form)
                                                               : find_integer(bits, form);
  return row && row->forms >> form & 1 ? row : NULL;
}
