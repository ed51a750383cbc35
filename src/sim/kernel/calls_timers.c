/* calls_timers.c: alarms, timers and timerfd. A timer is the kernel's; its event looks it up by its number, since it may be gone by then. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/time.h>
#include <sys/timerfd.h>
#include <time.h>

#include "sim/kernel/calls.h"
#include "sim/kernel/files.h"
#include "sim/kernel/timers.h"
#include "sim/machine/clock.h"

call_function call_getitimer, call_setitimer, call_timer_create, call_timer_settime, call_timer_gettime,
    call_timer_getoverrun, call_timer_delete, call_timerfd_create, call_timerfd_settime, call_timerfd_gettime;

enum { ALARM = UINT32_MAX }; /* the name of a process's alarm */

/* -- Timers --------------------------------------------------------------------------------------------------------------------------------- */

static struct timer *timer_new(struct kernel *kernel) {
  struct timer *timer = calloc(1, sizeof *timer);
  if (!timer) return NULL;
  timer->number = kernel->next_timer++;
  timer->next = kernel->timers;
  kernel->timers = timer;
  return timer;
}

void timer_free(struct kernel *kernel, struct timer *timer) {
  struct timer **link = &kernel->timers;
  while (*link != timer) link = &(*link)->next;
  *link = timer->next;
  free(timer);
}

void timers_free(struct process *process, bool alarm_too) {
  for (struct timer *timer = process->kernel->timers, *next; timer; timer = next) {
    next = timer->next;
    if (timer->process == process && (alarm_too || timer->name != ALARM)) timer_free(process->kernel, timer);
  }
}

static struct timer *find_timer(const struct process *process, uint64_t name) {
  for (struct timer *timer = process->kernel->timers; timer; timer = timer->next)
    if (timer->process == process && timer->name == name) return timer;
  return NULL;
}

static void send(struct kernel *kernel, struct timer *timer) {
  uint64_t bit = UINT64_C(1) << (timer->info.number - 1);
  struct task *task = timer->tid ? find_task(kernel, timer->tid) : NULL;
  if (timer->tid && !task) return;
  bool pending = (task ? task->pending : timer->process->pending) & bit;
  timer->overruns = pending ? timer->overruns + 1 : 0;
  if (pending) return;
  if (task)
    signal_send_task(task, &timer->info);
  else
    signal_send_process(timer->process, &timer->info);
}

static void schedule(struct kernel *kernel, struct timer *timer);

static void rings(struct machine *machine, void *object, uint64_t argument) {
  struct kernel *kernel = machine->kernel;
  struct timer *timer = kernel->timers;
  (void)object;
  while (timer && timer->number != (uint32_t)argument) timer = timer->next;
  if (!timer || timer->setting != argument >> 32) return;
  timer->due = timer->period ? timer->due + timer->period : 0;
  schedule(kernel, timer);
  if (timer->file)
    file_raise(timer->file);
  else if (timer->info.number && !timer->process->zombie)
    send(kernel, timer);
}

static void schedule(struct kernel *kernel, struct timer *timer) {
  timer->setting++;
  if (timer->due)
    machine_at(kernel->machine, timer->due, rings, NULL, (uint64_t)timer->setting << 32 | timer->number);
}

static uint64_t left(const struct task *task, const struct timer *timer) {
  uint64_t now = kernel_now(kernel_of(task));
  return !timer->due ? 0 : timer->due > now ? timer->due - now : 1;
}

/* -- setitimer and alarm -------------------------------------------------------------------------------------------------------------------- */

struct target_alarm {
  int64_t period[2], value[2]; /* seconds, microseconds */
};

static void put_microseconds(uint64_t cycles, int64_t out[2]) {
  uint64_t microseconds = (clock_nanoseconds(cycles) + 999) / 1000;
  out[0] = (int64_t)(microseconds / 1000000);
  out[1] = (int64_t)(microseconds % 1000000);
}

static uint64_t get_microseconds(const int64_t in[2]) {
  return clock_cycles((uint64_t)in[0] * 1000000000 + (uint64_t)in[1] * 1000);
}

static int64_t refuse_own_time(struct task *task) {
  kernel_fail(kernel_of(task), 122,
              "%s: timers of a process's own time are not supported by the simulator's kernel",
              task->process->path);
  return -EINVAL;
}

int64_t call_getitimer(struct task *task, const uint64_t argument[6]) {
  const struct timer *timer = find_timer(task->process, ALARM);
  struct target_alarm alarm = {{0}, {0}};
  if (argument[0] != ITIMER_REAL) return -EINVAL;
  if (timer) {
    put_microseconds(timer->period, alarm.period);
    put_microseconds(left(task, timer), alarm.value);
  }
  return argument[1] && copy_in(task, argument[1], &alarm, sizeof alarm) ? -EFAULT : 0;
}

static struct timer *alarm_of(struct process *process) {
  struct timer *timer = find_timer(process, ALARM);
  if (timer || !(timer = timer_new(process->kernel))) return timer;
  timer->process = process;
  timer->name = ALARM;
  timer->info = (struct signal_info){SIGALRM, SI_KERNEL, 0, 0};
  return timer;
}

int64_t call_setitimer(struct task *task, const uint64_t argument[6]) {
  struct target_alarm alarm;
  if (argument[0] != ITIMER_REAL) return refuse_own_time(task);
  if (copy_out(task, &alarm, argument[1], sizeof alarm)) return -EFAULT;
  if (alarm.value[1] < 0 || alarm.value[1] > 999999 || alarm.period[1] < 0 || alarm.period[1] > 999999)
    return -EINVAL;
  const uint64_t old[6] = {ITIMER_REAL, argument[2]};
  int64_t result = argument[2] ? call_getitimer(task, old) : 0;
  if (result) return result;
  struct timer *timer = alarm_of(task->process);
  if (!timer) return -ENOMEM;
  uint64_t first = get_microseconds(alarm.value);
  timer->period = get_microseconds(alarm.period);
  timer->due = first ? kernel_now(kernel_of(task)) + first : 0;
  schedule(kernel_of(task), timer);
  return 0;
}

/* -- What timer_settime and timerfd_settime have in common ---------------------------------------------------------------------------------- */

struct target_setting {
  int64_t period[2], value[2]; /* seconds, nanoseconds */
};

static bool is_time(const int64_t time[2]) {
  return time[0] >= 0 && time[1] >= 0 && time[1] <= 999999999;
}

static uint64_t nanoseconds(const int64_t time[2]) {
  return (uint64_t)time[0] * 1000000000 + (uint64_t)time[1];
}

static void put_nanoseconds(uint64_t cycles, int64_t out[2]) {
  uint64_t time = cycles ? (cycles + 2) / 3 : 0;
  out[0] = (int64_t)(time / 1000000000);
  out[1] = (int64_t)(time % 1000000000);
}

static struct target_setting setting_of(const struct task *task, const struct timer *timer) {
  struct target_setting setting = {0};
  put_nanoseconds(timer->period, setting.period);
  put_nanoseconds(left(task, timer), setting.value);
  return setting;
}

static int64_t get_setting(struct task *task, const struct timer *timer, uint64_t to) {
  struct target_setting setting = setting_of(task, timer);
  return copy_in(task, to, &setting, sizeof setting) ? -EFAULT : 0;
}

static int64_t read_setting(struct task *task, uint64_t from, struct target_setting *setting) {
  if (copy_out(task, setting, from, sizeof *setting)) return -EFAULT;
  return is_time(setting->period) && is_time(setting->value) ? 0 : -EINVAL;
}

/* old: where the program wants what was set before, or 0. The timer may be gone while that is stored. */
static int64_t set(struct task *task, struct timer *timer, bool absolute,
                   const struct target_setting *setting, uint64_t old) {
  struct target_setting before = setting_of(task, timer);
  uint64_t time = nanoseconds(setting->value), now = kernel_now(kernel_of(task));
  timer->period = clock_cycles(nanoseconds(setting->period));
  timer->due = !time ? 0 : absolute ? clock_cycle(time, timer->realtime) : now + clock_cycles(time);
  if (time && timer->due < now) timer->due = now;
  timer->overruns = 0;
  schedule(kernel_of(task), timer);
  return old && copy_in(task, old, &before, sizeof before) ? -EFAULT : 0;
}

static bool is_known_clock(uint64_t clock) {
  return clock == CLOCK_REALTIME || clock == CLOCK_MONOTONIC || clock == CLOCK_BOOTTIME;
}

/* -- POSIX timers ----------------------------------------------------------------------------------------------------------------------------- */

struct target_sigevent {
  uint64_t value;
  int32_t number, notify, tid, unused[11];
};
enum { NOTIFY_SIGNAL = 0, NOTIFY_NONE = 1, NOTIFY_TASK = 4 };

static int64_t set_event(struct task *task, struct timer *timer, const struct target_sigevent *given) {
  struct target_sigevent event = {.value = timer->name, .number = SIGALRM, .notify = NOTIFY_SIGNAL};
  if (given) event = *given;
  if (event.notify != NOTIFY_SIGNAL && event.notify != NOTIFY_NONE && event.notify != NOTIFY_TASK)
    return -EINVAL;
  if (event.notify == NOTIFY_NONE) return 0;
  const struct task *target =
      event.notify == NOTIFY_TASK ? find_task(kernel_of(task), (uint32_t)event.tid) : task;
  if (event.number < 1 || event.number > SIGNALS || !target || target->process != task->process)
    return -EINVAL;
  timer->info = (struct signal_info){event.number, SI_TIMER, timer->name, event.value};
  timer->tid = event.notify == NOTIFY_TASK ? (uint32_t)event.tid : 0;
  return 0;
}

int64_t call_timer_create(struct task *task, const uint64_t argument[6]) {
  struct process *process = task->process;
  struct target_sigevent event;
  if (!is_known_clock(argument[0])) return refuse_own_time(task);
  if (argument[1] && copy_out(task, &event, argument[1], sizeof event)) return -EFAULT;
  struct timer *timer = timer_new(process->kernel);
  if (!timer) return -ENOMEM;
  timer->process = process;
  timer->name = process->next_timer++;
  timer->realtime = argument[0] == CLOCK_REALTIME;
  int32_t name = (int32_t)timer->name;
  int64_t result = set_event(task, timer, argument[1] ? &event : NULL);
  if (!result && copy_in(task, argument[2], &name, sizeof name)) result = -EFAULT;
  timer = result ? find_timer(process, (uint32_t)name) : NULL; /* another thread may have deleted it */
  if (timer) timer_free(process->kernel, timer);
  return result;
}

int64_t call_timer_settime(struct task *task, const uint64_t argument[6]) {
  struct target_setting setting;
  int64_t result = read_setting(task, argument[2], &setting);
  if (result) return result;
  struct timer *timer = find_timer(task->process, (uint32_t)argument[0]);
  return timer ? set(task, timer, argument[1] & TIMER_ABSTIME, &setting, argument[3]) : -EINVAL;
}

int64_t call_timer_gettime(struct task *task, const uint64_t argument[6]) {
  const struct timer *timer = find_timer(task->process, (uint32_t)argument[0]);
  return timer ? get_setting(task, timer, argument[1]) : -EINVAL;
}

int64_t call_timer_getoverrun(struct task *task, const uint64_t argument[6]) {
  const struct timer *timer = find_timer(task->process, (uint32_t)argument[0]);
  return timer ? (int64_t)timer->overruns : -EINVAL;
}

int64_t call_timer_delete(struct task *task, const uint64_t argument[6]) {
  struct timer *timer = find_timer(task->process, (uint32_t)argument[0]);
  if (!timer || timer->name == ALARM) return -EINVAL;
  timer_free(kernel_of(task), timer);
  return 0;
}

/* -- timerfd -------------------------------------------------------------------------------------------------------------------------------- */

int64_t call_timerfd_create(struct task *task, const uint64_t argument[6]) {
  struct kernel *kernel = kernel_of(task);
  if (!is_known_clock(argument[0])) return -EINVAL;
  struct open_file *file = file_make_counter(kernel, 0, false);
  if (!file) return -ENOMEM;
  if (!(file->timer = timer_new(kernel))) {
    file_release(file);
    return -ENOMEM;
  }
  file->timer->file = file;
  file->timer->realtime = argument[0] == CLOCK_REALTIME;
  file->nonblocking = argument[1] & TFD_NONBLOCK;
  return file_install(task->process, file, 0, argument[1] & TFD_CLOEXEC);
}

static struct timer *timer_at(struct task *task, uint64_t descriptor, int64_t *error) {
  const struct open_file *file = file_get(task, descriptor);
  *error = file ? -EINVAL : -EBADF;
  return file ? file->timer : NULL;
}

int64_t call_timerfd_settime(struct task *task, const uint64_t argument[6]) {
  int64_t result;
  struct target_setting setting;
  struct timer *timer = timer_at(task, argument[0], &result);
  if (timer) result = read_setting(task, argument[2], &setting);
  if (!timer || result) return result;
  timer->file->counter->value = 0;
  return set(task, timer, argument[1] & TFD_TIMER_ABSTIME, &setting, argument[3]);
}

int64_t call_timerfd_gettime(struct task *task, const uint64_t argument[6]) {
  int64_t result;
  const struct timer *timer = timer_at(task, argument[0], &result);
  return timer ? get_setting(task, timer, argument[1]) : result;
}
