/* memory_files.c: memory that is written through a file, /proc/PID/mem.
 *
 * No walk of the arguments finds the memory that such a write changes, and the write ignores protection. The recorder makes it with all
 * other threads stopped, and logs the memory afterwards; replay writes the same.
 *
 * Another process's memory (also by process_vm_writev) is written while none of that process's threads runs: they wait for their turns, or are
 * held where they are parked. The write must be in that process's own log: the first of its threads that goes on puts it there, before
 * it does anything else (region->written).
 *
 * Descriptors are tested for such files only after one was opened in the sphere (region->memory_files). */
#include <linux/fcntl.h>
#include <linux/fs.h>
#include <linux/mman.h>
#include <linux/uio.h>

#include "engine/base/lib.h"
#include "engine/base/opening.h"
#include "engine/border/sphere.h"
#include "engine/code/code.h"
#include "engine/memory/mappings.h"
#include "engine/order/baton.h"
#include "engine/order/stops.h"
#include "engine/order/thread_order.h"
#include "engine/region/sent_signals.h"
#include "engine/region/turns.h"
#include "engine/view/files.h"

void memory_file_opened(const struct call *call, long fd) {
  struct input_opening how;
  if (fd < 0 || !call_opens(call, &how) || !how.descriptor) return;
  if (!how.certain) how.flags = (uint64_t)os_call2(__NR_fcntl, fd, F_GETFL);
  if (opens_to_write(&how) && memory_owner((int)fd)) region->memory_files = true;
}

static uintptr_t start_of(const struct call *call, long written) {
  bool moves = call->nr == __NR_write || call->nr == __NR_writev;
  if (!moves && !(call->nr == __NR_pwritev2 && call->args[3] == -1)) return (uintptr_t)call->args[3];
  return (uintptr_t)(os_call3(__NR_lseek, call->args[0], 0, SEEK_CUR) - written);
}

void memory_written(struct thread *thread, const struct call *call, long result) {
  uint8_t bytes[PAGE];
  if (result <= 0) return;
  uintptr_t at = start_of(call, result), end = at + (uintptr_t)result;
  code_overwritten(at, end);
  int fd = memory_open_own();
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
  if (turns->takes_memory) stops_begin_writing(thread, pid);
}

static void note_pieces(int32_t pid, const struct call *call, size_t written) {
  struct iovec piece;
  for (long i = 0; i < call->args[4] && written; i++) {
    if (safe_copy(&piece, (const struct iovec *)call->args[3] + i, sizeof piece)) return;
    size_t part = MIN(piece.iov_len, written);
    memory_note_written(pid, (uintptr_t)piece.iov_base, part);
    written -= part;
  }
}

void memory_other_end(int32_t pid, const struct call *call, long result) {
  if (result > 0 && call->nr == __NR_process_vm_writev)
    note_pieces(pid, call, (size_t)result);
  else if (result > 0)
    memory_note_written(pid, start_of(call, result), (size_t)result);
  if (turns->takes_memory) stops_end_writing();
}
