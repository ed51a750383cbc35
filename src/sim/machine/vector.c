/* vector.c: an instruction of the vector unit: its operands, whether it may have them, the loops over elements. */
#include "sim/machine/vector.h"

#include <string.h>

#include "sim/machine/hart.h"

enum { DYNAMIC_LARGEST = ROUND_NEAREST_AWAY, FUNCT3_CONFIGURE = 7, OP_VECTOR_ARITHMETIC = 0x57 };
enum { BY_IMMEDIATE = 3, BY_F = 5 };

/* -- Elements ----------------------------------------------------------------------------------------------------------------- */

uint64_t vector_get(const struct vector *v, uint32_t number, uint32_t index, uint32_t width) {
  const uint8_t *at = &v->state->v[number * VECTOR_BYTES + index * (width / 8)];
  uint64_t value = 0;
  switch (width) {
    case 8:
      return *at;
    case 16:
      memcpy(&value, at, 2);
      return value;
    case 32:
      memcpy(&value, at, 4);
      return value;
    default:
      memcpy(&value, at, 8);
      return value;
  }
}

void vector_put(struct vector *v, uint32_t number, uint32_t index, uint32_t width, uint64_t value) {
  uint8_t *at = &v->state->v[number * VECTOR_BYTES + index * (width / 8)];
  switch (width) {
    case 8:
      *at = (uint8_t)value;
      break;
    case 16:
      memcpy(at, &value, 2);
      break;
    case 32:
      memcpy(at, &value, 4);
      break;
    default:
      memcpy(at, &value, 8);
  }
}

void vector_put_bit(struct vector *v, uint32_t number, uint32_t index, bool value) {
  uint8_t *at = &v->state->v[number * VECTOR_BYTES + index / 8];
  *at = (uint8_t)((*at & ~(1u << index % 8)) | (unsigned)value << index % 8);
}

/* -- What operands an instruction may have --------------------------------------------------------------------------------- */

bool vector_group(uint32_t number, int group) {
  return group >= -3 && group <= 3 && number % vector_count(group) == 0;
}

bool vector_overlap(uint32_t vd, int group_d, uint32_t width_d, uint32_t vs, int group_s, uint32_t width_s) {
  uint32_t count_d = vector_count(group_d), count_s = vector_count(group_s);
  if (vd + count_d <= vs || vs + count_s <= vd || width_d == width_s) return true;
  if (width_d < width_s) return vd == vs;
  return group_s >= 0 && vd + count_d == vs + count_s;
}

/* SEW times a power of two; 0: there is no such width. */
static uint32_t width_of(const struct vector *v, int log) {
  uint32_t width = log < 0 ? v->width >> -log : v->width << log;
  return width >= 8 && width <= 64 ? width : 0;
}

static bool float_fits(const struct vector *v, const struct vector_row *row) {
  if (!(row->flags & FLOAT)) return true;
  if (row->flags & FLOAT_A && v->width_a < 32) return false;
  if (row->flags & FLOAT_D && v->width_d < 32) return false;
  if (row->flags & FLOAT_WIDENS && v->width < 32) return false;
  return v->rounding.rounding <= DYNAMIC_LARGEST;
}

bool vector_fits(struct vector *v, const struct vector_row *row) {
  bool mask = row->flags & TO_MASK;
  int group_a = v->group + row->a, group_d = mask ? 0 : v->group + row->d;
  v->width_a = width_of(v, row->a);
  v->width_d = width_of(v, row->d);
  if (!v->width_a || !v->width_d || !float_fits(v, row)) return false;
  if (row->flags & UNMASKED && v->masked) return false;
  if (row->flags & ONLY_CARRY && !v->masked) return false;
  if (row->flags & FROM_START && v->start) return false;
  if (v->masked && !v->vd && !mask) return false;
  if (!vector_group(v->vd, group_d) || !vector_group(v->vs2, group_a)) return false;
  uint32_t width_d = mask ? 1 : v->width_d, width_a = row->flags & APART ? 0 : v->width_a;
  if (width_a ? !vector_overlap(v->vd, group_d, width_d, v->vs2, group_a, width_a)
              : v->vd < v->vs2 + vector_count(group_a) && v->vs2 < v->vd + vector_count(group_d))
    return false;
  return v->is_scalar || (vector_group(v->vs1, v->group) &&
                          vector_overlap(v->vd, group_d, width_d, v->vs1, v->group, v->width));
}

/* -- Loops over elements --------------------------------------------------------------------------------------------------------- */

static uint64_t widened(struct vector *v, uint64_t value) {
  return float_convert(&float_double, &float_single, &v->rounding, value);
}

static uint64_t operand_a(struct vector *v, const struct vector_row *row) {
  uint64_t a = vector_extend(vector_get(v, v->vs2, v->index, v->width_a), v->width_a, row->flags & SIGNED_A);
  return row->flags & FLOAT_WIDENS && row->a == 0 ? widened(v, a) : a;
}

static uint64_t operand_b(struct vector *v, const struct vector_row *row) {
  uint64_t b = v->is_scalar ? v->scalar : vector_get(v, v->vs1, v->index, v->width);
  b = vector_extend(b, v->width, row->flags & SIGNED_B);
  return row->flags & FLOAT_WIDENS ? widened(v, b) : b;
}

bool vector_elements(struct vector *v, const struct vector_row *row) {
  if (!vector_fits(v, row)) return false;
  for (v->index = v->start; v->index < v->length; v->index++) {
    if (row->flags & CARRY)
      v->carry = v->masked && vector_bit(v->state, 0, v->index);
    else if (!vector_active(v, v->index))
      continue;
    uint64_t a = operand_a(v, row), b = operand_b(v, row);
    if (row->flags & TO_MASK)
      vector_put_bit(v, v->vd, v->index, row->element(v, a, b, 0) & 1);
    else
      vector_put(v, v->vd, v->index, v->width_d,
                 row->element(v, a, b, vector_get(v, v->vd, v->index, v->width_d)));
  }
  return true;
}

/* The first element of vs1 and all of vs2 become the first element of the result: single registers, but for vs2, which may overlap anything. */
bool vector_reduce(struct vector *v, const struct vector_row *row) {
  v->width_a = v->width;
  v->width_d = width_of(v, row->d);
  if (v->start || !v->width_d || !float_fits(v, row) || !vector_group(v->vs2, v->group)) return false;
  if (!v->length) return true;
  uint64_t all = vector_extend(vector_get(v, v->vs1, 0, v->width_d), v->width_d, row->flags & SIGNED_B);
  for (v->index = 0; v->index < v->length; v->index++) {
    if (!vector_active(v, v->index)) continue;
    all = row->element(v, operand_a(v, row), all, 0);
    all = vector_extend(all, v->width_d, row->flags & SIGNED_B);
  }
  vector_put(v, v->vd, 0, v->width_d, all);
  return true;
}

/* -- One instruction ----------------------------------------------------------------------------------------------------------------- */

static uint64_t scalar_operand(const struct registers *r, uint32_t bits, uint32_t width) {
  uint32_t number = bits >> 15 & 31;
  switch (bits >> 12 & 7) {
    case BY_IMMEDIATE:
      return (uint64_t)((int64_t)(number ^ 16) - 16);
    case BY_F:
      if (width == 32 && r->f[number] >> 32 != 0xffffffff) return float_nan(&float_single);
      return r->f[number];
    default:
      return r->x[number];
  }
}

bool vector_begin(struct vector *v, struct registers *registers, uint32_t bits) {
  struct vector_registers *state = &registers->vector;
  uint32_t form = bits >> 12 & 7;
  uint32_t width = 8u << (state->type >> 3 & 7);
  int group = (int)((state->type & 7) ^ 4) - 4;
  *v = (struct vector){
      .registers = registers,
      .state = state,
      .bits = bits,
      .vd = bits >> 7 & 31,
      .vs1 = bits >> 15 & 31,
      .vs2 = bits >> 20 & 31,
      .masked = !(bits >> 25 & 1),
      .group = group,
      .width = width,
      .length = state->length,
      .start = state->start,
      .most = group < 0 ? VECTOR_BITS / width >> -group : VECTOR_BITS / width << group,
      .is_scalar = form >= BY_IMMEDIATE,
  };
  v->rounding.rounding = registers->fcsr >> 5 & 7;
  return !(state->type >> 63);
}

static bool execute(struct vector *v, struct registers *registers, uint32_t bits,
                    const struct vector_row *row) {
  if (!row || !vector_begin(v, registers, bits)) return false;
  if (v->is_scalar) v->scalar = scalar_operand(registers, bits, v->width);
  if (row->flags & UNSIGNED_IMMEDIATE && (bits >> 12 & 7) == BY_IMMEDIATE) v->scalar &= 31;
  if (row->flags & UNARY) v->is_scalar = true;
  if (!row->loop(v, row)) return false;
  registers->fcsr |= v->rounding.flags;
  v->state->start = 0;
  return true;
}

/* A cycle for each register of the group, and for each what the scalar instruction takes more. */
static uint32_t cycles_of(const struct vector *v, const struct sim_config *config, unsigned flags) {
  uint32_t more = flags & FLOAT && flags & DIVIDES ? config->float_divide_cycles
                  : flags & FLOAT                  ? config->float_cycles
                  : flags & DIVIDES                ? config->divide_cycles
                  : flags & MULTIPLIES             ? config->multiply_cycles
                                                   : 0;
  return vector_count(v->group) * (1 + more);
}

static bool illegal(struct hart *hart) {
  hart->exit = HART_ILLEGAL;
  return false;
}

bool hart_vector(struct hart *hart, uint32_t bits) {
  struct vector v;
  if (hart->vectors_off) return illegal(hart);
  if ((bits & 0x7f) != OP_VECTOR_ARITHMETIC) return vector_access(hart, bits);
  hart->registers.vector.used = 1;
  if ((bits >> 12 & 7) == FUNCT3_CONFIGURE) {
    hart->port.cycle++;
    return vector_configure(&hart->registers, bits) || illegal(hart);
  }
  const struct vector_row *row = vector_find(bits);
  if (!execute(&v, &hart->registers, bits, row)) return illegal(hart);
  hart->port.cycle += cycles_of(&v, &hart->port.machine->config, row->flags);
  return true;
}
