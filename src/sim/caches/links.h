/* links.h: resources that messages wait for: links of the mesh, memory channels, log buffers.
 *
 * Each is booked when a message is sent, or an entry logged, for cycles that may lie a little ahead; nothing is an event of its own. */
#ifndef REPRISE_SIM_LINKS_H
#define REPRISE_SIM_LINKS_H

#include <stdbool.h>
#include <stdint.h>

/* -- A link --------------------------------------------------------------------------------------------------------------- */

enum { LINK_WORDS = 32 }; /* of 64 cycles: a booking farther ahead than others is not remembered exactly */

/* Which cycles of the near future a link is used in, a bit each. Messages are not sent in the order of their cycles (a bank books its answers
   when it takes a request up, harts run ahead of each other), so a link has holes that later bookings fill. */
struct link {
  struct {
    uint64_t tag;  /* which 64 cycles these are */
    uint64_t busy; /* a bit for each */
  } word[LINK_WORDS];
};

/* Books the first `count` free cycles, from this one on. Returns the first, and tells the last. */
uint64_t link_book(struct link *link, uint64_t cycle, uint32_t count, uint64_t *last);

/* -- A queue -------------------------------------------------------------------------------------------------------------- */

/* A resource that serves one after the other: a bank, a channel. */
struct queue {
  uint64_t free_at; /* the first cycle at which it can take something up */
  uint64_t waited;  /* cycles, of all */
};

/* The cycle at which it is taken up; the next one is so many cycles later. */
static inline uint64_t queue_book(struct queue *queue, uint64_t cycle, uint32_t cycles) {
  uint64_t start = queue->free_at > cycle ? queue->free_at : cycle;
  queue->waited += start - cycle;
  queue->free_at = start + cycles;
  return start;
}

/* -- A log buffer --------------------------------------------------------------------------------------------------------- */

/* Entries go in at any time and out at a steady rate. A port that adds one to a full buffer waits until there is room. */
struct log_buffer {
  uint64_t
      fill; /* bytes, times the clock's MHz: so that a rate in megabytes a second is what leaves in a cycle */
  uint64_t last;                   /* cycle of `fill` */
  uint64_t bytes, entries, stalls; /* of all: bytes and entries added, cycles waited for */
  uint64_t most;                   /* bytes at a time */
};

struct sim_config;
/* Returns the cycle from which on there is room. kind: enum log_kind. */
uint64_t log_buffer_add(struct log_buffer *buffer, const struct sim_config *config, unsigned kind,
                        uint64_t cycle, uint64_t bytes);

#endif
