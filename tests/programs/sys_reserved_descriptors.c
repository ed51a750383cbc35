/* Every call that takes a descriptor, on numbers that the program has never opened: each is answered as for any other number that is
 * not open, also around the limit and the usual limit, where others may keep files of their own. */
#include "sys_helpers.h"
#include <fcntl.h>
#include <linux/fs.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>

/* Numbers that the headers of some machines don't have yet: from 424 on they are the same everywhere. */
enum {
  SYS_FCHMODAT2 = 452,
  SYS_CACHESTAT = 451,
  SYS_SETXATTRAT = 463,
  SYS_GETXATTRAT = 464,
  SYS_LISTXATTRAT = 465,
  SYS_REMOVEXATTRAT = 466,
  SYS_OPEN_TREE_ATTR = 467,
  SYS_FILE_GETATTR = 468,
  SYS_FILE_SETATTR = 469,
};

static char memory[4096];
static const char name[] = "name", empty[] = "";

/* Stand for numbers that are known only later. */
enum { FD = 0x5eaf001, FILE_FD, PIPE, EPOLL, SELF };
#define M (long)memory
#define NAME (long)name
#define EMPTY (long)empty
#define TRY(call, ...)   \
  {                      \
#call, SYS_##call, { \
      __VA_ARGS__        \
    }                    \
  }

static const struct attempt {
  const char *name;
  long nr, args[6];
} attempts[] = {
    TRY(read, FD, M, 1),
    TRY(write, FD, M, 1),
    TRY(pread64, FD, M, 1, 0),
    TRY(pwrite64, FD, M, 1, 0),
    TRY(readv, FD, M, 0),
    TRY(writev, FD, M, 0),
    TRY(preadv, FD, M, 0, 0),
    TRY(pwritev, FD, M, 0, 0),
    TRY(preadv2, FD, M, 0, 0, 0, 0),
    TRY(pwritev2, FD, M, 0, 0, 0, 0),
    TRY(sendfile, FD, FILE_FD, 0, 1),
    TRY(sendfile, FILE_FD, FD, 0, 1),
    TRY(splice, FD, 0, PIPE, 0, 1, 0),
    TRY(splice, FILE_FD, 0, FD, 0, 1, 0),
    TRY(tee, FD, PIPE, 1, 0),
    TRY(vmsplice, FD, M, 0, 0),
    TRY(copy_file_range, FD, 0, FILE_FD, 0, 1, 0),
    TRY(copy_file_range, FILE_FD, 0, FD, 0, 1, 0),
    TRY(lseek, FD, 0, SEEK_CUR),
    TRY(close, FD),
    TRY(dup, FD),
    TRY(dup3, FD, 600, 0),
    TRY(fcntl, FD, F_GETFD),
    TRY(fcntl, FD, F_DUPFD, 600),
    TRY(ioctl, FD, FIGETBSZ, M),
    TRY(ioctl, FILE_FD, FICLONE, FD),
    TRY(flock, FD, 1),
    TRY(fsync, FD),
    TRY(fdatasync, FD),
    TRY(syncfs, FD),
    TRY(sync_file_range, FD, 0, 0, 0),
    TRY(readahead, FD, 0, 1),
    TRY(fadvise64, FD, 0, 0, 0),
    TRY(CACHESTAT, FD, M, M, 0),
    TRY(ftruncate, FD, 0),
    TRY(fallocate, FD, 0, 0, 1),
    TRY(fstat, FD, M),
    TRY(fstatfs, FD, M),
    TRY(getdents64, FD, M, 100),
    TRY(fchdir, FD),
    TRY(fchmod, FD, 0755),
    TRY(fchown, FD, -1, -1),
    TRY(inotify_add_watch, FD, NAME, 1),
    TRY(inotify_rm_watch, FD, 1),
    TRY(fanotify_mark, FD, 1, 1, AT_FDCWD, NAME),
    TRY(fsetxattr, FD, NAME, M, 1, 0),
    TRY(fgetxattr, FD, NAME, M, 1),
    TRY(flistxattr, FD, M, 100),
    TRY(fremovexattr, FD, NAME),
    TRY(mmap, 0, 4096, PROT_READ, MAP_PRIVATE, FD, 0),
    TRY(process_mrelease, FD, 0),
    TRY(setns, FD, 0),
    TRY(kcmp, SELF, SELF, 0, FD, 1),
    TRY(kcmp, SELF, SELF, 0, 1, FD),
    TRY(kcmp, SELF, SELF, 1 /* memory */, FD, FD),
    TRY(pidfd_getfd, FD, 0, 0),
    TRY(pidfd_send_signal, FD, 0, 0, 0),
    TRY(landlock_add_rule, FD, 1, M, 0),
    TRY(landlock_restrict_self, FD, 0),
    TRY(finit_module, FD, EMPTY, 0),
    TRY(bind, FD, M, 2),
    TRY(connect, FD, M, 2),
    TRY(listen, FD, 1),
    TRY(shutdown, FD, 0),
    TRY(accept, FD, 0, 0),
    TRY(accept4, FD, 0, 0, 0),
    TRY(getsockname, FD, M, M),
    TRY(getpeername, FD, M, M),
    TRY(sendto, FD, M, 1, 0, 0, 0),
    TRY(recvfrom, FD, M, 1, 0, 0, 0),
    TRY(sendmsg, FD, M, 0),
    TRY(recvmsg, FD, M, 0),
    TRY(sendmmsg, FD, M, 1, 0),
    TRY(recvmmsg, FD, M, 1, 0, 0),
    TRY(setsockopt, FD, 1, 2, M, 4),
    TRY(getsockopt, FD, 1, 2, M, M),
    TRY(epoll_ctl, FD, 1, FILE_FD, M),
    TRY(epoll_ctl, EPOLL, 1, FD, M),
    TRY(epoll_pwait, FD, M, 1, 0, 0, 0),
    TRY(epoll_pwait2, FD, M, 1, M, 0, 0),
    TRY(timerfd_settime, FD, 0, M, 0),
    TRY(timerfd_gettime, FD, M),
    TRY(signalfd4, FD, M, 8, 0),
    TRY(mq_timedsend, FD, M, 1, 0, M),
    TRY(mq_timedreceive, FD, M, 1, 0, M),
    TRY(mq_notify, FD, 0),
    TRY(mq_getsetattr, FD, 0, M),
    TRY(openat, FD, NAME, O_RDONLY),
    TRY(openat2, FD, NAME, M, 24),
    TRY(name_to_handle_at, FD, EMPTY, M, M, AT_EMPTY_PATH),
    TRY(open_by_handle_at, FD, M, 0),
    TRY(newfstatat, FD, EMPTY, M, AT_EMPTY_PATH),
    TRY(statx, FD, EMPTY, AT_EMPTY_PATH, 0, M),
    TRY(faccessat, FD, NAME, 0),
    TRY(faccessat2, FD, EMPTY, 0, AT_EMPTY_PATH),
    TRY(readlinkat, FD, EMPTY, M, 100),
    TRY(mkdirat, FD, NAME, 0700),
    TRY(mknodat, FD, NAME, 0600, 0),
    TRY(unlinkat, FD, NAME, 0),
    TRY(renameat2, FD, NAME, AT_FDCWD, NAME, 0),
    TRY(renameat2, AT_FDCWD, NAME, FD, NAME, 0),
    TRY(linkat, FD, EMPTY, AT_FDCWD, (long)"link", AT_EMPTY_PATH),
    TRY(linkat, AT_FDCWD, NAME, FD, NAME, 0),
    TRY(symlinkat, NAME, FD, NAME),
    TRY(fchmodat, FD, NAME, 0600),
    TRY(FCHMODAT2, FD, EMPTY, 0755, AT_EMPTY_PATH),
    TRY(FCHMODAT2, FD, EMPTY, 0755, 1 /* senseless */),
    TRY(fchownat, FD, EMPTY, -1, -1, AT_EMPTY_PATH),
    TRY(utimensat, FD, 0, 0, 0),
    TRY(SETXATTRAT, FD, EMPTY, AT_EMPTY_PATH, (long)"user.x", M, 16),
    TRY(GETXATTRAT, FD, EMPTY, AT_EMPTY_PATH, (long)"user.x", M, 16),
    TRY(LISTXATTRAT, FD, EMPTY, AT_EMPTY_PATH, M, 100),
    TRY(REMOVEXATTRAT, FD, EMPTY, AT_EMPTY_PATH, (long)"user.x"),
    TRY(FILE_GETATTR, FD, EMPTY, M, 24, AT_EMPTY_PATH),
    TRY(FILE_SETATTR, FD, EMPTY, M, 24, AT_EMPTY_PATH),
    TRY(open_tree, FD, EMPTY, AT_EMPTY_PATH),
    TRY(OPEN_TREE_ATTR, FD, EMPTY, AT_EMPTY_PATH, M, 32),
    TRY(move_mount, FD, EMPTY, AT_FDCWD, NAME, 4),
    TRY(move_mount, AT_FDCWD, NAME, FD, EMPTY, 0x40),
    TRY(fsconfig, FD, 0, NAME, 0, 0),
    TRY(fsmount, FD, 0, 0),
    TRY(fspick, FD, EMPTY, 8),
    TRY(mount_setattr, FD, EMPTY, AT_EMPTY_PATH, M, 32),
    TRY(quotactl_fd, FD, 0x800007 << 8, 0, M),
    TRY(execveat, FD, EMPTY, M, M, AT_EMPTY_PATH),
#ifdef SYS_open /* the old calls, which newer architectures never had */
    TRY(dup2, FD, 600),
    TRY(getdents, FD, M, 100),
    TRY(epoll_wait, FD, M, 1, 0),
    TRY(signalfd, FD, M, 8),
    TRY(futimesat, FD, 0, 0),
    TRY(renameat, FD, NAME, AT_FDCWD, NAME),
#endif
};
enum { ATTEMPTS = sizeof attempts / sizeof *attempts };

static int file, ends[2], epoll;

static long real(long argument, int fd) {
  switch (argument) {
    case FD:
      return fd;
    case FILE_FD:
      return file;
    case PIPE:
      return ends[1];
    case EPOLL:
      return epoll;
    case SELF:
      return getpid();
    default:
      return argument;
  }
}

/* The error, or 0. */
static int try(const struct attempt *a, int fd) {
  long args[6];
  memset(memory, 0, sizeof memory);
  for (int i = 0; i < 6; i++) args[i] = real(a->args[i], fd);
  return syscall(a->nr, args[0], args[1], args[2], args[3], args[4], args[5]) < 0 ? errno : 0;
}

static void compare(int from, int to) {
  enum { NEVER_OPENED = 700 };
  for (int fd = from; fd < to; fd++) {
    if (fcntl(fd, F_GETFD) >= 0) continue; /* handed down to this program */
    for (int i = 0; i < ATTEMPTS; i++) {
      int usual = try(&attempts[i], NEVER_OPENED), found = try(&attempts[i], fd);
      if (found != usual)
        say("%s: %s instead of %s\n", attempts[i].name, strerrorname_np(found), strerrorname_np(usual));
    }
  }
}

int main(void) {
  struct rlimit limit;
  file = open("name", O_RDWR | O_CREAT, 0600);
  epoll = epoll_create1(0);
  CHECK(file >= 0 && epoll >= 0 && pipe(ends) == 0 && getrlimit(RLIMIT_NOFILE, &limit) == 0);
  compare(1012, 1032);
  if (limit.rlim_cur < 1 << 20) compare((int)limit.rlim_cur, (int)limit.rlim_cur + 8);
  say("read: %s, fchmod: %s, openat: %s\n", strerrorname_np(try(&attempts[0], 1020)),
      outcome(fchmod(1020, 0600)), outcome(openat(1020, "name", O_RDONLY)));
  return 0;
}
