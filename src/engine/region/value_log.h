/* value_log.h: what a thread reads of open memory and could not know (order/values.h): from the place where it is read to the input log, and back (value_log.c).
 *
 * While recording, runs wait in a buffer of the thread, and go to its input log as one event before any other event, and before the order log gets
 * ahead of them. In replay all that are next in the input log are read ahead, since the event behind them may be one at which
 * the thread has to stop. There are never more of them between two stops than there is room for: the recorder logs a stop of its own before that
 * (value_log_is_full, OPEN_STOP).
 *
 * Emitted code counts parts in a word of its own (struct open_words). */
#ifndef REPRISE_ENGINE_VALUE_LOG_H
#define REPRISE_ENGINE_VALUE_LOG_H

#include "engine/region/rings.h"
#include "order/values.h"

enum {
  VALUE_LOG_TIMED = 256,      /* bytes of values, … */
  VALUE_LOG_QUIET = 1 << 14,  /* … or instructions, behind which the time is logged */
  VALUE_LOG_BUFFER = 4 << 10, /* of an event, while recording */
  VALUE_LOG_AHEAD = 32 << 10, /* read ahead in replay */
};

struct value_log {
  uint32_t count, at; /* bytes in the buffer; in replay, those that were used */
  uint32_t unstopped; /* recording: bytes that were logged since the last stop … */
  uint32_t untimed;   /* … and since the time was logged, … */
  uint64_t timed_at;  /* … at this position */
  bool is_known;      /* replay: there is a next run, … */
  struct values_run next;
  uint64_t since;   /* … parts since that of the last one, without those that … */
  uint64_t granted; /* … emitted code was allowed to count */
  uint8_t bytes[VALUE_LOG_AHEAD];
};

struct value_log *value_log_of(const struct thread *thread);

/* -- Recording -- */

/* True if there may be no room for two more parts: value_log_stop has to be called first. There is room for the parts of any instruction behind a stop. */
bool value_log_is_full(const struct thread *thread);
/* At a position at which the thread can be stopped: replay stops here, and reads the next values; or closes all blocks. */
void value_log_stop(struct thread *thread, bool closes);
/* At a safepoint: logs the time, if that was a while ago. */
void value_log_time(struct thread *thread);
/* Counts a part, and logs what differs from what was seen of it; nothing of a part that the thread only writes (now: NULL). */
void value_log_part(struct thread *thread, struct values_part part, const uint8_t *now, uint8_t *seen);
/* Puts the buffer's content into the input log. */
void value_log_flush(struct thread *thread);

/* -- Replay -- */

/* The next event of the thread's log. */
void value_log_read(struct thread *thread, const uint8_t *bytes, size_t count);
/* True if the log has values that the thread did not read. */
bool value_log_is_left(const struct thread *thread);
/* Counts a part, and puts its values into the line. */
void value_log_apply(struct thread *thread, struct values_part part, uint8_t *seen);

#endif
