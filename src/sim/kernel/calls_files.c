/* calls_files.c: system calls about files. The host's files are used as they are; replay does without them. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#include "sim/kernel/calls.h"
#include "sim/kernel/disk.h"
#include "sim/kernel/file_locks.h"
#include "sim/kernel/input_log.h"

call_function call_getcwd, call_dup, call_dup3, call_fcntl, call_ioctl, call_mkdirat, call_unlinkat,
    call_ftruncate, call_faccessat, call_openat, call_close, call_pipe2, call_lseek, call_read, call_write,
    call_readv, call_writev, call_pread64, call_pwrite64, call_readlinkat, call_newfstatat, call_fstat,
    call_fsync, call_fdatasync, call_getdents64, call_renameat2, call_chdir, call_close_range;

enum { MOST_BYTES = 1 << 24 };

static int64_t host_result(int64_t result) {
  return result < 0 ? -errno : result;
}

/* -- Names --------------------------------------------------------------------------------------------------------------------------------- */

static int64_t directory(struct task *task, uint64_t argument, int *host) {
  *host = task->process->directory;
  if ((int32_t)argument == AT_FDCWD) return 0;
  struct open_file *file = file_get(task, argument);
  if (!file || file_is_own(file)) return -EBADF;
  *host = file->host;
  return 0;
}

int64_t file_path(struct task *task, const uint64_t argument[6], int *host, char path[PATH_BYTES]) {
  int64_t length = copy_string(task, path, argument[1], PATH_BYTES);
  if (length < 0) {
    *path = 0;
    return length;
  }
  int64_t result = directory(task, argument[0], host);
  return result ? result : file_is_of_machine(path) ? -ENOENT : 0;
}

/* Flags of open are asm-generic's on riscv64; on some hosts a few of them have other bits. */
static const struct {
  int target, host;
} open_flags[] = {{040000, O_DIRECT}, {0200000, O_DIRECTORY}, {0400000, O_NOFOLLOW}};
enum { TARGET_LARGE_FILE = 0100000 };

static int host_flags(uint64_t flags) {
  int result = (int)flags & ~TARGET_LARGE_FILE;
  for (size_t i = 0; i < sizeof open_flags / sizeof *open_flags; i++) result &= ~open_flags[i].target;
  for (size_t i = 0; i < sizeof open_flags / sizeof *open_flags; i++)
    if ((int)flags & open_flags[i].target) result |= open_flags[i].host;
  return result;
}

static int64_t stat_of_machine(struct task *task, const char *path, struct stat *about) {
  int host = file_of_machine(task, path);
  if (host < 0) return -errno;
  if (about && fstat(host, about)) memset(about, 0, sizeof *about);
  close(host);
  return 0;
}

int64_t call_openat(struct task *task, const uint64_t argument[6]) {
  char path[PATH_BYTES];
  int host;
  int64_t result = file_path(task, argument, &host, path);
  bool of_machine = file_is_of_machine(path);
  if (result && !of_machine) return result;
  if (of_machine && (argument[2] & O_ACCMODE) != O_RDONLY) return -EACCES;
  int opened = of_machine ? file_of_machine(task, path)
                          : openat(host, path, host_flags(argument[2]) | O_CLOEXEC, (mode_t)argument[3]);
  if (opened < 0) return -errno;
  struct open_file *file = file_new(opened);
  return file ? file_install(task->process, file, 0, argument[2] & O_CLOEXEC) : -ENOMEM;
}

int64_t call_faccessat(struct task *task, const uint64_t argument[6]) {
  char path[PATH_BYTES];
  int host;
  int64_t result = file_path(task, argument, &host, path);
  if (file_is_of_machine(path)) return stat_of_machine(task, path, NULL);
  return result ? result : host_result(faccessat(host, path, (int)argument[2], 0));
}

int64_t call_mkdirat(struct task *task, const uint64_t argument[6]) {
  char path[PATH_BYTES];
  int host;
  int64_t result = file_path(task, argument, &host, path);
  return result ? result : host_result(mkdirat(host, path, (mode_t)argument[2]));
}

int64_t call_unlinkat(struct task *task, const uint64_t argument[6]) {
  char path[PATH_BYTES];
  int host;
  int64_t result = file_path(task, argument, &host, path);
  return result ? result : host_result(unlinkat(host, path, (int)argument[2]));
}

int64_t call_renameat2(struct task *task, const uint64_t argument[6]) {
  char from[PATH_BYTES], to[PATH_BYTES];
  int host[2];
  int64_t result = file_path(task, argument, &host[0], from);
  if (!result) result = file_path(task, argument + 2, &host[1], to);
  return result ? result : host_result(renameat2(host[0], from, host[1], to, (unsigned)argument[4]));
}

void directory_enter(struct process *process, int host) {
  if (process->directory != AT_FDCWD) close(process->directory);
  process->directory = host;
}

/* A path as a program is told about it, seen from where the simulator is. */
static char *join(const char *directory, const char *path) {
  char *joined = NULL;
  bool alone = !directory || *path == '/';
  return asprintf(&joined, "%s%s%s", alone ? "" : directory, alone ? "" : "/", path) < 0 ? NULL : joined;
}

char *directory_join(const struct process *process, const char *path) {
  return join(process->directory_path, path);
}

/* Replay has no files, but the programs of a recording have names that depend on it. */
int64_t call_chdir(struct task *task, const uint64_t argument[6]) {
  struct process *process = task->process;
  char path[PATH_BYTES];
  int64_t result = copy_string(task, path, argument[0], PATH_BYTES);
  if (result < 0) return result;
  int host = AT_FDCWD;
  uint64_t error = 0;
  if (!input_replays(task)) host = openat(process->directory, path, O_PATH | O_DIRECTORY | O_CLOEXEC);
  if (!input_replays(task) && host < 0) error = (uint64_t)errno;
  input_counter(task, &error);
  if (error) return -(int64_t)error;
  directory_enter(process, host);
  char *joined = directory_join(process, path);
  free(process->directory_path);
  process->directory_path = joined;
  return 0;
}

int64_t call_readlinkat(struct task *task, const uint64_t argument[6]) {
  char path[PATH_BYTES], target[PATH_BYTES];
  int host;
  int64_t result = file_path(task, argument, &host, path);
  bool own = !strcmp(path, "/proc/self/exe");
  if (result && !own) return result;
  if (own) {
    char *full = realpath(task->process->path, NULL);
    result = snprintf(target, sizeof target, "%s", full ? full : task->process->path);
    free(full);
  } else {
    result = host_result(readlinkat(host, path, target, sizeof target));
  }
  if (result < 0) return result;
  if ((uint64_t)result > argument[3]) result = (int64_t)argument[3];
  return copy_in(task, argument[2], target, (uint64_t)result) ? -EFAULT : result;
}

static int64_t directory_name(const struct process *process, char path[PATH_BYTES]) {
  char link[64];
  if (process->directory == AT_FDCWD) return getcwd(path, PATH_BYTES) ? 0 : -errno;
  snprintf(link, sizeof link, "/proc/self/fd/%d", process->directory);
  ssize_t length = readlink(link, path, PATH_BYTES - 1);
  if (length < 0) return -errno;
  path[length] = 0;
  return 0;
}

int64_t call_getcwd(struct task *task, const uint64_t argument[6]) {
  char path[PATH_BYTES];
  int64_t result = directory_name(task->process, path);
  if (result) return result;
  uint64_t length = strlen(path) + 1;
  if (length > argument[1]) return -ERANGE;
  return copy_in(task, argument[0], path, length) ? -EFAULT : (int64_t)length;
}

/* -- About files ----------------------------------------------------------------------------------------------------------------------------- */

struct target_stat { /* of asm-generic/stat.h */
  uint64_t device, inode;
  uint32_t mode, links, user, group;
  uint64_t rdevice, pad1;
  int64_t size;
  int32_t block_size, pad2;
  int64_t blocks, atime, atime_ns, mtime, mtime_ns, ctime, ctime_ns;
  uint32_t unused[2];
};

static int64_t store_stat(struct task *task, uint64_t to, const struct stat *s) {
  struct target_stat t = {.device = s->st_dev,
                          .inode = s->st_ino,
                          .mode = s->st_mode,
                          .links = (uint32_t)s->st_nlink,
                          .user = s->st_uid,
                          .group = s->st_gid,
                          .rdevice = s->st_rdev,
                          .size = s->st_size,
                          .block_size = (int32_t)s->st_blksize,
                          .blocks = s->st_blocks,
                          .atime = s->st_atim.tv_sec,
                          .atime_ns = s->st_atim.tv_nsec,
                          .mtime = s->st_mtim.tv_sec,
                          .mtime_ns = s->st_mtim.tv_nsec,
                          .ctime = s->st_ctim.tv_sec,
                          .ctime_ns = s->st_ctim.tv_nsec};
  return copy_in(task, to, &t, sizeof t) ? -EFAULT : 0;
}

static int64_t stat_descriptor(struct task *task, uint64_t descriptor, uint64_t to) {
  struct open_file *file = file_get(task, descriptor);
  struct stat about = {.st_mode = S_IFIFO | 0600, .st_blksize = 4096, .st_nlink = 1};
  if (!file) return -EBADF;
  if (file->socket || file->out) about.st_mode = S_IFSOCK | 0777;
  if (!file_is_own(file) && fstat(file->host, &about)) return -errno;
  return store_stat(task, to, &about);
}

int64_t call_fstat(struct task *task, const uint64_t argument[6]) {
  return stat_descriptor(task, argument[0], argument[1]);
}

int64_t call_newfstatat(struct task *task, const uint64_t argument[6]) {
  char path[PATH_BYTES];
  struct stat about;
  int host = AT_FDCWD;
  int64_t length = copy_string(task, path, argument[1], PATH_BYTES);
  if (length < 0) return length;
  if (!length && argument[3] & AT_EMPTY_PATH) return stat_descriptor(task, argument[0], argument[2]);
  int64_t result =
      file_is_of_machine(path) ? stat_of_machine(task, path, &about) : directory(task, argument[0], &host);
  if (result) return result;
  if (!file_is_of_machine(path) && fstatat(host, path, &about, (int)argument[3])) return -errno;
  return store_stat(task, argument[2], &about);
}

int64_t call_lseek(struct task *task, const uint64_t argument[6]) {
  struct open_file *file = file_get(task, argument[0]);
  if (!file) return -EBADF;
  return file_is_own(file) ? -ESPIPE : host_result(lseek(file->host, (off_t)argument[1], (int)argument[2]));
}

int64_t call_ftruncate(struct task *task, const uint64_t argument[6]) {
  struct open_file *file = file_get(task, argument[0]);
  if (!file) return -EBADF;
  return file_is_own(file) ? -EINVAL : host_result(ftruncate(file->host, (off_t)argument[1]));
}

int64_t call_fsync(struct task *task, const uint64_t argument[6]) {
  struct open_file *file = file_get(task, argument[0]);
  if (!file) return -EBADF;
  return file_is_own(file) ? -EINVAL : host_result(fsync(file->host));
}

int64_t call_fdatasync(struct task *task, const uint64_t argument[6]) {
  return call_fsync(task, argument);
}

/* Directory entries have the same layout on every 64-bit Linux. */
int64_t call_getdents64(struct task *task, const uint64_t argument[6]) {
  struct open_file *file = file_get(task, argument[0]);
  uint8_t buffer[32768];
  if (!file) return -EBADF;
  if (file_is_own(file)) return -ENOTDIR;
  uint64_t room = argument[2] < sizeof buffer ? argument[2] : sizeof buffer;
  int64_t result = host_result(getdents64(file->host, buffer, room));
  return result > 0 && copy_in(task, argument[1], buffer, (uint64_t)result) ? -EFAULT : result;
}

/* No simulated file is a terminal, so that output does not depend on where the simulator runs. */
int64_t call_ioctl(struct task *task, const uint64_t argument[6]) {
  return file_get(task, argument[0]) ? -ENOTTY : -EBADF;
}

/* -- Descriptors ----------------------------------------------------------------------------------------------------------------------------- */

int64_t call_close(struct task *task, const uint64_t argument[6]) {
  return file_close(task->process, argument[0]);
}

int64_t call_close_range(struct task *task, const uint64_t argument[6]) {
  enum { ON_EXEC = 4 };
  if ((uint32_t)argument[0] > (uint32_t)argument[1] || argument[2] & ~(uint64_t)ON_EXEC) return -EINVAL;
  for (uint64_t n = (uint32_t)argument[0]; n < MAX_FILES && n <= (uint32_t)argument[1]; n++) {
    if (argument[2] & ON_EXEC)
      task->process->close_on_exec[n / 64] |= 1ull << n % 64;
    else
      file_close(task->process, n);
  }
  return 0;
}

static int64_t duplicate(struct task *task, uint64_t descriptor, uint64_t least, bool close_on_exec) {
  struct open_file *file = file_get(task, descriptor);
  if (!file) return -EBADF;
  if (least >= MAX_FILES) return -EINVAL;
  file->users++;
  return file_install(task->process, file, (int)least, close_on_exec);
}

int64_t call_dup(struct task *task, const uint64_t argument[6]) {
  return duplicate(task, argument[0], 0, false);
}

int64_t call_dup3(struct task *task, const uint64_t argument[6]) {
  if (argument[0] == argument[1] || argument[1] >= MAX_FILES)
    return argument[1] >= MAX_FILES ? -EBADF : -EINVAL;
  if (!file_get(task, argument[0])) return -EBADF;
  file_close(task->process, argument[1]);
  return duplicate(task, argument[0], argument[1], argument[2] & O_CLOEXEC);
}

int64_t call_fcntl(struct task *task, const uint64_t argument[6]) {
  struct open_file *file = file_get(task, argument[0]);
  if (!file) return -EBADF;
  uint64_t bit = 1ull << (argument[0] % 64), *word = &task->process->close_on_exec[argument[0] / 64];
  switch (argument[1]) {
    case F_DUPFD:
      return duplicate(task, argument[0], argument[2], false);
    case F_DUPFD_CLOEXEC:
      return duplicate(task, argument[0], argument[2], true);
    case F_GETFD:
      return *word & bit ? FD_CLOEXEC : 0;
    case F_SETFD:
      *word = argument[2] & FD_CLOEXEC ? *word | bit : *word & ~bit;
      return 0;
    case F_GETFL:
      if (!file_is_own(file)) return host_result(fcntl(file->host, F_GETFL));
      return (!file->pipe || file->out ? O_RDWR
              : file->writes           ? O_WRONLY
                                       : O_RDONLY) |
             (file->nonblocking ? O_NONBLOCK : 0);
    case F_GETLK:
    case F_SETLK:
    case F_SETLKW:
      return file_lock_call(task, file, argument[1], argument[2]);
    case F_SETFL:
      file->nonblocking = argument[2] & O_NONBLOCK;
      return 0;
    default:
      return -EINVAL;
  }
}

int64_t call_pipe2(struct task *task, const uint64_t argument[6]) {
  struct open_file *ends[2];
  int32_t numbers[2];
  if (!file_make_pipe(kernel_of(task), ends)) return -ENOMEM;
  for (int i = 0; i < 2; i++) {
    ends[i]->nonblocking = argument[1] & O_NONBLOCK;
    int64_t number = file_install(task->process, ends[i], 0, argument[1] & O_CLOEXEC);
    if (number < 0) return number;
    numbers[i] = (int32_t)number;
  }
  return copy_in(task, argument[0], numbers, sizeof numbers) ? -EFAULT : 0;
}

/* -- Data --------------------------------------------------------------------------------------------------------------------------------------- */

static int64_t read_to(struct task *task, struct open_file *file, uint64_t to, uint64_t count) {
  if (count > MOST_BYTES) count = MOST_BYTES;
  uint8_t *buffer = malloc(count + 1);
  if (!buffer) return -ENOMEM;
  int64_t result = file_read(task, file, buffer, count);
  if (result > 0 && file->on_disk)
    result = disk_transfer(task, to, buffer, (uint64_t)result);
  else if (result > 0 && copy_in(task, to, buffer, (uint64_t)result))
    result = -EFAULT;
  free(buffer);
  return result;
}

static int64_t write_from(struct task *task, struct open_file *file, uint64_t from, uint64_t count) {
  if (count > MOST_BYTES) count = MOST_BYTES;
  uint8_t *buffer = malloc(count + 1);
  if (!buffer) return -ENOMEM;
  if (file_is_shown(file)) input_shown(task, file->host);
  int64_t result = copy_out(task, buffer, from, count) ? -EFAULT : file_write(task, file, buffer, count);
  free(buffer);
  return result;
}

int64_t call_read(struct task *task, const uint64_t argument[6]) {
  struct open_file *file = file_get(task, argument[0]);
  return file ? read_to(task, file, argument[1], argument[2]) : -EBADF;
}

int64_t call_write(struct task *task, const uint64_t argument[6]) {
  struct open_file *file = file_get(task, argument[0]);
  return file ? write_from(task, file, argument[1], argument[2]) : -EBADF;
}

typedef int64_t move_function(struct task *task, struct open_file *file, uint64_t address, uint64_t count);

static int64_t vector(struct task *task, const uint64_t argument[6], move_function *move) {
  struct open_file *file = file_get(task, argument[0]);
  uint64_t part[2];
  int64_t total = 0;
  if (!file) return -EBADF;
  if (argument[2] > 1024) return -EINVAL;
  for (uint64_t i = 0; i < argument[2]; i++) {
    if (copy_out(task, part, argument[1] + i * 16, sizeof part)) return total ? total : -EFAULT;
    if (!part[1]) continue;
    int64_t result = move(task, file, part[0], part[1]);
    if (result < 0) return total ? total : result;
    total += result;
    if ((uint64_t)result < part[1]) break;
  }
  return total;
}

int64_t call_readv(struct task *task, const uint64_t argument[6]) {
  return vector(task, argument, read_to);
}

int64_t call_writev(struct task *task, const uint64_t argument[6]) {
  return vector(task, argument, write_from);
}

int64_t call_pread64(struct task *task, const uint64_t argument[6]) {
  struct open_file *file = file_get(task, argument[0]);
  uint64_t count = argument[2] > MOST_BYTES ? MOST_BYTES : argument[2];
  uint8_t *buffer = file ? malloc(count + 1) : NULL;
  if (!buffer) return file ? -ENOMEM : -EBADF;
  int64_t result = file_read_at(task, file, buffer, count, argument[3]);
  if (result > 0 && copy_in(task, argument[1], buffer, (uint64_t)result)) result = -EFAULT;
  free(buffer);
  return result;
}

int64_t call_pwrite64(struct task *task, const uint64_t argument[6]) {
  struct open_file *file = file_get(task, argument[0]);
  uint64_t count = argument[2] > MOST_BYTES ? MOST_BYTES : argument[2];
  uint8_t *buffer = file ? malloc(count + 1) : NULL;
  if (!buffer) return file ? -ENOMEM : -EBADF;
  int64_t result = copy_out(task, buffer, argument[1], count) ? -EFAULT : 0;
  if (!result) result = file_write_at(task, file, buffer, count, argument[3]);
  free(buffer);
  return result;
}
