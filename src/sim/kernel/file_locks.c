/* file_locks.c: see file_locks.h. Both kinds are ranges of bytes with an owner; they do not exclude each other. */
#include "sim/kernel/file_locks.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "sim/kernel/calls.h"
#include "sim/machine/check.h"

call_function call_flock;

struct file_lock {
  struct file_lock *next;
  const void *owner;
  bool of_process; /* fcntl's */
  bool exclusive;
  uint64_t device, inode;
  uint64_t start, end; /* end: of the first byte behind it, or UINT64_MAX */
  uint32_t pid;
};

/* -- Ranges ------------------------------------------------------------------------------------------------------------- */

static bool is_same_file(const struct file_lock *a, const struct file_lock *b) {
  return a->device == b->device && a->inode == b->inode && a->of_process == b->of_process;
}

static bool overlaps(const struct file_lock *a, const struct file_lock *b) {
  return is_same_file(a, b) && a->start < b->end && b->start < a->end;
}

static const struct file_lock *find_conflict(const struct kernel *kernel, const struct file_lock *wanted) {
  for (const struct file_lock *lock = kernel->file_locks; lock; lock = lock->next)
    if (overlaps(lock, wanted) && lock->owner != wanted->owner && (lock->exclusive || wanted->exclusive))
      return lock;
  return NULL;
}

static void add(struct kernel *kernel, const struct file_lock *from, uint64_t start, uint64_t end) {
  struct file_lock *lock = malloc(sizeof *lock);
  CHECK(lock, "out of memory");
  *lock = *from;
  lock->start = start;
  lock->end = end;
  lock->next = kernel->file_locks;
  kernel->file_locks = lock;
}

/* The owner has nothing in the range any more; what it has on both sides stays. */
static void clear(struct kernel *kernel, const struct file_lock *range) {
  for (struct file_lock **link = &kernel->file_locks; *link;) {
    struct file_lock *lock = *link;
    if (lock->owner != range->owner || !overlaps(lock, range)) {
      link = &lock->next;
      continue;
    }
    *link = lock->next;
    if (lock->start < range->start) add(kernel, lock, lock->start, range->start);
    if (lock->end > range->end) add(kernel, lock, range->end, lock->end);
    free(lock);
  }
  wake_queue(&kernel->lock_waiters, UINT32_MAX, 0);
}

/* 0 or -errno. The owner keeps what it has while it waits. */
static int64_t take(struct task *task, const struct file_lock *lock, bool waits, int busy) {
  struct kernel *kernel = kernel_of(task);
  while (find_conflict(kernel, lock)) {
    if (!waits) return -busy;
    if (wait_on(task, &kernel->lock_waiters, UINT64_MAX, true) == -EINTR) return -RESTART;
  }
  clear(kernel, lock);
  add(kernel, lock, lock->start, lock->end);
  return 0;
}

static bool identify(const struct open_file *file, struct file_lock *lock) {
  struct stat about;
  if (file_is_own(file) || fstat(file->host, &about)) return false;
  lock->device = about.st_dev;
  lock->inode = about.st_ino;
  return true;
}

/* -- fcntl ---------------------------------------------------------------------------------------------------------------- */

struct target_lock { /* asm-generic/fcntl.h, 64 bits */
  int16_t type, whence;
  int32_t pad;
  int64_t start, length;
  int32_t pid, pad2;
};

/* The range that the call names. */
static int64_t read_range(const struct open_file *file, const struct target_lock *from,
                          struct file_lock *lock) {
  struct stat about;
  if (fstat(file->host, &about)) return -errno;
  int64_t base = from->whence == SEEK_SET   ? 0
                 : from->whence == SEEK_CUR ? lseek(file->host, 0, SEEK_CUR)
                 : from->whence == SEEK_END ? about.st_size
                                            : -1;
  int64_t start, end;
  if (base < 0 || __builtin_add_overflow(base, from->start, &start) ||
      __builtin_add_overflow(start, from->length, &end))
    return -EINVAL;
  if (start < 0 || end < 0) return -EINVAL;
  lock->start = (uint64_t)(from->length < 0 ? end : start);
  lock->end = !from->length ? UINT64_MAX : (uint64_t)(from->length < 0 ? start : end);
  return 0;
}

static int64_t tell_conflict(struct task *task, struct target_lock *to, const struct file_lock *wanted,
                             uint64_t address) {
  const struct file_lock *lock = find_conflict(kernel_of(task), wanted);
  to->type = (int16_t)(!lock ? F_UNLCK : lock->exclusive ? F_WRLCK : F_RDLCK);
  if (lock) {
    to->whence = SEEK_SET;
    to->start = (int64_t)lock->start;
    to->length = lock->end == UINT64_MAX ? 0 : (int64_t)(lock->end - lock->start);
    to->pid = (int32_t)lock->pid;
  }
  return copy_in(task, address, to, sizeof *to) ? -EFAULT : 0;
}

int64_t file_lock_call(struct task *task, struct open_file *file, uint64_t command, uint64_t address) {
  const struct process *process = task->process;
  struct file_lock lock = {.owner = process, .of_process = true, .pid = process->pid};
  struct target_lock asked;
  if (copy_out(task, &asked, address, sizeof asked)) return -EFAULT;
  if (!identify(file, &lock)) return -EBADF;
  int64_t result = read_range(file, &asked, &lock);
  if (result) return result;
  if (asked.type != F_RDLCK && asked.type != F_WRLCK && asked.type != F_UNLCK) return -EINVAL;
  lock.exclusive = asked.type == F_WRLCK;
  if (command == F_GETLK)
    return asked.type == F_UNLCK ? -EINVAL : tell_conflict(task, &asked, &lock, address);
  if (asked.type != F_UNLCK) return take(task, &lock, command == F_SETLKW, EAGAIN);
  clear(kernel_of(task), &lock);
  return 0;
}

void file_locks_close(const struct process *process, const struct open_file *file) {
  struct file_lock all = {.owner = process, .of_process = true, .end = UINT64_MAX};
  if (process->kernel->file_locks && identify(file, &all)) clear(process->kernel, &all);
}

/* -- flock ---------------------------------------------------------------------------------------------------------------- */

int64_t call_flock(struct task *task, const uint64_t argument[6]) {
  struct open_file *file = file_get(task, argument[0]);
  uint64_t how = argument[1] & ~(uint64_t)LOCK_NB;
  struct file_lock lock = {.owner = file, .exclusive = how == LOCK_EX, .end = UINT64_MAX};
  if (!file || !identify(file, &lock)) return -EBADF;
  if (how == LOCK_UN) {
    clear(kernel_of(task), &lock);
    return 0;
  }
  if (how != LOCK_SH && how != LOCK_EX) return -EINVAL;
  file->locked = true;
  file->kernel = kernel_of(task);
  return take(task, &lock, !(argument[1] & LOCK_NB), EWOULDBLOCK);
}

/* -- Ends ----------------------------------------------------------------------------------------------------------------- */

void file_locks_release(struct kernel *kernel, const void *owner) {
  bool any = false;
  for (struct file_lock **link = &kernel->file_locks; *link;) {
    struct file_lock *lock = *link;
    if (lock->owner != owner) {
      link = &lock->next;
      continue;
    }
    *link = lock->next;
    free(lock);
    any = true;
  }
  if (any) wake_queue(&kernel->lock_waiters, UINT32_MAX, 0);
}

void file_locks_end(struct kernel *kernel) {
  while (kernel->file_locks) {
    struct file_lock *next = kernel->file_locks->next;
    free(kernel->file_locks);
    kernel->file_locks = next;
  }
}
