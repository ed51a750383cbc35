/* files.c: keeps the engine out of the application's sight. See files.h.
 *
 * /proc/…/exe of a process under the engine names the engine's file; its real program is held open on FD_PROGRAM, and
 * /proc/…/fd/<that> behaves in every respect as the link should, so paths are rewritten and the kernel does the rest. maps,
 * smaps, auxv and status are answered with edited copies, made when they are opened.
 *
 * Known limits. An open maps file does not change any more; its descriptor names a memory file. dup2 onto one of the three
 * reserved numbers fails with EBADF. A seccomp filter also judges the engine's own calls. Writing to one's own code
 * through /proc/self/mem is noticed from pwrite, not from lseek and write. */
#include "engine/files.h"

#include <linux/close_range.h>
#include <linux/fcntl.h>
#include <linux/openat2.h>
#include <linux/personality.h>
#include <linux/resource.h>
#include <linux/stat.h>

#include "engine/edited.h"
#include "engine/lib.h"
#include "engine/mappings.h"
#include "engine/proc_path.h"
#include "engine/syscalls.h"

/* -- Descriptors ------------------------------------------------------------------------------------------------ */

int files_program_fd = -1;

void files_keep_program(int fd) {
  files_program_fd = engine_fd + FD_PROGRAM;
  if (!files_reserve(fd, FD_PROGRAM)) return;
  files_program_fd = fd;
  os_call3(__NR_fcntl, fd, F_SETFD, FD_CLOEXEC);
}

long files_reserve(int fd, int which) {
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

/* close_range without the three in the middle. */
static long close_range_around(const struct call *call) {
  unsigned first = (unsigned)call->args[0], last = (unsigned)call->args[1];
  unsigned flags = (unsigned)call->args[2];
  unsigned ours = (unsigned)engine_fd, after = ours + FD_COUNT;
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

static bool descriptor_call(const struct call *call, long *result) {
  switch (call->nr) {
    case __NR_close_range:
      *result = close_range_around(call);
      return true;
    case __NR_dup3:
#ifdef __NR_dup2
    case __NR_dup2:
#endif
      if (!files_reserved(call->args[0]) && !files_reserved(call->args[1])) return false;
      break;
    case __NR_close:
    case __NR_dup:
    case __NR_fcntl:
    case __NR_fstat:
    case __NR_ioctl:
      if (!files_reserved(call->args[0])) return false;
      break;
    default:
      return false;
  }
  *result = -EBADF;
  return true;
}

/* -- Directory listings -------------------------------------------------------------------------------------------- */

struct directory_entry {
  uint64_t inode;
  int64_t offset;
  uint16_t length;
  uint8_t type;
  char name[];
} __attribute__((packed));

static long number_of(const char *name) {
  long n = 0;
  if (!*name) return -1;
  for (; *name; name++) {
    if (*name < '0' || *name > '9' || n > 0x7ffffff) return -1;
    n = n * 10 + (*name - '0');
  }
  return n;
}

static bool is_descriptor_folder(int fd) {
  char link[32], target[128];
  format(link, sizeof link, "/proc/self/fd/%d", fd);
  long n = os_call4(__NR_readlinkat, AT_FDCWD, link, target, sizeof target - 1);
  if (n <= 0) return false;
  target[n] = 0;
  const char *name = strrchr(target, '/');
  return !strncmp(target, "/proc/", 6) && name && (!strcmp(name, "/fd") || !strcmp(name, "/fdinfo"));
}

/* Takes our three numbers out of a listing of /proc/…/fd. The kernel has just written the buffer; another thread may
 * unmap it, so it is read with care. */
static long hide_descriptors(const struct call *call, long bytes) {
  uintptr_t buffer = (uintptr_t)call->args[1];
  for (long at = 0; at < bytes;) {
    char head[sizeof(struct directory_entry) + 16] = {0}; /* all of the entry but a long name's end */
    const struct directory_entry *entry = (const struct directory_entry *)head;
    size_t size = MIN(sizeof head - 1, (size_t)(bytes - at));
    if (safe_copy(head, (void *)(buffer + (uintptr_t)at), size) || !entry->length) break;
    long next = at + entry->length;
    if (files_reserved(number_of(entry->name)) && is_descriptor_folder((int)call->args[0])) {
      if (safe_copy((void *)(buffer + (uintptr_t)at), (void *)(buffer + (uintptr_t)next),
                    (size_t)(bytes - next)))
        break;
      bytes -= entry->length;
      next = at;
    }
    at = next;
  }
  return bytes;
}

/* -- Paths ---------------------------------------------------------------------------------------------------------- */

long files_copy_path(char path[ENGINE_PATH_MAX], uintptr_t from) {
  for (size_t n = 0; n < ENGINE_PATH_MAX;) {
    size_t part = MIN(MIN(64 - (from + n) % 64, 64), ENGINE_PATH_MAX - n);
    if (safe_copy(path + n, (void *)(from + n), part)) return -EFAULT;
    for (size_t end = n + part; n < end; n++)
      if (!path[n]) return (long)n;
  }
  return -ENAMETOOLONG;
}

/* Whether /proc/<process>/exe is the engine. */
static bool runs_engine(const struct proc_path *proc) {
  char link[PROC_FOLDER_MAX + 8];
  struct statx engine, other;
  format(link, sizeof link, "%s/exe", proc->folder);
  return !os_call5(__NR_statx, engine_fd, "", AT_EMPTY_PATH, STATX_INO, &engine) &&
         !os_call5(__NR_statx, AT_FDCWD, link, 0, STATX_INO, &other) && engine.stx_ino == other.stx_ino &&
         engine.stx_dev_major == other.stx_dev_major && engine.stx_dev_minor == other.stx_dev_minor;
}

bool files_real_program(int directory, char *path) {
  struct proc_path proc;
  if (!proc_path_parse(directory, path, &proc) || proc.file != PROC_EXE) return false;
  if (!proc.own && !runs_engine(&proc)) return false;
  format(path, ENGINE_PATH_MAX, "%s/fd/%d", proc.folder,
         proc.own ? files_program_fd : engine_fd + FD_PROGRAM);
  return true;
}

static bool open_edited(struct thread *thread, const struct proc_path *proc, long flags, long *result) {
  if ((flags & O_ACCMODE) != O_RDONLY || flags & (O_PATH | O_DIRECTORY)) return false;
  if (!proc->own && !runs_engine(proc)) return false;
  char path[PROC_FOLDER_MAX + 8];
  switch (proc->file) {
    case PROC_MAPS:
    case PROC_SMAPS:
      format(path, sizeof path, "%s/%s", proc->folder, proc->file == PROC_MAPS ? "maps" : "smaps");
      *result = edited_maps(path, proc->own, (int)flags);
      return true;
    case PROC_AUXV:
      if (!proc->own) return false;
      *result = edited_auxv((int)flags);
      return true;
    case PROC_STATUS:
      if (!proc->own) return false;
      format(path, sizeof path, "%s/status", proc->folder);
      *result = edited_status(path, thread, proc->thread, (int)flags);
      return true;
    default:
      return false;
  }
}

/* The kernel lets nobody write to the file of a running program. */
static bool writes_program(const struct proc_path *proc, long flags) {
  return proc->file == PROC_EXE && ((flags & O_ACCMODE) != O_RDONLY || flags & O_TRUNC) && !(flags & O_PATH);
}

/* Where a call has its path, its directory (or -1: the working directory) and, if it opens, its flags. */
struct path_call {
  long nr;
  signed char path, directory, flags;
};

static const struct path_call path_calls[] = {
    {__NR_openat, 1, 0, 2},      {__NR_openat2, 1, 0, -2}, /* in a structure */
    {__NR_newfstatat, 1, 0, -1}, {__NR_statx, 1, 0, -1},      {__NR_faccessat, 1, 0, -1},
    {__NR_faccessat2, 1, 0, -1}, {__NR_readlinkat, 1, 0, -1},
#ifdef __NR_open
    {__NR_open, 0, -1, 1},       {__NR_stat, 0, -1, -1},      {__NR_lstat, 0, -1, -1},
    {__NR_access, 0, -1, -1},    {__NR_readlink, 0, -1, -1},
#endif
};

static long open_flags(const struct call *call, const struct path_call *where) {
  if (where->flags >= 0) return call->args[(int)where->flags];
  struct open_how how;
  if (safe_copy(&how, (void *)call->args[2], sizeof how)) return -1;
  return (long)how.flags;
}

static bool path_call(struct thread *thread, const struct call *call, long *result) {
  for (size_t i = 0; i < COUNT_OF(path_calls); i++) {
    const struct path_call *where = &path_calls[i];
    if (where->nr != call->nr) continue;
    char path[ENGINE_PATH_MAX];
    int directory = where->directory < 0 ? AT_FDCWD : (int)call->args[(int)where->directory];
    if (files_copy_path(path, (uintptr_t)call->args[(int)where->path]) <= 0) return false;
    struct proc_path proc;
    if (!proc_path_parse(directory, path, &proc)) return false;
    if (where->flags != -1 && open_edited(thread, &proc, open_flags(call, where), result)) return true;
    if (!files_real_program(directory, path)) return false;
    if (where->flags != -1 && writes_program(&proc, open_flags(call, where))) {
      *result = -ETXTBSY;
      return true;
    }
    struct call rewritten = *call;
    rewritten.args[(int)where->path] = (long)path;
    if (where->directory >= 0) rewritten.args[(int)where->directory] = AT_FDCWD;
    *result = syscall_pass_on(thread, &rewritten);
    return true;
  }
  return false;
}

/* -- Personality ---------------------------------------------------------------------------------------------------- */

/* Randomisation was turned off by the launcher, not by the program: it sees it as on, and it stays off. */
static long change_personality(const struct call *call) {
  unsigned wanted = (unsigned)call->args[0];
  unsigned hidden = config.hide_no_randomize ? ADDR_NO_RANDOMIZE : 0;
  if (wanted == 0xffffffff) return os_call1(__NR_personality, wanted) & ~(long)hidden;
  long old = os_call1(__NR_personality, wanted | ADDR_NO_RANDOMIZE);
  if (os_failed(old)) return old;
  config.hide_no_randomize = !(wanted & ADDR_NO_RANDOMIZE);
  mappings_read_implies_exec = wanted & READ_IMPLIES_EXEC;
  return old & ~(long)hidden;
}

bool files_call(struct thread *thread, const struct call *call, long *result) {
  if (call->nr == __NR_personality) {
    *result = change_personality(call);
    return true;
  }
  if (call->nr == __NR_getdents64) {
    *result = syscall_pass_on(thread, call);
    if (*result > 0) *result = hide_descriptors(call, *result);
    return true;
  }
  return descriptor_call(call, result) || path_call(thread, call, result);
}
