/* devices.c: see devices.h. Which device an address belongs to. */
#include "sim/board/devices.h"

#include <stdlib.h>

enum { ACCESS_CYCLES = 20 }; /* of a register, there and back */

bool devices_begin(struct machine *machine) {
  struct board *board = board_of(machine);
  board->devices = calloc(1, sizeof *board->devices);
  if (!board->devices) return false;
  dma_begin(machine);
  return true;
}

void devices_end(struct machine *machine) {
  struct board *board = board_of(machine);
  if (!board->devices) return;
  disk_detach(machine);
  free(board->devices->dma.log.bytes);
  free(board->devices);
  board->devices = NULL;
}

static bool inside(uint64_t paddr, uint64_t start, uint64_t bytes) {
  return paddr >= start && paddr - start < bytes;
}

bool devices_have(const struct machine *machine, uint64_t paddr) {
  return inside(paddr, PLIC_START, PLIC_BYTES) || inside(paddr, UART_START, UART_BYTES) ||
         (disk_bytes(machine) && inside(paddr, DISK_START, DISK_BYTES));
}

static uint64_t load(struct machine *machine, uint64_t paddr, uint64_t cycle) {
  if (inside(paddr, UART_START, UART_BYTES)) return uart_read(machine, paddr - UART_START, cycle);
  if (inside(paddr, PLIC_START, PLIC_BYTES)) return plic_read(machine, paddr - PLIC_START, cycle);
  return disk_read(machine, paddr - DISK_START);
}

static void store(struct hart *hart, uint64_t paddr, uint64_t value) {
  struct machine *machine = hart->port.machine;
  if (inside(paddr, UART_START, UART_BYTES))
    uart_write(machine, paddr - UART_START, (uint8_t)value, hart->port.cycle);
  else if (inside(paddr, PLIC_START, PLIC_BYTES))
    plic_write(machine, paddr - PLIC_START, (uint32_t)value, hart->port.cycle);
  else
    disk_write(hart, paddr - DISK_START, (uint32_t)value);
}

bool board_device(struct hart *hart, struct access *access) {
  uint64_t value = 0;
  if (access->kind > ACCESS_STORE || access->paddr % access->size) {
    board_hart_of(hart)->bad_address = true;
    hart->fault_address = access->vaddr;
    hart->fault_kind = access->kind;
    hart->exit = HART_FAULT;
    return false;
  }
  if (access->kind == ACCESS_STORE) {
    memcpy(&value, access->data, access->size);
    store(hart, access->paddr, value);
  } else {
    if (!board_replays(hart)) value = load(hart->port.machine, access->paddr, hart->port.cycle);
    value = board_input(hart, value);
    memcpy(access->data, &value, access->size);
  }
  hart->port.cycle += ACCESS_CYCLES;
  return true;
}
