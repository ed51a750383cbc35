/* calls_scheduling.c: what programs ask and tell the kernel about their scheduling, and about process groups and locked memory. Every thread has the usual policy and priority, every
 * process is a group and a session of its own, and all memory is resident: what would change that is refused as an ordinary user is refused. */
#include <errno.h>
#include <sched.h>

#include "sim/kernel/calls.h"
#include "sim/machine/clock.h"

call_function call_sched_setparam, call_sched_setscheduler, call_sched_getscheduler, call_sched_getparam,
    call_sched_get_priority_max, call_sched_get_priority_min, call_sched_rr_get_interval, call_setpriority,
    call_getpriority, call_setpgid, call_getpgid, call_getsid, call_setsid, call_getgroups, call_getcpu,
    call_mlock, call_munlock, call_mlockall, call_munlockall, call_mincore;

enum { NICE_ZERO = 20, NICE_MOST = 19 }; /* as getpriority tells nice 0; the highest nice value */

static bool is_real_time(uint64_t policy) {
  return policy == SCHED_FIFO || policy == SCHED_RR;
}

static bool is_usual(uint64_t policy) {
  return policy == SCHED_OTHER || policy == SCHED_BATCH || policy == SCHED_IDLE;
}

static bool has_task(const struct task *task, uint64_t tid) {
  const struct task *found = tid ? find_task(kernel_of(task), (uint32_t)tid) : task;
  return found && found->thread.sphere == task->thread.sphere;
}

static bool has_process(const struct task *task, uint64_t pid) {
  const struct process *found = pid ? find_process(kernel_of(task), (uint32_t)pid) : task->process;
  return found && found->sphere == task->process->sphere;
}

/* -- Policies and priorities ---------------------------------------------------------------------------------------------------------------- */

static int64_t set_priority(struct task *task, uint64_t tid, uint64_t from) {
  int32_t priority;
  if (!has_task(task, tid)) return -ESRCH;
  if (copy_out(task, &priority, from, sizeof priority)) return -EFAULT;
  return priority ? -EINVAL : 0;
}

int64_t call_sched_setparam(struct task *task, const uint64_t argument[6]) {
  return set_priority(task, argument[0], argument[1]);
}

int64_t call_sched_setscheduler(struct task *task, const uint64_t argument[6]) {
  if (is_real_time(argument[1])) return -EPERM;
  return is_usual(argument[1]) ? set_priority(task, argument[0], argument[2]) : -EINVAL;
}

int64_t call_sched_getscheduler(struct task *task, const uint64_t argument[6]) {
  return has_task(task, argument[0]) ? SCHED_OTHER : -ESRCH;
}

int64_t call_sched_getparam(struct task *task, const uint64_t argument[6]) {
  int32_t priority = 0;
  if (!has_task(task, argument[0])) return -ESRCH;
  return copy_in(task, argument[1], &priority, sizeof priority) ? -EFAULT : 0;
}

int64_t call_sched_get_priority_max(struct task *task, const uint64_t argument[6]) {
  (void)task;
  return is_real_time(argument[0]) ? 99 : is_usual(argument[0]) ? 0 : -EINVAL;
}

int64_t call_sched_get_priority_min(struct task *task, const uint64_t argument[6]) {
  (void)task;
  return is_real_time(argument[0]) ? 1 : is_usual(argument[0]) ? 0 : -EINVAL;
}

int64_t call_sched_rr_get_interval(struct task *task, const uint64_t argument[6]) {
  uint64_t slice = clock_nanoseconds(kernel_of(task)->machine->config.slice_cycles);
  int64_t time[2] = {(int64_t)(slice / 1000000000), (int64_t)(slice % 1000000000)};
  if (!has_task(task, argument[0])) return -ESRCH;
  return copy_in(task, argument[1], time, sizeof time) ? -EFAULT : 0;
}

int64_t call_setpriority(struct task *task, const uint64_t argument[6]) {
  (void)task;
  int32_t nice = (int32_t)argument[2];
  return argument[0] > 2 ? -EINVAL : nice < 0 ? -EACCES : nice > NICE_MOST ? -EINVAL : 0;
}

int64_t call_getpriority(struct task *task, const uint64_t argument[6]) {
  (void)task;
  return argument[0] > 2 ? -EINVAL : NICE_ZERO;
}

int64_t call_getcpu(struct task *task, const uint64_t argument[6]) {
  uint32_t hart = task->thread.port->number, node = 0;
  if (argument[0] && copy_in(task, argument[0], &hart, sizeof hart)) return -EFAULT;
  return argument[1] && copy_in(task, argument[1], &node, sizeof node) ? -EFAULT : 0;
}

/* -- Groups of processes -------------------------------------------------------------------------------------------------------------------- */

static int64_t group_of(const struct task *task, uint64_t pid) {
  return has_process(task, pid) ? (int64_t)(pid ? pid : task->process->pid) : -ESRCH;
}

int64_t call_setpgid(struct task *task, const uint64_t argument[6]) {
  int64_t own = group_of(task, argument[0]);
  return own < 0 ? own : !argument[1] || argument[1] == (uint64_t)own ? 0 : -EPERM;
}

int64_t call_getpgid(struct task *task, const uint64_t argument[6]) {
  return group_of(task, argument[0]);
}

int64_t call_getsid(struct task *task, const uint64_t argument[6]) {
  return group_of(task, argument[0]);
}

int64_t call_setsid(struct task *task, const uint64_t argument[6]) {
  (void)argument;
  return task->process->pid;
}

int64_t call_getgroups(struct task *task, const uint64_t argument[6]) {
  (void)task, (void)argument;
  return 0;
}

/* -- Locked memory ---------------------------------------------------------------------------------------------------------------------------- */

int64_t call_mlock(struct task *task, const uint64_t argument[6]) {
  return space_is_mapped(task->process->space, argument[0], argument[1]) ? 0 : -ENOMEM;
}

int64_t call_munlock(struct task *task, const uint64_t argument[6]) {
  return call_mlock(task, argument);
}

int64_t call_mlockall(struct task *task, const uint64_t argument[6]) {
  (void)task, (void)argument;
  return 0;
}

int64_t call_munlockall(struct task *task, const uint64_t argument[6]) {
  (void)task, (void)argument;
  return 0;
}

/* All that is mapped is resident. */
int64_t call_mincore(struct task *task, const uint64_t argument[6]) {
  uint64_t pages = (argument[1] + PAGE_BYTES - 1) / PAGE_BYTES;
  const uint8_t resident = 1;
  if (argument[0] % PAGE_BYTES) return -EINVAL;
  if (!space_is_mapped(task->process->space, argument[0], pages * PAGE_BYTES)) return -ENOMEM;
  for (uint64_t n = 0; n < pages; n++)
    if (copy_in(task, argument[2] + n, &resident, sizeof resident)) return -EFAULT;
  return 0;
}
