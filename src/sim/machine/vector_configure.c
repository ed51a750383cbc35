/* vector_configure.c: the vector unit's control: vtype and vl, its CSRs, what becomes of them at system calls. */
#include <string.h>

#include "sim/machine/vector.h"

enum { VXSAT = 0x009, VXRM = 0x00a, VL = 0xc20, VTYPE = 0xc21, VLENB = 0xc22 };
enum { ELEMENT_BITS = 64, START_BITS = VECTOR_BITS - 1, CONTROL_BITS = 7, TYPE_BITS = 0xff };
#define TYPE_ILLEGAL (1ull << 63)

static uint64_t mix(uint64_t digest, uint64_t value) {
  digest = (digest ^ value) * 0x9e3779b97f4a7c15;
  return digest ^ digest >> 29;
}

/* How many elements there are with this vtype; 0: it is not one. */
static uint32_t most_elements(uint64_t type) {
  uint32_t width = 8u << (type >> 3 & 7);
  int group = (int)((type & 7) ^ 4) - 4;
  if (type & ~(uint64_t)TYPE_BITS || width > ELEMENT_BITS || group == -4) return 0;
  if (group < 0 && width > (uint32_t)ELEMENT_BITS >> -group) return 0;
  return group < 0 ? VECTOR_BITS / width >> -group : VECTOR_BITS / width << group;
}

void vector_set(struct vector_registers *state, uint64_t type, uint64_t length) {
  uint32_t most = most_elements(type);
  state->type = most ? type : TYPE_ILLEGAL;
  state->length = length < most ? (uint32_t)length : most;
  state->start = 0;
}

bool vector_configure(struct registers *r, uint32_t bits) {
  uint32_t rd = bits >> 7 & 31, rs1 = bits >> 15 & 31;
  uint64_t length = rs1 ? r->x[rs1] : rd ? UINT64_MAX : r->vector.length;
  if (!(bits >> 31))
    vector_set(&r->vector, bits >> 20 & 0x7ff, length);
  else if (bits >> 30 & 1)
    vector_set(&r->vector, bits >> 20 & 0x3ff, rs1);
  else if (bits >> 25 == 0x40)
    vector_set(&r->vector, r->x[bits >> 20 & 31], length);
  else
    return false;
  if (rd) r->x[rd] = r->vector.length;
  return true;
}

bool vector_read_csr(struct vector_registers *state, uint32_t number, uint64_t *value) {
  switch (number) {
    case VECTOR_START:
      *value = state->start;
      break;
    case VXSAT:
      *value = state->control & 1;
      break;
    case VXRM:
      *value = state->control >> 1;
      break;
    case VECTOR_CONTROL:
      *value = state->control;
      break;
    case VL:
      *value = state->length;
      break;
    case VTYPE:
      *value = state->type;
      break;
    case VLENB:
      *value = VECTOR_BYTES;
      break;
    default:
      return false;
  }
  state->used = 1;
  return true;
}

bool vector_write_csr(struct vector_registers *state, uint32_t number, uint64_t value) {
  switch (number) {
    case VECTOR_START:
      state->start = (uint32_t)value & START_BITS;
      return true;
    case VXSAT:
      state->control = (state->control & ~1u) | (value & 1);
      return true;
    case VXRM:
      state->control = (state->control & 1) | (uint32_t)(value & 3) << 1;
      return true;
    case VECTOR_CONTROL:
      state->control = value & CONTROL_BITS;
      return true;
    default:
      return false;
  }
}

uint64_t vector_digest(const struct vector_registers *state) {
  const uint64_t more[] = {state->type,    state->length, state->start,
                           state->control, state->field,  state->used};
  uint64_t digest = 0, word;
  for (size_t at = 0; at < sizeof state->v; at += sizeof word) {
    memcpy(&word, state->v + at, sizeof word);
    digest = mix(digest, word);
  }
  for (size_t i = 0; i < sizeof more / sizeof *more; i++) digest = mix(digest, more[i]);
  return digest;
}

void vector_discard(struct vector_registers *state) {
  if (!state->used) return;
  memset(state->v, 0xff, sizeof state->v);
  vector_set(state, TYPE_ILLEGAL, 0);
}
