/* calls_time.c: clocks, and queries about the system. */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

#include "sim/kernel/calls.h"
#include "sim/machine/clock.h"

call_function call_nanosleep, call_clock_gettime, call_clock_getres, call_clock_nanosleep, call_times,
    call_uname, call_getrlimit, call_getrusage, call_umask, call_gettimeofday, call_sysinfo, call_prlimit64,
    call_getrandom;

struct target_time {
  int64_t seconds, rest;
};

static uint64_t now(const struct task *task, bool realtime) {
  return clock_nanoseconds(kernel_now(kernel_of(task))) + (realtime ? CLOCK_EPOCH : 0);
}

static bool is_realtime(uint64_t clock) {
  return clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE;
}

int64_t call_clock_gettime(struct task *task, const uint64_t argument[6]) {
  uint64_t time = now(task, is_realtime(argument[0]));
  struct target_time t = {(int64_t)(time / 1000000000), (int64_t)(time % 1000000000)};
  return copy_in(task, argument[1], &t, sizeof t) ? -EFAULT : 0;
}

int64_t call_clock_getres(struct task *task, const uint64_t argument[6]) {
  struct target_time t = {0, 1};
  return argument[1] && copy_in(task, argument[1], &t, sizeof t) ? -EFAULT : 0;
}

int64_t call_gettimeofday(struct task *task, const uint64_t argument[6]) {
  uint64_t time = now(task, true);
  struct target_time t = {(int64_t)(time / 1000000000), (int64_t)(time % 1000000000 / 1000)};
  return argument[0] && copy_in(task, argument[0], &t, sizeof t) ? -EFAULT : 0;
}

static int64_t sleep_for(struct task *task, uint64_t from, bool absolute, bool realtime, uint64_t remaining) {
  struct target_time t, left = {0, 0};
  if (copy_out(task, &t, from, sizeof t)) return -EFAULT;
  if (t.seconds < 0 || t.rest < 0 || t.rest > 999999999) return -EINVAL;
  uint64_t time = (uint64_t)t.seconds * 1000000000 + (uint64_t)t.rest;
  uint64_t start = kernel_now(kernel_of(task)),
           until = absolute ? clock_cycle(time, realtime) : start + clock_cycles(time);
  if (until <= start) return 0;
  int result = wait_on(task, NULL, until, true);
  if (result != -EINTR) return 0;
  uint64_t stopped = kernel_now(kernel_of(task)),
           rest = stopped < until ? clock_nanoseconds(until - stopped) : 0;
  left = (struct target_time){(int64_t)(rest / 1000000000), (int64_t)(rest % 1000000000)};
  if (!absolute && remaining && copy_in(task, remaining, &left, sizeof left)) return -EFAULT;
  return -EINTR;
}

int64_t call_nanosleep(struct task *task, const uint64_t argument[6]) {
  return sleep_for(task, argument[0], false, false, argument[1]);
}

int64_t call_clock_nanosleep(struct task *task, const uint64_t argument[6]) {
  return sleep_for(task, argument[2], argument[1] & TIMER_ABSTIME, is_realtime(argument[0]), argument[3]);
}

int64_t call_times(struct task *task, const uint64_t argument[6]) {
  int64_t ticks = (int64_t)(now(task, false) / 10000000), t[4] = {ticks, 0, 0, 0};
  return argument[0] && copy_in(task, argument[0], t, sizeof t) ? -EFAULT : ticks;
}

int64_t call_getrusage(struct task *task, const uint64_t argument[6]) {
  int64_t usage[18] = {0};
  uint64_t time = now(task, false);
  usage[0] = (int64_t)(time / 1000000000);
  usage[1] = (int64_t)(time % 1000000000 / 1000);
  return copy_in(task, argument[1], usage, sizeof usage) ? -EFAULT : 0;
}

int64_t call_uname(struct task *task, const uint64_t argument[6]) {
  static const char *const fields[] = {"Linux", "reprise", "5.10.0", "reprise sim", "riscv64", "(none)"};
  char names[6][65] = {{0}};
  for (int i = 0; i < 6; i++) snprintf(names[i], sizeof names[i], "%s", fields[i]);
  return copy_in(task, argument[0], names, sizeof names) ? -EFAULT : 0;
}

int64_t call_sysinfo(struct task *task, const uint64_t argument[6]) {
  struct machine *machine = kernel_of(task)->machine;
  struct {
    int64_t uptime;
    uint64_t loads[3], total, free, shared, buffer, swap, swap_free;
    uint16_t processes, pad;
    uint32_t pad2;
    uint64_t high, high_free;
    uint32_t unit, pad3;
  } info = {.total = machine->ram_bytes, .free = machine->ram_bytes / 2, .unit = 1};
  info.uptime = (int64_t)(now(task, false) / 1000000000);
  return copy_in(task, argument[0], &info, sizeof info) ? -EFAULT : 0;
}

static int64_t limits(struct task *task, uint64_t resource, uint64_t to) {
  uint64_t limit[2] = {UINT64_MAX, UINT64_MAX};
  if (resource == RLIMIT_STACK) limit[0] = 8 << 20;
  if (resource == RLIMIT_NOFILE) limit[0] = limit[1] = MAX_FILES;
  return to && copy_in(task, to, limit, sizeof limit) ? -EFAULT : 0;
}

int64_t call_getrlimit(struct task *task, const uint64_t argument[6]) {
  return limits(task, argument[0], argument[1]);
}

int64_t call_prlimit64(struct task *task, const uint64_t argument[6]) {
  return limits(task, argument[1], argument[3]);
}

int64_t call_umask(struct task *task, const uint64_t argument[6]) {
  (void)task, (void)argument;
  return 022;
}

int64_t call_getrandom(struct task *task, const uint64_t argument[6]) {
  uint64_t words[32], count = argument[1] < sizeof words ? argument[1] : sizeof words;
  for (int i = 0; i < 32; i++) words[i] = machine_random(kernel_of(task)->machine);
  return copy_in(task, argument[0], words, count) ? -EFAULT : (int64_t)count;
}
