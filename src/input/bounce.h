/* bounce.h: a system call on copies of the application's memory, so that the kernel never touches the original.
 *
 *   bounce_enter(&b, &call, memory, room)   copies out what the kernel will read, finds room for what it will
 *                                           write, and makes arguments that point to both
 *   perform call.nr with b.args
 *   bounce_leave(&b, result, …)             tells which bytes to copy in, and to where
 *
 * So the kernel gets the very bytes that were logged, and the engine writes the results, in order. Memory whose address
 * matters (INPUT_IN_PLACE) and memory that can't be read are not copied: with the latter the kernel reports
 * the fault itself. A buffer to be written that the application does not have is noticed when its bytes are copied
 * in: then the call's result is -EFAULT. */
#ifndef REPRISE_INPUT_BOUNCE_H
#define REPRISE_INPUT_BOUNCE_H

#include "input/input.h"

/* The copies, from the end of the memory downwards. */
struct bounce_copy {
  struct input_piece piece;
  uint8_t *copy;
  uint8_t *original; /* of INPUT_COMPARED: as it was before the call */
  uint8_t *pointer;  /* where the copy's address was stored in another copy, or NULL */
};

struct bounce {
  struct input_call *call;
  input_read *read; /* the call's own */
  void *context;
  long args[6]; /* for the kernel */
  uint8_t *memory;
  size_t used;
  struct bounce_copy *copies; /* the last one made; the first is copies[count - 1] */
  size_t count;
  size_t hint; /* where the last search ended */
};

/* Bytes that the kernel has written, for the application's address `to`. from is NULL for bytes written in place. */
struct bounce_write {
  uintptr_t to;
  const uint8_t *from;
  size_t bytes;
  uint8_t flags; /* of the piece */
};
typedef long bounce_visit(void *visitor, const struct bounce_write *write);

/* 0; -ENOMEM when room bytes are too few (bounce_room tells how many would do). memory is aligned to 16 bytes. */
long bounce_enter(struct bounce *b, struct input_call *call, void *memory, size_t room);
size_t bounce_room(struct input_call *call);
/* 0, or the value with which the visitor ended the walk. */
long bounce_leave(struct bounce *b, long result, bounce_visit *visit, void *visitor);

#endif
