/* waits.c: tasks that wait in the kernel, for each other or for a moment. */
#include <errno.h>

#include "sim/kernel/kernel.h"

void wait_forget(struct task *task) {
  struct wait_queue *queue = task->queue;
  struct task *before = NULL;
  if (!queue) return;
  for (struct task *t = queue->first; t != task; t = t->next_waiting) before = t;
  if (before)
    before->next_waiting = task->next_waiting;
  else
    queue->first = task->next_waiting;
  if (queue->last == task) queue->last = before;
  task->queue = NULL;
}

static void add_to_queue(struct task *task, struct wait_queue *queue) {
  task->queue = queue;
  task->next_waiting = NULL;
  if (!queue) return;
  if (queue->last)
    queue->last->next_waiting = task;
  else
    queue->first = task;
  queue->last = task;
}

void wait_move(struct task *task, struct wait_queue *queue) {
  wait_forget(task);
  add_to_queue(task, queue);
}

void wake_one(struct task *task, int result) {
  wait_forget(task);
  task->wait_number++;
  task->wait_result = result;
  task_ready(task, kernel_now(kernel_of(task)));
}

uint32_t wake_queue(struct wait_queue *queue, uint32_t count, int result) {
  uint32_t woken = 0;
  for (; queue->first && woken < count; woken++) wake_one(queue->first, result);
  return woken;
}

/* The task may be gone by then: it is looked up by its number. */
static void time_is_out(struct machine *machine, void *object, uint64_t argument) {
  (void)object;
  struct task *task = find_task(machine->kernel, (uint32_t)argument);
  if (task && task->state == TASK_BLOCKED && task->wait_number == argument >> 32) wake_one(task, -ETIMEDOUT);
}

int wait_on(struct task *task, struct wait_queue *queue, uint64_t timeout, bool interruptible) {
  struct machine *machine = kernel_of(task)->machine;
  if (interruptible && (task->killed || signal_is_pending(task))) return -EINTR;
  add_to_queue(task, queue);
  task->interruptible = interruptible;
  if (timeout != UINT64_MAX)
    machine_at(machine, timeout, time_is_out, NULL, (uint64_t)task->wait_number << 32 | task->thread.tid);
  task_leave(task, LEAVE_BLOCKED);
  kernel_yield(task);
  task->interruptible = false;
  return task->wait_result;
}
