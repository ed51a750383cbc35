/* watchdog.h: ends a sphere in which no thread can move (watchdog.c).
 *
 * Threads of a sphere wait for each other in the engine: for the baton, memory, locks, places in the order. If all of them do, and none of them
 * ever gets what it waits for, Reprise has made a mistake, and nothing would ever happen again. The watchdog decides by state, not by time:
 *
 *   - each waiting thread wakes up now and then, looks again, and counts that (struct region_watch). A thread that runs, is in a call of the
 *     program, is stopped, or has no processor does not;
 *   - a *round* is over when every thread has looked in vain since the one before;
 *   - after WATCH_ROUNDS rounds, during which nothing in the region has changed, no thread can move.
 *
 * So a program that is stopped or slow is left alone, for however long, as is one whose manager is stopped. Threads that can't look count as
 * waiting: dead threads whose slots are not free yet, and those that the kernel holds until their child of vfork is gone. Threads that
 * sleep in calls of the program have given up all that others could wait for, so they do not count, unless others wait for them all the same. If
 * all sleep there, the program is idle: a round needs at least one thread that looks. */
#ifndef REPRISE_SPHERE_WATCHDOG_H
#define REPRISE_SPHERE_WATCHDOG_H

#include <stdbool.h>
#include <stdint.h>

#include "contract/region.h"

/* Threads that wait for each other in the order of a replay find that out themselves, sooner (engine/order/replay_waits.c). */
enum { WATCH_ROUNDS = 20, WATCH_MS = 250 };

/* The state of a live thread. */
enum watch_part {
  PART_MOVES, /* or may do so any time */
  PART_WAITS, /* for another thread */
  PART_HELD,  /* by the kernel for good, unless another thread moves */
  PART_IDLE,  /* sleeps in a call of the program, for however long */
};

struct watch {
  bool is_replay;
  uint64_t seen;                /* digest of all that changes when any thread moves */
  uint32_t looks[REGION_SLOTS]; /* of each thread when the round began */
  uint8_t part[REGION_SLOTS];   /* enum watch_part: what each did in the last round */
  unsigned rounds;
};

/* One look. state: a thread's state in /proc, 'X' when there is none. True: no thread can move. */
bool watch_look(struct watch *watch, const struct region *region, char (*state)(int32_t pid, int32_t tid));

/* The reason for a thread's wait, as of its last look. */
struct awaited {
  enum {
    AWAITS_OTHERS, /* threads of its own process, for something that is not in the region */
    AWAITS_BATON,
    AWAITS_LOCK,
    AWAITS_REQUEST,
    AWAITS_OUTPUT,
    AWAITS_SHARED,
    AWAITS_WRITER,
    AWAITS_TRACER,
    AWAITS_MEMORY,
    AWAITS_SLOT,
    AWAITS_RETIREMENTS,
    AWAITS_PLACE,
  } what;
  uint32_t slot; /* + 1 of its holder, 0: none, or not known */
  uint32_t task; /* … or the word of the lock */
};
struct awaited watch_awaited(const struct region *region, const struct rthread *slot);

struct manager;
/* Looks, if it is time to. If no thread can move it says so, with a line for each thread, and gives the region an outcome. */
void watchdog_look(struct manager *manager);

#endif
