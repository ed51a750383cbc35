/* opening.c: how a system call opens a file. See opening.h. */
#include "engine/base/opening.h"

#include <linux/fcntl.h>

#include "engine/base/lib.h"

static long read_memory(void *context, void *to, uintptr_t from, size_t bytes) {
  (void)context;
  return safe_copy(to, (const void *)from, bytes);
}

bool call_opens(const struct call *call, struct input_opening *how) {
  return input_opens(call->nr, call->args, read_memory, NULL, how);
}

bool opens_to_write(const struct input_opening *how) {
  return (how->flags & O_ACCMODE) != O_RDONLY && !(how->flags & O_PATH);
}
