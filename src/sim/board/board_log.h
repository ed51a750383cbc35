/* board_log.h: the input of a board, hart by hart, as in FDR's log of inputs and interrupts (its section 5).
 *
 * An event is a kind (one byte), varint(positions since the last one), varint(value). A value is a result of an instruction or a firmware call that does not
 * follow from registers and memory: the time, pending interrupts, whether a hart could be started. An interrupt has its cause; a fence, which another
 * hart requested from the firmware, makes the hart forget its translations. Both happen before the instruction at their position. The end is how far the hart came. */
#ifndef REPRISE_SIM_BOARD_LOG_H
#define REPRISE_SIM_BOARD_LOG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum board_event { BOARD_NOTHING, BOARD_VALUE, BOARD_INTERRUPT, BOARD_FENCE, BOARD_END };

/* Of one hart. */
struct board_log {
  uint8_t *bytes;
  size_t count, room;
  uint64_t position; /* of the last event written, or of the next one to read … */
  uint64_t value;    /* … with this value … */
  size_t used;
  uint8_t next; /* … of this kind; BOARD_NOTHING: the log is over, or makes no sense */
};

void board_log_put(struct board_log *log, enum board_event kind, uint64_t position, uint64_t value);
void board_log_append(struct board_log *log, const uint8_t *bytes, size_t count);
/* Reads the next event. */
void board_log_next(struct board_log *log);

#endif
