/* csr.c: control and status registers that user code may name: floating-point and vector state, and the counters. */
#include "sim/machine/hart.h"
#include "sim/machine/vector.h"

enum { FFLAGS = 1, FRM = 2, FCSR = 3, CYCLE = 0xc00, TIME = 0xc01, INSTRET = 0xc02 };

bool hart_csr_is_input(uint32_t bits) {
  return bits >> 20 == CYCLE || bits >> 20 == TIME;
}

static bool read_csr(struct hart *hart, uint32_t number, uint64_t *value) {
  uint32_t fcsr = hart->registers.fcsr;
  switch (number) {
    case FFLAGS:
      *value = fcsr & 31;
      return true;
    case FRM:
      *value = fcsr >> 5 & 7;
      return true;
    case FCSR:
      *value = fcsr;
      return true;
    case INSTRET:
      *value = hart->port.position;
      return true;
    /* Time is input: it depends on the caches. */
    case CYCLE:
    case TIME:
      *value = hart->port.machine->supervisor->counter(hart, hart->port.cycle);
      return true;
    default:
      return !hart->vectors_off && vector_read_csr(&hart->registers.vector, number, value);
  }
}

static bool write_csr(struct hart *hart, uint32_t number, uint64_t value) {
  uint32_t *fcsr = &hart->registers.fcsr;
  switch (number) {
    case FFLAGS:
      *fcsr = (*fcsr & ~31u) | (value & 31);
      return true;
    case FRM:
      *fcsr = (*fcsr & 31) | (uint32_t)(value & 7) << 5;
      return true;
    case FCSR:
      *fcsr = value & 0xff;
      return true;
    default: /* the counters are read-only */
      return vector_write_csr(&hart->registers.vector, number, value);
  }
}

bool hart_csr(struct hart *hart, uint32_t bits) {
  uint32_t number = bits >> 20, rd = bits >> 7 & 31, source = bits >> 15 & 31, variant = bits >> 12 & 3;
  uint64_t operand = bits >> 14 & 1 ? source : hart->registers.x[source], old;
  if (!read_csr(hart, number, &old)) return false;
  /* CSRRS and CSRRC with nothing to set or clear do not write. */
  if (variant == 1 || source) {
    uint64_t value = variant == 1 ? operand : variant == 2 ? old | operand : old & ~operand;
    if (!write_csr(hart, number, value)) return false;
  }
  if (rd) hart->registers.x[rd] = old;
  return true;
}
