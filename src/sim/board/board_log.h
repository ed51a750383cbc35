/* board_log.h: the input of a board, hart by hart, as in FDR's log of inputs and interrupts (its section 5).
 *
 * An event is a kind (one byte), varint(positions since the last one), varint(value). A value is a result of an instruction or a firmware call that does not
 * follow from registers and memory: the time, pending interrupts, whether a hart could be started. An interrupt has its cause; a fence, which another
 * hart requested from the firmware, makes the hart forget its translations. Both happen before the instruction at their position. The end is how far the hart came.
 *
 * The block device's log has what it stores to memory: the value is the address; behind it come a byte with their number and the bytes. */
#ifndef REPRISE_SIM_BOARD_LOG_H
#define REPRISE_SIM_BOARD_LOG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum board_event { BOARD_NOTHING, BOARD_VALUE, BOARD_INTERRUPT, BOARD_FENCE, BOARD_END, BOARD_DMA };

/* Of one hart, or of the block device. */
struct board_log {
  uint8_t *bytes;
  size_t count, room;
  uint64_t position;   /* of the last event written, or of the next one to read … */
  uint64_t value;      /* … with this value … */
  const uint8_t *data; /* … and these bytes of a line, … */
  uint8_t data_bytes;
  uint8_t next; /* … of this kind; BOARD_NOTHING: the log is over, or makes no sense */
  size_t used;
};

void board_log_put(struct board_log *log, enum board_event kind, uint64_t position, uint64_t value);
/* What the block device stores. */
void board_log_put_data(struct board_log *log, uint64_t position, uint64_t at, const void *bytes,
                        uint8_t count);
void board_log_append(struct board_log *log, const uint8_t *bytes, size_t count);
/* Reads the next event. */
void board_log_next(struct board_log *log);

#endif
