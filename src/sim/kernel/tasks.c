/* tasks.c: processes and tasks: made, found, put in the ready queue, freed. */
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>

#include "sim/machine/check.h"
#include "sim/kernel/files.h"
#include "sim/kernel/input_log.h"
#include "sim/kernel/kernel.h"

struct process *process_new(struct kernel *kernel, struct sphere *sphere, struct space *space,
                            uint32_t parent) {
  struct process *process = calloc(1, sizeof *process);
  CHECK(process, "no memory for a process");
  process->kernel = kernel;
  process->space = space;
  process->sphere = sphere;
  process->parent = parent;
  process->directory = AT_FDCWD;
  process->next = kernel->processes;
  return kernel->processes = process;
}

struct task *task_new(struct process *process, struct task *creator) {
  struct kernel *kernel = process->kernel;
  struct task *task = calloc(1, sizeof *task);
  CHECK(task, "no memory for a task");
  if (++kernel->tasks > MAX_TASKS) kernel_fail(kernel, 122, "more than %d threads at once", MAX_TASKS);
  task->process = process;
  task->thread.process = process;
  task->thread.sphere = process->sphere;
  task->thread.task = task;
  task->thread.reservation = FAST_NONE;
  task->state = TASK_BLOCKED;
  if (creator) task->blocked = creator->blocked;
  task->next = process->tasks;
  process->tasks = task;
  process->live++;
  return task;
}

void task_start(struct task *task) {
  input_attach(task);
  task_ready(task, kernel_now(kernel_of(task)));
}

static void forget_task(struct task *task) {
  for (struct task **link = &task->process->tasks; *link; link = &(*link)->next)
    if (*link == task) {
      *link = task->next;
      return;
    }
}

void task_free(struct task *task) {
  struct kernel *kernel = kernel_of(task);
  forget_task(task);
  kernel->tasks--;
  coroutine_release(task);
  input_detach(task);
  signals_forget(&task->queued);
  files_let_go(task);
  free(task->held);
  free(task);
}

struct process *find_process(struct kernel *kernel, uint32_t pid) {
  struct process *process = kernel->processes;
  while (process && (process->pid != pid || process->reaped)) process = process->next;
  return process;
}

struct task *find_task(struct kernel *kernel, uint32_t tid) {
  for (struct process *process = kernel->processes; process; process = process->next)
    for (struct task *task = process->tasks; task; task = task->next)
      if (task->thread.tid == tid && task->state != TASK_DEAD) return task;
  return NULL;
}

struct registers *task_registers(struct task *task) {
  return task->thread.port ? &hart_of(task)->registers : &task->thread.registers;
}

/* -- The ready queue ----------------------------------------------------------------------------------------------------------- */

void task_ready(struct task *task, uint64_t cycle) {
  struct kernel *kernel = kernel_of(task);
  CHECK(task->state == TASK_BLOCKED, "task %u is made ready in state %d", task->thread.tid, task->state);
  task->state = TASK_READY;
  task->next_ready = NULL;
  if (kernel->ready_last)
    kernel->ready_last->next_ready = task;
  else
    kernel->ready_first = task;
  kernel->ready_last = task;
  dispatch_work(kernel, cycle);
}

void thread_wake(struct thread *thread, uint64_t cycle) {
  struct task *task = task_of(thread);
  if (thread->port) {
    if (thread->port->waiting) port_wake(thread->port, cycle);
  } else if (task->at_gate && task->state == TASK_BLOCKED) {
    task->at_gate = false;
    task_ready(task, cycle);
  }
}
