/* bulk.h: memory for chunks that execute atomically and in isolation, after BulkSC, as DeLorean and CapoOne use it.
 *
 * Between two commits a hart runs a chunk: lines that it writes stay in its L1, as copies; lines that it reads, or fetches instructions from, go into a
 * signature. Committed data are in the machine's memory. A chunk that commits makes its lines visible
 * at once; other harts whose signatures hold one of these lines have read stale data, and are squashed. Here are the sets, the
 * timing and the accesses; chunks.c decides which chunk commits when.
 *
 * Caches are tags only: they tell how long an access takes, and when speculative lines overflow a set. */
#ifndef REPRISE_SIM_BULK_H
#define REPRISE_SIM_BULK_H

#include "sim/machine/machine.h"

enum { SIGNATURE_BITS = 2048 };

struct signature {
  uint64_t word[SIGNATURE_BITS / 64];
};

struct tags {
  uint32_t sets, ways;
  uint64_t *block, *used;
  uint64_t clock;
};

/* A line that a chunk has written. */
struct bulk_line {
  uint64_t block;
  uint8_t data[LINE_BYTES];
};

struct bulk_port {
  struct signature reads;
  struct bulk_line *lines; /* written; at most as many as the L1 holds */
  uint32_t line_count;
  uint16_t *places;  /* hash table: index into lines + 1 */
  uint8_t *set_fill; /* written lines in each set of the L1 */
  struct tags data, code;
};

struct bulk {
  struct bulk_port *port;
  struct tags l2;
  uint32_t width; /* of the mesh */
  uint64_t misses, l2_misses;
};

struct bulk *bulk_new(const struct machine *machine);
void bulk_free(struct bulk *bulk, const struct machine *machine);

bool signature_has(const struct signature *signature, uint64_t block);
void signature_add(struct signature *signature, uint64_t block);

/* The bytes that the port sees: its own if it has written to the line. */
uint8_t *bulk_bytes(struct bulk *bulk, const struct port *port, uint64_t block);
/* A line that the port has written; NULL: it has not. */
struct bulk_line *bulk_written(struct bulk *bulk, const struct port *port, uint64_t block);
/* The port's own copy of the line, to be written. NULL: its set of the L1 is full of such lines. */
struct bulk_line *bulk_write(struct bulk *bulk, const struct port *port, uint64_t block);
/* The chunk is over: its sets are empty and no line is fast. */
void bulk_clear(struct bulk *bulk, struct port *port);
/* How long an access takes; the caches know the line from then on. */
uint32_t bulk_cycles(struct bulk *bulk, const struct port *port, uint64_t block, bool fetch);
/* A line was written by a port, or NULL: it is in no other L1 any more. */
void bulk_invalidate(struct bulk *bulk, const struct machine *machine, const struct port *by, uint64_t block);
/* From a port to the arbiter, in tile 0. */
uint32_t bulk_distance(const struct bulk *bulk, const struct machine *machine, const struct port *port);

#endif
