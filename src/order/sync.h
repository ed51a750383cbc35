/* sync.h: the order `sync`: which synchronisation is ordered with which, and which values of atomics need no log. The pure half, for recorder and
 * replayer alike; the other one is engine/order/sync.c.
 *
 * Each address of an atomic belongs to one of a fixed number of **clocks** (Respec, section 4.3.1: 512 of them). Atomics of one clock that may
 * write are ordered one after the other, by arcs between their threads (arcs.c); atomics that only read come after the last that wrote.
 *
 * What an atomic finds in memory is logged if it can't be predicted:
 *  - an atomic that may write, from its clock: the last one at this address left this value there;
 *  - one that only reads, from its own thread: the thread's last atomic load of this address found this value.
 * Both predictors depend only on what replay repeats, so replay computes the same predictions. */
#ifndef REPRISE_ORDER_SYNC_H
#define REPRISE_ORDER_SYNC_H

#include <stdbool.h>
#include <stdint.h>

enum {
  SYNC_CLOCKS = 512,
  SYNC_LEFT = 256, /* values that a clock remembers */
  SYNC_SEEN = 256, /* values that a thread remembers */
};

/* What an atomic found or left, or a thread has seen: up to two words, the rest zero. */
struct sync_value {
  uint64_t address;
  uint64_t words[2];
  uint32_t bytes; /* 0: nothing is known */
};

/* What the atomics of a clock have left. Of words that lie close together and have one clock, as the locks of one structure, none makes another
 * forgotten: where a value is unknown that an atomic has left, replay takes it for one of an ordinary store, and waits for it. */
struct sync_left {
  struct sync_value of[SYNC_LEFT];
};

struct sync_seen {
  struct sync_value of[SYNC_SEEN];
};

unsigned sync_clock_of(uint64_t address);

/* Where the clock remembers the address, or is to remember it from now on, perhaps in the place of another one. */
struct sync_value *sync_last(struct sync_left *left, uint64_t address);

/* The thread's memory of the address; perhaps it knows nothing of it. */
struct sync_value *sync_see(struct sync_seen *seen, uint64_t address);

/* True if the value is known to be at that address. */
static inline bool sync_knows(const struct sync_value *known, uint64_t address, uint32_t bytes) {
  return known->bytes == bytes && known->address == address;
}
static inline bool sync_predicts(const struct sync_value *known, const struct sync_value *found) {
  return sync_knows(known, found->address, found->bytes) && known->words[0] == found->words[0] &&
         known->words[1] == found->words[1];
}

#endif
