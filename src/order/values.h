/* values.h: memory recorded by what was read of it, not by who had it: the pure half, for recorder and replayer alike.
 *
 * Each thread keeps what it last saw of open memory in a table of its own, line by line. What it reads there while it is recorded is compared
 * with that: only what differs is logged. What it writes goes into the table, and is not logged. The table depends on the thread's
 * own accesses and on its log alone, so replay, which reads nothing else, computes the same table, and the same values.
 *
 * The table is direct-mapped: a line takes the place of another one with the same index. One that is new, or comes again, counts as zeros.
 *
 * A **part** is what an instruction touches of one line. Its **runs** are the bytes that differed:
 *
 *     varint(part * VALUES_LINE + offset in the line)   varint(bytes)   the bytes */
#ifndef REPRISE_ORDER_VALUES_H
#define REPRISE_ORDER_VALUES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "order/varint.h"

enum {
  VALUES_LINE = 64, /* bytes */
#ifndef VALUES_LINES
  VALUES_LINES = 1024, /* that a thread has in mind */
#endif
  VALUES_PARTS = 160, /* of an instruction, at most */
  VALUES_GAP = 3,     /* as many equal bytes within a run are cheaper than another run */
};

struct values_line {
  uint64_t address; /* of its first byte, plus one; 0: none */
  uint8_t bytes[VALUES_LINE];
};

struct values_seen {
  struct values_line lines[VALUES_LINES];
};

struct values_part {
  uint64_t line; /* address of its first byte */
  uint8_t from, count;
};

struct values_run {
  unsigned part, offset, count;
  const uint8_t *bytes;
};

/* The bytes of a line as the thread has seen them. Valid until the next call. */
uint8_t *values_see(struct values_seen *seen, uint64_t line);

/* Compares what a part has now with what was seen of its line, appends the runs that differ, and takes them for seen. Returns how many
 * bytes were appended, VALUES_PART_LARGEST at most. */
size_t values_encode(unsigned part, const struct values_part *what, const uint8_t *now, uint8_t *seen,
                     uint8_t *to);
enum { VALUES_PART_LARGEST = VALUES_LINE + 2 * VARINT_LARGEST * (VALUES_LINE / (VALUES_GAP + 1) + 1) };

/* The next run. Bytes used; 0 at the end; -1 when these are none, or not of these parts. */
int values_decode(const struct values_part *parts, unsigned count, const uint8_t *bytes, size_t length,
                  struct values_run *run);

#endif
