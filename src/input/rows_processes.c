/* rows_processes.c: threads, processes, their identity, scheduling and limits.
 *
 * Creation and end happen again in replay, with the ids of the recording; all other results come from the log. */
#include <linux/resource.h>

#include "input/row.h"

enum { RUSAGE = sizeof(struct rusage), RLIMIT = 16, TIMESPEC = 16, SCHED_PARAM = 4 };

static const struct input_row rows[] = {
    ROW_WALK(clone3, EXECUTE, walk_clone3, POINTER, VALUE),
    /* Which of the last two is the child's word and which its thread pointer differs between architectures. */
    ROW_WALK(clone, EXECUTE, walk_clone, VALUE, ADDRESS, POINTER, ADDRESS, ADDRESS),
    ROW_WALK(execve, EXECUTE, walk_execve, PATH, POINTER, POINTER),
    ROW_WALK(execveat, EXECUTE, walk_execveat, FOLDER, PATH, POINTER, POINTER, VALUE),
    ROW(exit, EXECUTE, VALUE),
    ROW(exit_group, EXECUTE, VALUE),
    ROW(set_tid_address, EXECUTE, ADDRESS),
    ROW(set_robust_list, VIRTUAL, ADDRESS, VALUE),
    ROW(get_robust_list, EMULATE, VALUE, OUT(8), OUT(8)),
    ROW(wait4, EMULATE, VALUE, OUT_FLAGS(4, NOT_ON_ZERO), VALUE, OUT_FLAGS(RUSAGE, NOT_ON_ZERO)),
    ROW_WALK(waitid, EMULATE, walk_waitid, VALUE, VALUE, POINTER, VALUE, POINTER),
    ROW(unshare, EMULATE, VALUE),
    ROW(setns, EMULATE, FD, VALUE),
    ROW(personality, EMULATE, VALUE),
    ROW_WALK(prctl, EMULATE | AT_ONCE, walk_prctl, VALUE, POINTER, POINTER, POINTER, POINTER),
    ROW_WALK(seccomp, EMULATE, walk_seccomp, VALUE, VALUE, POINTER),
    ROW(kcmp, EMULATE, VALUE, VALUE, VALUE, FD, FD),
    ROW(getpid, EMULATE | AT_ONCE | QUICK),
    ROW(gettid, EMULATE | AT_ONCE | QUICK),
    ROW(getppid, EMULATE | AT_ONCE),
    ROW(getpgid, EMULATE | AT_ONCE, VALUE),
    ROW(setpgid, EMULATE, VALUE, VALUE),
    ROW(getsid, EMULATE | AT_ONCE, VALUE),
    ROW(setsid, EMULATE),
    ROW(getuid, EMULATE | AT_ONCE | QUICK),
    ROW(getgid, EMULATE | AT_ONCE),
    ROW(geteuid, EMULATE | AT_ONCE),
    ROW(getegid, EMULATE | AT_ONCE),
    ROW(setuid, EMULATE, VALUE),
    ROW(setgid, EMULATE, VALUE),
    ROW(setreuid, EMULATE, VALUE, VALUE),
    ROW(setregid, EMULATE, VALUE, VALUE),
    ROW(setresuid, EMULATE, VALUE, VALUE, VALUE),
    ROW(setresgid, EMULATE, VALUE, VALUE, VALUE),
    ROW(getresuid, EMULATE | AT_ONCE, OUT(4), OUT(4), OUT(4)),
    ROW(getresgid, EMULATE | AT_ONCE, OUT(4), OUT(4), OUT(4)),
    ROW(setfsuid, EMULATE, VALUE),
    ROW(setfsgid, EMULATE, VALUE),
    ROW(getgroups, EMULATE | AT_ONCE, VALUE, OUT_RESULT_32(0, 4)),
    ROW(setgroups, EMULATE, VALUE, IN_COUNT(0, 4)),
    ROW_WALK(capget, EMULATE, walk_capget, POINTER, POINTER),
    ROW_WALK(capset, EMULATE, walk_capset, POINTER, POINTER),
    ROW(getpriority, EMULATE, VALUE, VALUE),
    ROW(setpriority, EMULATE, VALUE, VALUE, VALUE),
    ROW(ioprio_get, EMULATE, VALUE, VALUE),
    ROW(ioprio_set, EMULATE, VALUE, VALUE, VALUE),
    ROW(getrlimit, EMULATE | AT_ONCE, VALUE, OUT(RLIMIT)),
    ROW(setrlimit, EMULATE | AT_ONCE, VALUE, IN(RLIMIT)),
    ROW(prlimit64, EMULATE | AT_ONCE, VALUE, VALUE, IN(RLIMIT), OUT(RLIMIT)),
    ROW(getrusage, EMULATE | AT_ONCE, VALUE, OUT(RUSAGE)),
    ROW(sched_yield, EMULATE),
    ROW(sched_getparam, EMULATE | AT_ONCE, VALUE, OUT(SCHED_PARAM)),
    ROW(sched_setparam, EMULATE, VALUE, IN(SCHED_PARAM)),
    ROW(sched_getscheduler, EMULATE | AT_ONCE, VALUE),
    ROW(sched_setscheduler, EMULATE, VALUE, VALUE, IN(SCHED_PARAM)),
    ROW(sched_get_priority_max, EMULATE, VALUE),
    ROW(sched_get_priority_min, EMULATE, VALUE),
    ROW(sched_rr_get_interval, EMULATE, VALUE, OUT(TIMESPEC)),
    ROW(sched_getaffinity, EMULATE | AT_ONCE, VALUE, VALUE, OUT_RESULT_32(1, 1)),
    ROW(sched_setaffinity, EMULATE | AT_ONCE, VALUE, VALUE, IN_COUNT_32(1, 1)),
    ROW(sched_getattr, EMULATE, VALUE, OUT_COUNT(2, 1, MAYBE | COUNT_32), VALUE, VALUE),
    ROW_WALK(sched_setattr, EMULATE, walk_sched_setattr, VALUE, POINTER, VALUE),
    ROW(getcpu, EMULATE | AT_ONCE, OUT(4), OUT(4), ADDRESS),
    ROW(pidfd_open, EMULATE, VALUE, VALUE),
    ROW(pidfd_getfd, EMULATE, FD, FD, VALUE),
    ROW(landlock_create_ruleset, EMULATE, IN_COUNT(1, 1), VALUE, VALUE),
    ROW_WALK(landlock_add_rule, EMULATE, walk_landlock_rule, FD, VALUE, POINTER, VALUE),
    ROW(landlock_restrict_self, EMULATE, FD, VALUE),
    ROW_WALK(lsm_get_self_attr, EMULATE, walk_lsm, VALUE, POINTER, POINTER, VALUE),
    ROW(lsm_set_self_attr, EMULATE, VALUE, IN_COUNT(2, 1), VALUE, VALUE),
    ROW_WALK(lsm_list_modules, EMULATE, walk_lsm, POINTER, POINTER, VALUE),
#ifdef __NR_fork /* the old calls, which newer architectures never had */
    ROW(fork, EXECUTE),
    ROW(vfork, EXECUTE),
    ROW(getpgrp, EMULATE | AT_ONCE),
#endif
#if defined(__x86_64__)
    ROW_WALK(arch_prctl, EXECUTE, walk_arch_prctl, VALUE, POINTER),
#endif
};

INPUT_GROUP(processes);
