/* told.h: what a replay tells of the accesses to open memory (order/values.h), from the engines to the search for their order.
 *
 * Each thread tells its own accesses in program order, each as one record for every word of eight bytes that it touches. All records of an instruction have the same
 * position, that of the order log in front of the instruction. The content of a word before the first access by anyone is told with a thread's
 * first access there (TOLD_FOUND), perhaps several times; its content when all memory is closed by the thread that closes it (TOLD_LEFT). An
 * **epoch** is what lies between two closings.
 *
 * Records travel in batches: a head, then so many bytes. Numbers are differences to the record before, in the batch. */
#ifndef REPRISE_ORDER_TOLD_H
#define REPRISE_ORDER_TOLD_H

#include <stddef.h>
#include <stdint.h>

#include "order/varint.h"

enum told_kind {
  TOLD_READ = 1,
  TOLD_WRITE,
  TOLD_EXCHANGE, /* reads, then writes, in one */
  TOLD_FOUND,    /* `read` is the word before the first access */
  TOLD_LEFT,     /* `read` is the word behind the last one */
  TOLD_EPOCH,    /* what follows belongs to the epoch with the number `address` */
  TOLD_TICKS,    /* positions are by `address` greater than the number of instructions, from here on */
  TOLD_KINDS
};

struct told {
  uint8_t kind;           /* enum told_kind */
  uint8_t count;          /* bytes, all in one word: 1 to 8 */
  uint64_t address;       /* of the first one */
  uint64_t position;      /* of the order log */
  uint64_t read, written; /* the first byte is the lowest */
};

struct told_batch {
  uint32_t thread, process;
  uint32_t program; /* each program that is executed has its own number */
  uint32_t bytes;
};

enum { TOLD_LARGEST = 1 + 2 * VARINT_LARGEST + 2 * 8, TOLD_WORD = 8 };

/* The record before; zeros at the beginning of a batch. */
struct told_codec {
  uint64_t address, position;
};

/* Bytes that were put, TOLD_LARGEST at most. */
size_t told_put(struct told_codec *codec, const struct told *told, uint8_t *to);
/* Bytes used, or -1 if these are none. */
int told_get(struct told_codec *codec, struct told *told, const uint8_t *from, size_t bytes);

#endif
