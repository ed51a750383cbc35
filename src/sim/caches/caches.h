/* caches.h: the memory system with caches: private L1s, a shared banked L2 with its directory, a mesh between them.
 *
 * Data really are where the protocol says: each L1 line, L2 line and the machine's memory hold bytes of their own, so a protocol
 * that goes wrong computes something wrong. The private caches are in l1.c, the directory in directory.c, both walk the tables of
 * protocol.c; mesh.c carries their messages. A recorder hooks in where the papers' hardware does: at coherence replies, at their receipt, and at
 * accesses (struct caches_hooks). */
#ifndef REPRISE_SIM_CACHES_H
#define REPRISE_SIM_CACHES_H

#include "sim/machine/check.h"
#include "sim/caches/checkpoint_log.h"
#include "sim/caches/links.h"
#include "sim/machine/machine.h"
#include "sim/caches/message.h"
#include "sim/caches/protocol.h"
#include "sim/caches/store_buffer.h"
#include "sim/machine/distribution.h"

/* A frame of a private cache, or an entry of its write-back buffer. */
struct l1_line {
  uint64_t block;  /* physical address */
  uint64_t used;   /* port_time() of the last access */
  uint8_t state;   /* enum l1_state */
  int16_t missing; /* acknowledgements that have not come yet; may be negative before the data have */
  uint64_t asked;  /* cycle of the request that is under way */
  bool for_hart, for_buffer; /* the receivers to be told when the block is there */
  uint8_t data[LINE_BYTES] __attribute__((aligned(16)));
};

struct l1 {
  struct caches *caches;
  struct port *port;
  uint8_t node;
  bool instructions;                 /* its hart fetches here; read-only */
  struct store_buffer *store_buffer; /* of a hart's data cache under total store order, else NULL */
  bool stalled;                      /* an access could not even begin: try again when anything has ended */
  uint32_t sets, ways;               /* sets: a power of two */
  struct l1_line *lines;
  struct l1_line buffer[SIM_MAX_WRITE_BACKS];
  uint32_t under_way; /* misses that have not ended */
  struct distribution miss_cycles;
  uint64_t missed; /* cycles of all of them */
  uint64_t
      stalled_until; /* a log buffer of its port was full: the next access that is not fast is done then */
  uint64_t pinned,
      pinned_until; /* a line just filled stays until the access that asked for it, one cycle later */
};

/* A frame of the L2, with its entry of the directory. */
struct l2_line {
  uint64_t block;
  uint64_t used;
  struct node_set sharers; /* nodes that may have a copy, or had one and have been asked for nothing since */
  struct node_set leaving; /* while busy: nodes that have been told to give their copy up */
  uint8_t state;           /* enum dir_state */
  uint8_t owner;           /* node or NOBODY */
  uint8_t last_writer;     /* node or NOBODY; it is the owner or a sharer */
  uint8_t requester;       /* FETCH: whose request */
  uint8_t request;         /* and which: enum message_kind */
  bool dirty;              /* newer than memory */
  int16_t missing;         /* EVICT: RECALL_ACKs that have not come yet … */
  int16_t unordered;       /* … and PROXY_ACKs; may be negative when they overtake */
  struct message *first, *last; /* messages that wait until it is not busy any more */
  uint8_t data[LINE_BYTES] __attribute__((aligned(16)));
};

struct bank {
  uint32_t sets, ways;
  uint32_t under_way; /* blocks that are busy */
  uint64_t requests;
  struct queue queue;
  struct l2_line *lines;
  struct message *first, *last; /* messages that wait for a frame */
};

/* One list of counters: reprise sim prints it. */
#define CACHES_COUNTERS(X)                                                        \
  X(load_misses, "load misses")                                                   \
  X(store_misses, "store misses")                                                 \
  X(upgrades, "upgrades (store to a shared line)")                                \
  X(fetch_misses, "instruction fetch misses")                                     \
  X(l1_write_backs, "L1 write-backs")                                             \
  X(l1_replacements, "L1 replacements without a word")                            \
  X(l2_misses, "L2 misses")                                                       \
  X(l2_evictions, "L2 evictions")                                                 \
  X(write_buffer_stalls, "accesses that waited for a frame or write-back buffer") \
  X(stalled_requests, "requests that waited for a busy block")                    \
  X(miss_stalls, "misses that waited for one under way to end")                   \
  X(bank_stalls, "requests that waited for a bank with too many under way")       \
  X(link_cycles, "cycles that messages waited for links")

struct caches_counters {
#define X(name, text) uint64_t name;
  CACHES_COUNTERS(X)
#undef X
  uint64_t messages[MESSAGE_KINDS_COUNT], bits[MESSAGE_KINDS_COUNT];
  uint64_t note_bits; /* of them, the recorder's */
};

/* The recorder's view. It takes a port's two caches for one. */
enum reply_for {
  REPLY_DATA, /* a data cache gives a block up, or shares it, or is its last writer */
  REPLY_CODE, /* an instruction cache does, whose fast lines are never dropped for the recorder: it may have fetched until now */
  REPLY_PROXY, /* the block has been out of the L2: the port that became its proxy then answers */
};

struct caches_hooks {
  /* `from` answers the request of `to` for a block. True: its answer carries a note. The note is taken note of at once, not when it
     arrives: two notes between the same threads may not overtake each other, and their messages might. `to` waits for the
     block anyway. */
  bool (*reply)(struct machine *machine, struct port *from, struct port *to, uint64_t block, bool write,
                enum reply_for what);
  /* An access is about to be performed. After it the line is fast, until port_drop. code: a fetch. */
  void (*touch)(struct port *port, uint64_t block, bool write, bool code);
  /* port->references has come to port->references_stop; an access is about to be performed. */
  void (*full)(struct port *port);
  /* The port may have had a copy of the block, which leaves the L2 now: all that it did is ordered before the block's proxy (Karma section
     4.6). Returns the proxy's port, to which a message goes; NULL: there is nothing to order, or the proxy is the port itself. */
  struct port *(*evicted)(struct machine *machine, struct port *port, uint64_t block);
  /* Where the proxy is of a block that comes into the L2; NULL: it has none. */
  struct port *(*proxy)(struct machine *machine, uint64_t block);
  /* For a recorder that keeps its notes in the banks (Rerun), instead of the last writer, evicted and proxy; else NULL. A port gives a block back, or
     a copy of it: its bank takes note. True: the message carries one. */
  bool (*bank_hears)(struct machine *machine, struct port *from, uint64_t block, enum reply_for what);
  /* … and has it for the next port that gets the block. */
  bool (*bank_tells)(struct machine *machine, struct port *to, uint64_t block, bool write);
  /* Total store order: the load at this position must be given its value in replay. */
  void (*value)(struct port *port, uint64_t position, const uint8_t *data, uint32_t size);
  uint32_t note_bits; /* what a note costs on the wire */
};

struct caches {
  struct machine *machine;
  const struct caches_hooks *hooks;   /* NULL: no recorder */
  struct checkpoint_log *checkpoints; /* NULL: none are taken */
  void (*loaded)(struct port *port,
                 struct access *access); /* replay: after a load that was not fast; may be NULL */
  struct protocol_table table;
  uint32_t ports, nodes, banks, bank_shift;
  uint32_t width; /* of the square of tiles */
  uint32_t travel[NODES]
                 [NODES]; /* cycles from tile to tile when all links are free, before the seed adds some */
  struct link *links;     /* LINKS_PER_TILE of each tile; NULL: they have no limit */
  struct queue channel[SIM_MAX_CHANNELS];
  struct log_buffer log_buffer[NODES][LOG_KINDS]; /* by port; of the memory checkpoint: by bank */
  struct l1 l1[NODES];
  struct bank *bank;
  struct message *spare; /* free messages */
  struct message *all;   /* and all of them */
  uint64_t random;       /* of the latencies */
  struct caches_counters counters;
  uint64_t in_flight; /* messages on their way */
  uint64_t touched;   /* block of the last message, for checks of invariants */
};

extern const struct memory_system cached_memory;
void cached_memory_end(struct machine *machine);

/* Builds machine->memory as the machine's configuration says. The machine has its ports. */
void caches_begin(struct machine *machine);

/* Entries of FDR's hardware (table 3): eight bytes of input, an interrupt's number and position, the address before what a device wrote. */
enum { INPUT_ENTRY = 8, INTERRUPT_ENTRY = 6, DMA_HEAD = 8 };
/* An entry for one of the recorder's logs, at a port. If the buffer is full, the port's next access that is not fast waits for room. */
void caches_log(struct port *port, enum log_kind kind, uint64_t bytes);

static inline struct caches *caches_of(const struct machine *machine) {
  return machine->memory;
}

/* -- mesh.c: messages ------------------------------------------------------------------------------------------------- */

struct message *message_new(struct caches *caches, enum message_kind kind, uint64_t block);
void message_free(struct caches *caches, struct message *message);
/* It leaves at this cycle. Takes the message over. */
void message_send(struct caches *caches, struct message *message, uint64_t cycle);
/* Fills caches->travel. */
void mesh_measure(struct caches *caches);
/* A wake-up message leaves one port for another at this cycle: when it arrives. */
uint64_t mesh_wake_up(struct machine *machine, uint32_t from, uint32_t to, uint64_t cycle);
uint64_t mesh_random(struct caches *caches);
/* The least number of cycles between a request and anything that it makes happen to another port. */
uint32_t mesh_lookahead(const struct caches *caches);
/* Comes back at this cycle, to the same receiver. */
void message_again(struct caches *caches, struct message *message, uint64_t cycle);
/* The memory of a bank transfers a line: when its channel does so. */
uint64_t memory_book(struct caches *caches, uint32_t bank, uint64_t cycle);

/* -- l1.c ---------------------------------------------------------------------------------------------------------------- */

/* The line that the port may read or write now, or NULL: it is asked for, and the port or its store buffer will be told. */
struct l1_line *l1_access(struct l1 *l1, uint64_t block, bool write, bool for_buffer, uint64_t cycle);
void l1_message(struct l1 *l1, struct message *message, uint64_t cycle);
struct l1_line *l1_find(struct l1 *l1, uint64_t block); /* among the frames, NULL if it is not there */
struct l1_line *l1_find_buffered(struct l1 *l1, uint64_t block); /* in the write-back buffer */
static inline bool l1_readable(unsigned state) {
  return (state >= L1_S && state <= L1_O) || state == L1_SM || state == L1_OM || state == L1_SM_A;
}

/* -- directory.c ------------------------------------------------------------------------------------------------------- */

void directory_message(struct caches *caches, struct message *message, uint64_t cycle);
struct l2_line *directory_find(struct caches *caches, uint64_t block); /* NULL: not in the L2 */
static inline uint8_t directory_home(const struct caches *caches, uint64_t block) {
  return (block >> LINE_SHIFT) & (caches->banks - 1);
}

/* The port whose cache a node is. */
static inline struct port *node_port(const struct caches *caches, unsigned node) {
  return caches->l1[node].port;
}

/* -- invariants.c ------------------------------------------------------------------------------------------------------- */

/* Stops the simulator unless: one writer or many readers; readable copies have these bytes (unless NULL); all copies are in the L2
   and known to the directory. */
void caches_check(struct caches *caches, uint64_t block, const uint8_t *bytes);
/* The newest bytes of a block, wherever they are. */
const uint8_t *caches_newest(struct caches *caches, uint64_t block);

#endif
