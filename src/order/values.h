/* values.h: memory recorded by what was read of it, not by who had it: the pure half, for recorder and replayer alike.
 *
 * Each thread keeps what it last saw of open memory in a table of its own, line by line. What it reads there while it is recorded is compared
 * with that: only what differs is logged. What it writes goes into the table, and is not logged. The table depends on the thread's
 * own accesses and on its log alone, so replay, which reads nothing else, computes the same table, and the same values.
 *
 * The table is direct-mapped: a line takes the place of another one with the same index. One that is new, or comes again, counts as zeros.
 *
 * A **part** is what an instruction touches of one line. Parts are counted, those that bring nothing new too. The log consists of **runs**, the bytes
 * of a part that differed:
 *
 *     varint(parts since that of the last run * VALUES_LINE + offset in the line)   varint(bytes)   the bytes
 *
 * The further runs of the same part have none in between. */
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
  VALUES_GAP = 3, /* as many equal bytes within a run are cheaper than another run */
};

/* Neighbours in memory are neighbours here: emitted code relies on it. */
struct values_seen {
  uint64_t tags[VALUES_LINES]; /* the address of each line's first byte, plus one; 0: none */
  _Alignas(VALUES_LINE) uint8_t lines[VALUES_LINES][VALUES_LINE];
};

/* Bytes of a line. */
struct values_part {
  uint8_t from, count;
};

struct values_run {
  uint64_t since;         /* parts since that of the last run; 0: it is the same part */
  unsigned offset, count; /* in the line */
  const uint8_t *bytes;
};

/* The bytes of a line as the thread has seen them. Valid until the next call. */
uint8_t *values_see(struct values_seen *seen, uint64_t line);
/* Nothing was seen. */
void values_forget(struct values_seen *seen);

/* Compares what a line's part has now with what was seen of the line, appends the runs that differ, and takes them for seen. since: parts since that of
 * the last run. Returns how many bytes were appended, VALUES_PART_LARGEST at most. */
size_t values_encode(uint64_t since, struct values_part part, const uint8_t *now, uint8_t *seen, uint8_t *to);
enum { VALUES_PART_LARGEST = VALUES_LINE + 2 * VARINT_LARGEST * (VALUES_LINE / (VALUES_GAP + 1) + 1) };

/* The next run. Bytes used; 0 at the end; -1 when these are none. */
int values_decode(const uint8_t *bytes, size_t length, struct values_run *run);

#endif
