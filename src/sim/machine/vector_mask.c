/* vector_mask.c: vector instructions whose operands are masks: logic, counting, finding, edges, numbers of elements. */
#include "sim/machine/vector.h"

bool vector_mask_logic(struct vector *v, const struct vector_row *row) {
  if (v->masked) return false;
  for (uint32_t i = v->start; i < v->length; i++)
    vector_put_bit(v, v->vd, i,
                   row->element(v, vector_bit(v->state, v->vs2, i), vector_bit(v->state, v->vs1, i), 0) & 1);
  return true;
}

/* Of the operand's bits that count, the first one's number; if there is none, vl. */
static uint32_t first_set(const struct vector *v) {
  uint32_t i = 0;
  while (i < v->length && !(vector_active(v, i) && vector_bit(v->state, v->vs2, i))) i++;
  return i;
}

bool vector_mask_count(struct vector *v, const struct vector_row *row) {
  uint64_t count = 0;
  (void)row;
  if (v->start) return false;
  for (uint32_t i = 0; i < v->length; i++) count += vector_active(v, i) && vector_bit(v->state, v->vs2, i);
  if (v->vd) v->registers->x[v->vd] = count;
  return true;
}

bool vector_mask_first(struct vector *v, const struct vector_row *row) {
  (void)row;
  if (v->start) return false;
  uint32_t first = first_set(v);
  if (v->vd) v->registers->x[v->vd] = first < v->length ? first : ~0ull;
  return true;
}

/* VMSBF, VMSIF, VMSOF: the element function tells, of an element's number and that of the first bit. */
bool vector_mask_edge(struct vector *v, const struct vector_row *row) {
  if (v->start || v->vd == v->vs2 || (v->masked && !v->vd)) return false;
  uint32_t first = first_set(v);
  for (uint32_t i = 0; i < v->length; i++)
    if (vector_active(v, i)) vector_put_bit(v, v->vd, i, row->element(v, i, first, 0));
  return true;
}

bool vector_iota(struct vector *v, const struct vector_row *row) {
  uint64_t count = 0;
  (void)row;
  if (v->start || !vector_group(v->vd, v->group) || (v->masked && !v->vd)) return false;
  if (v->vs2 >= v->vd && v->vs2 < v->vd + vector_count(v->group)) return false;
  for (uint32_t i = 0; i < v->length; i++) {
    if (!vector_active(v, i)) continue;
    bool set = vector_bit(v->state, v->vs2, i);
    vector_put(v, v->vd, i, v->width, count);
    count += set;
  }
  return true;
}

bool vector_identity(struct vector *v, const struct vector_row *row) {
  (void)row;
  if (v->vs2 || !vector_group(v->vd, v->group) || (v->masked && !v->vd)) return false;
  for (uint32_t i = v->start; i < v->length; i++)
    if (vector_active(v, i)) vector_put(v, v->vd, i, v->width, i);
  return true;
}
