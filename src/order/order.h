/* order.h: the one interface between the order schemes and what they run on.
 *
 * A scheme is a pure algorithm. A substrate (the live engine with its directory in software, or the simulated machine with
 * its caches) tells it about coherence: who answered whose request for a block, who received the answer. The scheme
 * writes each thread's order log, and tells in replay what that thread has to wait for, and where.
 *
 * **Slots.** Schemes know threads by the slot they live in, 0 … ORDER_SLOTS-1, as the papers know them by core. A slot holds one
 * R-thread at a time. When that has ended the slot may be given to a new one, which inherits the slot's recorder and
 * permissions: on a core, the next thread runs with the caches that the last one left. begin() orders the two.
 * So marks of a dead thread (owner, sharer, last writer) stay good for ever and name no one else.
 *
 * **Recording.** One struct order per process, one struct order_recorder per slot. A recorder holds no pointer, so it can lie in
 * memory shared between processes and be closed from outside after a SIGKILL. A substrate must call:
 *
 *     thread begins          begin(order, me, parent's slot, &note from spawn(); or NULL for the first thread)
 *     a access misses at b   for each holder s asked:    s: reply(order, s, &ask, &note)   at a safepoint, or by
 *                                                           the thread that holds s while it is parked
 *                            for each answer:            me: receive(order, me, s, &note)
 *                            read, and nobody owns b:    the last writer w, if another:
 *                                                        w: registered(order, w, &ask, info, &note); me: receive()
 *                            info = note.clock of the owner's reply, kept with the block when a read takes ownership away
 *     granted, and at every  touch(order, me, b, want)   only if options.filter: insertion belongs to the grant, before
 *       access                                           any further request is answered, and to each later hit
 *     safepoint              if (position >= order_limit(order, me)) end(order, me)
 *     about to block         order_park(order, me); afterwards order_unpark(order, me)
 *     clone                  if the child's slot was used before: order_say_ended(order, that slot's, me, &note); receive()
 *                            spawn(order, me, child's slot, &note), the position behind the call
 *     thread ends            exit(order, me): also for the killed, with the position they came to
 *
 * `me->position` (what replay can count: instructions, references) must be right whenever a hook is called, for
 * registered() excepted: the writer may be running. Each access has a position of its own, and those that share one are acquired
 * together before the first: so accesses that the substrate makes itself between two instructions (copy-ins, signal
 * frames) count as well. A hook changes the recorder it is called for and no other. Calls for one recorder must not
 * overlap: for schemes with asks_writer, where registered() comes from outside, each call is made under that recorder's lock (one at a time: never
 * two such locks at once); otherwise a recorder belongs to its thread, or to the thread that holds it parked, and needs a lock only where threads may be
 * killed: only one thread may go on with a killed thread's recorder (order_recover()).
 *
 * **Replay.** Each thread decodes its own log, one struct order_step after another (replay.h keeps the books):
 *
 *     run to position step.from; wait for all of step.wait[]; run to step.until; signal; next step
 *
 * A log that ends leaves its thread unordered from there: right for arcs, for other schemes the thread was not seen to go on.
 */
#ifndef REPRISE_ORDER_ORDER_H
#define REPRISE_ORDER_ORDER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "order/varint.h"

#ifndef ORDER_SLOTS
/* Threads at a time. Memory per slot is made when it is first touched, and loops over slots stop at the last one in use, so unused slots
 * cost nothing. The explorer of tests/order sets fewer, which keeps its states small. */
#define ORDER_SLOTS 4032
#endif
#define ORDER_NOBODY UINT16_MAX

#ifndef ORDER_PREDS
#define ORDER_PREDS 24 /* predecessors of an episode, at most: one more ends it */
#endif
#ifndef ORDER_FILTER_BYTES
#define ORDER_FILTER_BYTES 128 /* Karma's address filter (section 4.2) */
#endif

enum order_want { ORDER_READ = 1, ORDER_WRITE = 2 };

/* A request, as its answerer sees it. */
struct order_ask {
  uint64_t block;
  uint64_t
      last_access; /* arcs with options.last_access: the answerer's order_clock() after its last access to the block, or
                           after the grant of it if that is later */
  uint16_t from; /* slot of who asks */
  uint8_t want;  /* enum order_want */
};

enum order_kind {
  ORDER_NO_EDGE, /* previously ordered, or nothing to order */
  ORDER_EDGE,
  ORDER_END, /* after the end of the slot's n-th thread (tokens: a dead thread sends none) */
};

/* The scheme's note on an answer. */
struct order_note {
  uint64_t
      clock; /* tokens, dag, scalar: timestamp; arcs: order_clock(). Valid without an edge too: it is the block's info */
  uint32_t ends; /* ORDER_END: n */
  uint32_t kind; /* enum order_kind */
};

/* -- The state of one thread in a recording ---------------------------------------------------------------------------- */

/* A word of it counts only if it has a bit in `any`: so a set of few slots is emptied, copied and gone through in a few steps
 * (sets.h). */
struct order_set {
  uint64_t any;
  uint64_t word[(ORDER_SLOTS + 63) / 64];
};
_Static_assert(ORDER_SLOTS <= 64 * 64, "one word tells which words of a set count");

/* A number for each slot, 0 for those that nothing was heard of: from `count` on none was. */
struct order_heard {
  uint32_t count;
  uint64_t of[ORDER_SLOTS];
};

/* PRED with room for a second edge from one slot (counted sets), or for an edge's clock. */
struct order_preds {
  uint16_t count;
  uint16_t slot[ORDER_PREDS];
  uint64_t clock[ORDER_PREDS]; /* dag: which episode */
};

struct order_ends { /* "after the end of thread n of that slot" */
  uint16_t count;
  uint16_t slot[ORDER_PREDS];
  uint32_t ends[ORDER_PREDS];
};

/* One of Karma's two episodes: figure 4's PRED, SUCC and TS, and its size once it has ended. */
struct order_episode {
  struct order_preds pred;
  struct order_ends after;
  struct order_set succ;
  bool succ_any; /* SUCC is not empty */
  bool exists;   /* the previous one: there is one */
  uint64_t clock, size;
};

struct order_filter {
  uint8_t byte[ORDER_FILTER_BYTES];
};

/* The state that a record of the log changes, except what it resets. */
struct order_next {
  uint64_t clock, logged;
  uint32_t lives;
};

struct order_recorder {
  uint16_t slot;
  uint8_t parked;    /* between order_park and order_unpark: position stands still */
  uint32_t lives;    /* beginnings and ends of this slot's threads, one store each: see order_is_alive() */
  uint64_t position; /* of the R-thread. The substrate's to set */
  uint64_t start;    /* where the current episode began */
  uint64_t logged;   /* what the next record's delta is relative to */
  uint8_t sent;      /* dag: others know the current episode's timestamp */
  struct order_next next; /* what holds as soon as the record that is being logged is in the log */
  uint8_t logging;        /* there is one */
  uint64_t
      log_start; /* … and where it begins in the log: the substrate's to set, as order_recover() wants it */
  struct order_episode
      now; /* all of it: tokens; dag: PRED and the timestamp; scalar: the timestamp; arcs: the arcs passed */
  union {
    struct {
      struct order_episode previous;
      struct order_set told;      /* those that episodes signal that ended at `start` */
      struct order_filter filter; /* all accesses of the current episode */
    } tokens;
    struct {
      struct order_filter reads, writes; /* of the current episode */
    } scalar;
    struct {
      uint64_t base;   /* the slot's clock when the thread began */
      uint16_t source; /* of the last arc logged */
    } arcs;
  };
  struct order_heard
      heard; /* arcs: VIC; dag: the last episode of each slot waited for; tokens: the last end */
};

/* -- Schemes ---------------------------------------------------------------------------------------------------------- */

struct order_options {
  uint64_t max_episode; /* positions; 0: no limit */
  bool
      edges_only; /* tokens, dag: the limit is for episodes that edges lead to or from, and ends them at the edge if they
                           are longer. Others keep nobody waiting, however long they are */
  bool
      single_edges; /* tokens: PRED is a plain set, as in the paper: a second edge from a slot ends the episode */
  bool filter;      /* tokens, scalar: attribute requests by address filters; the substrate calls touch() */
  bool last_access; /* arcs: send the position of the last access to the block, not the current one */
};

struct order {
  const struct order_scheme *scheme;
  struct order_options options;
  /* Appends to the slot's order log. May wait for who drains the log; must not wait for a thread of the sphere. */
  void (*log)(const struct order *order, unsigned slot, const uint8_t *bytes, size_t count);
  void *context; /* of log */
};

struct order_step;
struct order_reader;

struct order_scheme {
  const char *name;
  bool
      asks_writer; /* registered() uses the writer's recorder: call it, as everything else on a recorder, under its lock.
                       Otherwise it is given a recorder that it does not look at (NULL will do) */
  void (*begin)(const struct order *, struct order_recorder *me, unsigned parent,
                const struct order_note *in);
  void (*reply)(const struct order *, struct order_recorder *me, const struct order_ask *ask,
                struct order_note *out);
  void (*registered)(const struct order *, struct order_recorder *writer, const struct order_ask *ask,
                     uint64_t info, struct order_note *out);
  void (*receive)(const struct order *, struct order_recorder *me, unsigned from,
                  const struct order_note *in);
  void (*touch)(const struct order *, struct order_recorder *me, uint64_t block, enum order_want want);
  void (*park)(const struct order *, struct order_recorder *me); /* through order_park */
  void (*end)(const struct order *,
              struct order_recorder *me); /* episode: size limit, checkpoint. arcs: nothing */
  void (*spawn)(const struct order *, struct order_recorder *me, unsigned child, struct order_note *out);
  void (*exit)(const struct order *, struct order_recorder *me);
  void (*recover)(
      struct order_recorder *me); /* the episode has ended by order_recover(); NULL: nothing else to do */
  int (*decode)(struct order_reader *, struct order_step *, const uint8_t *bytes, size_t count);
};

extern const struct order_scheme
    order_tokens; /* Karma's hardware: PRED and SUCC are slots, each episode wakes its successors */
extern const struct order_scheme
    order_dag; /* the same graph: PRED names the episode that replay waits for, no SUCC */
extern const struct order_scheme order_scalar; /* Rerun: episodes with timestamps */
extern const struct order_scheme order_arcs;   /* FDR: arcs between positions */

/* A recorder whose slot has never held a thread. The memory may hold anything but in `heard`, which must be zero. */
void order_recorder_init(struct order_recorder *me, unsigned slot);

/* The thread is about to wait for something outside the sphere's order: others may answer for it now. Ends an
 * episode that others wait for, so that a replay that follows closely need not wait for what comes after the wait. */
void order_park(const struct order *order, struct order_recorder *me);
void order_unpark(const struct order *order, struct order_recorder *me);

/* The note of a dead thread's slot before it is given to a new thread: the parent receives it, then calls spawn(). */
void order_say_ended(const struct order *order, struct order_recorder *former, unsigned to,
                     struct order_note *out);

/* Between begin and exit. */
static inline bool order_is_alive(const struct order_recorder *me) {
  return me->lives & 1;
}
/* Threads of the slot that have ended. */
static inline uint32_t order_ends(const struct order_recorder *me) {
  return me->lives / 2;
}

/* Recovers a recorder whose holder was killed. logged: if a record was being logged, it is in the log. */
void order_recover(const struct order_scheme *scheme, struct order_recorder *me, bool logged);

/* The position at which the current episode has its full size. */
static inline uint64_t order_limit(const struct order *order, const struct order_recorder *me) {
  bool counts = !order->options.edges_only || me->now.succ_any || me->sent;
  return order->options.max_episode && counts ? me->start + order->options.max_episode : UINT64_MAX;
}

/* The number that an arc starts from: instructions executed and arcs passed by the slot's threads so far. arcs only. */
uint64_t order_clock(const struct order_recorder *me);

/* -- Reading the log --------------------------------------------------------------------------------------------------- */

enum order_wait_kind {
  ORDER_WAIT_CLOCK,  /* until the slot has published a clock of at least value */
  ORDER_WAIT_TOKENS, /* until value tokens more have come from the slot than were taken; take them */
  ORDER_WAIT_ENDS,   /* until value threads of the slot have ended */
  ORDER_WAIT_ALL,    /* until every slot with a thread in it has published at least value */
};

struct order_wait {
  uint8_t kind; /* enum order_wait_kind */
  uint16_t slot;
  uint64_t value;
};

struct order_step {
  uint64_t from;  /* position of the R-thread at which to wait; for all but arcs the end of the step before */
  uint64_t until; /* position at which to signal; for arcs the same one */
  uint64_t clock; /* then: publish it; 0: nothing to publish */
  uint64_t arrive; /* to be published before waiting; 0: nothing */
  uint16_t waits, signals;
  bool
      begins; /* the first step of a log: slot and clock tell where the thread lives, and what its slot starts with; no
                  wait, no signal, nothing to publish */
  bool ends; /* arcs: the last step of a log: the thread goes no further */
  uint16_t slot;
  struct order_wait wait[2 * ORDER_PREDS];
  uint16_t signal[ORDER_SLOTS]; /* tokens: send each of these one */
};

/* A reader's state, from the log so far. Zero at first, except the scheme; order_reader_reset() makes it so again. */
struct order_reader {
  const struct order_scheme *scheme;
  bool begun;
  uint16_t slot, source;
  uint64_t position, clock;
  struct order_heard heard; /* as in the recorder */
};
void order_reader_reset(struct order_reader *reader);

/* The next step of a thread's log. Bytes used, 0 when there are too few, -1 when these are none. */
int order_decode(struct order_reader *reader, struct order_step *step, const uint8_t *bytes, size_t count);

/* A record is never longer. */
enum { ORDER_RECORD_LARGEST = VARINT_LARGEST * 3 + ORDER_PREDS * 2 * 16 + ORDER_SLOTS * 2 };

#endif
