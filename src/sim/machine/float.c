/* float.c: the F and D extensions, loads and stores excepted: operands out of registers, softfloat, results back. */
#include "sim/machine/hart.h"
#include "sim/machine/softfloat.h"

enum { DYNAMIC = 7 };

/* A single-precision operand that is not NaN-boxed counts as the canonical NaN. */
static uint64_t get(const struct registers *r, bool single, uint32_t number) {
  uint64_t value = r->f[number];
  if (!single) return value;
  return value >> 32 == 0xffffffff ? (uint32_t)value : float_nan(&float_single);
}
static void put(struct registers *r, bool single, uint32_t number, uint64_t value) {
  r->f[number] = single ? value | 0xffffffff00000000 : value;
}
static void put_x(struct registers *r, uint32_t number, uint64_t value) {
  if (number) r->x[number] = value;
}

/* False: the instruction, or the register it refers to, names no rounding mode. */
static bool find_rounding(const struct registers *r, uint32_t bits, uint32_t *rounding) {
  *rounding = bits >> 12 & 7;
  if (*rounding == DYNAMIC) *rounding = r->fcsr >> 5 & 7;
  return *rounding <= ROUND_NEAREST_AWAY;
}

static bool multiply_add(struct registers *r, float_format f, struct float_state *state, uint32_t bits) {
  bool single = f == &float_single;
  uint64_t a = get(r, single, bits >> 15 & 31), b = get(r, single, bits >> 20 & 31),
           c = get(r, single, bits >> 27);
  uint32_t variant = bits >> 2 & 3; /* FMADD, FMSUB, FNMSUB, FNMADD */
  if (variant >= 2) a = float_negative(f, a);
  if (variant & 1) c = float_negative(f, c);
  put(r, single, bits >> 7 & 31, float_multiply_add(f, state, a, b, c));
  return true;
}

/* FSGNJ, FSGNJN, FSGNJX */
static bool inject_sign(struct registers *r, float_format f, uint32_t bits, uint64_t a, uint64_t b) {
  uint64_t sign = float_sign(f);
  uint32_t variant = bits >> 12 & 7;
  if (variant > 2) return false;
  uint64_t injected = variant == 0 ? b : variant == 1 ? ~b : a ^ b;
  put(r, f == &float_single, bits >> 7 & 31, (a & ~sign) | (injected & sign));
  return true;
}

static bool compare(struct registers *r, float_format f, struct float_state *state, uint32_t bits, uint64_t a,
                    uint64_t b) {
  uint32_t variant = bits >> 12 & 7; /* FLE, FLT, FEQ */
  if (variant > 2) return false;
  put_x(r, bits >> 7 & 31,
        variant == 2 ? float_equal(f, state, a, b) : float_less(f, state, a, b, variant == 0));
  return true;
}

/* FMV.X and FCLASS */
static bool move_out(struct registers *r, float_format f, uint32_t bits, uint64_t a) {
  uint32_t rd = bits >> 7 & 31, variant = bits >> 12 & 7;
  uint64_t raw = r->f[bits >> 15 & 31];
  if (variant > 1 || (bits >> 20 & 31)) return false;
  if (variant == 1)
    put_x(r, rd, float_class(f, a));
  else
    put_x(r, rd, f == &float_single ? (uint64_t)(int64_t)(int32_t)raw : raw);
  return true;
}

static bool from_integer(struct registers *r, float_format f, struct float_state *state, uint32_t bits) {
  uint32_t variant = bits >> 20 & 31; /* W, WU, L, LU */
  if (variant > 3) return false;
  uint64_t value = r->x[bits >> 15 & 31];
  if (variant == 0) value = (uint64_t)(int64_t)(int32_t)value;
  if (variant == 1) value = (uint32_t)value;
  bool negative = !(variant & 1) && (int64_t)value < 0;
  put(r, f == &float_single, bits >> 7 & 31,
      float_from_integer(f, state, negative ? -value : value, negative));
  return true;
}

static bool operate(struct registers *r, float_format f, struct float_state *state, uint32_t bits,
                    bool rounds) {
  bool single = f == &float_single;
  uint32_t rd = bits >> 7 & 31, rs2 = bits >> 20 & 31, variant = bits >> 12 & 7;
  uint64_t a = get(r, single, bits >> 15 & 31), b = get(r, single, rs2), result;
  float_format other = single ? &float_double : &float_single;
  switch (bits >> 27) {
    case 0x04:
      return inject_sign(r, f, bits, a, b);
    case 0x14:
      return compare(r, f, state, bits, a, b);
    case 0x1c:
      return move_out(r, f, bits, a);
    case 0x1e:
      if (variant || rs2) return false;
      put(r, single, rd, single ? (uint32_t)r->x[bits >> 15 & 31] : r->x[bits >> 15 & 31]);
      return true;
    case 0x05:
      if (variant > 1) return false;
      put(r, single, rd, float_minimum(f, state, a, b, variant));
      return true;
  }
  if (!rounds) return false;
  switch (bits >> 27) {
    case 0x00:
      result = float_add(f, state, a, b);
      break;
    case 0x01:
      result = float_add(f, state, a, float_negative(f, b));
      break;
    case 0x02:
      result = float_multiply(f, state, a, b);
      break;
    case 0x03:
      result = float_divide(f, state, a, b);
      break;
    case 0x0b:
      if (rs2) return false;
      result = float_root(f, state, a);
      break;
    case 0x08: /* between the formats */
      if (rs2 != single) return false;
      result = float_convert(f, other, state, get(r, !single, bits >> 15 & 31));
      break;
    case 0x18:
      if (rs2 > 3) return false;
      put_x(r, rd, float_to_integer(f, state, a, rs2 < 2 ? 32 : 64, !(rs2 & 1)));
      return true;
    case 0x1a:
      return from_integer(r, f, state, bits);
    default:
      return false;
  }
  put(r, single, rd, result);
  return true;
}

bool integer_float(struct registers *r, uint32_t bits) {
  uint32_t format = bits >> 25 & 3;
  if (format > 1) return false;
  float_format f = format ? &float_double : &float_single;
  struct float_state state = {0};
  bool rounds = find_rounding(r, bits, &state.rounding);
  bool done = (bits & 0x7f) == 0x53 ? operate(r, f, &state, bits, rounds)
                                    : rounds && multiply_add(r, f, &state, bits);
  if (done) r->fcsr |= state.flags;
  return done;
}

bool hart_float(struct registers *r, uint32_t bits) {
  return host_float(r, bits) || integer_float(r, bits);
}
