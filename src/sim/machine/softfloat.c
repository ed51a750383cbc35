/* softfloat.c: IEEE 754 arithmetic in integers.
 *
 * Every operation makes an exact result, or one that is exact but for a sticky lowest bit, and rounds it once. An unpacked number has
 * its significand in 128 bits with the leading one at bit TOP; its value is significand * 2^(exponent - TOP). Products of two
 * 53-bit significands fit exactly, and sums lose bits only where they are far below what rounding looks at. */
#include "sim/machine/softfloat.h"

typedef unsigned __int128 wide;

enum { TOP = 126 };
enum kind { ZERO, FINITE, INFINITE, NAN_QUIET, NAN_SIGNALLING };

struct number {
  enum kind kind;
  bool negative;
  int exponent;
  wide significand;
};

const struct float_format float_single = {8, 23}, float_double = {11, 52};

/* -- Packing ------------------------------------------------------------------------------------------------------------ */

static uint64_t exponent_limit(float_format f) {
  return (1ull << f->exponent_bits) - 1;
}
static int bias(float_format f) {
  return (int)(exponent_limit(f) >> 1);
}
static uint64_t infinity(float_format f) {
  return exponent_limit(f) << f->fraction_bits;
}
uint64_t float_sign(float_format f) {
  return 1ull << (f->exponent_bits + f->fraction_bits);
}
uint64_t float_nan(float_format f) {
  return infinity(f) | 1ull << (f->fraction_bits - 1);
}
static uint64_t with_sign(float_format f, bool negative, uint64_t magnitude) {
  return negative ? magnitude | float_sign(f) : magnitude;
}

static int leading_zeros(wide v) {
  uint64_t high = (uint64_t)(v >> 64);
  return high ? __builtin_clzll(high) : 64 + __builtin_clzll((uint64_t)v);
}

/* The leading one goes to TOP; the significand must not be 0. */
static void normalise(struct number *n) {
  int shift = leading_zeros(n->significand) - (127 - TOP);
  if (shift < 0)
    n->significand = n->significand >> 1 | (n->significand & 1), n->exponent++;
  else
    n->significand <<= shift, n->exponent -= shift;
}

static struct number unpack(float_format f, uint64_t a) {
  uint64_t fraction = a & ((1ull << f->fraction_bits) - 1),
           exponent = a >> f->fraction_bits & exponent_limit(f);
  struct number n = {.negative = a & float_sign(f)};
  if (exponent == exponent_limit(f)) {
    n.kind = !fraction ? INFINITE : fraction >> (f->fraction_bits - 1) ? NAN_QUIET : NAN_SIGNALLING;
    return n;
  }
  if (!exponent && !fraction) return n;
  n.kind = FINITE;
  n.exponent = (exponent ? (int)exponent : 1) - bias(f);
  n.significand = (wide)(fraction | (exponent ? 1ull << f->fraction_bits : 0)) << (TOP - f->fraction_bits);
  if (!exponent) normalise(&n);
  return n;
}

static wide shift_right_sticky(wide v, int shift) {
  if (!shift) return v;
  if (shift > 127) return v != 0;
  return v >> shift | ((v & (((wide)1 << shift) - 1)) != 0);
}

/* Is the kept part to be made larger by one? rest: what is cut off, with half the weight of the kept part's lowest bit at bit `half`. */
static bool rounds_up(uint32_t rounding, bool negative, bool odd, wide rest, wide half) {
  switch (rounding) {
    case ROUND_NEAREST_EVEN:
      return rest > half || (rest == half && odd);
    case ROUND_NEAREST_AWAY:
      return rest >= half;
    case ROUND_DOWN:
      return negative && rest;
    case ROUND_UP:
      return !negative && rest;
    case ROUND_ODD:
      return rest && !odd;
    default:
      return false;
  }
}

static uint64_t overflow(float_format f, struct float_state *state, bool negative) {
  state->flags |= FLAG_OVERFLOW | FLAG_INEXACT;
  bool to_largest = state->rounding == ROUND_ZERO || state->rounding == ROUND_ODD ||
                    (state->rounding == ROUND_DOWN && !negative) || (state->rounding == ROUND_UP && negative);
  return with_sign(f, negative, infinity(f) - to_largest);
}

/* Underflow is looked for after rounding: would the number, rounded as if exponents had no limit, be below the smallest normal one? */
static bool is_tiny(float_format f, uint32_t rounding, const struct number *n) {
  int least = 1 - bias(f);
  if (n->exponent < least - 1) return true;
  if (n->exponent >= least) return false;
  int cut = TOP - f->fraction_bits;
  wide kept = n->significand >> cut, rest = n->significand & (((wide)1 << cut) - 1);
  bool carries = kept == ((wide)1 << (f->fraction_bits + 1)) - 1;
  return !(carries && rounds_up(rounding, n->negative, kept & 1, rest, (wide)1 << (cut - 1)));
}

static uint64_t pack(float_format f, struct float_state *state, struct number n) {
  if (n.kind == ZERO) return with_sign(f, n.negative, 0);
  if (n.kind == INFINITE) return with_sign(f, n.negative, infinity(f));
  if (n.kind != FINITE) return float_nan(f);
  bool tiny = is_tiny(f, state->rounding, &n);
  int biased = n.exponent + bias(f);
  if (biased < 1) {
    n.significand = shift_right_sticky(n.significand, 1 - biased);
    biased = 1;
  }
  int cut = TOP - f->fraction_bits;
  wide rest = n.significand & (((wide)1 << cut) - 1);
  uint64_t kept = (uint64_t)(n.significand >> cut);
  if (rest) {
    state->flags |= FLAG_INEXACT | (tiny ? FLAG_UNDERFLOW : 0);
    kept += rounds_up(state->rounding, n.negative, kept & 1, rest, (wide)1 << (cut - 1));
  }
  /* The leading one of `kept` adds one to the exponent field; a carry adds another; a denormal has none. */
  uint64_t magnitude = ((uint64_t)(biased - 1) << f->fraction_bits) + kept;
  if (biased >= (int)exponent_limit(f) || magnitude >= infinity(f)) return overflow(f, state, n.negative);
  return with_sign(f, n.negative, magnitude);
}

/* -- Operands that are no numbers -------------------------------------------------------------------------------------- */

static bool is_nan(struct number n) {
  return n.kind >= NAN_QUIET;
}
/* Signalling NaNs are invalid operands everywhere. */
static bool any_nan(struct float_state *state, struct number a, struct number b) {
  if (a.kind == NAN_SIGNALLING || b.kind == NAN_SIGNALLING) state->flags |= FLAG_INVALID;
  return is_nan(a) || is_nan(b);
}
static struct number invalid(struct float_state *state) {
  state->flags |= FLAG_INVALID;
  return (struct number){.kind = NAN_QUIET};
}

/* -- Arithmetic on numbers ---------------------------------------------------------------------------------------------- */

static struct number add(struct float_state *state, struct number a, struct number b) {
  if (a.kind == INFINITE) return b.kind == INFINITE && a.negative != b.negative ? invalid(state) : a;
  if (b.kind == INFINITE) return b;
  if (a.kind == ZERO && b.kind == ZERO) {
    if (a.negative != b.negative) a.negative = state->rounding == ROUND_DOWN;
    return a;
  }
  if (a.kind == ZERO) return b;
  if (b.kind == ZERO) return a;
  if (a.exponent < b.exponent || (a.exponent == b.exponent && a.significand < b.significand)) {
    struct number c = a;
    a = b;
    b = c;
  }
  wide small = shift_right_sticky(b.significand, a.exponent - b.exponent);
  if (a.negative == b.negative) {
    a.significand += small;
  } else {
    a.significand -= small;
    if (!a.significand) return (struct number){.kind = ZERO, .negative = state->rounding == ROUND_DOWN};
  }
  normalise(&a);
  return a;
}

static struct number multiply(struct float_state *state, struct number a, struct number b) {
  struct number n = {.negative = a.negative != b.negative};
  if (a.kind == INFINITE || b.kind == INFINITE) {
    if (a.kind == ZERO || b.kind == ZERO) return invalid(state);
    n.kind = INFINITE;
    return n;
  }
  if (a.kind == ZERO || b.kind == ZERO) return n;
  /* Both significands have at most 53 bits, at the top: their upper 64 bits hold them whole. */
  n.kind = FINITE;
  n.significand = (a.significand >> 63) * (b.significand >> 63);
  n.exponent = a.exponent + b.exponent;
  normalise(&n);
  /* 2^63 * 2^63 is at TOP and means 1 * 1: normalise counted from there. */
  return n;
}

static struct number divide(struct float_state *state, struct number a, struct number b) {
  struct number n = {.negative = a.negative != b.negative};
  if (a.kind == b.kind && (a.kind == ZERO || a.kind == INFINITE)) return invalid(state);
  if (a.kind == ZERO || b.kind == INFINITE) return n;
  n.kind = INFINITE;
  if (a.kind == INFINITE) return n;
  if (b.kind == ZERO) {
    state->flags |= FLAG_ZERO_DIVISION;
    return n;
  }
  n.kind = FINITE;
  /* a has its 53 bits at the top of 127, b in 53 bits below 2^53: the quotient has 73 bits or more. */
  wide dividend = a.significand, divisor = b.significand >> (TOP - 52);
  n.significand = dividend / divisor;
  bool rest = dividend % divisor;
  n.exponent = a.exponent - b.exponent + 52;
  normalise(&n);
  n.significand |= rest;
  return n;
}

static struct number root(struct float_state *state, struct number a) {
  if (a.kind == ZERO || (a.kind == INFINITE && !a.negative)) return a;
  if (a.negative) return invalid(state);
  /* The value is s * 2^e with e even and s an integer of 125 to 127 bits: the root has 63 or 64 bits and a sticky rest. */
  wide s = a.significand;
  int e = a.exponent - TOP;
  if (e & 1) s >>= 1, e++; /* exact: the lowest bits are 0 */
  wide result = 0, rest = s;
  for (wide bit = (wide)1 << 126; bit; bit >>= 2) {
    if (rest >= result + bit) {
      rest -= result + bit;
      result = (result >> 1) + bit;
    } else {
      result >>= 1;
    }
  }
  struct number n = {.kind = FINITE, .significand = result, .exponent = e / 2 + TOP};
  normalise(&n);
  n.significand |= rest != 0;
  return n;
}

/* -- The operations ------------------------------------------------------------------------------------------------------ */

uint64_t float_add(float_format f, struct float_state *state, uint64_t a, uint64_t b) {
  struct number x = unpack(f, a), y = unpack(f, b);
  if (any_nan(state, x, y)) return float_nan(f);
  return pack(f, state, add(state, x, y));
}

uint64_t float_multiply(float_format f, struct float_state *state, uint64_t a, uint64_t b) {
  struct number x = unpack(f, a), y = unpack(f, b);
  if (any_nan(state, x, y)) return float_nan(f);
  return pack(f, state, multiply(state, x, y));
}

uint64_t float_divide(float_format f, struct float_state *state, uint64_t a, uint64_t b) {
  struct number x = unpack(f, a), y = unpack(f, b);
  if (any_nan(state, x, y)) return float_nan(f);
  return pack(f, state, divide(state, x, y));
}

uint64_t float_root(float_format f, struct float_state *state, uint64_t a) {
  struct number x = unpack(f, a);
  if (any_nan(state, x, x)) return float_nan(f);
  return pack(f, state, root(state, x));
}

uint64_t float_multiply_add(float_format f, struct float_state *state, uint64_t a, uint64_t b, uint64_t c) {
  struct number x = unpack(f, a), y = unpack(f, b), z = unpack(f, c);
  bool undefined = (x.kind == INFINITE && y.kind == ZERO) || (x.kind == ZERO && y.kind == INFINITE);
  bool nan = any_nan(state, x, y);
  if (undefined) state->flags |= FLAG_INVALID; /* even if the addend is a quiet NaN */
  if (any_nan(state, z, z) || nan || undefined) return float_nan(f);
  return pack(f, state, add(state, multiply(state, x, y), z));
}

/* -- Comparisons --------------------------------------------------------------------------------------------------------- */

/* a < b for numbers, with -0 equal to 0 unless `zeros_differ`. */
static bool less(float_format f, uint64_t a, uint64_t b, bool zeros_differ) {
  uint64_t sign = float_sign(f);
  bool x = a & sign, y = b & sign;
  if (x != y) return x && (zeros_differ || ((a | b) & ~sign));
  return x ? b < a : a < b;
}

bool float_equal(float_format f, struct float_state *state, uint64_t a, uint64_t b) {
  if (any_nan(state, unpack(f, a), unpack(f, b))) return false;
  return a == b || !((a | b) & ~float_sign(f));
}

bool float_less(float_format f, struct float_state *state, uint64_t a, uint64_t b, bool or_equal) {
  struct number x = unpack(f, a), y = unpack(f, b);
  if (is_nan(x) || is_nan(y)) {
    state->flags |= FLAG_INVALID;
    return false;
  }
  return or_equal ? !less(f, b, a, false) : less(f, a, b, false);
}

uint64_t float_minimum(float_format f, struct float_state *state, uint64_t a, uint64_t b, bool maximum) {
  struct number x = unpack(f, a), y = unpack(f, b);
  any_nan(state, x, y);
  if (is_nan(x) && is_nan(y)) return float_nan(f);
  if (is_nan(x)) return b;
  if (is_nan(y)) return a;
  return less(f, a, b, true) != maximum ? a : b;
}

uint32_t float_class(float_format f, uint64_t a) {
  struct number x = unpack(f, a);
  bool denormal = !(a & infinity(f));
  switch (x.kind) {
    case NAN_SIGNALLING:
      return 1 << 8;
    case NAN_QUIET:
      return 1 << 9;
    case INFINITE:
      return x.negative ? 1 << 0 : 1 << 7;
    case ZERO:
      return x.negative ? 1 << 3 : 1 << 4;
    default:
      return denormal ? (x.negative ? 1 << 2 : 1 << 5) : (x.negative ? 1 << 1 : 1 << 6);
  }
}

uint64_t float_negative(float_format f, uint64_t a) {
  return a ^ float_sign(f);
}

/* -- Conversions ---------------------------------------------------------------------------------------------------------- */

uint64_t float_convert(float_format to, float_format from, struct float_state *state, uint64_t a) {
  struct number x = unpack(from, a);
  any_nan(state, x, x);
  return pack(to, state, x);
}

uint64_t float_from_integer(float_format f, struct float_state *state, uint64_t magnitude, bool negative) {
  if (!magnitude) return 0;
  struct number n = {.kind = FINITE, .negative = negative, .significand = magnitude, .exponent = TOP};
  normalise(&n);
  return pack(f, state, n);
}

static uint64_t saturated(int bits, bool is_signed, bool negative) {
  uint64_t largest = is_signed ? ~0ull >> (65 - bits) : ~0ull >> (64 - bits);
  uint64_t value = negative ? (is_signed ? ~largest : 0) : largest;
  return bits == 32 ? (uint64_t)(int64_t)(int32_t)value : value;
}

uint64_t float_to_integer(float_format f, struct float_state *state, uint64_t a, int bits, bool is_signed) {
  struct number x = unpack(f, a);
  if (x.kind == ZERO) return 0;
  if (x.kind != FINITE || x.exponent > 64) {
    state->flags |= FLAG_INVALID;
    return saturated(bits, is_signed, x.negative && !is_nan(x));
  }
  /* Fixed point with 61 fraction bits and a sticky one. */
  enum { POINT = 61 };
  wide fixed = shift_right_sticky(x.significand, TOP - POINT - x.exponent);
  wide rest = fixed & (((wide)1 << POINT) - 1), whole = fixed >> POINT;
  whole += rounds_up(state->rounding, x.negative, whole & 1, rest, (wide)1 << (POINT - 1));
  wide limit = is_signed ? ((wide)1 << (bits - 1)) - !x.negative : x.negative ? 0 : ((wide)1 << bits) - 1;
  if (whole > limit) {
    state->flags |= FLAG_INVALID;
    return saturated(bits, is_signed, x.negative);
  }
  if (rest) state->flags |= FLAG_INEXACT;
  uint64_t value = x.negative ? -(uint64_t)whole : (uint64_t)whole;
  return bits == 32 ? (uint64_t)(int64_t)(int32_t)value : value;
}
