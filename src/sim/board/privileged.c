/* privileged.c: control and status registers of supervisor mode, SRET, WFI and SFENCE.VMA. */
#include "sim/board/board.h"

enum {
  SSTATUS = 0x100,
  SIE = 0x104,
  STVEC = 0x105,
  SCOUNTEREN = 0x106,
  SSCRATCH = 0x140,
  SEPC = 0x141,
  SCAUSE = 0x142,
  STVAL = 0x143,
  SIP = 0x144,
  SATP = 0x180,
};
#define STATUS_WRITABLE \
  (uint64_t)(STATUS_SIE | STATUS_SPIE | STATUS_SPP | STATUS_VS | STATUS_FS | STATUS_SUM | STATUS_MXR)
#define STATUS_DIRTY (1ull << 63)
#define STATUS_UXL (2ull << 32)
#define MODE(satp) ((satp) >> 60)
enum { MODE_SV39 = 8 };

/* -- Registers --------------------------------------------------------------------------------------------------------------- */

/* Floating-point and vector registers count as changed whenever they may be used. */
static uint64_t shown_status(const struct board_hart *own) {
  uint64_t status = own->status | STATUS_UXL;
  if (own->status & STATUS_FS) status |= STATUS_FS | STATUS_DIRTY;
  if (own->status & STATUS_VS) status |= STATUS_VS | STATUS_DIRTY;
  return status;
}

/* Registers that hold what was written. */
static uint64_t *plain(struct board_hart *own, uint32_t number) {
  switch (number) {
    case SIE:
      return &own->enabled;
    case STVEC:
      return &own->vector;
    case SCOUNTEREN:
      return &own->counters;
    case SSCRATCH:
      return &own->scratch;
    case SEPC:
      return &own->return_pc;
    case SCAUSE:
      return &own->cause;
    case STVAL:
      return &own->value;
    case SIP:
      return &own->pending;
    case SATP:
      return &own->translation;
    default:
      return NULL;
  }
}

static void write_status(struct hart *hart, uint64_t value) {
  struct board_hart *own = board_hart_of(hart);
  uint64_t changed = (own->status ^ value) & (STATUS_SUM | STATUS_MXR);
  own->status = value & STATUS_WRITABLE;
  hart->vectors_off = !(own->status & STATUS_VS);
  if (changed) port_drop_all(&hart->port, PORT_LOADS | PORT_STORES);
}

static void write_register(struct hart *hart, uint32_t number, uint64_t value) {
  struct board_hart *own = board_hart_of(hart);
  uint64_t *place = plain(own, number);
  switch (number) {
    case SSTATUS:
      write_status(hart, value);
      return;
    case SIP: /* of these, only the interrupt between harts is software's to take back */
      own->pending = (own->pending & ~(1ull << INTERRUPT_SOFTWARE)) | (value & 1ull << INTERRUPT_SOFTWARE);
      return;
    case SEPC:
      *place = value & ~1ull;
      return;
    case SATP: /* no address space identifiers; other modes are not written at all */
      if (MODE(value) != 0 && MODE(value) != MODE_SV39) return;
      *place = value & ~(0xffffull << 44);
      board_forget(hart);
      return;
    default:
      *place = value;
  }
}

static bool control(struct hart *hart, uint32_t bits) {
  struct board_hart *own = board_hart_of(hart);
  uint32_t number = bits >> 20, rd = bits >> 7 & 31, source = bits >> 15 & 31, variant = bits >> 12 & 3;
  uint64_t operand = bits >> 14 & 1 ? source : hart->registers.x[source];
  const uint64_t *place = plain(own, number);
  if (!variant || own->privilege != SUPERVISOR || (!place && number != SSTATUS)) return false;
  uint64_t old = place ? *place : shown_status(own);
  if (number == SIP && rd)
    old = board_input(hart, old); /* what is pending depends on time and on other harts */
  if (variant == 1 || source)
    write_register(hart, number, variant == 1 ? operand : variant == 2 ? old | operand : old & ~operand);
  if (rd) hart->registers.x[rd] = old;
  return true;
}

/* -- Instructions ------------------------------------------------------------------------------------------------------------ */

static void next(struct hart *hart) {
  hart->registers.pc += 4;
  hart->port.position++;
  hart->port.cycle++;
}

static void supervisor_return(struct hart *hart) {
  struct board_hart *own = board_hart_of(hart);
  bool to_user = !(own->status & STATUS_SPP);
  hart->registers.pc = own->return_pc;
  own->status &= ~(uint64_t)(STATUS_SIE | STATUS_SPP);
  if (own->status & STATUS_SPIE) own->status |= STATUS_SIE;
  own->status |= STATUS_SPIE;
  if (to_user) {
    own->privilege = USER;
    port_drop_all(&hart->port, PORT_ALL);
  }
  hart->port.reservation = FAST_NONE;
  hart->port.position++;
  hart->port.cycle++;
}

static void wait_for_interrupt(struct hart *hart) {
  const struct board_hart *own = board_hart_of(hart);
  next(hart);
  if (!board_replays(hart) && !(own->pending & own->enabled)) hart->idle = hart->port.waiting = true;
}

bool board_privileged(struct hart *hart, uint32_t bits) {
  const struct board_hart *own = board_hart_of(hart);
  enum { SRET = 0x10200073, WFI = 0x10500073, SFENCE_VMA = 0x09 };
  if ((bits & 0x7f) != 0x73 || own->privilege != SUPERVISOR) return false;
  if (bits == SRET) {
    supervisor_return(hart);
    return true;
  }
  if (bits == WFI) {
    wait_for_interrupt(hart);
    return true;
  }
  if (bits >> 25 == SFENCE_VMA && !(bits >> 7 & 255))
    board_forget(hart);
  else if (!control(hart, bits))
    return false;
  next(hart);
  return true;
}
