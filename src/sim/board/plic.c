/* plic.c: the interrupt controller: which hart is told of a device's interrupt (RISC-V PLIC specification 1.0). A context for each hart's supervisor mode. */
#include "sim/board/devices.h"

enum { PENDING_AT = 0x1000, ENABLED_AT = 0x2000, ENABLED_STEP = 0x80, CONTEXT_AT = 0x200000 };
enum { CONTEXT_STEP = 0x1000, THRESHOLD = 0, CLAIM = 4 };

static struct plic *plic_of(const struct machine *machine) {
  return &board_of(machine)->devices->plic;
}

/* The source that the context would claim, 0: none. */
static unsigned best(const struct plic *plic, uint32_t context, uint32_t threshold) {
  uint32_t due = plic->pending & plic->enabled[context];
  unsigned found = 0;
  for (unsigned source = 1; source < SOURCE_COUNT; source++)
    if (due >> source & 1 && plic->priority[source] > threshold) {
      found = source;
      threshold = plic->priority[source];
    }
  return found;
}

static void tell(struct machine *machine, uint64_t cycle) {
  const struct plic *plic = plic_of(machine);
  for (uint32_t i = 0; i < machine->config.harts; i++) {
    struct board_hart *own = &board_of(machine)->harts[i];
    bool wants = best(plic, i, plic->threshold[i]), has = own->pending >> INTERRUPT_EXTERNAL & 1;
    if (wants && !has) board_raise(&machine->harts[i], INTERRUPT_EXTERNAL, cycle);
    if (!wants) own->pending &= ~(1ull << INTERRUPT_EXTERNAL);
  }
}

void plic_set(struct machine *machine, unsigned source, bool level, uint64_t cycle) {
  struct plic *plic = plic_of(machine);
  uint32_t bit = 1u << source;
  if (level == !!(plic->level & bit)) return;
  plic->level ^= bit;
  if (level && !(plic->claimed & bit)) plic->pending |= bit;
  if (!level) plic->pending &= ~bit;
  tell(machine, cycle);
}

static uint32_t claim(struct machine *machine, uint32_t context, uint64_t cycle) {
  struct plic *plic = plic_of(machine);
  unsigned source = best(plic, context, 0);
  if (!source) return 0;
  plic->pending &= ~(1u << source);
  plic->claimed |= 1u << source;
  tell(machine, cycle);
  return source;
}

static void complete(struct plic *plic, uint32_t source) {
  if (source >= SOURCE_COUNT || !(plic->claimed >> source & 1)) return;
  plic->claimed &= ~(1u << source);
  plic->pending |= plic->level & 1u << source;
}

uint32_t plic_read(struct machine *machine, uint64_t offset, uint64_t cycle) {
  const struct plic *plic = plic_of(machine);
  if (offset >= CONTEXT_AT) {
    uint64_t context = (offset - CONTEXT_AT) / CONTEXT_STEP, at = offset % CONTEXT_STEP;
    if (context >= machine->config.harts) return 0;
    if (at == CLAIM) return claim(machine, (uint32_t)context, cycle);
    return at == THRESHOLD ? plic->threshold[context] : 0;
  }
  if (offset >= ENABLED_AT) {
    uint64_t context = (offset - ENABLED_AT) / ENABLED_STEP;
    return context < machine->config.harts && offset % ENABLED_STEP == 0 ? plic->enabled[context] : 0;
  }
  if (offset >= PENDING_AT) return offset == PENDING_AT ? plic->pending : 0;
  return offset / 4 < SOURCE_COUNT ? plic->priority[offset / 4] : 0;
}

void plic_write(struct machine *machine, uint64_t offset, uint32_t value, uint64_t cycle) {
  struct plic *plic = plic_of(machine);
  if (offset >= CONTEXT_AT) {
    uint64_t context = (offset - CONTEXT_AT) / CONTEXT_STEP, at = offset % CONTEXT_STEP;
    if (context >= machine->config.harts) return;
    if (at == THRESHOLD) plic->threshold[context] = value;
    if (at == CLAIM) complete(plic, value);
  } else if (offset >= ENABLED_AT) {
    uint64_t context = (offset - ENABLED_AT) / ENABLED_STEP;
    if (context < machine->config.harts && offset % ENABLED_STEP == 0) plic->enabled[context] = value;
  } else if (offset / 4 < SOURCE_COUNT) {
    plic->priority[offset / 4] = value;
  }
  tell(machine, cycle);
}
