/* descriptors.c: keeps the engine's descriptors out of the application's reach. See descriptors.h.
 *
 * One table says which arguments of which calls are descriptors; a reserved one is answered with EBADF, as any
 * that is not open. /proc, which lists them, is listing.c's business.
 *
 * Known limits. dup2 onto one of the reserved numbers fails with EBADF. Reserved numbers inside the arrays and messages of
 * poll, select and sendmsg are not looked for: only a program that guesses numbers it has never opened would put them there. */
#include "engine/descriptors.h"

#include <linux/close_range.h>
#include <linux/fcntl.h>
#include <linux/mman.h>
#include <linux/resource.h>

#include "engine/lib.h"

int descriptor_of_program = -1;

void descriptor_keep_program(int fd) {
  descriptor_of_program = engine_fd + FD_PROGRAM;
  if (!descriptor_reserve(fd, FD_PROGRAM)) return;
  descriptor_of_program = fd;
  os_call3(__NR_fcntl, fd, F_SETFD, FD_CLOEXEC);
}

long descriptor_reserve(int fd, int which) {
  int target = engine_fd + which;
  if (fd == target) return os_call3(__NR_fcntl, fd, F_SETFD, which == FD_PROGRAM ? FD_CLOEXEC : 0);
  int flags = which == FD_PROGRAM ? O_CLOEXEC : 0;
  long result = os_call3(__NR_dup3, fd, target, flags);
  struct rlimit64 limit, higher;
  if (result == -EBADF && !os_call4(__NR_prlimit64, 0, RLIMIT_NOFILE, 0, &limit)) {
    /* Beyond the limit, which may be raised for a moment. */
    higher = (struct rlimit64){(uint64_t)target + 1, MAX(limit.rlim_max, (uint64_t)target + 1)};
    if (!os_call4(__NR_prlimit64, 0, RLIMIT_NOFILE, &higher, 0)) {
      result = os_call3(__NR_dup3, fd, target, flags);
      os_call4(__NR_prlimit64, 0, RLIMIT_NOFILE, &limit, 0);
    }
  }
  if (result < 0) return result;
  os_call1(__NR_close, fd);
  return 0;
}

/* -- Which arguments are descriptors --------------------------------------------------------------------------------- */

/* Bit n: argument n is a descriptor. Bit n + 8: it is the folder of the path in argument n + 1, unless that is absolute. */
enum {
  A = 1 << 0,
  B = 1 << 1,
  C = 1 << 2,
  D = 1 << 3,
  E = 1 << 4,
  FOLDER_A = A | A << 8,
  FOLDER_B = B | B << 8,
  FOLDER_C = C | C << 8,
};

static const uint16_t descriptor_arguments[] = {
    /* reading and writing */
    [__NR_read] = A,
    [__NR_write] = A,
    [__NR_readv] = A,
    [__NR_writev] = A,
    [__NR_pread64] = A,
    [__NR_pwrite64] = A,
    [__NR_preadv] = A,
    [__NR_pwritev] = A,
    [__NR_preadv2] = A,
    [__NR_pwritev2] = A,
    [__NR_lseek] = A,
    [__NR_sendfile] = A | B,
    [__NR_splice] = A | C,
    [__NR_tee] = A | B,
    [__NR_vmsplice] = A,
    [__NR_copy_file_range] = A | C,
    [__NR_readahead] = A,
    [__NR_fadvise64] = A,
    [__NR_mmap] = E,
    /* the descriptor and its file */
    [__NR_close] = A,
    [__NR_dup] = A,
    [__NR_dup3] = A | B,
    [__NR_fcntl] = A,
    [__NR_ioctl] = A,
    [__NR_flock] = A,
    [__NR_fstat] = A,
    [__NR_fstatfs] = A,
    [__NR_fsync] = A,
    [__NR_fdatasync] = A,
    [__NR_syncfs] = A,
    [__NR_sync_file_range] = A,
    [__NR_ftruncate] = A,
    [__NR_fallocate] = A,
    [__NR_fchmod] = A,
    [__NR_fchown] = A,
    [__NR_fsetxattr] = A,
    [__NR_fgetxattr] = A,
    [__NR_flistxattr] = A,
    [__NR_fremovexattr] = A,
    [__NR_fchdir] = A,
    [__NR_getdents64] = A,
    [__NR_setns] = A,
    [__NR_kcmp] = D | E,
    /* paths relative to a folder */
    [__NR_openat] = FOLDER_A,
    [__NR_openat2] = FOLDER_A,
    [__NR_newfstatat] = FOLDER_A,
    [__NR_statx] = FOLDER_A,
    [__NR_faccessat] = FOLDER_A,
    [__NR_faccessat2] = FOLDER_A,
    [__NR_readlinkat] = FOLDER_A,
    [__NR_mkdirat] = FOLDER_A,
    [__NR_mknodat] = FOLDER_A,
    [__NR_unlinkat] = FOLDER_A,
    [__NR_fchmodat] = FOLDER_A,
    [__NR_fchownat] = FOLDER_A,
    [__NR_utimensat] = FOLDER_A,
    [__NR_name_to_handle_at] = FOLDER_A,
    [__NR_execveat] = FOLDER_A,
    [__NR_symlinkat] = FOLDER_B,
    [__NR_linkat] = FOLDER_A | FOLDER_C,
    [__NR_renameat2] = FOLDER_A | FOLDER_C,
    /* sockets, events, processes */
    [__NR_bind] = A,
    [__NR_listen] = A,
    [__NR_accept] = A,
    [__NR_accept4] = A,
    [__NR_connect] = A,
    [__NR_getsockname] = A,
    [__NR_getpeername] = A,
    [__NR_getsockopt] = A,
    [__NR_setsockopt] = A,
    [__NR_shutdown] = A,
    [__NR_sendto] = A,
    [__NR_recvfrom] = A,
    [__NR_sendmsg] = A,
    [__NR_recvmsg] = A,
    [__NR_sendmmsg] = A,
    [__NR_recvmmsg] = A,
    [__NR_epoll_ctl] = A | C,
    [__NR_epoll_pwait] = A,
    [__NR_timerfd_settime] = A,
    [__NR_timerfd_gettime] = A,
    [__NR_signalfd4] = A,
    [__NR_inotify_add_watch] = A,
    [__NR_inotify_rm_watch] = A,
    [__NR_pidfd_send_signal] = A,
/* old calls, which newer architectures do without */
#ifdef __NR_dup2
    [__NR_dup2] = A | B,
#endif
#ifdef __NR_getdents
    [__NR_getdents] = A,
#endif
#ifdef __NR_renameat
    [__NR_renameat] = FOLDER_A | FOLDER_C,
#endif
#ifdef __NR_futimesat
    [__NR_futimesat] = FOLDER_A,
#endif
#ifdef __NR_epoll_wait
    [__NR_epoll_wait] = A,
#endif
#ifdef __NR_signalfd
    [__NR_signalfd] = A,
#endif
};

/* Whether argument n, a folder, does not matter: the path behind it is absolute. */
static bool folder_unused(const struct call *call, int n) {
  char first;
  return !safe_copy(&first, (const void *)call->args[n + 1], 1) && first == '/';
}

static bool names_reserved(const struct call *call) {
  unsigned which = descriptor_arguments[call->nr], descriptors = which & 0xff, folders = which >> 8;
  for (int n = 0; descriptors >> n; n++) {
    if (!(descriptors >> n & 1) || !descriptor_reserved(call->args[n])) continue;
    if (call->nr == __NR_mmap && call->args[3] & MAP_ANONYMOUS) continue;
    if (folders >> n & 1 && folder_unused(call, n)) continue;
    return true;
  }
  return false;
}

/* -- close_range ------------------------------------------------------------------------------------------------------ */

/* close_range without the three in the middle. */
static long close_range_around(const struct call *call) {
  unsigned first = (unsigned)call->args[0], last = (unsigned)call->args[1];
  unsigned flags = (unsigned)call->args[2];
  unsigned ours = (unsigned)engine_fd, after = ours + descriptor_count();
  if (first > last || last < ours || first >= after) return os_call3(__NR_close_range, first, last, flags);
  long result = 0;
  if (first < ours) {
    result = os_call3(__NR_close_range, first, ours - 1, flags);
    flags &= ~(unsigned)CLOSE_RANGE_UNSHARE; /* done */
  }
  if (!result && (last >= after || flags & CLOSE_RANGE_UNSHARE)) {
    /* An empty range does not exist: one that begins where ours ends has to do for the flags alone. */
    result = os_call3(__NR_close_range, after, MAX(last, after), flags);
  }
  return result;
}

bool descriptors_call(struct thread *thread, const struct call *call, long *result) {
  (void)thread;
  if (call->nr == __NR_close_range) {
    *result = close_range_around(call);
    return true;
  }
  if ((unsigned long)call->nr >= COUNT_OF(descriptor_arguments) || !names_reserved(call)) return false;
  *result = -EBADF;
  return true;
}
