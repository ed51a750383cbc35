/* uart.c: a serial port, as the 16550A. What it sends is printed at once; what is typed comes at 115200 baud, once software wants to be told, and waits until it is read. */
#include "sim/board/devices.h"

enum { DATA, ENABLED, IDENTIFY, LINE_CONTROL, MODEM_CONTROL, LINE_STATUS, MODEM_STATUS, SCRATCH };
enum { WHEN_RECEIVED = 1, WHEN_EMPTY = 2 };
enum { NO_INTERRUPT = 1, IS_EMPTY = 2, HAS_RECEIVED = 4, FIFO_ON = 0xc0 };
enum { DIVISOR_SHOWN = 0x80, LOOP = 0x10 };
enum { TRANSMITTER_EMPTY = 0x60, LINES_UP = 0xb0 };
enum { CHARACTERS_A_SECOND = 11520 };

static struct uart *uart_of(const struct machine *machine) {
  return &board_of(machine)->devices->uart;
}

static void tell(struct machine *machine, uint64_t cycle) {
  const struct uart *uart = uart_of(machine);
  bool wants =
      (uart->enabled & WHEN_RECEIVED && uart->has_received) || (uart->enabled & WHEN_EMPTY && uart->is_empty);
  plic_set(machine, SOURCE_UART, wants, cycle);
}

static void arrive(struct machine *machine, void *object, uint64_t argument) {
  struct uart *uart = object;
  int byte = fgetc(board_of(machine)->input);
  (void)argument;
  if (byte == EOF) return; /* still awaited: there is no next one */
  uart->awaited = false;
  uart->received = (uint8_t)byte;
  uart->has_received = true;
  tell(machine, machine->cycle);
}

static void expect(struct machine *machine, uint64_t cycle) {
  struct uart *uart = uart_of(machine);
  bool wanted = uart->enabled & WHEN_RECEIVED && !uart->has_received && !uart->awaited;
  if (!wanted || !board_of(machine)->input) return;
  uart->awaited = true;
  uint64_t cycles = machine->config.clock_mhz * UINT64_C(1000000) / CHARACTERS_A_SECOND;
  machine_at(machine, cycle + cycles, arrive, uart, 0);
}

static uint8_t identify(struct uart *uart) {
  uint8_t fifo = uart->fifo ? FIFO_ON : 0;
  if (uart->enabled & WHEN_RECEIVED && uart->has_received) return HAS_RECEIVED | fifo;
  if (!(uart->enabled & WHEN_EMPTY) || !uart->is_empty) return NO_INTERRUPT | fifo;
  uart->is_empty = false;
  return IS_EMPTY | fifo;
}

/* In a loop the outgoing lines are the incoming ones. */
static uint8_t modem_status(const struct uart *uart) {
  uint8_t out = uart->modem_control;
  if (!(out & LOOP)) return LINES_UP;
  return (uint8_t)((out & 2) << 3 | (out & 1) << 5 | (out & 4) << 4 | (out & 8) << 4);
}

static uint8_t receive(struct machine *machine, uint64_t cycle) {
  struct uart *uart = uart_of(machine);
  uart->has_received = false;
  expect(machine, cycle);
  return uart->received;
}

uint8_t uart_read(struct machine *machine, uint64_t offset, uint64_t cycle) {
  struct uart *uart = uart_of(machine);
  bool divisor = uart->line_control & DIVISOR_SHOWN;
  uint8_t value = 0;
  switch (offset) {
    case DATA:
      value = divisor ? uart->divisor[0] : receive(machine, cycle);
      break;
    case ENABLED:
      return divisor ? uart->divisor[1] : uart->enabled;
    case IDENTIFY:
      value = identify(uart);
      break;
    case LINE_CONTROL:
      return uart->line_control;
    case MODEM_CONTROL:
      return uart->modem_control;
    case LINE_STATUS:
      return TRANSMITTER_EMPTY | uart->has_received;
    case MODEM_STATUS:
      return modem_status(uart);
    default:
      return uart->scratch;
  }
  tell(machine, cycle);
  return value;
}

static void transmit(struct machine *machine, uint8_t value) {
  struct uart *uart = uart_of(machine);
  uart->is_empty = true;
  if (!(uart->modem_control & LOOP)) fputc(value, board_of(machine)->console);
}

static void enable(struct uart *uart, uint8_t value) {
  if (value & ~uart->enabled & WHEN_EMPTY) uart->is_empty = true;
  uart->enabled = value & 15;
}

void uart_write(struct machine *machine, uint64_t offset, uint8_t value, uint64_t cycle) {
  struct uart *uart = uart_of(machine);
  bool divisor = uart->line_control & DIVISOR_SHOWN;
  if (divisor && offset <= ENABLED) {
    uart->divisor[offset] = value;
    return;
  }
  switch (offset) {
    case DATA:
      transmit(machine, value);
      break;
    case ENABLED:
      enable(uart, value);
      expect(machine, cycle);
      break;
    case IDENTIFY:
      uart->fifo = value & 1;
      break;
    case LINE_CONTROL:
      uart->line_control = value;
      break;
    case MODEM_CONTROL:
      uart->modem_control = value;
      break;
    case SCRATCH:
      uart->scratch = value;
      break;
    default: /* read only */
      break;
  }
  tell(machine, cycle);
}
