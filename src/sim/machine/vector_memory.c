/* vector_memory.c: vector loads and stores: an access for each element, or field of a segment, in order.
 *
 * Each access is made as a scalar one would be, and has a position of its own; the last one's is the instruction's. When one can't be made, or the machine is to
 * stop before the next, `start` (and `field`, within a segment) say where the instruction goes on. They change only with the position: an access that waits, or for
 * which a page must be found first, leaves no trace. What a fault has to show is noted aside, for those that show it. */
#include "sim/machine/hart.h"
#include "sim/machine/vector.h"

enum { UNIT = 0, INDEXED_UNORDERED = 1, STRIDED = 2, INDEXED_ORDERED = 3 };
enum { PLAIN = 0x00, WHOLE = 0x08, MASK = 0x0b, FAULT_FIRST = 0x10, STORE_OPCODE = 0x27 };

struct transfer {
  struct vector v; /* width: that of the elements in memory */
  uint8_t kind;    /* ACCESS_LOAD or ACCESS_STORE */
  bool first_only; /* a fault at another element than the first one ends it */
  bool indexed;
  uint32_t fields, step; /* of a segment; registers from one field to the next */
  uint32_t index_width;
  uint64_t base, stride;
};

/* -- What is to be done -------------------------------------------------------------------------------------------------------------- */

/* 8, 16, 32 or 64 bits; 0: another width. */
static uint32_t width_of(uint32_t bits) {
  static const uint32_t widths[8] = {[0] = 8, [5] = 16, [6] = 32, [7] = 64};
  return widths[bits >> 12 & 7];
}

/* Whole registers, and masks, whatever vtype is: elements of the registers' bytes. */
static bool plan_whole(struct transfer *t, uint32_t width) {
  struct vector *v = &t->v;
  uint32_t count = t->fields;
  if (v->masked || count & (count - 1) || v->vd % count) return false;
  if (t->kind == ACCESS_STORE && width != 8) return false;
  v->length = count * VECTOR_BITS / width;
  v->width = width;
  t->fields = 1;
  return true;
}

static bool plan_mask(struct transfer *t, uint32_t width) {
  if (t->v.masked || width != 8 || t->fields != 1) return false;
  t->v.length = (t->v.length + 7) / 8;
  t->v.width = 8;
  return true;
}

/* Groups of the fields, beginning with vd. */
static bool plan_fields(struct transfer *t, int group) {
  const struct vector *v = &t->v;
  uint32_t count = vector_count(group);
  t->step = count;
  if (!vector_group(v->vd, group) || t->fields * count > 8 || v->vd + t->fields * count > 32) return false;
  return !(t->kind == ACCESS_LOAD && v->masked && !v->vd);
}

static bool plan_elements(struct transfer *t, uint32_t width) {
  struct vector *v = &t->v;
  int group = v->group + vector_log(width) - vector_log(v->width);
  v->width = width;
  return plan_fields(t, group);
}

/* The instruction's width is that of the indices. */
static bool plan_indexed(struct transfer *t, uint32_t width) {
  const struct vector *v = &t->v;
  int group = v->group + vector_log(width) - vector_log(v->width);
  uint32_t end = v->vd + t->fields * vector_count(v->group);
  t->indexed = true;
  t->index_width = width;
  if (!plan_fields(t, v->group) || !vector_group(v->vs2, group)) return false;
  if (t->kind == ACCESS_STORE) return true;
  if (t->fields > 1) return end <= v->vs2 || v->vs2 + vector_count(group) <= v->vd;
  return vector_overlap(v->vd, v->group, v->width, v->vs2, group, width);
}

static bool plan_unit(struct transfer *t, uint32_t bits, uint32_t width) {
  t->stride = (uint64_t)t->fields * width / 8;
  switch (bits >> 20 & 31) {
    case MASK:
      return plan_mask(t, width);
    case FAULT_FIRST:
      t->first_only = true;
      return t->kind == ACCESS_LOAD && plan_elements(t, width);
    case PLAIN:
      return plan_elements(t, width);
    default:
      return false;
  }
}

static bool plan(struct transfer *t, struct hart *hart, uint32_t bits) {
  struct registers *r = &hart->registers;
  uint32_t width = width_of(bits), mode = bits >> 26 & 3;
  bool whole = mode == UNIT && (bits >> 20 & 31) == WHOLE;
  bool valid = vector_begin(&t->v, r, bits);
  t->kind = (bits & 0x7f) == STORE_OPCODE ? ACCESS_STORE : ACCESS_LOAD;
  t->fields = (bits >> 29) + 1;
  t->base = r->x[bits >> 15 & 31];
  if (!width || bits >> 28 & 1) return false;
  if (whole) {
    t->stride = width / 8;
    return plan_whole(t, width);
  }
  if (!valid) return false;
  t->stride = r->x[bits >> 20 & 31];
  if (mode == UNIT) return plan_unit(t, bits, width);
  return mode == STRIDED ? plan_elements(t, width) : plan_indexed(t, width);
}

/* -- Doing it ------------------------------------------------------------------------------------------------------------------------- */

static uint64_t address_of(const struct transfer *t, uint32_t index, uint32_t field) {
  uint64_t offset = t->indexed ? vector_get(&t->v, t->v.vs2, index, t->index_width) : index * t->stride;
  return t->base + offset + (uint64_t)field * (t->v.width / 8);
}

/* A line that needs no attention of the memory system; NULL: it does. A misaligned address never equals a tag. */
static uint8_t *fast_bytes(struct port *port, struct fast_table *table, uint64_t address, uint32_t bytes) {
  struct fast_line *line = &table->line[fast_index(address)];
  if (line->tag != (address & ~(uint64_t)(LINE_BYTES - bytes)) + table->epoch) return NULL;
  if (port->cycle >= port->horizon || port->references >= port->references_stop) return NULL;
  *line->used = port_time(port);
  port->references++;
  port->cycle += port->hit_cycles;
  return line->host + address % LINE_BYTES;
}

static bool access_element(struct hart *hart, struct transfer *t, uint32_t index, uint32_t field) {
  struct port *port = &hart->port;
  uint32_t number = t->v.vd + field * t->step, bytes = t->v.width / 8;
  uint64_t address = address_of(t, index, field), value = 0;
  bool load = t->kind == ACCESS_LOAD;
  uint8_t *fast = fast_bytes(port, load ? port->loads : port->stores, address, bytes);
  if (!load) value = vector_get(&t->v, number, index, t->v.width);
  if (fast && load)
    memcpy(&value, fast, bytes);
  else if (fast)
    memcpy(fast, &value, bytes);
  else if (!hart_access(hart, t->kind, address, (uint8_t)bytes, &value))
    return false;
  if (load) vector_put(&t->v, number, index, t->v.width, value);
  return true;
}

static uint32_t next_active(const struct transfer *t, uint32_t index) {
  while (index < t->v.length && !vector_active(&t->v, index)) index++;
  return index;
}

/* The position of the access that was made is past, the instruction is not. False: the machine stops here. */
static bool step(struct hart *hart) {
  struct port *port = &hart->port;
  port->position++;
  if (port->position < port->stop && port->position < hart->kernel_stop) return true;
  hart->exit = HART_STOP;
  return false;
}

static void note_fault(struct hart *hart, const struct transfer *t, uint32_t index) {
  hart->at_element = true;
  hart->fault_element = index;
  hart->trims = t->first_only && index;
}

static bool access_segment(struct hart *hart, struct transfer *t, uint32_t index, uint32_t next) {
  struct vector_registers *state = t->v.state;
  while (state->field < t->fields) {
    if (!access_element(hart, t, index, state->field)) {
      if (hart->exit == HART_FAULT) note_fault(hart, t, index);
      return false;
    }
    state->used = 1;
    bool last = state->field + 1u == t->fields;
    if (last && next >= t->v.length) return true;
    state->field = last ? 0 : (uint16_t)(state->field + 1);
    state->start = last ? next : index;
    if (!step(hart)) return false;
    if (last) return true;
  }
  return true;
}

bool vector_access(struct hart *hart, uint32_t bits) {
  struct transfer t = {0};
  if (!plan(&t, hart, bits)) {
    hart->registers.vector.used = 1;
    hart->exit = HART_ILLEGAL;
    return false;
  }
  struct vector_registers *state = t.v.state;
  uint32_t index = next_active(&t, state->start);
  if (index >= t.v.length) hart->port.cycle++;
  while (index < t.v.length) {
    uint32_t next = next_active(&t, index + 1);
    if (!access_segment(hart, &t, index, next)) return false;
    index = next;
  }
  state->start = state->field = 0;
  state->used = 1;
  return true;
}

/* -- Faults ---------------------------------------------------------------------------------------------------------------------------- */

void vector_show_fault(struct hart *hart) {
  struct vector_registers *state = &hart->registers.vector;
  if (!hart->at_element) return;
  state->start = hart->fault_element;
  state->field = 0;
  state->used = 1;
}

void vector_trim(struct hart *hart) {
  struct vector_registers *state = &hart->registers.vector;
  state->length = hart->fault_element;
  state->start = state->field = 0;
  hart->registers.pc += 4;
  hart->port.position++;
}
