/* host_float.c: the F and D extensions by the host's floating point, where that is exact: the rest is for softfloat.
 *
 * Under rounding to nearest even a host rounds sums, products, quotients, roots and fused products as IEEE 754 says. Flags are the problem. A result between the
 * smallest normal number and infinity can only have raised inexact, so if the program's inexact flag is raised already, as it is after the first few
 * operations of most programs, nothing is left to find out: NaNs, infinities, overflow, underflow and division by zero all show in the result.
 *
 * Each function makes one operation of the host: none that a compiler could contract with another. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "sim/machine/hart.h"
#include "sim/machine/softfloat.h"

enum { DYNAMIC = 7, BOX_SHIFT = 32 };
#define BOX 0xffffffff00000000

static double as_double(uint64_t bits) {
  double value;
  memcpy(&value, &bits, sizeof value);
  return value;
}
static uint64_t double_bits(double value) {
  uint64_t bits;
  memcpy(&bits, &value, sizeof bits);
  return bits;
}
static float as_single(uint64_t bits) {
  uint32_t low = (uint32_t)bits;
  float value;
  memcpy(&value, &low, sizeof value);
  return value;
}
static uint64_t single_bits(float value) {
  uint32_t bits;
  memcpy(&bits, &value, sizeof bits);
  return bits | BOX;
}
static bool is_boxed(uint64_t bits) {
  return bits >> BOX_SHIFT == BOX >> BOX_SHIFT;
}

/* -- Arithmetic ---------------------------------------------------------------------------------------------------------------- */

static uint32_t rounding_of(const struct registers *r, uint32_t bits) {
  uint32_t rounding = bits >> 12 & 7;
  return rounding == DYNAMIC ? r->fcsr >> 5 & 7 : rounding;
}

static bool only_inexact(const struct registers *r, uint32_t bits) {
  return rounding_of(r, bits) == ROUND_NEAREST_EVEN && r->fcsr & FLAG_INEXACT;
}

static bool keep_double(struct registers *r, uint32_t bits, double result) {
  double size = fabs(result);
  if (!(size > DBL_MIN && size <= DBL_MAX)) return false;
  r->f[bits >> 7 & 31] = double_bits(result);
  return true;
}

static bool keep_single(struct registers *r, uint32_t bits, float result) {
  float size = fabsf(result);
  if (!(size > FLT_MIN && size <= FLT_MAX)) return false;
  r->f[bits >> 7 & 31] = single_bits(result);
  return true;
}

static bool double_multiply_add(struct registers *r, uint32_t bits) {
  double a = as_double(r->f[bits >> 15 & 31]), b = as_double(r->f[bits >> 20 & 31]),
         c = as_double(r->f[bits >> 27]);
  uint32_t variant = bits >> 2 & 3; /* FMADD, FMSUB, FNMSUB, FNMADD */
  if (!only_inexact(r, bits)) return false;
  return keep_double(r, bits, fma(variant >= 2 ? -a : a, b, variant & 1 ? -c : c));
}

static bool single_multiply_add(struct registers *r, uint32_t bits) {
  uint64_t x = r->f[bits >> 15 & 31], y = r->f[bits >> 20 & 31], z = r->f[bits >> 27];
  float a = as_single(x), b = as_single(y), c = as_single(z);
  uint32_t variant = bits >> 2 & 3;
  if (!only_inexact(r, bits) || !is_boxed(x & y & z)) return false;
  return keep_single(r, bits, fmaf(variant >= 2 ? -a : a, b, variant & 1 ? -c : c));
}

static bool double_arithmetic(struct registers *r, uint32_t bits) {
  double a = as_double(r->f[bits >> 15 & 31]), b = as_double(r->f[bits >> 20 & 31]);
  if (!only_inexact(r, bits)) return false;
  switch (bits >> 27) {
    case 0x00:
      return keep_double(r, bits, a + b);
    case 0x01:
      return keep_double(r, bits, a - b);
    case 0x02:
      return keep_double(r, bits, a * b);
    case 0x03:
      return keep_double(r, bits, a / b);
    default: /* FSQRT */
      return !(bits >> 20 & 31) && keep_double(r, bits, sqrt(a));
  }
}

static bool single_arithmetic(struct registers *r, uint32_t bits) {
  uint64_t x = r->f[bits >> 15 & 31], y = r->f[bits >> 20 & 31];
  float a = as_single(x), b = as_single(y);
  bool root = bits >> 27 == 0x0b;
  if (!only_inexact(r, bits) || !is_boxed(root ? x : x & y)) return false;
  switch (bits >> 27) {
    case 0x00:
      return keep_single(r, bits, a + b);
    case 0x01:
      return keep_single(r, bits, a - b);
    case 0x02:
      return keep_single(r, bits, a * b);
    case 0x03:
      return keep_single(r, bits, a / b);
    default:
      return !(bits >> 20 & 31) && keep_single(r, bits, sqrtf(a));
  }
}

/* -- Operations that raise no flag -------------------------------------------------------------------------------------------- */

static bool put_x(struct registers *r, uint32_t bits, uint64_t value) {
  if (bits >> 7 & 31) r->x[bits >> 7 & 31] = value;
  return true;
}

static bool compare(struct registers *r, uint32_t bits, double a, double b) {
  if (isnan(a) || isnan(b)) return false;
  switch (bits >> 12 & 7) {
    case 0:
      return put_x(r, bits, a <= b);
    case 1:
      return put_x(r, bits, a < b);
    case 2:
      return put_x(r, bits, a == b);
    default:
      return false;
  }
}

static bool inject_sign(struct registers *r, uint32_t bits) {
  uint64_t a = r->f[bits >> 15 & 31], b = r->f[bits >> 20 & 31], sign = UINT64_C(1) << 63;
  uint32_t variant = bits >> 12 & 7;
  if (variant > 2) return false;
  uint64_t injected = variant == 0 ? b : variant == 1 ? ~b : a ^ b;
  r->f[bits >> 7 & 31] = (a & ~sign) | (injected & sign);
  return true;
}

static bool minimum(struct registers *r, uint32_t bits) {
  uint64_t x = r->f[bits >> 15 & 31], y = r->f[bits >> 20 & 31];
  double a = as_double(x), b = as_double(y);
  uint32_t variant = bits >> 12 & 7;
  if (variant > 1 || !(a < b || a > b)) return false; /* NaNs, and zeros of either sign */
  r->f[bits >> 7 & 31] = (a < b) == !variant ? x : y;
  return true;
}

/* -- Conversions -------------------------------------------------------------------------------------------------------------- */

static bool from_integer(struct registers *r, uint32_t bits) {
  uint64_t value = r->x[bits >> 15 & 31];
  double result;
  switch (bits >> 20 & 31) {
    case 0:
      result = (int32_t)value;
      break;
    case 1:
      result = (uint32_t)value;
      break;
    case 2:
      if (!only_inexact(r, bits)) return false;
      result = (double)(int64_t)value;
      break;
    default:
      return false;
  }
  if (rounding_of(r, bits) > ROUND_NEAREST_AWAY) return false;
  r->f[bits >> 7 & 31] = double_bits(result);
  return true;
}

/* Towards zero, as C has it. */
static bool to_integer(struct registers *r, uint32_t bits) {
  double a = as_double(r->f[bits >> 15 & 31]);
  uint32_t variant = bits >> 20 & 31; /* W, WU, L, LU */
  double limit = variant < 2 ? 0x1p31 : 0x1p63;
  if ((bits >> 12 & 7) != ROUND_ZERO || (variant & ~2u) || !(fabs(a) < limit)) return false;
  int64_t value = (int64_t)a;
  if ((double)value != a) r->fcsr |= FLAG_INEXACT;
  return put_x(r, bits, (uint64_t)value);
}

static bool to_double(struct registers *r, uint32_t bits) {
  uint64_t x = r->f[bits >> 15 & 31];
  float a = as_single(x);
  if ((bits >> 20 & 31) || rounding_of(r, bits) > ROUND_NEAREST_AWAY || !is_boxed(x) || isnan(a))
    return false;
  r->f[bits >> 7 & 31] = double_bits(a);
  return true;
}

static bool to_single(struct registers *r, uint32_t bits) {
  if ((bits >> 20 & 31) != 1 || !only_inexact(r, bits)) return false;
  return keep_single(r, bits, (float)as_double(r->f[bits >> 15 & 31]));
}

bool host_float(struct registers *r, uint32_t bits) {
  uint64_t x = r->f[bits >> 15 & 31], y = r->f[bits >> 20 & 31];
  bool is_double = bits >> 25 & 1;
  if (bits >> 26 & 1) return false; /* neither single nor double */
  if ((bits & 0x7f) != 0x53) return is_double ? double_multiply_add(r, bits) : single_multiply_add(r, bits);
  switch (bits >> 25) {
    case 0x01:
    case 0x05:
    case 0x09:
    case 0x0d:
    case 0x2d:
      return double_arithmetic(r, bits);
    case 0x00:
    case 0x04:
    case 0x08:
    case 0x0c:
    case 0x2c:
      return single_arithmetic(r, bits);
    case 0x11:
      return inject_sign(r, bits);
    case 0x15:
      return minimum(r, bits);
    case 0x20:
      return to_single(r, bits);
    case 0x21:
      return to_double(r, bits);
    case 0x50:
      return is_boxed(x & y) && compare(r, bits, as_single(x), as_single(y));
    case 0x51:
      return compare(r, bits, as_double(x), as_double(y));
    case 0x61:
      return to_integer(r, bits);
    case 0x69:
      return from_integer(r, bits);
    case 0x71:
      return !(bits >> 12 & 7) && !(bits >> 20 & 31) && put_x(r, bits, x);
    case 0x79:
      if (bits >> 12 & 7 || bits >> 20 & 31) return false;
      r->f[bits >> 7 & 31] = r->x[bits >> 15 & 31];
      return true;
    default:
      return false;
  }
}
