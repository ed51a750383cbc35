/* orders.h: the order logs of a recording made with `dag`, what they say about the accesses of its threads, and logs that say more (orders.c).
 *
 * Positions are those of the order log. A thread's work up to a position is all that it does at lower ones. */
#ifndef REPRISE_SOLVE_ORDERS_H
#define REPRISE_SOLVE_ORDERS_H

#include "order/exception.h"
#include "recording/recording.h"

/* Before `thread` does anything at `position`, `other` has done its work up to `until`. Threads are known by their places in struct orders. */
struct order_edge {
  uint32_t thread, other;
  uint64_t position, until;
};

/* The instruction of `thread` at `position` reads something else than memory has. */
struct excepted {
  uint32_t thread;
  uint64_t position;
  struct order_exception what;
};

/* What is known of an order besides the logs. */
struct order_facts {
  struct order_edge *edges;
  size_t edge_count;
  struct excepted *exceptions;
  size_t exception_count;
};

struct order_log;

struct orders {
  uint32_t count; /* of threads, by the numbers of their R-threads */
  struct order_log *logs;
};

/* Reads all order logs: RECORDING_DAMAGED also for logs that make no sense together. */
int orders_read(struct recording_reader *reader, struct orders *orders, struct recording_error *error);
void orders_drop(struct orders *orders);

/* The place of an R-thread; UINT32_MAX if it has no log. */
uint32_t orders_find(const struct orders *orders, uint32_t thread);

/* The R-thread at a place. */
uint32_t orders_number(const struct orders *orders, uint32_t place);

/* What the thread knows of the work of all others before it does anything at a position, directly or by way of others: for each of them up to where. NULL: nothing. */
const uint64_t *orders_known(const struct orders *orders, uint32_t thread, uint64_t position);

/* Writes logs that have these facts as well, whose edges must not contradict the others: RECORDING_MISUSE. They are sorted. */
int orders_write(const struct orders *orders, const struct order_facts *facts, struct recording_image *image,
                 struct recording_error *error);

#endif
