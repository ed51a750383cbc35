/* exit.c: the end of tasks and processes. */
#include <errno.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <stdlib.h>
#include <string.h>

#include "sim/kernel/files.h"
#include "sim/kernel/input_log.h"
#include "sim/kernel/mapped_files.h"
#include "sim/kernel/kernel.h"
#include "sim/kernel/shared_memory.h"
#include "sim/kernel/timers.h"

void process_kill_others(struct process *process, const struct task *survivor) {
  for (struct task *task = process->tasks; task; task = task->next) {
    if (task == survivor || task->killed || task->state == TASK_DEAD) continue;
    task->killed = task->killed_by_other = true;
    if (task->state == TASK_BLOCKED && task->in_kernel && !task->at_gate) wake_one(task, -EINTR);
    if (task->thread.port) hart_interrupt(hart_of(task));
  }
}

void process_exit(struct process *process, int status) {
  if (process->exiting) return;
  process->exiting = true;
  process->status = status;
  /* In replay each thread ends where it ended in the recording. */
  if (process->sphere->mode != SPHERE_REPLAY) process_kill_others(process, process->kernel->current);
}

/* pthread_join waits for this word. */
static void clear_tid_word(struct task *task) {
  const uint32_t zero = 0;
  bool wanted = input_replays(task) ? input_expects_in(task) : task->clear_tid && !task->process->exiting;
  if (!wanted || copy_in(task, task->clear_tid, &zero, sizeof zero)) return;
  if (!input_replays(task)) futex_wake(task, task->clear_tid, 1, UINT32_MAX);
}

/* The list of mutexes that a thread holds, of linux/futex.h. */
struct target_robust_list {
  uint64_t first;
  int64_t offset; /* from an entry to its futex */
  uint64_t pending;
};
enum { MOST_MUTEXES = 2048 };

/* Others learn that its owner has died. One that sets the waiters' bit meanwhile is woken all the same. */
static bool leave_mutex(struct task *task, uint64_t address, bool pending) {
  uint32_t word;
  if (copy_out(task, &word, address, sizeof word)) return false;
  bool own = (word & FUTEX_TID_MASK) == task->thread.tid;
  word = (word & FUTEX_WAITERS) | FUTEX_OWNER_DIED;
  if (own && copy_in(task, address, &word, sizeof word)) return false;
  if ((own || pending) && !input_replays(task)) futex_wake(task, address, 1, UINT32_MAX);
  return true;
}

/* The thread's memory is what the recording had, so a replay finds the same mutexes. */
static void leave_mutexes(struct task *task) {
  struct target_robust_list list;
  if (!task->robust_list || copy_out(task, &list, task->robust_list, sizeof list)) return;
  uint64_t entry = list.first;
  for (int n = 0; n < MOST_MUTEXES && entry != task->robust_list; n++) {
    uint64_t address = entry & ~1ull, next;
    if (copy_out(task, &next, address, sizeof next)) return;
    if (address != (list.pending & ~1ull) && !leave_mutex(task, address + (uint64_t)list.offset, false))
      return;
    entry = next;
  }
  if (list.pending) leave_mutex(task, (list.pending & ~1ull) + (uint64_t)list.offset, true);
}

static void tell_parent(struct process *process) {
  struct process *parent = find_process(process->kernel, process->parent);
  struct signal_info info = {SIGCHLD, CLD_EXITED, process->pid, (uint64_t)(process->status >> 8)};
  if (!parent || parent->zombie) {
    process->reaped = true;
    return;
  }
  wake_queue(&parent->children, UINT32_MAX, 0);
  if (parent->sphere->mode != SPHERE_REPLAY) signal_send_process(parent, &info);
}

void process_end_vfork(struct task *task) {
  struct process *process = task->process;
  if (!process->vforked || process->vfork_over) return;
  if (!task->killed_by_other) copy_in(task, KERNEL_PAGE, &process->pid, sizeof process->pid);
  process->vfork_over = true;
  wake_queue(&process->vfork_parent, 1, 0);
}

static void end_process(struct process *process) {
  process->zombie = true;
  timers_free(process, true);
  files_close_all(process, false);
  directory_enter(process, AT_FDCWD);
  tell_parent(process);
}

void task_exit(struct task *task) {
  struct process *process = task->process;
  bool killed = task->killed_by_other || (input_replays(task) && input_killed_due(task));
  if (!killed) leave_mutexes(task);
  if (task->killed_by_other)
    input_killed(task);
  else if (!process->exiting)
    clear_tid_word(task);
  if (process->live == 1) process_end_vfork(task);
  task->killed = true;
  kernel_of(task)->count.instructions += task->thread.port->position;
  process->sphere->instructions += task->thread.port->position;
  digest_task(task);
  if (--process->live == 0) {
    end_process(process);
    digest_space(process);
    if (process->kernel->ending) process->kernel->ending(process);
    task_leave(task, LEAVE_EXIT);
    shared_memory_leave(process->kernel, process->space);
    space_release(process->space);
    process->space = NULL;
    mapped_files_settle(process->kernel);
  } else {
    task_leave(task, LEAVE_EXIT);
  }
  kernel_yield(task);
  abort();
}
