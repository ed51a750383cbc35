/* world.h: a few threads and blocks on the product's own directory, for the tests of this folder to step through.
 *
 * All of a world's state lies in one struct, so that it can be copied, compared and gone back to. A thread does one operation after another;
 * one call moves one thread by one step of src/order/directory*.c. What is not tried here: orderings weaker than
 * sequential consistency. */
#ifndef REPRISE_TESTS_ORDER_WORLD_H
#define REPRISE_TESTS_ORDER_WORLD_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "order/directory.h"
#include "order/replay.h"
#include "order/wrong.h"

enum {
  WORLD_BLOCKS = 3,
  WORLD_GROUPS = (WORLD_BLOCKS + DIRECTORY_GROUP - 1) / DIRECTORY_GROUP,
  WORLD_LOG = 192,
  WORLD_ACCESSES = 48,
  WORLD_LIVES = 8
};

enum op_kind {
  OP_NONE,
  OP_ACCESS, /* reads and writes: sets of blocks */
  OP_REVOKE, /* a mapping change: a write of all these blocks */
  OP_PARK,
  OP_UNPARK, /* what follows OP_PARK */
  OP_END,    /* of the episode, by its size */
  OP_SPAWN,  /* a thread in a slot that has none */
  OP_EXIT,
  OP_SERVE,   /* a safepoint */
  OP_LEAVE,   /* writes: blocks of one group */
  OP_ABANDON, /* what a thread that waits in a claim may do: it gives the claim up, and ends */
};

struct op {
  uint8_t kind;
  uint8_t reads, writes; /* bits of blocks */
  uint8_t slot;          /* OP_SPAWN */
};

enum activity {
  UNBORN,
  IDLE,
  SERVING,
  LEAVING,
  CLAIMING,
  ACCESSING,
  PARKING,
  PARKED,
  UNPARKING,
  ENDING,
  SPAWNING,
  EXITING,
  DEAD,
  BEGINNING
};

struct world_thread {
  uint8_t activity;
  uint8_t waits; /* the last step was answered DIRECTORY_WAITS */
  uint8_t done;  /* operations of its program so far */
  uint8_t life;  /* the R-thread that lives here: an index to the history */
  struct op op;
  uint16_t parent;
  struct order_note note; /* from its parent, or for its child */
  struct directory_claim claim;
  struct directory_parking parking;
  struct directory_serve serve;
  struct directory_leaving leaving;
};

/* What happened, in the order in which it did, for the check of the logs. */
struct world_access {
  uint8_t life, position, reads, writes;
};
struct world_life {
  uint8_t slot, parent, born, ended; /* born: position of its parent when it was spawned */
  uint8_t positions;
  uint8_t bytes;
  uint8_t log[WORLD_LOG];
};
struct world_history {
  uint8_t lives, accesses;
  struct world_life life[WORLD_LIVES];
  struct world_access access[WORLD_ACCESSES];
};

struct world {
  uint8_t threads;
  uint8_t keeps_history;
  _Atomic uint32_t slots;
  uint8_t permission[ORDER_SLOTS][WORLD_BLOCKS];
  struct directory_group group[WORLD_GROUPS];
  uint64_t word[WORLD_BLOCKS];
  uint64_t info[WORLD_BLOCKS];
  uint64_t last_access[ORDER_SLOTS][WORLD_BLOCKS]; /* order_clock() then, or at the grant */
  struct directory_slot slot[ORDER_SLOTS];
  struct world_thread thread[ORDER_SLOTS];
  struct world_history history; /* last: what is behind its end is never copied */
};

extern struct world world; /* the one that steps are taken in */
extern struct order world_order;
extern uint64_t world_along;   /* blocks of a group that are welcome beside what is needed: all, or 0 */
extern unsigned world_further; /* bits of slots to which the other group is welcome, too … */
extern bool world_part;        /* … or, instead of it, block 1 */

/* Empty, with one thread that has begun and the others born by it if `threads` says so. */
void world_start(const struct order_scheme *scheme, const struct order_options *options, unsigned threads,
                 bool history);
/* Can it start an operation, or serve, now? If not it is in the middle of one (or parked, dead, unborn). */
static inline bool world_is_idle(unsigned t) {
  return world.thread[t].activity == IDLE;
}
bool world_is_asked(unsigned t);
/* Starts an operation of an idle thread (OP_UNPARK: of a parked one). */
void world_operate(unsigned t, struct op op);
/* Has it a step to take, as far as it can know? */
bool world_can_step(unsigned t);
void world_step(unsigned t);
/* Nobody else can tell whether its next step comes at once or later: it looks at nothing but its own, or at what it has
 * locked. */
bool world_is_private(unsigned t);
/* Makes states equal that differ in nothing that matters. */
void world_canonical(void);

/* What went wrong, or NULL. Set by the world when an access breaks a rule, and by the checks. */
extern const char *world_wrong;
/* Called when a thread accesses, before the rules are looked at; may be NULL. */
extern void (*world_on_access)(unsigned t, struct op op);

#endif
