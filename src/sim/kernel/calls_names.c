/* calls_names.c: system calls about names of files and what is noted about files: the host's, as they are. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <unistd.h>

#include "sim/kernel/calls.h"
#include "sim/kernel/files.h"

call_function call_mknodat, call_symlinkat, call_linkat, call_statfs, call_fstatfs, call_truncate,
    call_fallocate, call_fchdir, call_fchmod, call_fchmodat, call_fchownat, call_fchown, call_utimensat,
    call_sync, call_syncfs, call_fadvise64, call_readahead, call_sync_file_range, call_setxattr,
    call_lsetxattr, call_fsetxattr, call_getxattr, call_lgetxattr, call_fgetxattr, call_listxattr,
    call_llistxattr, call_flistxattr, call_removexattr, call_lremovexattr, call_fremovexattr,
    call_memfd_create;

static int64_t host_result(int64_t result) {
  return result < 0 ? -errno : result;
}

/* -- Names ---------------------------------------------------------------------------------------------------------------- */

int64_t call_mknodat(struct task *task, const uint64_t argument[6]) {
  char path[PATH_BYTES];
  int host;
  int64_t result = file_path(task, argument, &host, path);
  return result ? result : host_result(mknodat(host, path, (mode_t)argument[2], (dev_t)argument[3]));
}

int64_t call_symlinkat(struct task *task, const uint64_t argument[6]) {
  char target[PATH_BYTES], path[PATH_BYTES];
  int host;
  int64_t result = copy_string(task, target, argument[0], PATH_BYTES);
  if (result >= 0) result = file_path(task, argument + 1, &host, path);
  return result ? result : host_result(symlinkat(target, host, path));
}

int64_t call_linkat(struct task *task, const uint64_t argument[6]) {
  char from[PATH_BYTES], to[PATH_BYTES];
  int host[2];
  int64_t result = file_path(task, argument, &host[0], from);
  if (!result) result = file_path(task, argument + 2, &host[1], to);
  return result ? result : host_result(linkat(host[0], from, host[1], to, (int)argument[4]));
}

int64_t call_fchdir(struct task *task, const uint64_t argument[6]) {
  const struct open_file *file = file_get(task, argument[0]);
  if (!file) return -EBADF;
  int host = file_is_own(file) ? -1 : openat(file->host, ".", O_PATH | O_DIRECTORY | O_CLOEXEC);
  if (host < 0) return file_is_own(file) ? -ENOTDIR : -errno;
  directory_enter(task->process, host);
  return 0;
}

/* The host's file has no name, so nothing of it stays behind. */
int64_t call_memfd_create(struct task *task, const uint64_t argument[6]) {
  char name[256];
  int64_t result = copy_string(task, name, argument[0], sizeof name - 6);
  if (result < 0) return result == -ENAMETOOLONG ? -EINVAL : result;
  int host = memfd_create(name, MFD_CLOEXEC | ((unsigned)argument[1] & MFD_ALLOW_SEALING));
  if (host < 0) return -errno;
  struct open_file *file = file_new(host);
  return file ? file_install(task->process, file, 0, argument[1] & MFD_CLOEXEC) : -ENOMEM;
}

/* -- Attributes -------------------------------------------------------------------------------------------------------------- */

int64_t call_fchmodat(struct task *task, const uint64_t argument[6]) {
  char path[PATH_BYTES];
  int host;
  int64_t result = file_path(task, argument, &host, path);
  return result ? result : host_result(fchmodat(host, path, (mode_t)argument[2], 0));
}

int64_t call_fchmod(struct task *task, const uint64_t argument[6]) {
  const struct open_file *file = file_get(task, argument[0]);
  return !file ? -EBADF : file_is_own(file) ? 0 : host_result(fchmod(file->host, (mode_t)argument[1]));
}

/* The machine's only user and group, 0, are the simulator's own. */
static uid_t host_user(uint64_t id) {
  return (uint32_t)id ? (uid_t)id : geteuid();
}

static gid_t host_group(uint64_t id) {
  return (uint32_t)id ? (gid_t)id : getegid();
}

int64_t call_fchownat(struct task *task, const uint64_t argument[6]) {
  char path[PATH_BYTES];
  int host;
  int64_t result = file_path(task, argument, &host, path);
  return result ? result
                : host_result(fchownat(host, path, host_user(argument[2]), host_group(argument[3]),
                                       (int)argument[4]));
}

int64_t call_fchown(struct task *task, const uint64_t argument[6]) {
  const struct open_file *file = file_get(task, argument[0]);
  return !file ? -EBADF
         : file_is_own(file)
             ? 0
             : host_result(fchown(file->host, host_user(argument[1]), host_group(argument[2])));
}

/* Without a path it is about the descriptor itself. */
int64_t call_utimensat(struct task *task, const uint64_t argument[6]) {
  char path[PATH_BYTES];
  struct timespec times[2], *set = argument[2] ? times : NULL;
  const struct open_file *file = file_get(task, argument[0]);
  int host;
  if (argument[2] && copy_out(task, times, argument[2], sizeof times)) return -EFAULT;
  if (!argument[1]) return !file || file_is_own(file) ? -EBADF : host_result(futimens(file->host, set));
  int64_t result = file_path(task, argument, &host, path);
  return result ? result : host_result(utimensat(host, path, set, (int)argument[3]));
}

/* Extended attributes: as on a file system that has none. */
#define NO_ATTRIBUTES(name)                                            \
  int64_t call_##name(struct task *task, const uint64_t argument[6]) { \
    (void)task, (void)argument;                                        \
    return -EOPNOTSUPP;                                                \
  }
NO_ATTRIBUTES(setxattr)
NO_ATTRIBUTES(lsetxattr)
NO_ATTRIBUTES(fsetxattr)
NO_ATTRIBUTES(getxattr)
NO_ATTRIBUTES(lgetxattr)
NO_ATTRIBUTES(fgetxattr)
NO_ATTRIBUTES(listxattr)
NO_ATTRIBUTES(llistxattr)
NO_ATTRIBUTES(flistxattr)
NO_ATTRIBUTES(removexattr)
NO_ATTRIBUTES(lremovexattr)
NO_ATTRIBUTES(fremovexattr)

/* -- Sizes and space --------------------------------------------------------------------------------------------------------- */

/* The host's descriptor, or -errno. */
static int open_path(struct task *task, uint64_t address, int flags) {
  char path[PATH_BYTES];
  int64_t length = copy_string(task, path, address, PATH_BYTES);
  if (length < 0) return (int)length;
  int host = openat(task->process->directory, path, flags | O_CLOEXEC);
  return host < 0 ? -errno : host;
}

int64_t call_truncate(struct task *task, const uint64_t argument[6]) {
  int host = open_path(task, argument[0], O_WRONLY);
  if (host < 0) return host;
  int64_t result = host_result(ftruncate(host, (off_t)argument[1]));
  close(host);
  return result;
}

int64_t call_fallocate(struct task *task, const uint64_t argument[6]) {
  const struct open_file *file = file_get(task, argument[0]);
  if (!file) return -EBADF;
  return file_is_own(file)
             ? -ESPIPE
             : host_result(fallocate(file->host, (int)argument[1], (off_t)argument[2], (off_t)argument[3]));
}

struct target_statfs { /* asm-generic/statfs.h */
  int64_t type, block_size;
  uint64_t blocks, free, available, files, free_files;
  int32_t id[2];
  int64_t name_length, fragment_size, flags, spare[4];
};

static int64_t store_statfs(struct task *task, uint64_t to, const struct statfs *s) {
  struct target_statfs t = {.type = s->f_type,
                            .block_size = s->f_bsize,
                            .blocks = s->f_blocks,
                            .free = s->f_bfree,
                            .available = s->f_bavail,
                            .files = s->f_files,
                            .free_files = s->f_ffree,
                            .name_length = s->f_namelen,
                            .fragment_size = s->f_frsize,
                            .flags = s->f_flags};
  return copy_in(task, to, &t, sizeof t) ? -EFAULT : 0;
}

int64_t call_statfs(struct task *task, const uint64_t argument[6]) {
  struct statfs about;
  int host = open_path(task, argument[0], O_PATH);
  if (host < 0) return host;
  int64_t result = host_result(fstatfs(host, &about));
  close(host);
  return result ? result : store_statfs(task, argument[1], &about);
}

int64_t call_fstatfs(struct task *task, const uint64_t argument[6]) {
  const struct open_file *file = file_get(task, argument[0]);
  struct statfs about;
  if (!file) return -EBADF;
  if (file_is_own(file)) return -ENOSYS;
  return fstatfs(file->host, &about) ? -errno : store_statfs(task, argument[1], &about);
}

/* -- Files about the machine ------------------------------------------------------------------------------------------------- */

static uint32_t harts(const struct task *task) {
  return kernel_of(task)->machine->config.harts;
}

static void write_online(const struct task *task, FILE *out) {
  if (harts(task) == 1)
    fprintf(out, "0\n");
  else
    fprintf(out, "0-%u\n", harts(task) - 1);
}

static void write_cpuinfo(const struct task *task, FILE *out) {
  for (uint32_t n = 0; n < harts(task); n++)
    fprintf(out, "processor\t: %u\nhart\t\t: %u\nisa\t\t: rv64imafdcv_zba_zbb_zbs\nmmu\t\t: sv39\n\n", n, n);
}

static void write_processors(const struct task *task, FILE *out) {
  fprintf(out, "cpu  0 0 0 0 0 0 0 0 0 0\n");
  for (uint32_t n = 0; n < harts(task); n++) fprintf(out, "cpu%u 0 0 0 0 0 0 0 0 0 0\n", n);
}

static void write_memory(const struct task *task, FILE *out) {
  unsigned long kilobytes = kernel_of(task)->machine->ram_bytes >> 10;
  fprintf(out, "MemTotal: %15lu kB\nMemFree: %16lu kB\nMemAvailable: %11lu kB\n", kilobytes, kilobytes,
          kilobytes);
}

static void write_maps(const struct task *task, FILE *out) {
  for (const struct region *region = task->process->space->regions; region; region = region->next)
    fprintf(out, "%08lx-%08lx %c%c%c%c 00000000 00:00 0\n", (unsigned long)region->start,
            (unsigned long)region->end, region->flags & PAGE_READ ? 'r' : '-',
            region->flags & PAGE_WRITE ? 'w' : '-', region->flags & PAGE_EXECUTE ? 'x' : '-',
            region->flags & PAGE_SHARED ? 's' : 'p');
}

static const struct {
  const char *path;
  void (*write)(const struct task *task, FILE *out);
} files_of_machine[] = {
    {"/sys/devices/system/cpu/online", write_online},
    {"/sys/devices/system/cpu/possible", write_online},
    {"/sys/devices/system/cpu/present", write_online},
    {"/proc/cpuinfo", write_cpuinfo},
    {"/proc/stat", write_processors},
    {"/proc/meminfo", write_memory},
    {"/proc/self/maps", write_maps},
};

bool file_is_of_machine(const char *path) {
  return !strncmp(path, "/proc/", 6) || !strncmp(path, "/sys/", 5);
}

static int make_file(const struct task *task, void (*write)(const struct task *task, FILE *out)) {
  int host = memfd_create("machine", MFD_CLOEXEC);
  FILE *out = host < 0 ? NULL : fdopen(dup(host), "w");
  if (!out) return -1;
  write(task, out);
  fclose(out);
  lseek(host, 0, SEEK_SET);
  return host;
}

int file_of_machine(const struct task *task, const char *path) {
  if (!strcmp(path, "/proc/self/exe")) return open(task->process->path, O_RDONLY | O_CLOEXEC);
  for (size_t i = 0; i < sizeof files_of_machine / sizeof *files_of_machine; i++)
    if (!strcmp(path, files_of_machine[i].path)) return make_file(task, files_of_machine[i].write);
  errno = ENOENT;
  return -1;
}

/* -- Advice, and what is on its way to the host's disk ------------------------------------------------------------------------- */

int64_t call_fadvise64(struct task *task, const uint64_t argument[6]) {
  const struct open_file *file = file_get(task, argument[0]);
  return !file ? -EBADF : file->pipe ? -ESPIPE : 0;
}

int64_t call_readahead(struct task *task, const uint64_t argument[6]) {
  return file_get(task, argument[0]) ? 0 : -EBADF;
}

/* Not the whole host: what it has of the simulated files comes to its disk as that of any program does. */
int64_t call_sync(struct task *task, const uint64_t argument[6]) {
  (void)task, (void)argument;
  return 0;
}

int64_t call_syncfs(struct task *task, const uint64_t argument[6]) {
  return file_get(task, argument[0]) ? 0 : -EBADF;
}

int64_t call_sync_file_range(struct task *task, const uint64_t argument[6]) {
  const struct open_file *file = file_get(task, argument[0]);
  return !file ? -EBADF : file_is_own(file) ? -ESPIPE : 0;
}
