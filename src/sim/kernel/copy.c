/* copy.c: the kernel reads and writes user memory: line by line through the caches, each line an ordered access of the thread.
 *
 * Bytes that enter a sphere are events of their own in its input log (CapoOne section 5.1). Each line counts as one position, so that a recorder can end
 * an episode between two of them and a replay can stop there. */
#include <errno.h>
#include <string.h>

#include "sim/kernel/input_log.h"
#include "sim/kernel/kernel.h"

/* Waits until the task may make its next access. It may come back on another hart. */
static void wait_for_turn(struct task *task) {
  for (;;) {
    struct port *port = task->thread.port;
    if (port->position >= port->stop && !port->machine->watcher->gate(port)) {
      port->waiting = ((struct hart *)port)->at_gate = true;
      kernel_yield(task);
    } else if (port->cycle >= port->horizon) {
      kernel_yield(task);
    } else {
      return;
    }
  }
}

void kernel_stand_still(struct task *task) {
  wait_for_turn(task); /* which does not come */
  while (!kernel_of(task)->error) wait_on(task, NULL, UINT64_MAX, false);
}

/* The thread's stores reach the cache before the kernel does anything for it, or it leaves its hart. */
void kernel_fence(struct task *task) {
  struct access fence = {.kind = ACCESS_FENCE};
  while (task->process->space->machine->config.tso) {
    struct port *port = task->thread.port;
    if (port->machine->system->access(port, &fence) == ACCESS_DONE) return;
    port->waiting = true;
    kernel_yield(task);
  }
}

static int access_line(struct task *task, struct access *access) {
  struct space *space = task->process->space;
  unsigned permission = access->kind == ACCESS_STORE ? PAGE_WRITE : PAGE_READ;
  for (;;) {
    access->paddr = space_translate(space, access->vaddr, permission);
    if (access->paddr == SPACE_FAULT) {
      if (!space_touch(space, access->vaddr, permission)) return -EFAULT;
      continue;
    }
    /* Only for an access that will be made: a replay has no turn for others. */
    wait_for_turn(task);
    if (space_translate(space, access->vaddr, permission) != access->paddr) continue;
    struct port *port = task->thread.port;
    if (port->machine->system->access(port, access) == ACCESS_DONE) {
      port->position++;
      return 0;
    }
    port->waiting = true;
    kernel_yield(task);
  }
}

static int copy(struct task *task, uint8_t kind, uint64_t address, uint8_t *bytes, uint64_t count) {
  while (count) {
    uint64_t part = LINE_BYTES - address % LINE_BYTES;
    if (part > count) part = count;
    struct access access = {
        .vaddr = address, .kind = kind, .size = (uint8_t)part, .kernel = true, .data = bytes};
    int error = access_line(task, &access);
    if (error) return error;
    address += part, bytes += part, count -= part;
  }
  return 0;
}

int copy_in(struct task *task, uint64_t to, const void *from, uint64_t bytes) {
  const uint8_t *data = input_copy_in(task, to, from, bytes);
  if (!data) return -EFAULT;
  return copy(task, ACCESS_STORE, to, (uint8_t *)data, bytes);
}

int copy_out(struct task *task, void *to, uint64_t from, uint64_t bytes) {
  int error = copy(task, ACCESS_LOAD, from, to, bytes);
  input_copy_out(task, from, to, bytes, error);
  return error;
}

int64_t copy_string(struct task *task, char *to, uint64_t from, uint64_t room) {
  for (uint64_t length = 0; length < room;) {
    uint64_t part = LINE_BYTES - (from + length) % LINE_BYTES;
    if (part > room - length) part = room - length;
    int error = copy_out(task, to + length, from + length, part);
    if (error) return error;
    const char *end = memchr(to + length, 0, part);
    if (end) return end - to;
    length += part;
  }
  return -ENAMETOOLONG;
}

/* Changes of what the kernel keeps for all threads of a process, its address space above all, are ordered among each other and with what follows them as
   stores to one word of it are: a replay makes them in the recording's order. Without this, one thread's munmap could hit what another
   was given there later. */
void kernel_turn(struct task *task) {
  uint64_t tid = task->thread.tid;
  copy_in(task, KERNEL_PAGE + LINE_BYTES, &tid, sizeof tid);
}
