/* kernel_files.c: the rows about files, descriptors and waiting, tried on the kernel (trial.h). */
#include <fcntl.h>
#include <poll.h>
#include <pty.h>
#include <signal.h>
#include <sys/epoll.h>
#include <sys/file.h>
#include <sys/inotify.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/signalfd.h>
#include <sys/stat.h>
#include <sys/timerfd.h>
#include <sys/uio.h>
#include <sys/xattr.h>
#include <termios.h>
#include <linux/fiemap.h>
#include <linux/fs.h>

#include "trial.h"

static char folder[] = "/tmp/reprise-input-XXXXXX", file[64], other[64];

static void close_fds(struct trial *t) {
  for (unsigned i = 0; i < 8; i++)
    if (t->fds[i] > 0) close(t->fds[i]);
}

static int opened(struct trial *t, unsigned i, int fd) {
  t->fds[i] = (int)must(fd);
  t->after = close_fds;
  return fd;
}

static int open_file(struct trial *t) {
  return opened(t, 0, open(file, O_RDWR));
}

/* A pipe with so many bytes in it; the end to read from. */
static int filled_pipe(struct trial *t, const char *contents) {
  int ends[2];
  must(pipe(ends));
  opened(t, 1, ends[1]);
  must(write(ends[1], contents, strlen(contents)));
  return opened(t, 0, ends[0]);
}

/* -- Transfers ------------------------------------------------------------------------------------------- */

static void read_short(struct trial *t) {
  int fd = filled_pipe(t, "twelve bytes");
  CALL(t, SYS_read, fd, place(t, 100), 100, 0, 0, 0);
}

static void read_error(struct trial *t) {
  t->expect = -EBADF;
  CALL(t, SYS_read, -1, place(t, 100), 100, 0, 0, 0);
}

static void write_all(struct trial *t) {
  int fd = open_file(t);
  t->outgoing = 100;
  CALL(t, SYS_write, fd, place(t, 100), 100, 0, 0, 0);
}

static void pread_file(struct trial *t) {
  CALL(t, SYS_pread64, open_file(t), place(t, 64), 64, 3, 0, 0);
}

static struct iovec *vector(struct trial *t, unsigned count, size_t each) {
  struct iovec parts[8];
  for (unsigned i = 0; i < count; i++) parts[i] = (struct iovec){place(t, each), each};
  return put(t, parts, count * sizeof *parts);
}

static void readv_short(struct trial *t) {
  int fd = filled_pipe(t, "twelve bytes");
  t->outgoing = 5 * sizeof(struct iovec);
  CALL(t, SYS_readv, fd, vector(t, 5, 5), 5, 0, 0, 0);
}

static void writev_all(struct trial *t) {
  int fd = open_file(t);
  t->outgoing = 5 * sizeof(struct iovec) + 35;
  CALL(t, SYS_writev, fd, vector(t, 5, 7), 5, 0, 0, 0);
}

static void preadv_file(struct trial *t) {
  CALL(t, SYS_preadv, open_file(t), vector(t, 3, 6), 3, 1, 0, 0);
}

static void preadv2_file(struct trial *t) {
  CALL(t, SYS_preadv2, open_file(t), vector(t, 3, 6), 3, 1, 0, 0);
}

static void readv_too_many(struct trial *t) {
  t->expect = -EINVAL;
  CALL(t, SYS_readv, open_file(t), vector(t, 2, 6), 5000, 0, 0, 0);
}

static void sendfile_offset(struct trial *t) {
  loff_t offset = 2;
  int from = open_file(t), to = opened(t, 1, open(other, O_WRONLY | O_CREAT, 0600));
  t->outgoing = 8;
  CALL(t, SYS_sendfile, to, from, put(t, &offset, sizeof offset), 4, 0, 0);
}

static void copy_range(struct trial *t) {
  loff_t offset = 2;
  int from = open_file(t), to = opened(t, 1, open(other, O_WRONLY | O_CREAT, 0600));
  void *in = put(t, &offset, sizeof offset), *out = put(t, &offset, sizeof offset);
  CALL(t, SYS_copy_file_range, from, in, to, out, 4, 0);
}

static void splice_offset(struct trial *t) {
  loff_t offset = 2;
  int from = filled_pipe(t, "through the pipe"), to = opened(t, 2, open(other, O_WRONLY | O_CREAT, 0600));
  CALL(t, SYS_splice, from, 0, to, put(t, &offset, sizeof offset), 9, 0);
}

static void directory(struct trial *t) {
  CALL(t, SYS_getdents64, opened(t, 0, open(folder, O_RDONLY)), place(t, 2000), 2000, 0, 0, 0);
}

static void pipe_pair(struct trial *t) {
  CALL(t, SYS_pipe2, place(t, 8), 0, 0, 0, 0, 0);
}

static void random_bytes(struct trial *t) {
  CALL(t, SYS_getrandom, place(t, 300), 300, 0, 0, 0, 0);
}

/* -- Names and attributes -------------------------------------------------------------------------------- */

static void status_of(struct trial *t) {
  t->outgoing = strlen(file) + 1;
  CALL(t, SYS_newfstatat, AT_FDCWD, put_string(t, file), place(t, sizeof(struct stat)), 0, 0, 0);
}

static void status_missing(struct trial *t) {
  t->expect = -ENOENT;
  CALL(t, SYS_newfstatat, AT_FDCWD, put_string(t, "/none"), place(t, sizeof(struct stat)), 0, 0, 0);
}

static void status_of_fd(struct trial *t) {
  CALL(t, SYS_fstat, open_file(t), place(t, sizeof(struct stat)), 0, 0, 0, 0);
}

static void statx_of(struct trial *t) {
  void *name = put_string(t, file);
  CALL(t, SYS_statx, AT_FDCWD, name, 0, STATX_BASIC_STATS, place(t, 256), 0);
}

static void filesystem(struct trial *t) {
  CALL(t, SYS_statfs, put_string(t, "/"), place(t, 120), 0, 0, 0, 0);
}

static void link_target(struct trial *t) {
  CALL(t, SYS_readlinkat, AT_FDCWD, put_string(t, "/proc/self/cwd"), place(t, 200), 200, 0, 0);
}

static void working_folder(struct trial *t) {
  CALL(t, SYS_getcwd, place(t, 300), 300, 0, 0, 0, 0);
}

static void opening(struct trial *t) {
  struct {
    uint64_t flags, mode, resolve;
  } how = {O_RDONLY, 0, 0};
  void *name = put_string(t, file);
  t->outgoing = strlen(file) + 1 + sizeof how;
  CALL(t, SYS_openat2, AT_FDCWD, name, put(t, &how, sizeof how), sizeof how, 0, 0);
}

static void attribute_get(struct trial *t) {
  void *name = put_string(t, file), *attribute = put_string(t, "user.key");
  CALL(t, SYS_getxattr, name, attribute, place(t, 64), 64, 0, 0);
}

static void attribute_size(struct trial *t) {
  void *name = put_string(t, file), *attribute = put_string(t, "user.key");
  CALL(t, SYS_getxattr, name, attribute, place(t, 64), 0, 0, 0);
}

static void attribute_list(struct trial *t) {
  CALL(t, SYS_flistxattr, open_file(t), place(t, 64), 64, 0, 0, 0);
}

static void handle_of(struct trial *t) {
  uint32_t room[2] = {64, 0};
  void *name = put_string(t, file), *handle = place(t, 72);
  memcpy(handle, room, sizeof room);
  t->outgoing = strlen(file) + 1 + 8;
  CALL(t, SYS_name_to_handle_at, AT_FDCWD, name, handle, place(t, 4), 0, 0);
}

static void handle_too_small(struct trial *t) {
  uint32_t room[2] = {1, 0};
  void *name = put_string(t, file), *handle = place(t, 72);
  memcpy(handle, room, sizeof room);
  t->expect = -EOVERFLOW;
  CALL(t, SYS_name_to_handle_at, AT_FDCWD, name, handle, place(t, 4), 0, 0);
}

static void lock_get(struct trial *t) {
  struct flock lock = {.l_type = F_WRLCK};
  CALL(t, SYS_fcntl, open_file(t), F_GETLK, put(t, &lock, sizeof lock), 0, 0, 0);
}

static void owner_get(struct trial *t) {
  CALL(t, SYS_fcntl, open_file(t), F_GETOWN_EX, place(t, 8), 0, 0, 0);
}

static void hint_get(struct trial *t) {
  t->expect = ANY_RESULT;
  CALL(t, SYS_fcntl, open_file(t), F_GET_RW_HINT, place(t, 8), 0, 0, 0);
}

/* -- ioctl ----------------------------------------------------------------------------------------------- */

static int terminal(struct trial *t) {
  int first, second;
  must(openpty(&first, &second, NULL, NULL, NULL));
  opened(t, 0, first);
  return opened(t, 1, second);
}

static void terminal_get(struct trial *t) {
  CALL(t, SYS_ioctl, terminal(t), TCGETS, place(t, 60), 0, 0, 0);
}

static void terminal_size(struct trial *t) {
  CALL(t, SYS_ioctl, terminal(t), TIOCGWINSZ, place(t, 8), 0, 0, 0);
}

static void terminal_number(struct trial *t) {
  terminal(t);
  CALL(t, SYS_ioctl, t->fds[0], TIOCGPTN, place(t, 4), 0, 0, 0);
}

static void terminal_unlock(struct trial *t) {
  int zero = 0;
  terminal(t);
  t->outgoing = 4;
  CALL(t, SYS_ioctl, t->fds[0], TIOCSPTLCK, put(t, &zero, sizeof zero), 0, 0, 0);
}

static void no_terminal(struct trial *t) {
  t->expect = -ENOTTY;
  CALL(t, SYS_ioctl, open_file(t), TCGETS, place(t, 60), 0, 0, 0);
}

static void bytes_waiting(struct trial *t) {
  CALL(t, SYS_ioctl, filled_pipe(t, "five!"), FIONREAD, place(t, 4), 0, 0, 0);
}

static void block_size(struct trial *t) {
  CALL(t, SYS_ioctl, open_file(t), FIGETBSZ, place(t, 4), 0, 0, 0);
}

static void flags_get(struct trial *t) {
  t->expect = ANY_RESULT;
  CALL(t, SYS_ioctl, open_file(t), FS_IOC_GETFLAGS, place(t, 8), 0, 0, 0);
}

static void extents_get(struct trial *t) {
  struct fiemap map = {.fm_length = ~0UL, .fm_extent_count = 4};
  void *at = place(t, sizeof map + 4 * sizeof(struct fiemap_extent));
  memcpy(at, &map, sizeof map);
  t->expect = ANY_RESULT;
  CALL(t, SYS_ioctl, open_file(t), FS_IOC_FIEMAP, at, 0, 0, 0);
}

/* -- Waiting --------------------------------------------------------------------------------------------- */

static void on_alarm(int signo) {
  (void)signo;
}

/* A signal that comes while the call waits. Repeated, in case it comes before. */
static void soon(void) {
  sigaction(SIGALRM, &(struct sigaction){.sa_handler = on_alarm}, NULL);
  struct itimerspec in = {{0, 20000000}, {0, 20000000}};
  static timer_t timer;
  static bool made;
  if (!made) must(timer_create(CLOCK_MONOTONIC, NULL, &timer));
  made = true;
  must(timer_settime(timer, 0, &in, NULL));
}

static void stop_soon(struct trial *t) {
  signal(SIGALRM, SIG_IGN);
  close_fds(t);
}

static struct pollfd *poll_set(struct trial *t, int fd) {
  struct pollfd set[3] = {{fd, POLLIN, 0x1111}, {-1, POLLIN, 0x2222}, {fd, POLLOUT, 0x3333}};
  return put(t, set, sizeof set);
}

static void ppoll_ready(struct trial *t) {
  int fd = filled_pipe(t, "x");
  t->outgoing = 24;
  CALL(t, SYS_ppoll, poll_set(t, fd), 3, 0, 0, 0, 0);
}

static void ppoll_interrupted(struct trial *t) {
  int ends[2];
  must(pipe(ends));
  opened(t, 1, ends[1]);
  soon();
  CALL(t, SYS_ppoll, poll_set(t, opened(t, 0, ends[0])), 3, 0, 0, 0, 0);
  t->expect = -EINTR;
  t->after = stop_soon;
}

static void ppoll_timeout(struct trial *t) {
  int ends[2];
  struct timespec time = {0, 1000000};
  must(pipe(ends));
  opened(t, 1, ends[1]);
  void *set = poll_set(t, opened(t, 0, ends[0]));
  CALL(t, SYS_ppoll, set, 2, put(t, &time, sizeof time), 0, 0, 0);
}

static void pselect_ready(struct trial *t) {
  uint64_t bits[2] = {0, 0}, mask = 0;
  struct timespec time = {100, 0};
  int fd = filled_pipe(t, "x");
  bits[0] = 1UL << fd;
  void *in = put(t, bits, sizeof bits);
  uint64_t pair[2] = {(uintptr_t)put(t, &mask, sizeof mask), 8};
  t->outgoing = 8 + 16 + 16 + 8;
  void *timeout = put(t, &time, sizeof time);
  CALL(t, SYS_pselect6, fd + 1, in, 0, 0, timeout, put(t, pair, sizeof pair));
}

static void epoll_ready(struct trial *t) {
  struct epoll_event event = {EPOLLIN, {.u64 = 77}};
  int fd = filled_pipe(t, "x"), epoll = opened(t, 2, epoll_create1(0));
  must(epoll_ctl(epoll, EPOLL_CTL_ADD, fd, &event));
  CALL(t, SYS_epoll_pwait, epoll, place(t, 10 * sizeof event), 10, -1, 0, 0);
}

/* What only the older table of calls has. */
#ifdef SYS_poll
static void poll_ready(struct trial *t) {
  int fd = filled_pipe(t, "x");
  t->outgoing = 24;
  CALL(t, SYS_poll, poll_set(t, fd), 3, -1, 0, 0, 0);
}

static void select_ready(struct trial *t) {
  uint64_t bits[2] = {0, 0};
  struct timeval time = {100, 0};
  int fd = filled_pipe(t, "x");
  bits[0] = 1UL << fd;
  void *in = put(t, bits, sizeof bits), *out = put(t, bits, sizeof bits);
  CALL(t, SYS_select, fd + 1, in, out, 0, put(t, &time, sizeof time), 0);
}

static void epoll_wait_ready(struct trial *t) {
  struct epoll_event event = {EPOLLIN, {.u64 = 77}};
  int fd = filled_pipe(t, "x"), epoll = opened(t, 2, epoll_create1(0));
  must(epoll_ctl(epoll, EPOLL_CTL_ADD, fd, &event));
  CALL(t, SYS_epoll_wait, epoll, place(t, 10 * sizeof event), 10, -1, 0, 0);
}
#endif

static void epoll_add(struct trial *t) {
  struct epoll_event event = {EPOLLIN, {.u64 = 77}};
  int fd = filled_pipe(t, "x"), epoll = opened(t, 2, epoll_create1(0));
  t->outgoing = sizeof event;
  CALL(t, SYS_epoll_ctl, epoll, EPOLL_CTL_ADD, fd, put(t, &event, sizeof event), 0, 0);
}

static void watch_read(struct trial *t) {
  int fd = opened(t, 0, inotify_init1(0));
  must(inotify_add_watch(fd, folder, IN_CREATE));
  unlink(other);
  close((int)must(open(other, O_CREAT | O_WRONLY, 0600)));
  CALL(t, SYS_read, fd, place(t, 500), 500, 0, 0, 0);
}

static void timer_read(struct trial *t) {
  struct itimerspec now = {{0, 0}, {0, 1}};
  int fd = opened(t, 0, timerfd_create(CLOCK_MONOTONIC, 0));
  must(timerfd_settime(fd, 0, &now, NULL));
  CALL(t, SYS_read, fd, place(t, 8), 8, 0, 0, 0);
}

static void timer_set(struct trial *t) {
  struct itimerspec later = {{0, 0}, {100, 0}};
  int fd = opened(t, 0, timerfd_create(CLOCK_MONOTONIC, 0));
  void *new = put(t, &later, sizeof later);
  t->outgoing = 32;
  CALL(t, SYS_timerfd_settime, fd, 0, new, place(t, 32), 0, 0);
}

static void signal_read(struct trial *t) {
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGUSR1);
  sigprocmask(SIG_BLOCK, &set, NULL);
  raise(SIGUSR1);
  CALL(t, SYS_read, opened(t, 0, signalfd(-1, &set, 0)), place(t, 300), 300, 0, 0, 0);
}

static void run_transfers(void) {
  TRY(read_short), TRY(read_error), TRY(write_all), TRY(pread_file), TRY(readv_short), TRY(writev_all);
  TRY(preadv_file), TRY(preadv2_file), TRY(readv_too_many), TRY(sendfile_offset), TRY(copy_range);
  TRY(splice_offset), TRY(directory), TRY(pipe_pair), TRY(random_bytes);
}

static void run_names(void) {
  TRY(status_of), TRY(status_missing), TRY(status_of_fd), TRY(statx_of), TRY(filesystem), TRY(link_target);
  TRY(working_folder), TRY(opening), TRY(handle_of), TRY(handle_too_small), TRY(lock_get), TRY(owner_get);
  TRY(hint_get);
  if (!setxattr(file, "user.key", "value", 5, 0))
    TRY(attribute_get), TRY(attribute_size), TRY(attribute_list);
}

int main(void) {
  must(mkdtemp(folder) ? 0 : -1);
  snprintf(file, sizeof file, "%s/file", folder);
  snprintf(other, sizeof other, "%s/other", folder);
  int fd = (int)must(open(file, O_CREAT | O_RDWR, 0600));
  must(write(fd, "some forty bytes of contents for the file", 41));
  close(fd);
  run_transfers();
  run_names();
  TRY(terminal_get), TRY(terminal_size), TRY(terminal_number), TRY(terminal_unlock), TRY(no_terminal);
  TRY(bytes_waiting), TRY(block_size), TRY(flags_get), TRY(extents_get);
#ifdef SYS_poll
  TRY(poll_ready), TRY(select_ready), TRY(epoll_wait_ready);
#endif
  TRY(ppoll_ready), TRY(ppoll_interrupted), TRY(ppoll_timeout), TRY(pselect_ready);
  TRY(epoll_ready), TRY(epoll_add), TRY(watch_read), TRY(timer_read), TRY(timer_set), TRY(signal_read);
  unlink(file), unlink(other), rmdir(folder);
  return trial_end();
}
