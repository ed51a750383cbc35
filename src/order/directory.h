/* directory.h: the hand-over protocol: which thread may read and write which block, and how permissions change hands.
 *
 * This is a cache coherence protocol in software. Every slot has a permission per block, its private cache; the directory has an entry per
 * block: owner, sharers, last writer. A thread that misses (the requester) locks the block, sends a request to the owner or the sharers, and has
 * the block when all of them have answered. Each answer carries the order scheme's note, as a coherence reply does in the papers.
 *
 *     entry             want read                                        want write
 *     untouched         shared by me                                     owned by me
 *     owned by o        ask o, which keeps read; shared by o and me,     ask o, which keeps nothing; owned by me
 *                       last writer o, info from its answer
 *     shared, last      edge from w ("registered"; o's answer was        ask all sharers, which keep nothing;
 *      writer w           to somebody else); shared by me too             owned by me
 *     left by w         the same                                         edge from w, likewise; owned by me
 *
 *     a slot is RUNNING   its thread answers, at safepoints and wherever it waits
 *               PARKED    its thread is in the kernel, dead, or was never born: others may HOLD it
 *               HELD      another thread answers for it; its own thread may not run on
 *
 * Everything here moves in small steps: a call does at most one thing that another thread can see. The engine calls in
 * a loop, the explorer of tests/order calls the very same functions in every possible order.
 *
 * How a thread of the engine gets blocks:
 *
 *     directory_claim_start(&claim); directory_claim_add(&claim, first, end, want) …    all blocks of the instruction
 *     while ((result = directory_claim_step(d, me, &claim)) != DIRECTORY_DONE)
 *       if (result == DIRECTORY_WAITS) sleep until slot->events != claim.seen (spin a while first);
 *     the access, with no safepoint before it
 *     directory_unpin(d, me);
 *
 * While it waits it serves others and may lose permissions it has: slot->lost tells. Blocks of the claim that it already
 * has may be pinned: requests for them stay unanswered until directory_unpin.
 *
 * Neighbouring blocks form a **group**. A claim locks all blocks that it needs of a group at once, or none of them; then it sends one request to
 * each holder, for all of these blocks; then all are granted. Further blocks of the group are prefetched with them (`along`) if their locks are free, if
 * the request goes to all their holders anyway, and if no holder has pinned them: one request, one answer, one edge for all. Groups are claimed in ascending order.
 * No two claims may wait for each other. So a claim pins: of groups that it has claimed already, all its blocks; of the group whose locks
 * it waits for, none; of the group whose locks it has, the blocks below the lowest that it waits for. (A claim that waits for locks has no locks and no pins in that
 * group, so no other waits for it; a claim that waits for answers is waited for only by claims whose lowest block is lower.) Blocks that are lost meanwhile are claimed again.
 *
 * A thread that walks over memory requests parts of further groups as well, at a fixed distance from each other (`further`). The owner that answers
 * brings as many of them as it owns alone, shares with the requester alone, or nobody holds, up to the first part for which this is not so, or which is locked
 * or pinned. The owner locks them, and the requester unlocks them with the grant: only a requester that has all its answers, and waits for nothing any more, has the
 * locks of blocks that it does not need.
 * A thread that reads blocks which others only read, or takes blocks that were left, sends no request and brings further parts of that kind by itself: it locks
 * them before it has the edges of their last writers.
 *
 * An owner may leave a block: the block is then shared by nobody, its last writer is that owner, and its info tells the position at which the owner was done with
 * it. The next thread sends no request, and is ordered behind that position, not behind all that the owner has done since.
 *
 * A group has one entry for all its blocks; blocks that differ have entries of their own. So memory that is handed over by the page, as most
 * is, costs no more than one block. A thread that has the locks of all blocks without an entry of their own may change the common
 * entry; otherwise it splits off the blocks whose locks it has.
 *
 * At a safepoint, when kicked: directory_serve_step until DIRECTORY_DONE. Around a wait in the kernel:
 * directory_park_step until DONE, the wait, directory_unpark_step until DONE. A thread's first act is directory_begin_step (it is
 * unpark, and the scheme's begin), its last directory_exit_step (it is park, and the scheme's exit). The substrate keeps
 * recorder.position right before each of these. The struct passed with them has its start function, or starts as zero. Nothing is
 * pinned while parked.
 *
 * A mapping change claims its range for writing with claim.revoke set (blocks that nobody touched are left alone), is made, and
 * unpins: all accesses before it are ordered before it, and all others after. First touches in the range are not: let them claim a block of
 * the mappings' own for reading as well, and the change claim that for writing.
 */
#ifndef REPRISE_ORDER_DIRECTORY_H
#define REPRISE_ORDER_DIRECTORY_H

#include <stdatomic.h>

#include "order/order.h"

#ifndef DIRECTORY_BATCH
#define DIRECTORY_BATCH 8 /* holders asked at a time */
#endif
#ifndef DIRECTORY_INLINE
#define DIRECTORY_INLINE 4 /* sharers an entry can name */
#endif
#ifndef DIRECTORY_RANGES
#define DIRECTORY_RANGES 48 /* an instruction touches no more */
#endif
#ifndef DIRECTORY_GROUP
#define DIRECTORY_GROUP 64 /* blocks; a set of them is a word with a bit for each */
#endif
#ifndef DIRECTORY_LINE
#define DIRECTORY_LINE \
  64 /* what passes between processors as one; the explorer makes its states small by less */
#endif

/* -- An entry: one word, all zero when untouched ------------------------------------------------------------------------
 *
 *     bit  0-1    enum directory_mode
 *          2-13   slot + 1 of the owner, or of the last writer of a shared block; 0: none
 *          14-61  slots + 1 of up to four sharers
 */
enum directory_mode {
  DIRECTORY_UNTOUCHED,
  DIRECTORY_OWNED,
  DIRECTORY_SHARED, /* by those named */
  DIRECTORY_MANY,   /* by more than can be named: whoever has a permission */
};

/* Of a block that has an entry of its own. Guarded by the block's lock. */
struct directory_place {
  uint64_t *word;
  uint64_t
      *info; /* of the last writer, when it is owner no more. Touched for shared blocks only: may lie apart */
};

struct directory_group {
  _Alignas(DIRECTORY_LINE) _Atomic uint64_t locked; /* blocks */
  _Atomic uint64_t split;                           /* blocks that have entries of their own … */
  _Atomic uint64_t word;                            /* … and the entry of the others */
  uint64_t info;
  _Atomic uint64_t awaited;     /* who may wait for a lock: a bit for all slots that are the same modulo 64 */
  _Atomic uint32_t hint, lease; /* the substrate's, for `along` */
};

/* -- A slot -------------------------------------------------------------------------------------------------------------- */

enum directory_state { DIRECTORY_PARKED, DIRECTORY_RUNNING, DIRECTORY_HELD };
/* Held by whom: if that one was killed, whoever finds it out may take it back. */
static inline uint32_t directory_held_by(unsigned slot) {
  return DIRECTORY_HELD | (slot + 1) << 8;
}

enum directory_cell_state { CELL_EMPTY, CELL_ASKED, CELL_ANSWERED };
struct directory_cell {
  _Atomic uint32_t asks; /* slot asked << 8 | enum directory_cell_state */
  uint32_t brought;      /* answered: further parts that come with it, locked */
  uint64_t kept;         /* answered: these, which were not needed, the asker does not get */
  struct order_note note;
};

struct directory_range {
  uint64_t first, end; /* blocks */
};

/* Where further parts are: so many blocks, from that one of the group on, and so many blocks behind it, and so on; each as far as its group goes. */
struct directory_walk {
  uint8_t first, width;
  int16_t stride;
};

/* A hand-over costs as much as its lines of memory that go from one processor to the other, so what is touched together lies
 * together: requester, request and the place for the first answer are one line. A waiting thread polls `events`, which is in another line: it
 * would take the line away from the thread that writes the answer. A thread with news for the slot finds there whether the slot's thread sleeps, is parked, or waits
 * for locks. */
struct directory_slot {
  /* The slots that have posted a request to this one. Slots that were never in use have not: see directory_asked_words(). */
  _Alignas(DIRECTORY_LINE) _Atomic uint64_t asked[(ORDER_SLOTS + 63) / 64];
  /* Changes when something happened that the slot's thread may be waiting for. */
  _Alignas(DIRECTORY_LINE) _Atomic uint32_t events;
  _Atomic uint32_t asleep; /* the substrate's: whether it sleeps on `events` */
  _Atomic uint32_t state;  /* enum directory_state, or directory_held_by */
  _Atomic uint32_t wants;  /* group + 1, low bits, of which it waits for locks; 0: none */
  /* The request of its thread; valid while a cell says CELL_ASKED. */
  _Alignas(DIRECTORY_LINE) uint64_t group;
  uint64_t blocks;       /* of the group, which it would have … */
  _Atomic uint64_t need; /* … and those that it can't do without */
  uint8_t want;
  uint8_t further; /* parts of other groups that it would have as well … */
  struct directory_walk walk;
  struct directory_cell cell[DIRECTORY_BATCH];
  _Alignas(DIRECTORY_LINE) _Atomic uint32_t lock; /* of the recorder: own_id of its holder, or 0 */
  uint32_t lost;                                  /* permissions given up so far */
  uint32_t pins;
  struct directory_range pin[DIRECTORY_RANGES];
  struct order_recorder recorder;
};
_Static_assert(DIRECTORY_LINE < 64 || offsetof(struct directory_slot, cell) + sizeof(struct directory_cell) -
                                              offsetof(struct directory_slot, group) <=
                                          DIRECTORY_LINE,
               "a request and the first answer are one line");

struct directory {
  const struct order *order;
  struct directory_slot *slot;
  _Atomic uint32_t *slots; /* one more than the highest slot ever used */
  struct directory_group *(*group)(const struct directory *d, uint64_t group);
  /* Where a block's own entry is, or would be. */
  struct directory_place (*place)(const struct directory *d, uint64_t block);
  /* Which of these blocks the slot has at least that permission for: ORDER_READ, ORDER_WRITE (reading too). Of other slots than the
   * caller's it is only asked under the blocks' locks, and only set by whoever holds them. */
  uint64_t (*held)(const struct directory *d, unsigned slot, uint64_t group, uint64_t blocks, unsigned want);
  void (*permit)(const struct directory *d, unsigned slot, uint64_t group, uint64_t blocks,
                 unsigned permission);
  /* Which blocks of the group the slot would have as well as those it needs. NULL: none. */
  uint64_t (*along)(const struct directory *d, unsigned slot, uint64_t group, uint64_t need, unsigned want);
  /* How many further parts of groups the slot would have as well, and where; `known` next groups it needs for sure. NULL: none. */
  unsigned (*further)(const struct directory *d, unsigned slot, uint64_t group, unsigned known,
                      struct directory_walk *walk);
  /* Whether the slot is one of this address space. A thread that has left it, or forked off, may still send and answer requests, and the answers order the two;
   * but its blocks are others. NULL: all are. */
  bool (*near)(const struct directory *d, unsigned slot);
  /* events of that slot have changed: wake it if it sleeps on them. kick: it also has something to serve, so it is to
   * come by a safepoint soon. */
  void (*wake)(const struct directory *d, unsigned slot);
  void (*kick)(const struct directory *d, unsigned slot);
  /* The caller's id, for the locks of recorders, and whether the caller now has the lock of that slot's recorder, because its holder was killed with it. NULL: no thread is ever killed. */
  uint32_t (*own_id)(const struct directory *d);
  bool (*take_over)(const struct directory *d, unsigned slot, uint32_t holder);
  void *context;
};

/* -- Steps --------------------------------------------------------------------------------------------------------------- */

enum directory_result {
  DIRECTORY_DONE,
  DIRECTORY_AGAIN, /* call again at once */
  DIRECTORY_WAITS, /* nothing to do while slot->events is what the struct says it has seen */
};

/* Answering one request, for oneself or for a slot that one holds. */
struct directory_serve {
  uint8_t at;
  uint8_t brought;          /* further parts so far */
  bool puts_off;            /* some askers in this pass: */
  uint16_t as, asker, cell; /* who answers whom, where */
  struct order_set seen;    /* those whose blocks are pinned */
};
static inline void directory_serve_start(struct directory_serve *serve) {
  serve->at = serve->brought = 0;
  serve->puts_off = false;
  serve->as = serve->asker = serve->cell = 0;
}

struct directory_claim {
  uint8_t at;
  uint8_t count;                                   /* ranges */
  uint64_t group;                                  /* the one that is being claimed */
  struct directory_range ranges[DIRECTORY_RANGES]; /* ascending */
  uint8_t want[DIRECTORY_RANGES];
  bool revoke;              /* skip untouched blocks */
  uint8_t cell;             /* the one looked at in this round */
  bool moved;               /* something happened in this round */
  uint8_t brought;          /* further parts, still to be granted … */
  uint64_t info;            /* … and what their owner left with its answer */
  uint8_t then;             /* where to go on when the note is received, or those who waited are told */
  uint64_t locked, takes;   /* of the group: whose locks it has; what it gets */
  uint32_t seen;            /* DIRECTORY_WAITS: sleep while the slot's events are these */
  struct order_set targets; /* still to be asked */
  struct order_set writers; /* of what nobody owns: their edges are still to be had */
  struct order_note note;   /* received, not handed to the scheme yet … */
  uint16_t source;          /* … and whose; the slot being asked or held */
#ifdef ORDER_WRONG_VARIANTS
  bool late; /* not the first round */
  struct order_recorder torn;
#endif
  struct directory_serve serve;
};

/* Blocks of a group. */
struct directory_part {
  uint64_t group, blocks;
};

struct directory_leaving {
  uint8_t at;
  struct directory_part part; /* what is to be left */
};

struct directory_parking {
  uint8_t at;
  uint32_t seen; /* DIRECTORY_WAITS: as above */
  struct directory_serve serve;
};

static inline void directory_parking_start(struct directory_parking *parking) {
  parking->at = 0;
  parking->seen = 0;
  directory_serve_start(&parking->serve);
}

void directory_claim_start(struct directory_claim *claim);
/* Adds blocks [first, end); false if there is no room. Ranges may overlap; wants are joined. */
bool directory_claim_add(struct directory_claim *claim, uint64_t first, uint64_t end, enum order_want want);
enum directory_result directory_claim_step(const struct directory *d, unsigned me,
                                           struct directory_claim *claim);
/* Gives the claim up, if that can be done after the step that was made last: nothing is in its hands that another would have to wait
 * for. Only while it wants a block whose owner keeps it pinned until all who want it are gone. */
bool directory_claim_abandon(const struct directory *d, unsigned me, const struct directory_claim *claim);
/* Takes the untouched blocks of a group for writing, which needs no request. Does nothing if another thread has the group's locks. */
void directory_take_untouched(const struct directory *d, unsigned me, uint64_t number);
/* The access is done: requests for its blocks can be answered again. */
void directory_unpin(const struct directory *d, unsigned me);

/* Answers what was asked of me, but for pinned blocks. */
enum directory_result directory_serve_step(const struct directory *d, unsigned me,
                                           struct directory_serve *serve);

/* At a safepoint: leaves blocks that I own, except those that others have locked. The next thread finds in their entries where
 * I was done with them, and sends no request. */
enum directory_result directory_leave_step(const struct directory *d, unsigned me,
                                           struct directory_leaving *leaving);

enum directory_result directory_park_step(const struct directory *d, unsigned me,
                                          struct directory_parking *parking);
enum directory_result directory_unpark_step(const struct directory *d, unsigned me,
                                            struct directory_parking *parking);
/* in: the note from the parent's spawn; NULL: the first thread. */
enum directory_result directory_begin_step(const struct directory *d, unsigned me,
                                           struct directory_parking *parking, unsigned parent,
                                           const struct order_note *in);
enum directory_result directory_exit_step(const struct directory *d, unsigned me,
                                          struct directory_parking *parking);
/* The scheme's spawn, under me's lock. DONE when out is filled in. */
enum directory_result directory_spawn_step(const struct directory *d, unsigned me, unsigned child,
                                           struct order_note *out);
/* The scheme's end of an episode, likewise. */
enum directory_result directory_end_step(const struct directory *d, unsigned me);

#endif
