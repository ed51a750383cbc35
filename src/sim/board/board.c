/* board.c: see board.h. Harts' turns, traps and interrupts. */
#include "sim/board/board.h"

#include <stdlib.h>

#include "sim/machine/decode.h"

/* -- Traps ----------------------------------------------------------------------------------------------------------------- */

void board_trap(struct hart *hart, uint64_t cause, uint64_t value) {
  struct board_hart *own = board_hart_of(hart);
  bool interrupt = cause >> 63;
  own->return_pc = hart->registers.pc;
  own->cause = cause;
  own->value = value;
  own->status &= ~(uint64_t)(STATUS_SPP | STATUS_SPIE);
  if (own->privilege == SUPERVISOR) own->status |= STATUS_SPP;
  if (own->status & STATUS_SIE) own->status |= STATUS_SPIE;
  own->status &= ~(uint64_t)STATUS_SIE;
  if (own->privilege != SUPERVISOR) port_drop_all(&hart->port, PORT_ALL); /* other pages may be accessed */
  own->privilege = SUPERVISOR;
  uint64_t base = own->vector & ~3ull;
  hart->registers.pc = interrupt && own->vector & 1 ? base + 4 * (cause & 63) : base;
  hart->port.reservation = FAST_NONE;
  hart->split = false;
}

/* The number of an interrupt that is to be taken now, or -1. */
static int due_interrupt(const struct board_hart *own) {
  uint64_t due = own->pending & own->enabled;
  bool taken = own->privilege == USER || own->status & STATUS_SIE;
  if (!due || !taken) return -1;
  return due >> INTERRUPT_SOFTWARE & 1 ? INTERRUPT_SOFTWARE : INTERRUPT_TIMER;
}

void board_raise(struct hart *hart, unsigned interrupt, uint64_t cycle) {
  struct board_hart *own = board_hart_of(hart);
  struct port *port = &hart->port;
  own->pending |= 1ull << interrupt;
  if (!own->started) return;
  if (hart->idle && own->pending & own->enabled) {
    hart->idle = false;
    port_wake(port, cycle);
  } else if (port->horizon > port->cycle) {
    port->horizon = port->cycle;
  }
}

static void access_exception(struct hart *hart) {
  struct board_hart *own = board_hart_of(hart);
  uint8_t kind = hart->fault_kind;
  bool load = kind == ACCESS_LOAD || kind == ACCESS_LR;
  uint64_t cause = own->bad_address ? (kind == ACCESS_FETCH ? CAUSE_FETCH_FAULT
                                       : load               ? CAUSE_LOAD_FAULT
                                                            : CAUSE_STORE_FAULT)
                                    : (kind == ACCESS_FETCH ? CAUSE_FETCH_PAGE
                                       : load               ? CAUSE_LOAD_PAGE
                                                            : CAUSE_STORE_PAGE);
  board_trap(hart, cause, hart->fault_address);
}

/* The instruction at the program counter, which has just been fetched. */
static uint32_t instruction_at(const struct hart *hart) {
  uint64_t pc = hart->registers.pc;
  uint32_t bits = 0;
  for (int half = 0; half < 2; half++, pc += 2) {
    const uint8_t *bytes = &hart->decoded[fast_index(pc)]->bytes[pc % LINE_BYTES];
    bits |= (uint32_t)(bytes[0] | bytes[1] << 8) << 16 * half;
    if (!half && (bits & 3) != 3) break;
  }
  return bits;
}

static void illegal(struct hart *hart) {
  uint32_t bits = instruction_at(hart);
  if (!board_privileged(hart, bits)) board_trap(hart, CAUSE_ILLEGAL, bits);
}

/* -- Turns ------------------------------------------------------------------------------------------------------------------- */

static void carry_out(struct hart *hart, enum hart_exit exit) {
  struct board_hart *own = board_hart_of(hart);
  switch (exit) {
    case HART_HORIZON:
    case HART_WAIT:
    case HART_STOP:
      break;
    case HART_CALL:
      if (own->privilege == USER)
        board_trap(hart, CAUSE_USER_CALL, 0);
      else
        board_call(hart);
      break;
    case HART_FAULT:
      access_exception(hart);
      break;
    case HART_MISALIGNED:
      board_trap(hart, hart->fault_kind == ACCESS_LR ? CAUSE_LOAD_MISALIGNED : CAUSE_STORE_MISALIGNED,
                 hart->fault_address);
      break;
    case HART_ILLEGAL:
      illegal(hart);
      break;
    case HART_BREAK:
      board_trap(hart, CAUSE_BREAKPOINT, hart->registers.pc);
      break;
  }
}

static void turn(struct port *port) {
  struct hart *hart = (struct hart *)port;
  const struct board *board = board_of(port->machine);
  while (!board->stopped && !port->waiting && port->cycle < port->horizon) {
    int interrupt = hart->split ? -1 : due_interrupt(board_hart_of(hart));
    if (interrupt >= 0) board_trap(hart, 1ull << 63 | (unsigned)interrupt, 0);
    carry_out(hart, hart_interpret(hart));
  }
}

static uint64_t counter(struct hart *hart, uint64_t cycle) {
  return board_time(hart->port.machine, cycle);
}

void board_start(struct hart *hart, uint64_t pc, uint64_t argument, uint64_t cycle) {
  struct board_hart *own = board_hart_of(hart);
  own->started = true;
  own->privilege = SUPERVISOR;
  own->status = own->translation = 0;
  hart->registers.pc = pc;
  hart->registers.x[10] = hart->port.number;
  hart->registers.x[11] = argument;
  hart->idle = false;
  board_forget(hart);
  port_wake(&hart->port, cycle);
}

/* -- The board ------------------------------------------------------------------------------------------------------------------ */

struct machine *board_machine_new(const struct sim_config *config, const char **error) {
  static const struct supervisor supervisor = {turn, counter, board_translate};
  struct machine *machine = machine_new(config, &supervisor, error);
  if (!machine) return NULL;
  struct board *board = machine->board = calloc(1, sizeof *board);
  if (board) board->harts = calloc(config->harts, sizeof *board->harts);
  if (!board || !board->harts) {
    *error = "no memory for the simulated machine";
    board_machine_free(machine);
    return NULL;
  }
  board->machine = machine;
  board->console = stdout;
  for (uint32_t i = 0; i < config->harts; i++) machine->harts[i].kernel_stop = UINT64_MAX;
  return machine;
}

void board_machine_free(struct machine *machine) {
  if (machine->board) free(machine->board->harts);
  free(machine->board);
  machine_free(machine);
}
