/* disk.h: the block device. */
#ifndef REPRISE_SIM_DISK_H
#define REPRISE_SIM_DISK_H

#include "sim/kernel.h"

/* Bytes of a file into user memory while the task waits. Their number, or -EFAULT. */
int64_t disk_transfer(struct task *task, uint64_t to, const uint8_t *bytes, uint64_t count);

#endif
