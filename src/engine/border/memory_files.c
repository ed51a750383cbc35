/* memory_files.c: memory that is written through a file, /proc/PID/mem.
 *
 * Such a write goes where no walk of arguments sees it, and it ignores how the memory is protected. While recording it is made with all
 * others stopped, and what then lies there is logged; replay writes the same.
 *
 * Another process's memory (also by process_vm_writev) is written while none of that process's threads runs: they wait for their turns, or are
 * held where they are parked. Its own log has to have what was written: the first of its threads that goes on puts it there, before
 * it does anything else (region->written).
 *
 * Which descriptors are such files is asked only from the moment on when one was opened in the sphere (region->memory_files). */
#include <linux/fcntl.h>
#include <linux/fs.h>
#include <linux/mman.h>
#include <linux/uio.h>

#include "engine/base/lib.h"
#include "engine/border/audit.h"
#include "engine/border/sphere.h"
#include "engine/code/code.h"
#include "engine/memory/mappings.h"
#include "engine/order/baton.h"
#include "engine/order/ordering.h"
#include "engine/order/stops.h"
#include "engine/view/files.h"

/* The process whose memory the descriptor is, 0: none. The kernel names it "/proc/PID/mem" or "/proc/PID/task/TID/mem". */
static int32_t owner_of(int fd) {
  char link[64], path[128];
  format(link, sizeof link, "/proc/self/fd/%d", fd);
  long length = os_call4(__NR_readlinkat, AT_FDCWD, link, path, sizeof path - 1);
  if (length < 10) return 0;
  path[length] = 0;
  if (strncmp(path, "/proc/", 6) || strcmp(path + length - 4, "/mem")) return 0;
  int32_t id = 0;
  const char *at = path + 6;
  for (; *at >= '0' && *at <= '9'; at++) id = id * 10 + (*at - '0');
  return *at == '/' ? process_of(id) : 0;
}

/* The flags with which the call opens; those that open nothing to write if it is another call. */
static long flags_of(const struct call *call, long fd) {
  switch (call->nr) {
#ifdef __NR_open
    case __NR_open:
      return call->args[1];
#endif
    case __NR_openat:
      return call->args[2];
    case __NR_openat2:
      return os_call2(__NR_fcntl, fd, F_GETFL);
    default:
      return O_RDONLY;
  }
}

void memory_file_opened(const struct call *call, long fd) {
  if (fd < 0) return;
  long flags = flags_of(call, fd);
  if ((flags & O_ACCMODE) == O_RDONLY || flags & O_PATH || !owner_of((int)fd)) return;
  region->memory_files = true;
}

int32_t memory_target(const struct call *call) {
  switch (call->nr) {
    case __NR_write:
    case __NR_writev:
    case __NR_pwrite64:
    case __NR_pwritev:
    case __NR_pwritev2:
      return region->memory_files ? owner_of((int)call->args[0]) : 0;
    default:
      return 0;
  }
}

static uintptr_t start_of(const struct call *call, long written) {
  bool moves = call->nr == __NR_write || call->nr == __NR_writev;
  if (!moves && !(call->nr == __NR_pwritev2 && call->args[3] == -1)) return (uintptr_t)call->args[3];
  return (uintptr_t)(os_call3(__NR_lseek, call->args[0], 0, SEEK_CUR) - written);
}

static int open_own(void) {
  long fd = os_call4(__NR_openat, AT_FDCWD, "/proc/self/mem", O_RDONLY | O_CLOEXEC, 0);
  if (fd < 0) sphere_fail(OUTCOME_FAILED, "can't open /proc/self/mem (error %ld)", -fd);
  return (int)fd;
}

void memory_written(struct thread *thread, const struct call *call, long result) {
  uint8_t bytes[PAGE];
  if (result <= 0) return;
  uintptr_t at = start_of(call, result), end = at + (uintptr_t)result;
  code_overwritten(at, end);
  int fd = open_own();
  while (at < end) {
    long n = os_call4(__NR_pread64, fd, bytes, MIN(sizeof bytes, end - at), at);
    if (n <= 0) sphere_fail(OUTCOME_FAILED, "can't read what was written to memory (error %ld)", -n);
    record_copy_in(thread, at, bytes, (size_t)n);
    at += (uintptr_t)n;
  }
  os_call1(__NR_close, fd);
}

/* -- Another process's memory ------------------------------------------------------------------------------------------------ */

int32_t memory_of_other(struct thread *thread, const struct call *call) {
  int32_t own = thread->rthread->pid, whose;
  if (call->nr == __NR_process_vm_writev)
    whose = process_of((int32_t)call->args[0]);
  else
    whose = memory_target(call);
  return whose == own ? 0 : whose;
}

void memory_other_begin(struct thread *thread, int32_t pid) {
  if (in_parallel()) stops_begin_writing(thread, pid);
}

static void note(int32_t pid, uintptr_t address, size_t bytes) {
  uint32_t at = 0, count = atomic_load(&region->written_count);
  if (!bytes) return;
  while (at < count && atomic_load(&region->written[at].pid)) at++;
  if (at == REGION_WRITTEN)
    sphere_fail(OUTCOME_UNSUPPORTED, "so many writes to another process's memory at once can't be recorded");
  /* cppcheck-suppress arrayIndexOutOfBoundsCond ; sphere_fail does not return */
  region->written[at].address = address;
  /* cppcheck-suppress arrayIndexOutOfBoundsCond ; sphere_fail does not return */
  region->written[at].bytes = bytes;
  /* cppcheck-suppress arrayIndexOutOfBoundsCond ; sphere_fail does not return */
  atomic_store(&region->written[at].pid, pid);
  if (at == count) atomic_store(&region->written_count, count + 1);
}

static void note_pieces(int32_t pid, const struct call *call, size_t written) {
  struct iovec piece;
  for (long i = 0; i < call->args[4] && written; i++) {
    if (safe_copy(&piece, (const struct iovec *)call->args[3] + i, sizeof piece)) return;
    size_t part = MIN(piece.iov_len, written);
    note(pid, (uintptr_t)piece.iov_base, part);
    written -= part;
  }
}

void memory_other_end(int32_t pid, const struct call *call, long result) {
  if (result > 0 && call->nr == __NR_process_vm_writev)
    note_pieces(pid, call, (size_t)result);
  else if (result > 0)
    note(pid, start_of(call, result), (size_t)result);
  if (in_parallel()) stops_end_writing();
}

static bool is_noted(int32_t pid) {
  uint32_t count = atomic_load(&region->written_count);
  for (uint32_t i = 0; i < count; i++)
    if (atomic_load(&region->written[i].pid) == pid) return true;
  return false;
}

bool memory_was_written(int32_t pid) {
  return is_noted(pid) || is_noted(-pid);
}

static void log_range(struct thread *thread, int fd, uintptr_t at, uintptr_t end) {
  uint8_t bytes[PAGE];
  code_overwritten(at, end);
  while (at < end) {
    long n = os_call4(__NR_pread64, fd, bytes, MIN(sizeof bytes, end - at), at);
    if (n <= 0) return; /* it has gone since: nobody has seen it */
    order_alone(thread);
    record_foreign(thread, at, bytes, (size_t)n);
    order_tick(thread);
    order_together(thread);
    at += (uintptr_t)n;
  }
}

void memory_forget_written(int32_t pid) {
  for (uint32_t i = 0; i < atomic_load(&region->written_count); i++) {
    int32_t of = atomic_load(&region->written[i].pid);
    if (of == pid || of == -pid) atomic_store(&region->written[i].pid, 0);
  }
}

/* What other threads of the process are just logging must not be seen before. What was written meanwhile is logged by who goes on first. */
static void await_logged(struct thread *thread) {
  permissions_park(thread);
  while (is_noted(-thread->rthread->pid)) region_give_way();
  permissions_unpark(thread);
}

void memory_log_written(struct thread *thread) {
  int32_t own = thread->rthread->pid;
  int fd = open_own();
  audit_turn(NULL);
  for (uint32_t i = 0; i < atomic_load(&region->written_count); i++) {
    struct region_written *written = &region->written[i];
    int32_t expected = own;
    if (!atomic_compare_exchange_strong(&written->pid, &expected, -own)) continue;
    log_range(thread, fd, written->address, written->address + written->bytes);
    atomic_store(&written->pid, 0);
  }
  os_call1(__NR_close, fd);
  if (in_parallel() && memory_was_written(own)) await_logged(thread);
}

/* A replay may open no file: the pages are made writable for a moment. Nobody else is at them, as nobody was in the recording. */
bool memory_force(uintptr_t to, const void *from, size_t bytes) {
  uintptr_t start = ALIGN_DOWN(to, PAGE), end = ALIGN_UP(to + bytes, PAGE);
  struct mapping mapping;
  bool done = end > start;
  for (uintptr_t page = start; done && page < end; page += PAGE)
    done = mappings_find(page, &mapping) && !os_call3(__NR_mprotect, page, PAGE, PROT_READ | PROT_WRITE);
  done = done && !safe_copy((void *)to, from, bytes);
  for (uintptr_t page = start; page < end && mappings_find(page, &mapping); page += PAGE)
    os_call3(__NR_mprotect, page, PAGE, mappings_kernel_prot(mapping.prot));
  if (done) code_overwritten(to, to + bytes);
  return done;
}
