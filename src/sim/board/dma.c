/* dma.c: the block device's way to memory: a port of its own, and a pseudo-thread whose positions count the lines that it accesses (FDR, section 5).
 *
 * The log has what is stored, with its position; loads change nothing, and a replay only counts them. */
#include "sim/board/devices.h"
#include "sim/caches/caches.h"

static struct dma *dma_of(const struct machine *machine) {
  return &board_of(machine)->devices->dma;
}

static void proceed(struct machine *machine, void *object, uint64_t argument);

static void woken(struct port *port) {
  machine_at(port->machine, port->cycle, proceed, dma_of(port->machine), 0);
}

void dma_begin(struct machine *machine) {
  struct dma *dma = dma_of(machine);
  port_init(&dma->port, machine, machine->port_count);
  dma->port.hit_cycles = 1;
  dma->port.woken = woken;
  machine->ports[machine->port_count++] = &dma->port;
}

void dma_start(struct hart *by) {
  struct machine *machine = by->port.machine;
  struct dma *dma = dma_of(machine);
  dma->begun = true;
  board_begin_thread(&dma->port, &dma->thread, machine->config.harts, &board_hart_of(by)->thread);
  if (!board_replays(by)) return;
  board_log_next(&dma->log);
  machine_at(machine, by->port.cycle, proceed, dma, 0);
}

void dma_finish(struct machine *machine) {
  struct dma *dma = dma_of(machine);
  if (!dma->begun) return;
  board_log_put(&dma->log, BOARD_END, dma->port.position, 0);
  board_end_thread(&dma->port, &dma->thread);
}

/* -- Replay ---------------------------------------------------------------------------------------------------------------------- */

static bool may_go_on(struct port *port) {
  return port->position < port->stop || port->machine->watcher->gate(port);
}

/* The event at this position. False: it is the last, or waits for memory. */
static bool repeat(struct machine *machine, struct dma *dma) {
  struct board_log *log = &dma->log;
  if (log->next == BOARD_END) {
    dma->ended = true;
    board_end_thread(&dma->port, &dma->thread);
    return false;
  }
  bool good = log->next == BOARD_DMA && board_is_ram(machine, log->value) &&
              log->value % LINE_BYTES + log->data_bytes <= LINE_BYTES;
  if (!good) {
    board_differs(&dma->port, "the log of the block device is damaged");
    return false;
  }
  struct access access = {.vaddr = log->value,
                          .paddr = log->value,
                          .kind = ACCESS_STORE,
                          .size = log->data_bytes,
                          .kernel = true,
                          .data = (void *)(uintptr_t)log->data};
  if (machine->system->access(&dma->port, &access) == ACCESS_WAIT) {
    dma->port.waiting = true;
    return false;
  }
  dma->port.position++;
  board_log_next(log);
  return true;
}

static void follow(struct machine *machine, struct dma *dma) {
  struct port *port = &dma->port;
  for (;;) {
    if (!may_go_on(port)) {
      port->waiting = true;
      return;
    }
    bool breaks_off = dma->log.next == BOARD_NOTHING && board_of(machine)->sphere.breaks_off;
    uint64_t next = breaks_off ? UINT64_MAX : dma->log.position,
             until = next < port->stop ? next : port->stop;
    if (port->position < until)
      port->position = until;
    else if (!repeat(machine, dma))
      return;
  }
}

/* -- Transfers -------------------------------------------------------------------------------------------------------------------- */

static void keep(struct machine *machine, struct dma *dma, const struct access *access) {
  if (board_of(machine)->sphere.mode != SPHERE_RECORD) return;
  board_log_put_data(&dma->log, dma->port.position, access->paddr, access->data, access->size);
  caches_log(&dma->port, LOG_DMA, DMA_HEAD + (uint64_t)access->size);
}

static void move_line(struct machine *machine, struct dma *dma) {
  struct transfer *t = &dma->transfer;
  struct port *port = &dma->port;
  uint64_t at = t->at + t->done, room = LINE_BYTES - at % LINE_BYTES, left = t->count - t->done;
  uint32_t rate = machine->config.disk_rate;
  struct access access = {.vaddr = at,
                          .paddr = at,
                          .kind = t->store ? ACCESS_STORE : ACCESS_LOAD,
                          .size = (uint8_t)(left < room ? left : room),
                          .kernel = true,
                          .data = t->bytes + t->done};
  if (machine->system->access(port, &access) == ACCESS_WAIT) {
    port->waiting = true;
    return;
  }
  if (t->store) keep(machine, dma, &access);
  port->position++;
  board_of(machine)->dma_lines++;
  t->done += access.size;
  uint64_t cycles = rate ? (uint64_t)LINE_BYTES * machine->config.clock_mhz / rate : 0;
  machine_at(machine, port->cycle + cycles, proceed, dma, 0);
}

static void proceed(struct machine *machine, void *object, uint64_t argument) {
  struct dma *dma = object;
  (void)argument;
  if (dma->port.waiting || dma->ended) return;
  if (dma->port.cycle < machine->cycle) dma->port.cycle = machine->cycle;
  if (board_of(machine)->sphere.mode == SPHERE_REPLAY)
    follow(machine, dma);
  else if (dma->transfer.done < dma->transfer.count)
    move_line(machine, dma);
  else
    dma->transfer.next(machine);
}

void dma_move(struct machine *machine, const struct transfer *transfer) {
  struct dma *dma = dma_of(machine);
  dma->transfer = *transfer;
  machine_at(machine, machine->cycle, proceed, dma, 0);
}

void dma_cancel(struct machine *machine) {
  struct transfer *transfer = &dma_of(machine)->transfer;
  transfer->count = transfer->done;
}
