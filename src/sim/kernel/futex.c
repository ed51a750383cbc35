/* futex.c: waiting on words of user memory, found by physical address. */
#include <errno.h>
#include <linux/futex.h>

#include "sim/machine/clock.h"
#include "sim/kernel/kernel.h"

static struct wait_queue *queue_of(struct kernel *kernel, uint64_t key) {
  return &kernel->futexes[(key >> 2) * 0x9e3779b97f4a7c15 >> 56];
}

static int find_key(struct task *task, uint64_t address, uint64_t *key) {
  struct space *space = task->process->space;
  if (address % 4) return -EINVAL;
  if (!space_touch(space, address, PAGE_READ)) return -EFAULT;
  *key = space_translate(space, address, PAGE_READ);
  return 0;
}

static uint32_t wake_key(struct kernel *kernel, uint64_t key, uint32_t count, uint32_t bits) {
  uint32_t woken = 0;
  struct wait_queue *queue = queue_of(kernel, key);
  for (struct task *task = queue->first, *next; task && woken < count; task = next) {
    next = task->next_waiting;
    if (task->wait_key != key || !(task->wait_bits & bits)) continue;
    wake_one(task, 0);
    woken++;
  }
  return woken;
}

int64_t futex_wake(struct task *task, uint64_t address, uint32_t count, uint32_t bits) {
  uint64_t key;
  int error = find_key(task, address, &key);
  if (error) return error;
  return wake_key(kernel_of(task), key, count, bits);
}

/* The comparison and the entry into the queue are one moment: nothing yields between the load and wait_on. */
static int64_t futex_wait(struct task *task, uint64_t address, uint32_t value, uint64_t timeout,
                          uint32_t bits) {
  uint64_t key;
  uint32_t now;
  if (!bits) return -EINVAL;
  if (copy_out(task, &now, address, sizeof now)) return -EFAULT;
  int error = find_key(task, address, &key);
  if (error) return error;
  if (now != value) return -EAGAIN;
  task->wait_key = key;
  task->wait_bits = bits;
  int result = wait_on(task, queue_of(kernel_of(task), key), timeout, true);
  if (result == -EINTR) return timeout == UINT64_MAX ? -RESTART : -EINTR;
  return result;
}

static int64_t futex_requeue(struct task *task, const uint64_t argument[6], bool compare) {
  uint64_t from, to;
  uint32_t now, moved = 0;
  int error = find_key(task, argument[0], &from);
  if (!error) error = find_key(task, argument[4], &to);
  if (error) return error;
  if (compare) {
    if (copy_out(task, &now, argument[0], sizeof now)) return -EFAULT;
    if (now != (uint32_t)argument[5]) return -EAGAIN;
  }
  struct kernel *kernel = kernel_of(task);
  uint32_t woken = wake_key(kernel, from, (uint32_t)argument[2], UINT32_MAX);
  struct wait_queue *source = queue_of(kernel, from), *target = queue_of(kernel, to);
  for (struct task *waiter = source->first, *next; waiter && moved < (uint32_t)argument[3]; waiter = next) {
    next = waiter->next_waiting;
    if (waiter->wait_key != from) continue;
    waiter->wait_key = to;
    if (source != target) wait_move(waiter, target);
    moved++;
  }
  return woken + moved;
}

static int find_timeout(struct task *task, uint64_t address, bool absolute, bool realtime, uint64_t *cycle) {
  struct {
    int64_t seconds, nanoseconds;
  } time;
  *cycle = UINT64_MAX;
  if (!address) return 0;
  if (copy_out(task, &time, address, sizeof time)) return -EFAULT;
  if (time.seconds < 0 || time.nanoseconds < 0 || time.nanoseconds > 999999999) return -EINVAL;
  uint64_t nanoseconds = (uint64_t)time.seconds * 1000000000 + (uint64_t)time.nanoseconds;
  *cycle =
      absolute ? clock_cycle(nanoseconds, realtime) : kernel_now(kernel_of(task)) + clock_cycles(nanoseconds);
  return 0;
}

int64_t futex_call(struct task *task, const uint64_t argument[6]) {
  uint32_t operation = argument[1] & FUTEX_CMD_MASK, bits = (uint32_t)argument[5];
  uint64_t timeout;
  int error;
  switch (operation) {
    case FUTEX_WAIT:
    case FUTEX_WAIT_BITSET:
      error = find_timeout(task, argument[3], operation == FUTEX_WAIT_BITSET,
                           argument[1] & FUTEX_CLOCK_REALTIME, &timeout);
      if (error) return error;
      return futex_wait(task, argument[0], (uint32_t)argument[2], timeout,
                        operation == FUTEX_WAIT ? UINT32_MAX : bits);
    case FUTEX_WAKE:
      return futex_wake(task, argument[0], (uint32_t)argument[2], UINT32_MAX);
    case FUTEX_WAKE_BITSET:
      return futex_wake(task, argument[0], (uint32_t)argument[2], bits);
    case FUTEX_REQUEUE:
      return futex_requeue(task, argument, false);
    case FUTEX_CMP_REQUEUE:
      return futex_requeue(task, argument, true);
    default:
      return -ENOSYS;
  }
}
