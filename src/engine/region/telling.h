/* telling.h: a replay that tells which accesses its threads make to open memory (telling.c; order/told.h has what is told).
 *
 * In such a replay (config.tells) emitted code finds no line of open memory in what the thread has seen, so it calls C for each access. C makes an
 * access only in a step over its instruction alone, whose position is known. What an instruction has stored is told when the step is over.
 *
 * A thread's part of it lies behind its log of values. The records go through the ring of the sphere's order log, which no parallel order uses, to the manager. */
#ifndef REPRISE_ENGINE_TELLING_H
#define REPRISE_ENGINE_TELLING_H

#include "engine/base/thread.h"
#include "order/told.h"
#include "order/values.h"

enum { TELLING_PIECES = 16, TELLING_BUFFER = 8 << 10 };

struct telling {
  bool inside;       /* the thread is in a step … */
  uint64_t position; /* … at this position of the order log */
  bool began;        /* `epoch` was told */
  uint32_t epoch;
  uint64_t ticks;
  unsigned count; /* of pieces of the step */
  uint32_t used;  /* bytes in the buffer */
  struct told_codec codec;
  struct telling_piece {
    struct told told;
    const uint8_t *seen; /* where the step leaves what is written */
  } pieces[TELLING_PIECES];
  uint8_t buffer[TELLING_BUFFER];
};

static inline bool tells(void) {
  return __builtin_expect(config.tells, 0);
}

/* What emitted code takes for the lines that the thread has seen: none of them. */
const struct values_seen *telling_blind(void);

/* A step over one instruction begins, and is over; */
void telling_begin(struct thread *thread, uint64_t position);
/* some: the instruction may have stored only some bytes of its operand. */
void telling_end(struct thread *thread, bool some);
/* … or the instruction has faulted, and was not made. */
void telling_drop(struct thread *thread);
/* An access can be made, since the thread is in a step. */
bool telling_is_inside(const struct thread *thread);
/* The instruction accesses these bytes of the line, of which `seen` has the content. found: the thread has not seen the line before. */
void telling_part(struct thread *thread, enum told_kind kind, uint64_t line, struct values_part part,
                  const uint8_t *seen, uint32_t epoch, bool found);
/* All memory is closed at this position of the order log, and the line has these bytes. */
void telling_left(struct thread *thread, uint64_t position, uint32_t epoch, uint64_t line,
                  const uint8_t *bytes);
/* Gives the manager what is in the buffer. */
void telling_flush(struct thread *thread);

#endif
