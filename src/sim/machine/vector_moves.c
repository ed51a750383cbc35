/* vector_moves.c: vector instructions that move elements: merges, slides, gathers, whole registers, to and from scalars. */
#include <string.h>

#include "sim/machine/vector.h"

/* Merges take the scalar or vs1 where v0 has a bit; without mask the instruction is a move, and names no vs2. */
bool vector_merge(struct vector *v, const struct vector_row *row) {
  return (v->masked || !v->vs2) && vector_elements(v, row);
}

/* -- Slides --------------------------------------------------------------------------------------------------------------------- */

bool vector_slide_up(struct vector *v, const struct vector_row *row) {
  if (!vector_fits(v, row)) return false;
  for (uint32_t i = v->start; i < v->length; i++)
    if (i >= v->scalar && vector_active(v, i))
      vector_put(v, v->vd, i, v->width, vector_get(v, v->vs2, i - (uint32_t)v->scalar, v->width));
  return true;
}

bool vector_slide_down(struct vector *v, const struct vector_row *row) {
  if (!vector_fits(v, row)) return false;
  for (uint32_t i = v->start; i < v->length; i++) {
    if (!vector_active(v, i)) continue;
    bool there = v->scalar < v->most && i + v->scalar < v->most;
    vector_put(v, v->vd, i, v->width, there ? vector_get(v, v->vs2, i + (uint32_t)v->scalar, v->width) : 0);
  }
  return true;
}

bool vector_slide_up_one(struct vector *v, const struct vector_row *row) {
  if (!vector_fits(v, row)) return false;
  for (uint32_t i = v->start; i < v->length; i++)
    if (vector_active(v, i))
      vector_put(v, v->vd, i, v->width, i ? vector_get(v, v->vs2, i - 1, v->width) : v->scalar);
  return true;
}

bool vector_slide_down_one(struct vector *v, const struct vector_row *row) {
  if (!vector_fits(v, row)) return false;
  for (uint32_t i = v->start; i < v->length; i++)
    if (vector_active(v, i))
      vector_put(v, v->vd, i, v->width,
                 i + 1 < v->length ? vector_get(v, v->vs2, i + 1, v->width) : v->scalar);
  return true;
}

/* -- Gathers -------------------------------------------------------------------------------------------------------------------- */

static void gather(struct vector *v, uint32_t index_width) {
  for (uint32_t i = v->start; i < v->length; i++) {
    if (!vector_active(v, i)) continue;
    uint64_t from = v->is_scalar ? v->scalar : vector_get(v, v->vs1, i, index_width);
    vector_put(v, v->vd, i, v->width, from < v->most ? vector_get(v, v->vs2, (uint32_t)from, v->width) : 0);
  }
}

/* The groups have no register in common. */
static bool are_apart(uint32_t a, int group_a, uint32_t b, int group_b) {
  return a + vector_count(group_a) <= b || b + vector_count(group_b) <= a;
}

bool vector_gather(struct vector *v, const struct vector_row *row) {
  if (!vector_fits(v, row)) return false;
  if (!v->is_scalar && !are_apart(v->vd, v->group, v->vs1, v->group)) return false;
  gather(v, v->width);
  return true;
}

bool vector_gather16(struct vector *v, const struct vector_row *row) {
  int group = v->group + vector_log(16) - vector_log(v->width);
  v->is_scalar = true; /* vs1 has another width */
  if (!vector_fits(v, row) || !vector_group(v->vs1, group)) return false;
  if (!are_apart(v->vd, v->group, v->vs1, group)) return false;
  v->is_scalar = false;
  gather(v, 16);
  return true;
}

bool vector_compress(struct vector *v, const struct vector_row *row) {
  uint32_t to = 0;
  v->is_scalar = true; /* vs1 is a mask */
  if (!vector_fits(v, row) || !are_apart(v->vd, v->group, v->vs1, 0)) return false;
  for (uint32_t i = 0; i < v->length; i++)
    if (vector_bit(v->state, v->vs1, i))
      vector_put(v, v->vd, to++, v->width, vector_get(v, v->vs2, i, v->width));
  return true;
}

/* -- Whole registers, and scalars ---------------------------------------------------------------------------------------------- */

bool vector_move_groups(struct vector *v, const struct vector_row *row) {
  uint32_t count = v->vs1 + 1, from = v->start * (v->width / 8), bytes = count * VECTOR_BYTES;
  (void)row;
  if (v->masked || count > 8 || count & (count - 1) || v->vd % count || v->vs2 % count) return false;
  if (from < bytes)
    memmove(&v->state->v[v->vd * VECTOR_BYTES + from], &v->state->v[v->vs2 * VECTOR_BYTES + from],
            bytes - from);
  return true;
}

bool vector_first_to_scalar(struct vector *v, const struct vector_row *row) {
  (void)row;
  if (v->masked) return false;
  if (v->vd) v->registers->x[v->vd] = vector_extend(vector_get(v, v->vs2, 0, v->width), v->width, true);
  return true;
}

bool vector_first_from_scalar(struct vector *v, const struct vector_row *row) {
  (void)row;
  if (v->masked) return false;
  if (v->start < v->length) vector_put(v, v->vd, 0, v->width, v->scalar);
  return true;
}

static bool is_float(const struct vector *v) {
  return !v->masked && v->width >= 32 && v->rounding.rounding <= ROUND_NEAREST_AWAY;
}

bool vector_first_to_float(struct vector *v, const struct vector_row *row) {
  (void)row;
  if (!is_float(v)) return false;
  uint64_t value = vector_get(v, v->vs2, 0, v->width);
  v->registers->f[v->vd] = v->width == 32 ? value | 0xffffffff00000000 : value;
  return true;
}

bool vector_first_from_float(struct vector *v, const struct vector_row *row) {
  return is_float(v) && vector_first_from_scalar(v, row);
}
