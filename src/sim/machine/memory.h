/* memory.h: the interface between processors and memory systems.
 *
 * A memory system serves **ports**: a port is a hart, or a device that moves data by itself (FDR's pseudo-processor for DMA). A port
 * asks for one **access** at a time; an access never crosses a line. The memory system answers
 *
 *   ACCESS_DONE   the access has been performed (access_perform) and port->cycle has been advanced by its cost
 *   ACCESS_WAIT   nothing has happened yet. The port stalls until port_wake and then makes the very same access again, which the
 *                 memory system must be able to perform at once at that cycle: it keeps the line for the port until then.
 *
 * Because an access is repeated and not continued, a processor has no half-executed instruction to remember, traps are precise, and a
 * stalled thread can be taken off its hart.
 *
 * **Fast lines.** Most accesses hit the L1. For lines which a port may access without telling the memory system, that
 * system leaves an entry in the port's tables (port_grant), and the hart reads or writes the line through it, inline, for
 * port->hit_cycles each. An entry is a promise that holds until port_drop: a line that is invalidated, downgraded or evicted is dropped, and
 * so are lines whose next access a recorder must see (all of them when an episode ends and its filter is emptied). The tables are indexed by
 * virtual address, dropped by physical address.
 *
 * All is on one host thread and deterministic: nothing may depend on host addresses or time. */
#ifndef REPRISE_SIM_MEMORY_H
#define REPRISE_SIM_MEMORY_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

struct machine;
struct thread;

enum { LINE_SHIFT = 6, LINE_BYTES = 1 << LINE_SHIFT, PAGE_SHIFT = 12, PAGE_BYTES = 1 << PAGE_SHIFT };

/* -- Accesses ------------------------------------------------------------------------------------------------------- */

enum access_kind {
  ACCESS_LOAD,
  ACCESS_STORE,
  ACCESS_LR,
  ACCESS_SC, /* asks for the line as a store does, whether or not it then succeeds */
  ACCESS_AMO,
  ACCESS_FETCH, /* the line is about to be executed; no data. When done, own_fetches must hold it */
  ACCESS_FENCE, /* done when earlier stores are visible; no address. Only a store buffer has work here */
};

enum amo { AMO_SWAP, AMO_ADD, AMO_XOR, AMO_AND, AMO_OR, AMO_MIN, AMO_MAX, AMO_MINU, AMO_MAXU };

struct access {
  uint64_t vaddr, paddr;
  uint8_t kind; /* enum access_kind */
  uint8_t size; /* bytes; 1, 2, 4 or 8 for instructions, up to a line for the kernel's copies and devices */
  uint8_t amo;  /* enum amo */
  bool kernel;  /* made by the kernel or a device on behalf of port->thread, not by an instruction */
  bool failed;  /* out: a store-conditional had no reservation and stored nothing */
  void *data; /* LOAD, LR: out. STORE, SC: in. AMO: operand in, old value out. Never a pointer into a line */
};

enum access_result { ACCESS_DONE, ACCESS_WAIT };

/* -- Ports ------------------------------------------------------------------------------------------------------------ */

enum { FAST_PAGES = 8, FAST_PER_PAGE = PAGE_BYTES / LINE_BYTES, FAST_LINES = FAST_PAGES * FAST_PER_PAGE };
#define FAST_NONE 1 /* a tag that no line has */

struct fast_line {
  uint64_t tag;  /* virtual address of the line plus the table's epoch, or FAST_NONE */
  uint8_t *host; /* its bytes */
  uint64_t *
      used; /* set to port_time() at each access: for LRU, and for recorders; points to a dummy if nobody cares */
  uint64_t paddr; /* physical address of the line */
};

/* The epoch is in bits 3 to 5, which neither a line's address nor a misaligned one can have here: to drop all lines is to change it. */
enum { FAST_EPOCH = 8, FAST_EPOCHS = 8 };
struct fast_table {
  uint64_t epoch;
  struct fast_line line[FAST_LINES];
};

struct port {
  uint64_t cycle;           /* local time */
  uint64_t horizon;         /* it may not access memory at or after this cycle before others have caught up */
  struct fast_table *loads; /* what the inline paths look at; a memory system may point them to `empty` … */
  struct fast_table *stores; /* … to see every access, and back to own_… later */
  struct fast_table *fetches;
  uint64_t references;      /* data accesses performed, fast or not */
  uint64_t references_stop; /* no fast access from this count on; UINT64_MAX: no limit */
  uint32_t hit_cycles;      /* of a fast load or store; fetches that hit cost nothing of their own */
  uint32_t number;          /* harts first, then devices */

  /* The thread whose work this is, NULL when idle. Its position counts instructions retired and lines accessed by the kernel or a device on
     its behalf; it lives here while the thread is on the port, in the thread otherwise. */
  struct thread *thread;
  uint64_t position;
  uint64_t time_base; /* what port_time() has more than the position */
  uint64_t stop;      /* before it executes what has this position, ask watcher->gate; UINT64_MAX: never */

  bool waiting;         /* after ACCESS_WAIT or a closed gate, until port_wake */
  uint64_t reservation; /* physical line of the last LR, or FAST_NONE */
  uint64_t
      hold_until; /* forward progress: until this cycle, others' stores to the reserved line are kept waiting */

  void (*run)(
      struct port *port); /* harts: go on from port->cycle until the horizon or a wait. Devices: NULL … */
  void (*woken)(struct port *port); /* … and go on here */
  struct machine *machine;
  void *memory; /* the memory system's own state of this port */
  struct fast_table own_loads, own_stores, own_fetches;
};

extern struct fast_table fast_empty;
extern uint64_t access_unused; /* for fast_line.used where nobody cares */

/* Positions passed on this port, by whatever thread: never goes back. */
static inline uint64_t port_time(const struct port *port) {
  return port->time_base + port->position;
}
/* Another thread's position is this. */
static inline void port_set_position(struct port *port, uint64_t position) {
  port->time_base += port->position - position;
  port->position = position;
}

static inline uint32_t fast_index(uint64_t vaddr) {
  return (vaddr >> LINE_SHIFT) & (FAST_LINES - 1);
}
static inline uint64_t line_of(uint64_t address) {
  return address & ~(uint64_t)(LINE_BYTES - 1);
}

/* Leaves an entry in one of the own_… tables; replaces what was there. */
static inline void port_grant(struct fast_table *table, const struct access *access, uint8_t *host,
                              uint64_t *used) {
  table->line[fast_index(access->vaddr)] =
      (struct fast_line){line_of(access->vaddr) + table->epoch, host, used, line_of(access->paddr)};
}

/* An idle port without thread, with empty tables, in a zeroed structure. */
void port_init(struct port *port, struct machine *machine, uint32_t number);

enum port_tables { PORT_LOADS = 1, PORT_STORES = 2, PORT_FETCHES = 4, PORT_ALL = 7 };
/* The line, by its physical address, is not fast any more in these own_… tables. */
void port_drop(struct port *port, uint64_t paddr, unsigned tables);
/* No line is. */
void port_drop_all(struct port *port, unsigned tables);
/* The wait is over, at this cycle or now if that has passed. */
void port_wake(struct port *port, uint64_t cycle);

/* -- Performing -------------------------------------------------------------------------------------------------------- */

uint64_t amo_result(enum amo amo, unsigned size, uint64_t old, uint64_t operand);
/* Does what the access asks for to the bytes of its line: the moment at which it is ordered. A store of any kind takes the reservations of
   other ports away; SC looks at its own first. Counts the reference. Never call it for FETCH or FENCE. */
void access_perform(struct port *port, struct access *access, uint8_t *host_line);
/* The same, but other ports keep their reservations: for a store that others can't see yet. True: it has stored. */
bool access_apply(struct port *port, struct access *access, uint8_t *host_line);
/* Other ports lose their reservation of this line: whenever a store to it becomes visible. access_perform does it. */
void reservations_lost(struct machine *machine, const struct port *by, uint64_t paddr);

/* -- Memory systems ------------------------------------------------------------------------------------------------------ */

struct memory_system {
  enum access_result (*access)(struct port *port, struct access *access);
  /* Everything that is on its way has arrived and machine->ram holds all data: before a digest. May be NULL. */
  void (*drain)(struct machine *machine);
  /* The physical page gets another use: its lines are dropped wherever they are, without being written back. May be NULL if all data
     lives in machine->ram. */
  void (*forget)(struct machine *machine, uint64_t paddr);
  /* The physical page is not used any more: the last moment at which its bytes can be logged. May be NULL. */
  void (*released)(struct machine *machine, uint64_t paddr);
  void (*end)(struct machine *machine); /* frees machine->memory */
  const char *name;
};

/* Flat memory, one cycle: for functional tests and for running fast. */
extern const struct memory_system flat_memory;

#endif
