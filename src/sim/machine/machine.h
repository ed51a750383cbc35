/* machine.h: the simulated multiprocessor: harts, ports, events, and the watcher.
 *
 * Time. Each port has its local cycle. The machine always advances the earliest event or port: an event before a port of the same cycle, events of
 * one cycle in the order in which they were made, ports of one cycle by number. A hart may run ahead over instructions that
 * touch no memory: no other port can tell. Before a memory access it stops at its horizon: the next event, or the cycle from which on another port
 * could have done something that reaches it.
 *
 * The **watcher** is a recorder or replayer of the order. It is told of the software's actions (threads are born, die, change harts, call
 * the kernel) and may stop a thread at any position; it sees the hardware's actions through its hooks in the memory system. */
#ifndef REPRISE_SIM_MACHINE_H
#define REPRISE_SIM_MACHINE_H

#include <stdbool.h>
#include <stdint.h>

#include "sim/machine/calendar.h"
#include "sim/machine/config.h"
#include "sim/machine/memory.h"
#include "sim/machine/thread.h"

struct board;
struct kernel;
struct decoded_line;
struct decode_cache;
struct disk;
struct page_pool;
struct space;
struct task;
struct trace;

/* -- Harts --------------------------------------------------------------------------------------------------------------- */

struct hart {
  struct port port; /* first: a hart is a port */
  struct registers registers;
  struct decoded_line *decoded[FAST_LINES]; /* beside port.fetches */
  bool split;   /* the first half of an access over the end of a line has been made … */
  uint8_t exit; /* enum hart_exit: why an instruction did not happen */
  uint8_t fault_kind;
  bool interrupted; /* the kernel wants the hart; looked at between instructions */
  bool deferred;    /* … and was told by the watcher to wait */
  bool idle;        /* has no task, and waits for one */
  bool at_gate;     /* waits for the watcher, not for the memory system */
  bool timer_armed;
  bool at_element;      /* the fault is at fault_element of a vector load or store … */
  bool trims;           /* … and is not to be seen: the load ends there */
  bool vectors_off;     /* instructions of the V extension are illegal */
  uint64_t split_bytes; /* … and these are its bytes */
  uint64_t fault_address;
  uint32_t fault_element;
  uint64_t kernel_stop;           /* like port.stop, for the kernel: a signal is due at that position */
  const struct space *last_space; /* whose translations are in the tables */
  const struct task *last_task;
  uint64_t instructions; /* of threads that have left it, since they came */
  uint64_t entered;      /* position of its thread when it came */
};

/* -- Events -------------------------------------------------------------------------------------------------------------- */

/* Calls back at this cycle (now, if it has passed). Lowers the running hart's horizon, so it is safe to call from anywhere. */
void machine_at(struct machine *machine, uint64_t cycle, event_function *function, void *object,
                uint64_t argument);

/* -- The watcher --------------------------------------------------------------------------------------------------------- */

enum border {
  BORDER_FULL,      /* none: the watcher's own */
  BORDER_TRAP,      /* a system call, or an exception of which the instruction is the cause */
  BORDER_FAULT,     /* a page that is not there */
  BORDER_INTERRUPT, /* a signal is due here */
  BORDER_OVERFLOW,  /* none: the watcher's own */
  BORDER_COUNTER,   /* the instruction reads the time */
};

enum leave_reason { LEAVE_SLICE, LEAVE_BLOCKED, LEAVE_EXIT };

/* Members may be NULL. A thread's sphere tells what is to be done about it (thread->sphere->mode); the watcher keeps its own state in
   thread->order and sphere->order. */
struct watcher {
  void (*born)(struct machine *machine, struct thread *parent,
               struct thread *child); /* parent NULL: the sphere begins */
  void (*enter)(struct port *port);   /* port->thread is set, position and registers are in place */
  void (*leave)(struct port *port, enum leave_reason reason); /* they still are */
  /* At port->stop, before the instruction or kernel access of that position. Moves the stop and returns true, or false: the port waits
     for port_wake. (A thread that waits may be taken off its hart meanwhile; then the wake-up must go to thread_wake.) */
  bool (*gate)(struct port *port);
  void (*call)(struct port *port);   /* a system call begins; its kernel accesses follow */
  void (*called)(struct port *port); /* its result is in the registers */
  /* The thread is about to enter the kernel, or to execute an instruction whose result is input. False: it can't yet; it waits, and
     whatever it is then, it comes here again. */
  bool (*border)(struct port *port, enum border why);
  /* An interrupt wants the hart. True: it is taken now; false: not yet, and the watcher calls hart_interrupt again when it may be. */
  bool (*interrupt)(struct port *port);
};

/* -- The supervisor ------------------------------------------------------------------------------------------------------ */

/* Software above the harts' user level: it lives on the host and gives them threads to run. */
struct supervisor {
  void (*turn)(struct port *port); /* a hart's port->run */
  /* The value of a counter at an instruction that reads it: input. */
  uint64_t (*counter)(struct hart *hart, uint64_t value);
  /* The physical address of what the hart's thread accesses with a permission (space.h), SPACE_FAULT, or SPACE_WAIT: hart->exit says why the access is to be
     made again later. The position may have moved. */
  uint64_t (*translate)(struct hart *hart, uint64_t vaddr, unsigned permission);
  /* An access to an address above memory. False: hart->exit says why there was none. NULL: there are no such addresses. */
  bool (*device)(struct hart *hart, struct access *access);
};

/* -- The machine --------------------------------------------------------------------------------------------------------- */

struct machine {
  struct sim_config config;
  const struct memory_system *system;
  void *memory;                  /* the memory system's state */
  const struct watcher *watcher; /* NULL: there is none */
  void *watch;                   /* its state */
  struct trace *trace;           /* of what it does, or NULL */
  const struct supervisor *supervisor;
  struct kernel *kernel; /* the supervisor's state, or … */
  struct board *board;   /* … its state, if it is an operating system's board */
  struct hart *harts;    /* config.harts of them */
  struct port **ports;   /* harts, then devices */
  uint32_t port_count;
  uint8_t *ram; /* physical memory; paddr is an index */
  uint64_t ram_bytes;
  uint64_t random;      /* state of machine_random */
  uint64_t cycle;       /* of what is being done now */
  uint64_t quiet_until; /* no port can run before this cycle; 0 when that has to be looked up */
  struct port *running;
  struct calendar *calendar; /* events */
  uint32_t lookahead; /* cycles before anything that one port does can reach another; the memory system's */
  struct thread *parked; /* threads that left their ports with a reservation */
  struct disk *disk;
  struct page_pool *pages;
  struct decode_cache *decode_cache;
};

static inline uint8_t *machine_ram(const struct machine *machine, uint64_t paddr) {
  return machine->ram + paddr;
}

/* The same sequence for the same seed. */
uint64_t machine_random(struct machine *machine);

/* The machine does not exist, or is as the configuration says, with memory system and watcher to be set before the first turn.
   NULL with a line in error. */
struct machine *machine_new(const struct sim_config *config, const struct supervisor *supervisor,
                            const char **error);
/* The memory system ends; pages and harts are still there. */
void machine_halt(struct machine *machine);
void machine_free(struct machine *machine);
/* One event, or one port up to its horizon; TURN_NONE: nothing can happen any more. */
enum turn { TURN_NONE, TURN_EVENT, TURN_PORT };
enum turn machine_turn(struct machine *machine);
/* Asks for the hart between two instructions. */
void hart_interrupt(struct hart *hart);
/* Registers for a squash: the thread goes on from there when it runs next. The position is set too. */
void hart_rewind(struct hart *hart, const struct registers *registers, uint64_t position);

#endif
