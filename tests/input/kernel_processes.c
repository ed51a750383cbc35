/* kernel_processes.c: the rows about processes, signals, time, memory and the system, tried on the kernel (trial.h). */
#include <grp.h>
#include <sched.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/timex.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <time.h>
#if defined(__x86_64__)
#include <asm/prctl.h>
#endif

#include "trial.h"

static void on_signal(int signo) {
  (void)signo;
}

/* A signal that comes while the call waits. Repeated, in case it comes before. */
static void soon(struct trial *t);
static void not_any_more(struct trial *t) {
  (void)t;
  signal(SIGALRM, SIG_IGN);
}
static void soon(struct trial *t) {
  static timer_t timer;
  static bool made;
  struct itimerspec in = {{0, 20000000}, {0, 20000000}};
  sigaction(SIGALRM, &(struct sigaction){.sa_handler = on_signal}, NULL);
  if (!made) must(timer_create(CLOCK_MONOTONIC, NULL, &timer));
  made = true;
  must(timer_settime(timer, 0, &in, NULL));
  t->expect = -EINTR;
  t->after = not_any_more;
}

/* -- Children -------------------------------------------------------------------------------------------- */

static pid_t ended_child(void) {
  pid_t pid = (pid_t)must(fork());
  if (!pid) _exit(5);
  siginfo_t info;
  must(waitid(P_PID, (id_t)pid, &info, WEXITED | WNOWAIT));
  return pid;
}

static pid_t running;
static void end_running(struct trial *t) {
  (void)t;
  kill(running, SIGKILL);
  waitpid(running, NULL, 0);
}
static pid_t running_child(struct trial *t) {
  running = (pid_t)must(fork());
  if (!running)
    for (;;) pause();
  t->after = end_running;
  return running;
}

static void wait_ended(struct trial *t) {
  CALL(t, SYS_wait4, ended_child(), place(t, 4), 0, place(t, sizeof(struct rusage)), 0, 0);
}
static void wait_running(struct trial *t) {
  CALL(t, SYS_wait4, running_child(t), place(t, 4), WNOHANG, place(t, sizeof(struct rusage)), 0, 0);
}
static void wait_none(struct trial *t) {
  t->expect = -ECHILD;
  CALL(t, SYS_wait4, -1, place(t, 4), 0, place(t, sizeof(struct rusage)), 0, 0);
}
static void waitid_ended(struct trial *t) {
  void *info = place(t, 128);
  CALL(t, SYS_waitid, P_PID, ended_child(), info, WEXITED, place(t, sizeof(struct rusage)), 0);
}
static void waitid_running(struct trial *t) {
  void *info = place(t, 128);
  CALL(t, SYS_waitid, P_PID, running_child(t), info, WEXITED | WNOHANG, place(t, sizeof(struct rusage)), 0);
}
static void waitid_none(struct trial *t) {
  t->expect = -ECHILD;
  CALL(t, SYS_waitid, P_ALL, 0, place(t, 128), WEXITED, 0, 0);
}

/* -- Identity, limits, scheduling ------------------------------------------------------------------------ */

static void ids(struct trial *t) {
  CALL(t, SYS_getresuid, place(t, 4), place(t, 4), place(t, 4), 0, 0, 0);
}
static void groups(struct trial *t) {
  CALL(t, SYS_getgroups, 100, place(t, 400), 0, 0, 0, 0);
}
static void groups_count(struct trial *t) {
  CALL(t, SYS_getgroups, 0, place(t, 400), 0, 0, 0, 0);
}
static void limit_both(struct trial *t) {
  struct rlimit limit = {0, RLIM_INFINITY};
  must(getrlimit(RLIMIT_CORE, &limit));
  t->outgoing = 16;
  CALL(t, SYS_prlimit64, 0, RLIMIT_CORE, put(t, &limit, sizeof limit), place(t, 16), 0, 0);
}
static void usage(struct trial *t) {
  CALL(t, SYS_getrusage, RUSAGE_SELF, place(t, sizeof(struct rusage)), 0, 0, 0, 0);
}
static void affinity(struct trial *t) {
  CALL(t, SYS_sched_getaffinity, 0, 256, place(t, 256), 0, 0, 0);
}
static void attributes(struct trial *t) {
  CALL(t, SYS_sched_getattr, 0, place(t, 100), 100, 0, 0, 0);
}
static void attributes_too_large(struct trial *t) {
  uint32_t attribute[64] = {256};
  attribute[60] = 1;
  t->expect = -E2BIG;
  t->outgoing = 256;
  CALL(t, SYS_sched_setattr, 0, put(t, attribute, sizeof attribute), 0, 0, 0, 0);
}
static void interval(struct trial *t) {
  CALL(t, SYS_sched_rr_get_interval, 0, place(t, 16), 0, 0, 0, 0);
}
static void parameter(struct trial *t) {
  CALL(t, SYS_sched_getparam, 0, place(t, 4), 0, 0, 0, 0);
}
static void processor(struct trial *t) {
  CALL(t, SYS_getcpu, place(t, 4), place(t, 4), 0, 0, 0, 0);
}
static void capabilities(struct trial *t) {
  uint32_t header[2] = {0x20080522, 0};
  CALL(t, SYS_capget, put(t, header, sizeof header), place(t, 24), 0, 0, 0, 0);
}
static void capabilities_unknown(struct trial *t) {
  uint32_t header[2] = {1, 0};
  t->expect = -EINVAL;
  CALL(t, SYS_capget, put(t, header, sizeof header), place(t, 24), 0, 0, 0, 0);
}
static void robust_list(struct trial *t) {
  CALL(t, SYS_get_robust_list, 0, place(t, 8), place(t, 8), 0, 0, 0);
}
static void name_get(struct trial *t) {
  CALL(t, SYS_prctl, PR_GET_NAME, place(t, 16), 0, 0, 0, 0);
}
static void name_set(struct trial *t) {
  t->outgoing = 5;
  CALL(t, SYS_prctl, PR_SET_NAME, put_string(t, "name"), 0, 0, 0, 0);
}
static void death_signal(struct trial *t) {
  CALL(t, SYS_prctl, PR_GET_PDEATHSIG, place(t, 4), 0, 0, 0, 0);
}
static void subreaper(struct trial *t) {
  CALL(t, SYS_prctl, PR_GET_CHILD_SUBREAPER, place(t, 4), 0, 0, 0, 0);
}
#if defined(__x86_64__)
static void thread_pointer(struct trial *t) {
  CALL(t, SYS_arch_prctl, ARCH_GET_FS, place(t, 8), 0, 0, 0, 0);
}
#endif

/* -- Signals --------------------------------------------------------------------------------------------- */

static void action(struct trial *t) {
  CALL(t, SYS_rt_sigaction, SIGUSR2, 0, place(t, 32), 8, 0, 0);
}
static void mask(struct trial *t) {
  uint64_t set = 0;
  t->outgoing = 8;
  CALL(t, SYS_rt_sigprocmask, SIG_BLOCK, put(t, &set, sizeof set), place(t, 8), 8, 0, 0);
}
static void pending(struct trial *t) {
  CALL(t, SYS_rt_sigpending, place(t, 8), 8, 0, 0, 0, 0);
}
static void stack(struct trial *t) {
  CALL(t, SYS_sigaltstack, 0, place(t, 24), 0, 0, 0, 0);
}
static void signal_taken(struct trial *t) {
  uint64_t set = 1UL << (SIGUSR1 - 1);
  sigset_t block;
  sigemptyset(&block);
  sigaddset(&block, SIGUSR1);
  sigprocmask(SIG_BLOCK, &block, NULL);
  raise(SIGUSR1);
  t->outgoing = 8;
  CALL(t, SYS_rt_sigtimedwait, put(t, &set, sizeof set), place(t, 128), 0, 8, 0, 0);
}
static void signal_none(struct trial *t) {
  uint64_t set = 1UL << (SIGUSR2 - 1);
  struct timespec time = {0, 1000};
  void *awaited = put(t, &set, sizeof set), *info = place(t, 128);
  t->expect = -EAGAIN;
  CALL(t, SYS_rt_sigtimedwait, awaited, info, put(t, &time, sizeof time), 8, 0, 0);
}

/* -- Time ------------------------------------------------------------------------------------------------ */

static void clock_now(struct trial *t) {
  CALL(t, SYS_clock_gettime, CLOCK_REALTIME, place(t, 16), 0, 0, 0, 0);
}
static void clock_step(struct trial *t) {
  CALL(t, SYS_clock_getres, CLOCK_MONOTONIC, place(t, 16), 0, 0, 0, 0);
}
static void time_of_day(struct trial *t) {
  CALL(t, SYS_gettimeofday, place(t, 16), place(t, 8), 0, 0, 0, 0);
}
static void sleep_whole(struct trial *t) {
  struct timespec time = {0, 1000};
  t->outgoing = 16;
  CALL(t, SYS_nanosleep, put(t, &time, sizeof time), place(t, 16), 0, 0, 0, 0);
}
static void sleep_interrupted(struct trial *t) {
  struct timespec time = {100, 0};
  soon(t);
  CALL(t, SYS_nanosleep, put(t, &time, sizeof time), place(t, 16), 0, 0, 0, 0);
}
static void clock_sleep_interrupted(struct trial *t) {
  struct timespec time = {100, 0};
  soon(t);
  CALL(t, SYS_clock_nanosleep, CLOCK_MONOTONIC, 0, put(t, &time, sizeof time), place(t, 16), 0, 0);
}
static void clock_sleep_until(struct trial *t) {
  struct timespec time = {1L << 40, 0};
  soon(t);
  CALL(t, SYS_clock_nanosleep, CLOCK_MONOTONIC, TIMER_ABSTIME, put(t, &time, sizeof time), place(t, 16), 0,
       0);
}
static void timer_interval(struct trial *t) {
  CALL(t, SYS_getitimer, ITIMER_REAL, place(t, 32), 0, 0, 0, 0);
}
static void delete_timer(struct trial *t) {
  int id;
  memcpy(&id, (const void *)t->args[2], sizeof id);
  syscall(SYS_timer_delete, id);
}
static void timer_made(struct trial *t) {
  struct sigevent event = {.sigev_notify = SIGEV_NONE};
  t->after = delete_timer;
  t->outgoing = 64;
  CALL(t, SYS_timer_create, CLOCK_MONOTONIC, put(t, &event, sizeof event), place(t, 4), 0, 0, 0);
}
static void adjustment(struct trial *t) {
  struct timex nothing = {0};
  CALL(t, SYS_adjtimex, put(t, &nothing, sizeof nothing), 0, 0, 0, 0, 0);
}
static void cpu_times(struct trial *t) {
  CALL(t, SYS_times, place(t, 32), 0, 0, 0, 0, 0);
}

/* -- Memory and the system ------------------------------------------------------------------------------- */

static void resident(struct trial *t) {
  CALL(t, SYS_mincore, t->memory, 4096 * 3 + 1, place(t, 10), 0, 0, 0);
}
static void policy(struct trial *t) {
  t->expect = ANY_RESULT;
  CALL(t, SYS_get_mempolicy, place(t, 4), place(t, 200), 1025, 0, 0, 0);
}
static void read_self(struct trial *t) {
  struct iovec local[2] = {{place(t, 10), 10}, {place(t, 10), 10}}, remote = {"sixteen bytes..", 16};
  void *into = put(t, local, sizeof local);
  CALL(t, SYS_process_vm_readv, getpid(), into, 2, put(t, &remote, sizeof remote), 1, 0);
}
static void write_self(struct trial *t) {
  struct iovec local = {put_string(t, "fifteen letters"), 16},
               remote[2] = {{place(t, 10), 10}, {place(t, 9), 9}};
  void *from = put(t, &local, sizeof local);
  CALL(t, SYS_process_vm_writev, getpid(), from, 1, put(t, remote, sizeof remote), 2, 0);
}
static void system_name(struct trial *t) {
  CALL(t, SYS_uname, place(t, 390), 0, 0, 0, 0, 0);
}
static void system_state(struct trial *t) {
  CALL(t, SYS_sysinfo, place(t, 112), 0, 0, 0, 0, 0);
}
static void modules(struct trial *t) {
  uint32_t room = 256;
  void *list = place(t, 256);
  t->expect = ANY_RESULT;
  CALL(t, 461 /* lsm_list_modules */, list, put(t, &room, sizeof room), 0, 0, 0, 0);
}
static void kernel_log(struct trial *t) {
  t->expect = ANY_RESULT;
  CALL(t, SYS_syslog, 3, place(t, 500), 500, 0, 0, 0);
}

int main(void) {
  TRY(wait_ended), TRY(wait_running), TRY(wait_none), TRY(waitid_ended), TRY(waitid_running),
      TRY(waitid_none);
  TRY(ids), TRY(groups), TRY(groups_count), TRY(limit_both), TRY(usage), TRY(affinity), TRY(attributes);
  TRY(attributes_too_large), TRY(interval), TRY(parameter), TRY(processor), TRY(capabilities);
  TRY(capabilities_unknown), TRY(robust_list), TRY(name_get), TRY(name_set), TRY(death_signal),
      TRY(subreaper);
#if defined(__x86_64__)
  TRY(thread_pointer);
#endif
  TRY(action), TRY(mask), TRY(pending), TRY(stack), TRY(signal_taken), TRY(signal_none);
  TRY(clock_now), TRY(clock_step), TRY(time_of_day), TRY(sleep_whole), TRY(sleep_interrupted);
  TRY(clock_sleep_interrupted), TRY(clock_sleep_until), TRY(timer_interval), TRY(timer_made), TRY(adjustment);
  TRY(cpu_times), TRY(resident), TRY(policy), TRY(read_self), TRY(write_self), TRY(system_name);
  TRY(system_state), TRY(modules), TRY(kernel_log);
  return trial_end();
}
