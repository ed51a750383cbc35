/* softfloat.h: IEEE 754 arithmetic as RISC-V wants it, in integers.
 *
 * Where the host's floating point does not do (host_float.c): rounding to nearest with ties away does not exist there, underflow is found before or
 * after rounding depending on the host, NaNs propagate differently, and flags and modes would have to be switched at every operation. Here
 * results are the same everywhere.
 *
 * A format is its number of exponent and fraction bits; values are bit patterns in the low bits of a word. */
#ifndef REPRISE_SIM_SOFTFLOAT_H
#define REPRISE_SIM_SOFTFLOAT_H

#include <stdbool.h>
#include <stdint.h>

struct float_format {
  int exponent_bits, fraction_bits;
};
extern const struct float_format float_single, float_double;

/* The last one is not for programs to choose: towards zero, with the lowest bit as the sticky one. */
enum float_rounding { ROUND_NEAREST_EVEN, ROUND_ZERO, ROUND_DOWN, ROUND_UP, ROUND_NEAREST_AWAY, ROUND_ODD };
enum float_flags {
  FLAG_INEXACT = 1,
  FLAG_UNDERFLOW = 2,
  FLAG_OVERFLOW = 4,
  FLAG_ZERO_DIVISION = 8,
  FLAG_INVALID = 16
};

/* The environment of an operation: flags are only ever added. */
struct float_state {
  uint32_t rounding, flags;
};

typedef const struct float_format *float_format;

uint64_t float_add(float_format f, struct float_state *state, uint64_t a, uint64_t b);
uint64_t float_multiply(float_format f, struct float_state *state, uint64_t a, uint64_t b);
uint64_t float_divide(float_format f, struct float_state *state, uint64_t a, uint64_t b);
uint64_t float_root(float_format f, struct float_state *state, uint64_t a);
uint64_t float_multiply_add(float_format f, struct float_state *state, uint64_t a, uint64_t b, uint64_t c);
uint64_t float_minimum(float_format f, struct float_state *state, uint64_t a, uint64_t b, bool maximum);
bool float_equal(float_format f, struct float_state *state, uint64_t a, uint64_t b);
bool float_less(float_format f, struct float_state *state, uint64_t a, uint64_t b, bool or_equal);
uint32_t float_class(float_format f, uint64_t a); /* the ten bits of FCLASS */
uint64_t float_negative(float_format f, uint64_t a);
uint64_t float_sign(float_format f); /* the bit */
uint64_t float_nan(float_format f);  /* the canonical one */

uint64_t float_convert(float_format to, float_format from, struct float_state *state, uint64_t a);
uint64_t float_from_integer(float_format f, struct float_state *state, uint64_t magnitude, bool negative);
/* bits 16, 32 or 64; what does not fit saturates, NaN counts as large. 32-bit results, signed or not, are sign-extended. */
uint64_t float_to_integer(float_format f, struct float_state *state, uint64_t a, int bits, bool is_signed);

#endif
