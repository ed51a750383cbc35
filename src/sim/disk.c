/* disk.c: the block device: what a file holds, into user memory while the task waits. */
#include "sim/disk.h"

#include <errno.h>

int64_t disk_transfer(struct task *task, uint64_t to, const uint8_t *bytes, uint64_t count) {
  struct kernel *kernel = kernel_of(task);
  wait_on(task, NULL, kernel_now(kernel) + kernel->machine->config.disk_cycles, false);
  return copy_in(task, to, bytes, count) ? -EFAULT : (int64_t)count;
}
