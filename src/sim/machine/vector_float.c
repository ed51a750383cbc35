/* vector_float.c: elements of the vector unit's floating-point instructions. */
#include "sim/machine/vector.h"

#define ELEMENT(name, expression)                                                       \
  uint64_t float_element_##name(struct vector *v, uint64_t a, uint64_t b, uint64_t d) { \
    float_format f = vector_format(v->width_d);                                         \
    struct float_state *state = &v->rounding;                                           \
    (void)a, (void)b, (void)d, (void)f, (void)state;                                    \
    return expression;                                                                  \
  }
/* The same, but the operands say how wide it is: the result is a bit of a mask, or an integer. */
#define OF_OPERANDS(name, expression)                                                   \
  uint64_t float_element_##name(struct vector *v, uint64_t a, uint64_t b, uint64_t d) { \
    float_format f = vector_format(v->width_a);                                         \
    struct float_state *state = &v->rounding;                                           \
    (void)b, (void)d, (void)state;                                                      \
    return expression;                                                                  \
  }

/* -- Arithmetic -------------------------------------------------------------------------------------------------------------------- */

#define NOT(x) float_negative(f, x)
ELEMENT(add, float_add(f, state, a, b))
ELEMENT(subtract, float_add(f, state, a, NOT(b)))
ELEMENT(subtract_from, float_add(f, state, b, NOT(a)))
ELEMENT(multiply, float_multiply(f, state, a, b))
ELEMENT(divide, float_divide(f, state, a, b))
ELEMENT(divide_into, float_divide(f, state, b, a))
ELEMENT(minimum, float_minimum(f, state, a, b, false))
ELEMENT(maximum, float_minimum(f, state, a, b, true))
ELEMENT(root, float_root(f, state, a))

#define SIGN float_sign(f)
ELEMENT(sign, (a & ~SIGN) | (b & SIGN))
ELEMENT(sign_not, (a & ~SIGN) | (~b & SIGN))
ELEMENT(sign_xor, a ^ (b & SIGN))

/* Those that add to the destination, and those that multiply it. */
#define FUSED(x, y, z) float_multiply_add(f, state, x, y, z)
ELEMENT(macc, FUSED(b, a, d))
ELEMENT(nmacc, FUSED(NOT(b), a, NOT(d)))
ELEMENT(msac, FUSED(b, a, NOT(d)))
ELEMENT(nmsac, FUSED(NOT(b), a, d))
ELEMENT(madd, FUSED(b, d, a))
ELEMENT(nmadd, FUSED(NOT(b), d, NOT(a)))
ELEMENT(msub, FUSED(b, d, NOT(a)))
ELEMENT(nmsub, FUSED(NOT(b), d, a))

OF_OPERANDS(equal, float_equal(f, state, a, b))
OF_OPERANDS(unequal, !float_equal(f, state, a, b))
OF_OPERANDS(less, float_less(f, state, a, b, false))
OF_OPERANDS(less_equal, float_less(f, state, a, b, true))
OF_OPERANDS(greater, float_less(f, state, b, a, false))
OF_OPERANDS(greater_equal, float_less(f, state, b, a, true))
OF_OPERANDS(class, float_class(f, a))

/* -- Conversions ------------------------------------------------------------------------------------------------------------------ */

static uint64_t towards_zero(struct vector *v, float_format f, uint64_t a, bool is_signed) {
  struct float_state state = {.rounding = ROUND_ZERO};
  uint64_t result = float_to_integer(f, &state, a, (int)v->width_d, is_signed);
  v->rounding.flags |= state.flags;
  return result;
}

static uint64_t narrowed_odd(struct vector *v, uint64_t a) {
  struct float_state state = {.rounding = ROUND_ODD};
  uint64_t result = float_convert(&float_single, &float_double, &state, a);
  v->rounding.flags |= state.flags;
  return result;
}

OF_OPERANDS(to_unsigned, float_to_integer(f, state, a, (int)v->width_d, false))
OF_OPERANDS(to_signed, float_to_integer(f, state, a, (int)v->width_d, true))
OF_OPERANDS(cut_to_unsigned, towards_zero(v, f, a, false))
OF_OPERANDS(cut_to_signed, towards_zero(v, f, a, true))
ELEMENT(from_unsigned, float_from_integer(f, state, a, false))
ELEMENT(from_signed, float_from_integer(f, state, (int64_t)a < 0 ? -a : a, (int64_t)a < 0))
ELEMENT(convert, float_convert(f, vector_format(v->width_a), state, a))
ELEMENT(convert_odd, narrowed_odd(v, a))

/* -- Estimates to seven bits ------------------------------------------------------------------------------------------------------- */

enum { SEVEN = 7, STEPS = 1 << SEVEN };
enum class {
  NEGATIVE_INFINITY = 1 << 0,
  NEGATIVE = 1 << 1 | 1 << 2,
  NEGATIVE_ZERO = 1 << 3,
  POSITIVE_ZERO = 1 << 4,
  POSITIVE_INFINITY = 1 << 7,
  SIGNALLING = 1 << 8,
  QUIET = 1 << 9,
};

/* A number's exponent field, as if that had no lower end, and the fraction that goes with it. */
struct parts {
  int exponent;
  uint64_t fraction;
};

static struct parts parts_of(float_format f, uint64_t a) {
  uint64_t mask = (1ull << f->fraction_bits) - 1;
  struct parts parts = {(int)((a & ~float_sign(f)) >> f->fraction_bits), a & mask};
  if (parts.exponent) return parts;
  parts.exponent = 1;
  while (!(parts.fraction >> f->fraction_bits)) parts.exponent--, parts.fraction <<= 1;
  parts.fraction &= mask;
  return parts;
}

static int exponent_bias(float_format f) {
  return (1 << (f->exponent_bits - 1)) - 1;
}

/* 2 / x - 1, in steps, for x in the middle of the n-th of STEPS parts of 1 to 2. */
static uint64_t reciprocal_step(uint32_t n) {
  uint32_t middle = 2 * STEPS + 2 * n + 1; /* in 1 / (2 STEPS) */
  return (8 * STEPS * STEPS + middle) / (2 * middle) - STEPS;
}

/* The same for 2 / sqrt(x), with x in one of half as many parts of 1 to 2, or, twice that, of 2 to 4. */
static uint64_t root_step(uint32_t n, bool twice) {
  uint64_t middle = (uint64_t)(STEPS + 2 * n + 1) << twice, step = 0; /* in 1 / STEPS */
  while ((2 * (STEPS + step) + 1) * (2 * (STEPS + step) + 1) * middle <= 16ull * STEPS * STEPS * STEPS)
    step++;
  return step;
}

static uint64_t invalid(struct vector *v, float_format f, bool is_invalid) {
  if (is_invalid) v->rounding.flags |= FLAG_INVALID;
  return float_nan(f);
}

static uint64_t infinity(float_format f) {
  return ((1ull << f->exponent_bits) - 1) << f->fraction_bits;
}

static uint64_t divided_by_zero(struct vector *v, float_format f, uint64_t sign) {
  v->rounding.flags |= FLAG_ZERO_DIVISION;
  return infinity(f) | sign;
}

static uint64_t too_large(struct vector *v, float_format f, uint64_t sign) {
  uint32_t rounding = v->rounding.rounding;
  v->rounding.flags |= FLAG_OVERFLOW | FLAG_INEXACT;
  bool to_largest =
      rounding == ROUND_ZERO || (rounding == ROUND_DOWN && !sign) || (rounding == ROUND_UP && sign);
  return (infinity(f) - to_largest) | sign;
}

static uint64_t reciprocal(struct vector *v, float_format f, uint64_t a) {
  uint32_t kind = float_class(f, a);
  uint64_t sign = a & float_sign(f);
  if (kind & (SIGNALLING | QUIET)) return invalid(v, f, kind & SIGNALLING);
  if (kind & (NEGATIVE_ZERO | POSITIVE_ZERO)) return divided_by_zero(v, f, sign);
  if (kind & (NEGATIVE_INFINITY | POSITIVE_INFINITY)) return sign;
  struct parts x = parts_of(f, a);
  if (x.exponent < -1) return too_large(v, f, sign);
  int exponent = 2 * exponent_bias(f) - 1 - x.exponent;
  uint64_t fraction = reciprocal_step((uint32_t)(x.fraction >> (f->fraction_bits - SEVEN)))
                      << (f->fraction_bits - SEVEN);
  if (exponent > 0) return sign | (uint64_t)exponent << f->fraction_bits | fraction;
  return sign | (fraction | 1ull << f->fraction_bits) >> (1 - exponent);
}

static uint64_t root_reciprocal(struct vector *v, float_format f, uint64_t a) {
  uint32_t kind = float_class(f, a);
  if (kind & (NEGATIVE_ZERO | POSITIVE_ZERO)) return divided_by_zero(v, f, a & float_sign(f));
  if (kind & (SIGNALLING | QUIET | NEGATIVE | NEGATIVE_INFINITY))
    return invalid(v, f, kind & (SIGNALLING | NEGATIVE | NEGATIVE_INFINITY));
  if (kind & POSITIVE_INFINITY) return 0;
  struct parts x = parts_of(f, a);
  uint32_t part = (uint32_t)(x.fraction >> (f->fraction_bits - SEVEN + 1));
  uint64_t step = root_step(part, !(x.exponent & 1));
  uint64_t exponent = (uint64_t)(3 * exponent_bias(f) - 1 - x.exponent) / 2;
  return exponent << f->fraction_bits | step << (f->fraction_bits - SEVEN);
}

ELEMENT(reciprocal_estimate, reciprocal(v, f, a))
ELEMENT(root_estimate, root_reciprocal(v, f, a))
