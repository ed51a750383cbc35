/* calendar.h: the machine's events, in the order of their cycles.
 *
 * A wheel of one slot a cycle holds the near events, a heap those far off. Events of one cycle leave in the order in which they were put
 * in, so that a simulation is a function of its configuration and seed alone. */
#ifndef REPRISE_SIM_CALENDAR_H
#define REPRISE_SIM_CALENDAR_H

#include <stdint.h>

struct machine;
typedef void event_function(struct machine *machine, void *object, uint64_t argument);

struct event {
  struct event *next; /* in its slot, or among the free ones */
  uint64_t cycle, sequence;
  event_function *function;
  void *object;
  uint64_t argument;
};

enum { CALENDAR_SLOTS = 1 << 12 };
#define CALENDAR_EMPTY UINT64_MAX

struct calendar {
  uint64_t base; /* nothing is put in before this cycle any more */
  uint64_t next; /* cycle of the earliest event, or CALENDAR_EMPTY */
  uint64_t near, sequence;
  uint32_t far, room;
  struct event *first[CALENDAR_SLOTS], *last[CALENDAR_SLOTS];
  uint64_t used[CALENDAR_SLOTS / 64]; /* a bit for every slot that is not empty */
  struct event **heap;                /* far ones, the earliest first */
  struct event *spare;
};

/* Never NULL: a machine without memory for it ends. */
struct calendar *calendar_new(void);
void calendar_free(struct calendar *calendar);
void calendar_put(struct calendar *calendar, uint64_t cycle, event_function *function, void *object,
                  uint64_t argument);
/* Takes the earliest out. There must be one. */
struct event calendar_take(struct calendar *calendar);
/* Nothing will be put in before this cycle any more. */
void calendar_advance(struct calendar *calendar, uint64_t cycle);

#endif
