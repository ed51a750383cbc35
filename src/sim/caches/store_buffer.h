/* store_buffer.h: total store order: stores wait in a buffer of their port, first in first out, while loads go ahead.
 *
 * For the recorders (Karma section 4.7, after RTR's order-value hybrid): an instruction is **ordered** when it and all earlier stores of its thread
 * have reached the cache. For the recorders the position of a thread is that of its first instruction that is not ordered: so
 * they log an order in which instructions come in program order. That order is wrong only for a load that went ahead of an earlier
 * store and whose line was taken away before that store reached the cache (a problematic read): in this order it would read what others may
 * have written. Its value is logged, and replay gives it that value. */
#ifndef REPRISE_SIM_STORE_BUFFER_H
#define REPRISE_SIM_STORE_BUFFER_H

#include "sim/machine/memory.h"

enum { EARLY_LOADS = 1024 }; /* one more waits until a store has reached the cache */

struct buffered_store {
  uint64_t paddr, position;
  uint8_t size;
  uint8_t data[8];
};

struct early_load {
  uint64_t block, position;
  uint8_t size;
  bool problematic;
  uint8_t data[8];
};

struct store_buffer {
  struct buffered_store *stores; /* a ring */
  uint32_t room, first, count;
  bool draining; /* the next step is under way: an event, or a line that was asked for */
  bool stalled;  /* its line could not even be asked for */
  bool waited;   /* the port waits for room or until the buffer is empty */
  uint32_t early_first, early_count;
  struct early_load early[EARLY_LOADS];
};

struct store_buffer *store_buffer_new(uint32_t room);
void store_buffer_free(struct store_buffer *buffer);

/* An access of a port with a buffer. False: the buffer is not concerned, and the access goes to the cache. */
bool store_buffer_access(struct port *port, struct access *access, enum access_result *result);
/* A load has been performed from the cache: it may have gone ahead. */
void store_buffer_loaded(struct port *port, const struct access *access);
/* The line that the first store waits for is there, or there is room to ask for it. */
void store_buffer_go_on(struct port *port, uint64_t cycle);
/* A line is taken away from the port. */
void store_buffer_lost(struct port *port, uint64_t block);
/* The position of the first instruction that is not ordered. */
uint64_t store_buffer_position(const struct port *port);
/* Calls back for the line of each early load: they belong to the episode that begins now. */
void store_buffer_early(struct port *port, void (*touch)(struct port *port, uint64_t block));

#endif
