/* calls.c: a system call: found in the table, performed, recorded or replayed. */
#include "sim/kernel/calls.h"

#include <errno.h>

#include "sim/kernel/files.h"
#include "sim/kernel/input_log.h"

/* Numbers of asm-generic/unistd.h, which riscv64 uses, and how replay treats them. */
/* clang-format off */
#define CALLS(X)                                                                                            \
  X(138, rt_sigqueueinfo, 0) X(240, rt_tgsigqueueinfo, 0) X(74, signalfd4, 0) X(211, sendmsg, 0) X(212, recvmsg, 0)                                                    \
  X(5, setxattr, 0) X(6, lsetxattr, 0) X(7, fsetxattr, 0) X(8, getxattr, 0) X(9, lgetxattr, 0) X(10, fgetxattr, 0)       \
  X(11, listxattr, 0) X(12, llistxattr, 0) X(13, flistxattr, 0) X(14, removexattr, 0) X(15, lremovexattr, 0)            \
  X(16, fremovexattr, 0) X(32, flock, 0) X(33, mknodat, 0) X(36, symlinkat, 0) X(37, linkat, 0) X(43, statfs, 0)        \
  X(44, fstatfs, 0) X(45, truncate, 0) X(47, fallocate, 0) X(50, fchdir, 0) X(52, fchmod, 0) X(53, fchmodat, 0)         \
  X(54, fchownat, 0) X(55, fchown, 0) X(69, preadv, 0) X(70, pwritev, 0) X(71, sendfile, 0) X(81, sync, 0)     \
  X(84, sync_file_range, 0) X(88, utimensat, 0) X(90, capget, 0) X(143, setregid, 0) X(144, setgid, 0)                  \
  X(145, setreuid, 0) X(146, setuid, 0) X(147, setresuid, 0) X(148, getresuid, 0) X(149, setresgid, 0)                  \
  X(150, getresgid, 0) X(151, setfsuid, 0) X(152, setfsgid, 0) X(159, setgroups, 0) X(164, setrlimit, 0)                \
  X(213, readahead, 0) X(223, fadvise64, 0) X(232, mincore, 0) X(267, syncfs, 0) X(279, memfd_create, 0)                \
  X(285, copy_file_range, 0) X(286, preadv2, 0) X(287, pwritev2, 0) X(436, close_range, 0)                              \
  X(17, getcwd, 0) X(19, eventfd2, 0) X(20, epoll_create1, 0) X(21, epoll_ctl, 0) X(22, epoll_pwait, 0) X(23, dup, 0) X(24, dup3, 0) X(25, fcntl, 0) X(29, ioctl, 0) X(34, mkdirat, 0)            \
  X(35, unlinkat, 0) X(46, ftruncate, 0) X(48, faccessat, 0) X(49, chdir, CALL_AGAIN) X(56, openat, 0) X(57, close, 0)                \
  X(59, pipe2, 0) X(61, getdents64, 0) X(62, lseek, 0) X(63, read, 0) X(64, write, 0) X(65, readv, 0)                    \
  X(66, writev, 0) X(67, pread64, 0) X(68, pwrite64, 0) X(72, pselect6, 0) X(73, ppoll, 0) X(78, readlinkat, 0)                        \
  X(79, newfstatat, 0) X(80, fstat, 0) X(82, fsync, 0) X(83, fdatasync, 0) X(85, timerfd_create, 0) X(86, timerfd_settime, 0) X(87, timerfd_gettime, 0) X(95, waitid, 0)                                                                      \
  X(93, exit, CALL_AGAIN | CALL_NO_RESULT) X(94, exit_group, CALL_AGAIN | CALL_NO_RESULT)                    \
  X(96, set_tid_address, CALL_AGAIN) X(98, futex, 0) X(99, set_robust_list, CALL_AGAIN)                      \
  X(101, nanosleep, 0) X(102, getitimer, 0) X(103, setitimer, 0) X(107, timer_create, 0) X(108, timer_gettime, 0) X(109, timer_getoverrun, 0) X(110, timer_settime, 0) X(111, timer_delete, 0) X(113, clock_gettime, 0) X(114, clock_getres, 0) X(115, clock_nanosleep, 0)           \
  X(118, sched_setparam, 0) X(119, sched_setscheduler, 0) X(120, sched_getscheduler, 0) X(121, sched_getparam, 0)   \
  X(125, sched_get_priority_max, 0) X(126, sched_get_priority_min, 0) X(127, sched_rr_get_interval, 0)             \
  X(140, setpriority, 0) X(141, getpriority, 0) X(154, setpgid, 0) X(155, getpgid, 0) X(156, getsid, 0)            \
  X(157, setsid, 0) X(158, getgroups, 0) X(168, getcpu, 0) X(228, mlock, 0) X(229, munlock, 0)                     \
  X(230, mlockall, 0) X(231, munlockall, 0)                                                                        \
  X(122, sched_setaffinity, 0) X(123, sched_getaffinity, 0) X(124, sched_yield, 0)                           \
  X(129, kill, 0) X(130, tkill, 0) X(131, tgkill, 0) X(132, sigaltstack, CALL_AGAIN)                         \
  X(133, rt_sigsuspend, CALL_AGAIN) X(134, rt_sigaction, CALL_AGAIN) X(135, rt_sigprocmask, CALL_AGAIN)      \
  X(136, rt_sigpending, 0) X(137, rt_sigtimedwait, 0) X(139, rt_sigreturn, CALL_AGAIN | CALL_NO_RESULT)      \
  X(153, times, 0) X(160, uname, 0) X(163, getrlimit, 0) X(165, getrusage, 0) X(166, umask, 0)               \
  X(167, prctl, 0) X(169, gettimeofday, 0) X(172, getpid, 0) X(173, getppid, 0) X(174, getuid, 0)            \
  X(175, geteuid, 0) X(176, getgid, 0) X(177, getegid, 0) X(178, gettid, 0) X(179, sysinfo, 0)               \
  X(194, shmget, 0) X(195, shmctl, 0) X(196, shmat, CALL_AGAIN) X(197, shmdt, CALL_AGAIN)                          \
  X(198, socket, 0) X(199, socketpair, 0) X(200, bind, 0) X(201, listen, 0) X(202, accept, 0) X(203, connect, 0)  \
  X(204, getsockname, 0) X(205, getpeername, 0) X(206, sendto, 0) X(207, recvfrom, 0) X(208, setsockopt, 0)        \
  X(209, getsockopt, 0) X(210, shutdown, 0)                                                                        \
  X(214, brk, CALL_AGAIN) X(215, munmap, CALL_AGAIN) X(216, mremap, CALL_AGAIN) X(220, clone, CALL_AGAIN)    \
  X(221, execve, CALL_AGAIN | CALL_NO_RESULT) X(222, mmap, CALL_AGAIN) X(226, mprotect, CALL_AGAIN)          \
  X(227, msync, 0) X(242, accept4, 0) X(233, madvise, CALL_AGAIN) X(258, riscv_hwprobe, 0) X(259, riscv_flush_icache, CALL_AGAIN) X(260, wait4, 0)       \
  X(261, prlimit64, 0) X(276, renameat2, 0) X(278, getrandom, 0) X(283, membarrier, 0)
/* clang-format on */

/* Answered as a kernel without them would: programs have another way. */
#define MISSING(X) X(100) X(293) X(435) X(439) X(291) X(437)

#define X(number, name, flags) call_function call_##name;
CALLS(X)
#undef X

static const struct call_row rows[CALL_NUMBERS] = {
#define X(number, name, flags) [number] = {#name, call_##name, flags},
    CALLS(X)
#undef X
};

static bool is_known_missing(uint64_t number) {
#define X(missing) \
  if (number == missing) return true;
  MISSING(X)
#undef X
  return false;
}

static int64_t missing(struct task *task, uint64_t number) {
  int64_t result = -ENOSYS;
  /* The recorder gave up here. */
  if (!is_known_missing(number) && input_replays(task) && task->thread.sphere->breaks_off)
    kernel_stand_still(task);
  if (!is_known_missing(number))
    kernel_fail(kernel_of(task), 122, "%s: system call %lu is not supported by the simulator's kernel",
                task->process->path, (unsigned long)number);
  input_result(task, &result);
  return result;
}

static const struct call_row *find_row(uint64_t number) {
  return number < CALL_NUMBERS && rows[number].function ? &rows[number] : NULL;
}

bool call_is_followed(uint64_t number) {
  const struct call_row *row = find_row(number);
  return row && !(row->flags & CALL_AGAIN);
}

int64_t call_follow(struct task *task) {
  int64_t result = 0;
  if (!input_follow(task, &result)) task->killed = true;
  return result;
}

int64_t system_call(struct task *task, uint64_t number, const uint64_t argument[6], bool *no_result) {
  const struct call_row *row = find_row(number);
  if (!row) return missing(task, number);
  if (input_replays(task) && call_is_followed(number)) return call_follow(task);
  int64_t result = row->function(task, argument);
  files_let_go(task);
  *no_result = row->flags & CALL_NO_RESULT && result == 0;
  if (!task->killed) input_result(task, &result);
  return result;
}
