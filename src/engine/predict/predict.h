/* predict.h: the predictors: which blocks a thread will need next, and for how long.
 *
 * A miss costs a request to another thread and a wait for its answer, so a request asks for more than one instruction needs. The
 * predictors decide how much more, from the misses before. They decide about speed only: the directory grants blocks
 * correctly and logs every edge whatever a predictor answers, so each can be switched off (predictors.h).
 *
 * Each predictor is one file. It keeps its state in a struct that the caller owns, and gets times and positions as arguments, so
 * that a test can run it alone (tests/engine/predict_*.c). Blocks have 64 bytes; a page is a group of the directory: 64 blocks, given as
 * the bits of a mask. Slots number the threads. Times are moments (about 30 nanoseconds) or ticks (about 30 microseconds).
 *
 * Predictors that belong to checks of the translated code are in predict_checks.h.
 *
 * Words that several threads use are atomic, and all accesses are relaxed: a lost update costs a request. */
#ifndef REPRISE_ENGINE_PREDICT_H
#define REPRISE_ENGINE_PREDICT_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "order/directory.h"

/* `count` blocks of a page, from `first` on. */
static inline uint64_t blocks_from(unsigned first, unsigned count) {
  return (count >= DIRECTORY_GROUP ? UINT64_MAX : (1UL << count) - 1) << first;
}

/* -- predict_shares.c ------------------------------------------------------------------------------------------------------ */

enum { SHARE_ONE = 0, SHARE_FEW = 2, SHARE_ALL = 6 }; /* log2 of blocks */

/* log2 of the number of blocks that the slot should request at this miss. hint: the page's word, zero at first. free: they need no request to
 * another thread. */
unsigned share_of(_Atomic uint32_t *hint, unsigned slot, bool write, bool free, uint64_t ticks);

/* -- predict_leases.c ------------------------------------------------------------------------------------------------------ */

enum { LEASE_PAGES = 64 };

/* The history of a thread's leases, by page. */
struct lease_history {
  struct stay {
    _Atomic uint32_t page;
    uint32_t longer;       /* how often the lease was doubled */
    _Atomic uint32_t lost; /* when another thread last took the page's blocks away, in moments */
  } stay[LEASE_PAGES];
};

/* The slot was granted these blocks of the page for writing: its lease begins. lease: the page's word. */
void lease_begin(_Atomic uint32_t *lease, const struct lease_history *own, uint64_t page, unsigned slot,
                 uint64_t blocks, uint64_t moments);
unsigned lease_holder(uint32_t lease);
bool lease_is_over(uint32_t lease, uint64_t moments);
/* Another thread takes away this one's writable blocks of the page. */
void lease_note_loss(struct lease_history *own, uint64_t page, uint64_t moments);
/* The thread misses in a page that another one has a lease of, and wants to write. */
void lease_learn(struct lease_history *own, uint64_t page, uint64_t moments);

/* -- predict_habits.c ------------------------------------------------------------------------------------------------------ */

enum { HABITS = 64 };

struct habits {
  _Alignas(DIRECTORY_LINE) uint32_t last,
      ticks; /* the block that was requested or came along last, and when */
  struct {
    uint32_t block, next;
  } habit[HABITS];
};

/* The blocks of its page that a request for the block should ask for, including the block itself. */
uint64_t habit_of(struct habits *own, uint32_t block, uint64_t ticks);

/* -- predict_walks.c ------------------------------------------------------------------------------------------------------- */

enum { WALKS = 8, WALK_MOST = 31 };

struct walks {
  _Alignas(DIRECTORY_LINE) struct walk {
    uint32_t at; /* the page, or block, requested last, with so many further ones */
    int16_t stride;
    uint8_t further, width; /* width: blocks */
    bool sure;
  } walk[WALKS];
  unsigned next; /* the walk to be replaced */
};

/* The walk that a miss at the block is a step of, perhaps a new one; NULL: the miss belongs to the step before, which becomes wider. */
struct walk *walk_by_blocks(struct walks *walks, uint32_t block);
/* The same by pages. known: the thread needs that many next pages for sure. */
struct walk *walk_by_pages(struct walks *walks, uint32_t page, unsigned known);
/* How many further steps to request; their numbers stay below `end`. */
unsigned walk_further(const struct walk *walk, uint32_t end);

/* -- predict_rows.c -------------------------------------------------------------------------------------------------------- */

/* The blocks beside `need` that a thread should get as well; writable: those of the page that it may write already. */
uint64_t row_of(uint64_t writable, uint64_t need);

/* -- predict_leaving.c ----------------------------------------------------------------------------------------------------- */

enum { LEAVING_PARTS = 255, LEAVING_PLACES = 512, LEAVING_PAGES = 64 };

struct leaving {
  _Alignas(DIRECTORY_LINE) bool to_be_left; /* blocks that the present claim takes … */
  uint64_t keep;                            /* … after so many instructions */
  uint64_t due;                             /* of the first part: a position */
  unsigned count;
  struct {
    struct directory_part part;
    uint64_t due;
  } taken[LEAVING_PARTS];        /* more than these are not left */
  uint8_t place[LEAVING_PLACES]; /* by page: where it may be among them */
  struct {
    uint32_t page, longer;
  } learnt[LEAVING_PAGES];
  uint32_t longer; /* of a page without an entry in `learnt` */
};

/* A claim begins. taken_back: the thread itself left the blocks that it needs now, and no other used them since. writes: the
 * claim is for writing, in a page that other threads write too. */
void leaving_begin(struct leaving *own, uint64_t page, bool taken_back, bool writes);
/* The claim was granted these blocks for writing, at that position. */
void leaving_note(struct leaving *own, uint64_t page, uint64_t blocks, uint64_t position);
/* The claim is done. */
void leaving_end(struct leaving *own);
/* Calls `leave` for all parts that the thread has kept for long enough, and forgets them. */
void leaving_serve(struct leaving *own, uint64_t position,
                   void (*leave)(void *context, struct directory_part part), void *context);
/* The position at which the thread should call leaving_serve next; UINT64_MAX: none. */
uint64_t leaving_stop(const struct leaving *own, uint64_t position);
/* The slot has a new thread. */
void leaving_forget(struct leaving *own);

#endif
