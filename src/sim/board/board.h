/* board.h: the simulated machine as a computer that runs an operating system of its own: harts with supervisor mode and Sv39, firmware, a console, devices (devices.h).
 *
 * The board is a supervisor of the machine (machine.h): it gives harts no threads, but does what a user-level hart can't do: traps, privileged
 * instructions, translation. There is no machine mode. The firmware runs on the host: it answers the SBI calls of the operating system (timer,
 * interrupts between harts, remote fences, start and stop of harts, console). */
#ifndef REPRISE_SIM_BOARD_H
#define REPRISE_SIM_BOARD_H

#include <stdio.h>

#include "sim/board/board_log.h"
#include "sim/machine/hart.h"

enum privilege { USER = 0, SUPERVISOR = 1 };

/* Bits of sstatus, and of sie and sip. */
enum {
  STATUS_SIE = 1 << 1,
  STATUS_SPIE = 1 << 5,
  STATUS_SPP = 1 << 8,
  STATUS_VS = 3 << 9,
  STATUS_FS = 3 << 13,
  STATUS_SUM = 1 << 18,
  STATUS_MXR = 1 << 19,
};
enum { INTERRUPT_SOFTWARE = 1, INTERRUPT_TIMER = 5, INTERRUPT_EXTERNAL = 9 };

/* Causes of exceptions. */
enum cause {
  CAUSE_FETCH_FAULT = 1,
  CAUSE_ILLEGAL = 2,
  CAUSE_BREAKPOINT = 3,
  CAUSE_LOAD_MISALIGNED = 4,
  CAUSE_LOAD_FAULT = 5,
  CAUSE_STORE_MISALIGNED = 6,
  CAUSE_STORE_FAULT = 7,
  CAUSE_USER_CALL = 8,
  CAUSE_FETCH_PAGE = 12,
  CAUSE_LOAD_PAGE = 13,
  CAUSE_STORE_PAGE = 15,
};

struct tlb_entry {
  uint64_t page;  /* virtual address | 1; 0: none */
  uint64_t entry; /* of the page table, for a page of 4K */
};

/* Translations since the last fence. None is ever replaced: so when a page table is read depends on what the hart executes, and not on its caches. */
struct tlb {
  struct tlb_entry *entries;
  uint32_t room, count; /* room: a power of two */
};

/* A walk of the page tables that waits for memory. */
struct walk {
  bool active;
  uint8_t level;
  uint64_t page, table;
};

/* The state of a hart besides its user level. */
struct board_hart {
  enum privilege privilege;
  bool started;
  uint64_t status, enabled, pending;                                        /* sstatus, sie, sip */
  uint64_t vector, scratch, counters, return_pc, cause, value, translation; /* stvec … satp */
  uint64_t timer;   /* which deadline: an earlier one is void */
  bool bad_address; /* of the last fault: there is no memory, whatever the page tables say */
  struct tlb tlb;
  struct walk walk;
  bool waited;          /* for an access that is to be made again */
  struct thread thread; /* as the watcher sees the hart */
  struct board_log log; /* of a recording or replay */
  bool ended;           /* replay: it has come to where the recording has it at the end */
};

struct board {
  struct machine *machine;
  struct board_hart *harts;
  FILE *console;        /* out, */
  FILE *input;          /* and what is typed there; NULL: nothing */
  bool stopped, failed; /* powered off; because of a failure */
  struct sphere sphere; /* of all harts; its mode says what is done */
  char error[160];      /* replay: what differs from the recording */
  const char *refused;  /* recording: what can't be recorded, or NULL */
  struct devices *devices;
  uint64_t walks, dma_lines;
};

static inline struct board *board_of(const struct machine *machine) {
  return machine->board;
}
static inline struct board_hart *board_hart_of(const struct hart *hart) {
  return &board_of(hart->port.machine)->harts[hart->port.number];
}

/* board.c. NULL with a line in error. */
struct machine *board_machine_new(const struct sim_config *config, const char **error);
void board_machine_free(struct machine *machine);
/* An exception, or an interrupt if the cause has bit 63: the hart goes on in its handler. An exception takes a position. */
void board_trap(struct hart *hart, uint64_t cause, uint64_t value);
/* An interrupt becomes pending: wakes a hart that waits for one. */
void board_raise(struct hart *hart, unsigned interrupt, uint64_t cycle);
/* Hart 0, or one that another starts, begins here in supervisor mode. */
void board_start(struct hart *hart, struct hart *by, uint64_t pc, uint64_t argument, uint64_t cycle);
/* An instruction's input from outside: recorded, or as it was recorded. */
uint64_t board_input(struct hart *hart, uint64_t value);
/* Another hart has asked for a fence. */
void board_fence(struct hart *hart);
static inline bool board_replays(const struct hart *hart) {
  return board_of(hart->port.machine)->sphere.mode == SPHERE_REPLAY;
}
/* The port gets an R-thread, for as long as the board is on. by: whose work that is, or NULL. */
void board_begin_thread(struct port *port, struct thread *thread, uint32_t number, struct thread *by);
void board_end_thread(struct port *port, struct thread *thread);
/* Replay: what is not as it was recorded. */
void board_differs(const struct port *port, const char *what);
/* The board has stopped: recorded harts end where they are. */
void board_finish(struct machine *machine);
/* Registers and positions of all harts, and memory, as one number each. */
uint64_t board_digest_harts(const struct machine *machine);
uint64_t board_digest_memory(struct machine *machine);

/* mmu.c: the supervisor's translate. */
uint64_t board_translate(struct hart *hart, uint64_t vaddr, unsigned permission);
/* Forgets all translations. */
void board_forget(struct hart *hart);

/* privileged.c: an instruction that user-level harts do not have. False: nor has this one. */
bool board_privileged(struct hart *hart, uint32_t bits);

/* sbi.c: an ECALL of supervisor mode; the registers hold its arguments. */
void board_call(struct hart *hart);
/* Ticks of the timebase at this cycle. */
enum { TIMEBASE_MHZ = 10 };
uint64_t board_time(const struct machine *machine, uint64_t cycle);

/* tree.c: the device tree of the board; its length. bytes has room for TREE_BYTES. */
enum { TREE_BYTES = 1 << 16 };
size_t board_tree(const struct machine *machine, const char *arguments, uint64_t initrd, uint64_t initrd_end,
                  uint8_t *bytes);

/* load.c: kernel, initial file system and device tree into memory, hart 0 at the kernel's entry. NULL, or what is wrong. */
enum { BOARD_RAM_START = 2 << 20 };
static inline bool board_is_ram(const struct machine *machine, uint64_t paddr) {
  return paddr >= BOARD_RAM_START && paddr < machine->ram_bytes;
}
const char *board_load(struct machine *machine, const char *kernel, const char *initrd,
                       const char *arguments);

#endif
