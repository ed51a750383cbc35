/* opening.h: how a system call opens a file, by its row in the table of calls (opening.c). */
#ifndef REPRISE_ENGINE_OPENING_H
#define REPRISE_ENGINE_OPENING_H

#include "engine/base/thread.h"
#include "input/input.h"

/* False for a call that opens none, or whose flags can't be read. */
bool call_opens(const struct call *call, struct input_opening *how);
/* True if the file may be written through the descriptor. */
bool opens_to_write(const struct input_opening *how);

#endif
