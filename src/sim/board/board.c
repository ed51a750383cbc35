/* board.c: see board.h. Harts' turns, traps and interrupts. */
#include "sim/board/devices.h"

#include <stdlib.h>

#include "sim/caches/caches.h"
#include "sim/machine/vector.h"

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
  hart_drop_half(hart);
  own->walk.active = false;
  if (interrupt) return;
  /* A position of its own: a fence may come before the exception or behind it. */
  hart->port.position++;
  hart->port.cycle++;
}

/* The number of an interrupt that is to be taken now, or -1. In a replay the log has it. */
static int due_interrupt(const struct hart *hart) {
  const struct board_hart *own = board_hart_of(hart);
  uint64_t due = own->pending & own->enabled;
  bool taken = own->privilege == USER || own->status & STATUS_SIE;
  if (!due || !taken || board_replays(hart)) return -1;
  return due >> INTERRUPT_EXTERNAL & 1   ? INTERRUPT_EXTERNAL
         : due >> INTERRUPT_SOFTWARE & 1 ? INTERRUPT_SOFTWARE
                                         : INTERRUPT_TIMER;
}

void board_raise(struct hart *hart, unsigned interrupt, uint64_t cycle) {
  struct board_hart *own = board_hart_of(hart);
  struct port *port = &hart->port;
  if (board_replays(hart)) return; /* the log has it */
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
  if (hart->trims) {
    vector_trim(hart);
    hart->port.cycle++;
    return;
  }
  vector_show_fault(hart);
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

static void illegal(struct hart *hart) {
  uint32_t bits = hart_instruction(hart);
  if (!board_privileged(hart, bits)) board_trap(hart, CAUSE_ILLEGAL, bits);
}

/* -- Recording and replay ----------------------------------------------------------------------------------------------------- */

void board_differs(const struct port *port, const char *what) {
  struct board *board = board_of(port->machine);
  bool is_hart = port->number < port->machine->config.harts;
  if (!board->error[0])
    snprintf(board->error, sizeof board->error, "%s %u, position %lu: %s", is_hart ? "hart" : "device",
             port->number, (unsigned long)port->position, what);
  board->stopped = true;
}

static void differs(const struct hart *hart, const char *what) {
  board_differs(&hart->port, what);
}

static void log_event(struct hart *hart, enum board_event kind, uint64_t value) {
  if (board_of(hart->port.machine)->sphere.mode != SPHERE_RECORD) return;
  board_log_put(&board_hart_of(hart)->log, kind, hart->port.position, value);
  if (kind == BOARD_VALUE) caches_log(&hart->port, LOG_INPUT, INPUT_ENTRY);
  if (kind == BOARD_INTERRUPT) caches_log(&hart->port, LOG_INTERRUPTS, INTERRUPT_ENTRY);
}

/* Replay: reads the next event, and stops where it is one that happens of itself. */
static void next_event(struct hart *hart) {
  struct board_log *log = &board_hart_of(hart)->log;
  const struct sphere *sphere = &board_of(hart->port.machine)->sphere;
  board_log_next(log);
  bool over = log->next == BOARD_NOTHING;
  hart->kernel_stop = log->next == BOARD_VALUE || over ? UINT64_MAX : log->position;
  if (over && !sphere->breaks_off) differs(hart, "it goes on after the end of its input log");
}

uint64_t board_input(struct hart *hart, uint64_t value) {
  struct board_log *log = &board_hart_of(hart)->log;
  if (!board_replays(hart)) {
    log_event(hart, BOARD_VALUE, value);
    return value;
  }
  if (log->next != BOARD_VALUE || log->position != hart->port.position) {
    differs(hart, "it asks for input where the recording does not");
    return value;
  }
  value = log->value;
  next_event(hart);
  return value;
}

void board_fence(struct hart *hart) {
  if (board_replays(hart) || !board_hart_of(hart)->started) return;
  log_event(hart, BOARD_FENCE, 0);
  board_forget(hart);
}

void board_end_thread(struct port *port, struct thread *thread) {
  const struct watcher *watcher = port->machine->watcher;
  port->waiting = true;
  if (watcher && watcher->leave) watcher->leave(port, LEAVE_EXIT);
  thread->position = port->position;
  thread->port = NULL;
  port->thread = NULL;
  port->stop = UINT64_MAX;
}

static void end_hart(struct hart *hart) {
  struct board_hart *own = board_hart_of(hart);
  own->ended = true;
  hart->kernel_stop = UINT64_MAX;
  board_end_thread(&hart->port, &own->thread);
}

void board_finish(struct machine *machine) {
  const struct board *board = board_of(machine);
  if (board->sphere.mode != SPHERE_RECORD) return;
  for (uint32_t i = 0; i < machine->config.harts; i++) {
    if (!board->harts[i].started) continue;
    log_event(&machine->harts[i], BOARD_END, 0);
    end_hart(&machine->harts[i]);
  }
  dma_finish(machine);
}

static void happen(struct hart *hart) {
  struct board_log *log = &board_hart_of(hart)->log;
  uint8_t kind = log->next;
  uint64_t value = log->value;
  if (hart->port.position != log->position) {
    differs(hart, "it went past an event of its input log");
    return;
  }
  if (kind == BOARD_END) {
    end_hart(hart);
    return;
  }
  next_event(hart);
  if (kind == BOARD_INTERRUPT)
    board_trap(hart, value, 0);
  else
    board_forget(hart);
}

/* At a position that the order log or the input log names. What happens to the hart alone needs no order, and comes first: a recording that breaks off here has it. */
static void at_stop(struct hart *hart) {
  struct port *port = &hart->port;
  if (port->position >= hart->kernel_stop && board_hart_of(hart)->log.next != BOARD_END) {
    happen(hart);
    return;
  }
  if (port->position >= port->stop && !port->machine->watcher->gate(port)) {
    port->waiting = hart->at_gate = true;
    return;
  }
  if (port->position >= hart->kernel_stop && port->position < port->stop) happen(hart);
}

/* -- Turns ------------------------------------------------------------------------------------------------------------------- */

static void carry_out(struct hart *hart, enum hart_exit exit) {
  struct board_hart *own = board_hart_of(hart);
  switch (exit) {
    case HART_HORIZON:
    case HART_WAIT:
      break;
    case HART_STOP:
      at_stop(hart);
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
  hart->at_gate = false;
  const struct board *board = board_of(port->machine);
  while (!board->stopped && !port->waiting && port->cycle < port->horizon) {
    /* An access that waited is made first (memory.h): the line is kept for it. */
    bool ready = !hart_is_between(hart) && !board_hart_of(hart)->waited;
    int interrupt = due_interrupt(hart);
    if (interrupt >= 0 && !ready) {
      if (port->horizon > port->cycle + 1) port->horizon = port->cycle + 1;
    } else if (interrupt >= 0) {
      uint64_t cause = 1ull << 63 | (unsigned)interrupt;
      log_event(hart, BOARD_INTERRUPT, cause);
      board_trap(hart, cause, 0);
    }
    enum hart_exit exit = hart_interpret(hart);
    board_hart_of(hart)->waited = exit == HART_WAIT;
    carry_out(hart, exit);
  }
}

static uint64_t counter(struct hart *hart, uint64_t cycle) {
  return board_input(hart, board_time(hart->port.machine, cycle));
}

void board_begin_thread(struct port *port, struct thread *thread, uint32_t number, struct thread *by) {
  struct machine *machine = port->machine;
  struct board *board = board_of(machine);
  thread->number = number;
  thread->sphere = &board->sphere;
  thread->reservation = FAST_NONE;
  if (board->sphere.mode == SPHERE_PLAIN) return;
  board->sphere.threads++;
  machine->watcher->born(machine, by, thread);
  port->thread = thread;
  thread->port = port;
  machine->watcher->enter(port);
}

void board_start(struct hart *hart, struct hart *by, uint64_t pc, uint64_t argument, uint64_t cycle) {
  struct board_hart *own = board_hart_of(hart);
  own->started = true;
  own->privilege = SUPERVISOR;
  own->status = own->translation = 0;
  hart->vectors_off = true;
  hart->registers.pc = pc;
  hart->registers.x[10] = hart->port.number;
  hart->registers.x[11] = argument;
  hart->idle = false;
  board_forget(hart);
  port_wake(&hart->port, cycle);
  board_begin_thread(&hart->port, &own->thread, hart->port.number, by ? &board_hart_of(by)->thread : NULL);
  if (board_replays(hart)) next_event(hart);
}

/* -- Digests --------------------------------------------------------------------------------------------------------------------- */

static uint64_t mix(uint64_t digest, uint64_t value) {
  digest = (digest ^ value) * 0x9e3779b97f4a7c15;
  return digest ^ digest >> 29;
}

uint64_t board_digest_harts(const struct machine *machine) {
  uint64_t digest = 1;
  for (uint32_t i = 0; i < machine->config.harts; i++) {
    const struct hart *hart = &machine->harts[i];
    const struct board_hart *own = board_hart_of(hart);
    digest = mix(mix(digest, hart->port.position), hart->registers.pc);
    for (int n = 0; n < 32; n++) digest = mix(mix(digest, hart->registers.x[n]), hart->registers.f[n]);
    digest = mix(digest, vector_digest(&hart->registers.vector));
    digest = mix(mix(mix(digest, hart->registers.fcsr), own->privilege), own->status);
    digest = mix(mix(mix(digest, own->translation), own->return_pc), own->cause);
  }
  return digest;
}

uint64_t board_digest_memory(struct machine *machine) {
  uint64_t digest = 1;
  if (machine->system->drain) machine->system->drain(machine);
  for (uint64_t at = BOARD_RAM_START; at < machine->ram_bytes; at += 8) {
    uint64_t word;
    memcpy(&word, machine_ram(machine, at), sizeof word);
    if (word) digest = mix(mix(digest, at), word);
  }
  return digest;
}

/* -- The board ------------------------------------------------------------------------------------------------------------------ */

struct machine *board_machine_new(const struct sim_config *config, const char **error) {
  static const struct supervisor supervisor = {turn, counter, board_translate, board_device};
  struct machine *machine = machine_new(config, &supervisor, error);
  if (!machine) return NULL;
  struct board *board = machine->board = calloc(1, sizeof *board);
  if (board) board->harts = calloc(config->harts, sizeof *board->harts);
  if (!board || !board->harts || !devices_begin(machine)) {
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
  for (uint32_t i = 0; machine->board && machine->board->harts && i < machine->config.harts; i++) {
    free(machine->board->harts[i].tlb.entries);
    free(machine->board->harts[i].log.bytes);
  }
  if (machine->board) devices_end(machine);
  if (machine->board && machine->board->input) fclose(machine->board->input);
  if (machine->board) free(machine->board->harts);
  free(machine->board);
  machine_free(machine);
}
