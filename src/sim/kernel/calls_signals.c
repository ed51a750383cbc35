/* calls_signals.c: system calls about signals. */
#include <errno.h>
#include <poll.h>
#include <string.h>
#include <sys/signalfd.h>

#include "sim/kernel/calls.h"
#include "sim/kernel/files.h"
#include "sim/machine/clock.h"

call_function call_kill, call_tkill, call_tgkill, call_sigaltstack, call_rt_sigsuspend, call_rt_sigaction,
    call_rt_sigprocmask, call_rt_sigpending, call_rt_sigtimedwait, call_rt_sigreturn, call_rt_sigqueueinfo,
    call_rt_tgsigqueueinfo, call_signalfd4;

enum { STACK_OFF = 2, LEAST_STACK = 2048 };

static struct signal_info sent_by(const struct task *task, uint64_t number, int code) {
  return (struct signal_info){(int32_t)number, code, task->process->pid, 0};
}

int64_t call_kill(struct task *task, const uint64_t argument[6]) {
  struct process *process = find_process(kernel_of(task), (uint32_t)argument[0]);
  if (argument[1] > SIGNALS) return -EINVAL;
  if ((int32_t)argument[0] <= 0) process = task->process; /* groups have one process */
  if (!process || process->sphere != task->process->sphere) return -ESRCH;
  struct signal_info info = sent_by(task, argument[1], SI_USER);
  if (argument[1]) signal_send_process(process, &info);
  return 0;
}

static int64_t send_to_task(struct task *task, uint64_t tid, uint64_t number) {
  struct task *target = find_task(kernel_of(task), (uint32_t)tid);
  if (number > SIGNALS) return -EINVAL;
  if (!target || target->thread.sphere != task->thread.sphere) return -ESRCH;
  struct signal_info info = sent_by(task, number, SI_TKILL);
  if (number) signal_send_task(target, &info);
  return 0;
}

int64_t call_tkill(struct task *task, const uint64_t argument[6]) {
  return send_to_task(task, argument[0], argument[1]);
}

int64_t call_tgkill(struct task *task, const uint64_t argument[6]) {
  return send_to_task(task, argument[1], argument[2]);
}

int64_t call_sigaltstack(struct task *task, const uint64_t argument[6]) {
  struct {
    uint64_t start;
    int32_t flags, pad;
    uint64_t bytes;
  } new, old = {task->alternate_start, 0, 0, task->alternate_bytes};
  if (!task->alternate_bytes) old.flags = STACK_OFF;
  if (argument[0] && copy_out(task, &new, argument[0], sizeof new)) return -EFAULT;
  if (argument[1] && copy_in(task, argument[1], &old, sizeof old)) return -EFAULT;
  if (!argument[0]) return 0;
  if (!(new.flags &STACK_OFF) && new.bytes < LEAST_STACK) return -ENOMEM;
  task->alternate_start = new.start;
  task->alternate_bytes = new.flags &STACK_OFF ? 0 : new.bytes;
  return 0;
}

/* A program may tell any value with a signal, but not that the kernel sent it. */
static int64_t read_info(struct task *task, uint64_t number, uint64_t from, struct signal_info *info) {
  int32_t words[8];
  if (!number || number > SIGNALS) return -EINVAL;
  if (copy_out(task, words, from, sizeof words)) return -EFAULT;
  if (words[2] >= 0) return -EPERM;
  *info = (struct signal_info){.number = (int32_t)number, .code = words[2]};
  memcpy(&info->value, &words[4], sizeof info->value);
  memcpy(&info->more, &words[6], sizeof info->more);
  return 0;
}

int64_t call_rt_sigqueueinfo(struct task *task, const uint64_t argument[6]) {
  struct signal_info info;
  struct process *process = find_process(kernel_of(task), (uint32_t)argument[0]);
  int64_t result = read_info(task, argument[1], argument[2], &info);
  if (result) return result;
  if (!process || process->sphere != task->process->sphere) return -ESRCH;
  signal_send_process(process, &info);
  return 0;
}

int64_t call_rt_tgsigqueueinfo(struct task *task, const uint64_t argument[6]) {
  struct signal_info info;
  int64_t result = read_info(task, argument[2], argument[3], &info);
  if (result) return result;
  struct task *target =
      find_task(kernel_of(task), (uint32_t)argument[1]); /* which may have ended meanwhile */
  if (!target || target->process->pid != argument[0] || target->thread.sphere != task->thread.sphere)
    return -ESRCH;
  signal_send_task(target, &info);
  return 0;
}

int64_t call_rt_sigaction(struct task *task, const uint64_t argument[6]) {
  struct signal_action new, old;
  if (!argument[0] || argument[0] > SIGNALS || argument[3] != 8) return -EINVAL;
  if (argument[1] && (argument[0] == SIGKILL || argument[0] == SIGSTOP)) return -EINVAL;
  if (argument[1] && copy_out(task, &new, argument[1], sizeof new)) return -EFAULT;
  kernel_turn(task);
  old = task->process->actions[argument[0]];
  if (argument[1]) task->process->actions[argument[0]] = new;
  return argument[2] && copy_in(task, argument[2], &old, sizeof old) ? -EFAULT : 0;
}

int64_t call_rt_sigprocmask(struct task *task, const uint64_t argument[6]) {
  uint64_t new, old = task->blocked;
  if (argument[3] != 8) return -EINVAL;
  if (argument[1]) {
    if (copy_out(task, &new, argument[1], sizeof new)) return -EFAULT;
    new &= ~(1ull << (SIGKILL - 1) | 1ull << (SIGSTOP - 1));
    switch (argument[0]) {
      case SIG_BLOCK:
        task->blocked |= new;
        break;
      case SIG_UNBLOCK:
        task->blocked &= ~new;
        break;
      case SIG_SETMASK:
        task->blocked = new;
        break;
      default:
        return -EINVAL;
    }
  }
  return argument[2] && copy_in(task, argument[2], &old, sizeof old) ? -EFAULT : 0;
}

int64_t call_rt_sigpending(struct task *task, const uint64_t argument[6]) {
  uint64_t pending = (task->pending | task->process->pending) & task->blocked;
  return copy_in(task, argument[0], &pending, sizeof pending) ? -EFAULT : 0;
}

int64_t call_rt_sigsuspend(struct task *task, const uint64_t argument[6]) {
  uint64_t mask;
  if (copy_out(task, &mask, argument[0], sizeof mask)) return -EFAULT;
  task->saved_blocked = task->blocked;
  task->blocked = mask & ~(1ull << (SIGKILL - 1) | 1ull << (SIGSTOP - 1));
  task->restore_blocked = true;
  /* In replay the signal that ends the wait comes from the log. */
  while (task->process->sphere->mode != SPHERE_REPLAY && wait_on(task, NULL, UINT64_MAX, true) != -EINTR)
    continue;
  return -EINTR;
}

int64_t call_rt_sigtimedwait(struct task *task, const uint64_t argument[6]) {
  uint64_t set, limit = UINT64_MAX;
  struct {
    int64_t seconds, nanoseconds;
  } time;
  if (copy_out(task, &set, argument[0], sizeof set)) return -EFAULT;
  if (argument[2]) {
    if (copy_out(task, &time, argument[2], sizeof time)) return -EFAULT;
    limit = kernel_now(kernel_of(task)) +
            clock_cycles((uint64_t)time.seconds * 1000000000 + (uint64_t)time.nanoseconds);
  }
  uint64_t blocked = task->blocked;
  for (;;) {
    uint64_t ready = (task->pending | task->process->pending) & set;
    if (ready) {
      struct signal_info info;
      int number = signal_take(task, ready, &info);
      int32_t words[32] = {number, 0, info.code, 0};
      memcpy(&words[4], &info.value, 8);
      memcpy(&words[6], &info.more, 8);
      return argument[1] && copy_in(task, argument[1], words, sizeof words) ? -EFAULT : number;
    }
    task->blocked = blocked & ~set;
    int result = wait_on(task, NULL, limit, true);
    task->blocked = blocked;
    if (result == -ETIMEDOUT) return -EAGAIN;
    if (result == -EINTR && !((task->pending | task->process->pending) & set)) return -EINTR;
  }
}

int64_t call_rt_sigreturn(struct task *task, const uint64_t argument[6]) {
  (void)argument;
  if (signal_return(task)) return 0;
  process_exit(task->process, SIGSEGV);
  task->killed = true;
  return 0;
}

/* -- signalfd -------------------------------------------------------------------------------------------------------------------------- */

struct target_signalfd { /* linux/signalfd.h */
  uint32_t number;
  int32_t error, code;
  uint32_t pid, uid;
  int32_t fd;
  uint32_t tid, band, overrun, trap;
  int32_t status, value;
  uint64_t pointer, user_time, system_time, address;
  uint8_t pad[48];
};
_Static_assert(sizeof(struct target_signalfd) == 128, "as the kernel has it");

static uint64_t ready_signals(const struct task *task, const struct open_file *file) {
  return (task->pending | task->process->pending) & file->signals;
}

unsigned signalfd_ready(const struct open_file *file) {
  const struct task *task = file->kernel->current;
  return task && ready_signals(task, file) ? POLLIN : 0;
}

int64_t signalfd_read(struct task *task, struct open_file *file, void *bytes, uint64_t count) {
  struct target_signalfd *to = bytes;
  int64_t done = 0;
  if (count < sizeof *to) return -EINVAL;
  while (!ready_signals(task, file)) {
    if (file->nonblocking) return -EAGAIN;
    if (wait_on(task, &kernel_of(task)->pollers, UINT64_MAX, true) == -EINTR) return -RESTART;
  }
  for (uint64_t ready; count >= sizeof *to && (ready = ready_signals(task, file));
       count -= sizeof *to, done += sizeof *to) {
    struct signal_info info;
    int number = signal_take(task, ready, &info);
    *to++ = (struct target_signalfd){.number = (uint32_t)number,
                                     .code = info.code,
                                     .pid = (uint32_t)info.value,
                                     .uid = (uint32_t)(info.value >> 32),
                                     .status = number == SIGCHLD ? (int32_t)info.more : 0,
                                     .value = (int32_t)info.more,
                                     .pointer = info.more};
  }
  return done;
}

int64_t call_signalfd4(struct task *task, const uint64_t argument[6]) {
  uint64_t mask;
  if (argument[2] != sizeof mask) return -EINVAL;
  if (copy_out(task, &mask, argument[1], sizeof mask)) return -EFAULT;
  mask &= ~(1ull << (SIGKILL - 1) | 1ull << (SIGSTOP - 1));
  bool old = (int32_t)argument[0] != -1;
  struct open_file *file = old ? file_get(task, argument[0]) : file_new(-1);
  if (!file) return old ? -EBADF : -ENOMEM;
  if (old && !file->takes_signals) return -EINVAL;
  file->signals = mask;
  if (old) return (int64_t)argument[0];
  file->takes_signals = true;
  file->kernel = kernel_of(task);
  file->nonblocking = argument[3] & SFD_NONBLOCK;
  return file_install(task->process, file, 0, argument[3] & SFD_CLOEXEC);
}
