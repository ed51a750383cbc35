/* disk.h: the block device: moves the content of files into user memory by itself, a line at a time, through a port of its own.
 *
 * As in FDR (section 5) it is a pseudo-processor: in each sphere it works for it has an R-thread of its own, whose positions count lines and whose
 * input log holds the bytes. The requester stores to a word of the process's kernel page, which the device loads first; the device's last store is to another
 * word, which the task loads when it goes on: so the order log has the order of request, data and answer. */
#ifndef REPRISE_SIM_DISK_H
#define REPRISE_SIM_DISK_H

#include "sim/kernel/kernel.h"

struct disk;

/* Adds its port to the machine. False: no memory. */
bool disk_begin(struct machine *machine);
void disk_end(struct machine *machine);
/* Bytes of a file into user memory while the task waits. Their number, or -EFAULT. */
int64_t disk_transfer(struct task *task, uint64_t to, const uint8_t *bytes, uint64_t count);
/* In replay: the task has reached the place at which it requested a transfer; the device's R-thread is this one. */
void disk_replay(struct task *task, uint32_t number);

#endif
