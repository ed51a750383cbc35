/* calls_memory.c: system calls that change the address space. Replay does them again and gets the same addresses from the log. */
#include <errno.h>
#include <stdlib.h>
#include <sys/mman.h>

#include "sim/kernel/calls.h"
#include "sim/kernel/files.h"
#include "sim/kernel/input_log.h"
#include "sim/kernel/mapped_files.h"

call_function call_brk, call_mmap, call_munmap, call_mremap, call_mprotect, call_madvise, call_msync,
    call_riscv_flush_icache;

static uint64_t pages(uint64_t bytes) {
  return (bytes + PAGE_BYTES - 1) & ~(uint64_t)(PAGE_BYTES - 1);
}

static unsigned page_flags(uint64_t protection) {
  return (protection & PROT_READ ? PAGE_READ : 0) | (protection & PROT_WRITE ? PAGE_READ | PAGE_WRITE : 0) |
         (protection & PROT_EXEC ? PAGE_EXECUTE : 0);
}

int64_t call_brk(struct task *task, const uint64_t argument[6]) {
  kernel_turn(task);
  struct space *space = task->process->space;
  uint64_t old = pages(space->brk), wanted = argument[0], end = pages(wanted);
  if (wanted < space->brk_start || end >= space->mapping_top) return (int64_t)space->brk;
  if (end > old &&
      (!space_is_free(space, old, end - old) || !space_map(space, old, end - old, PAGE_READ | PAGE_WRITE)))
    return (int64_t)space->brk;
  if (end < old) space_unmap(space, end, old - end);
  return (int64_t)(space->brk = wanted);
}

/* In replay the recording's answer comes with its result, which is not known yet: it is noted as the child's number is. */
uint64_t mapping_place(struct task *task, uint64_t hint, uint64_t bytes, bool fixed) {
  struct space *space = task->process->space;
  uint64_t at;
  if (fixed) {
    at = hint;
  } else {
    hint &= ~(uint64_t)(PAGE_BYTES - 1);
    bool good = hint >= 1 << 16 && hint + bytes <= space->mapping_top && space_is_free(space, hint, bytes);
    at = good ? hint : space_find(space, bytes);
  }
  input_counter(task, &at);
  bool possible = fixed ? at == hint : at % PAGE_BYTES == 0 && at < SPACE_END && bytes <= SPACE_END - at;
  if (possible) return at;
  kernel_fail(kernel_of(task), 121, "the recording is damaged: memory is mapped at %#lx", (unsigned long)at);
  return 0;
}

/* A file's bytes come in as a copy: there is no page cache. */
static int64_t read_mapping(struct task *task, uint64_t at, uint64_t bytes, const uint64_t argument[6]) {
  int64_t count = bytes < argument[1] ? (int64_t)bytes : (int64_t)argument[1];
  uint8_t *buffer = calloc(1, argument[1]);
  if (!buffer) return -ENOMEM;
  if (!input_replays(task)) {
    struct open_file *file = file_get(task, argument[4]);
    count = file ? file_read_at(task, file, buffer, argument[1], argument[5]) : -EBADF;
  }
  input_result(task, &count);
  if (count > 0) {
    unsigned flags = page_flags(argument[2]);
    space_protect(task->process->space, at, bytes, PAGE_READ | PAGE_WRITE);
    if (copy_in(task, at, buffer, (uint64_t)count)) count = -EFAULT;
    space_protect(task->process->space, at, bytes, flags);
  }
  free(buffer);
  return count;
}

int64_t call_mmap(struct task *task, const uint64_t argument[6]) {
  uint64_t bytes = pages(argument[1]), flags = argument[3];
  bool anonymous = flags & MAP_ANONYMOUS, shared = flags & MAP_SHARED;
  if (!argument[1] || argument[1] > SPACE_END || argument[0] % PAGE_BYTES || argument[5] % PAGE_BYTES)
    return -EINVAL;
  kernel_turn(task);
  uint64_t at = mapping_place(task, argument[0], bytes, flags & (MAP_FIXED | MAP_FIXED_NOREPLACE));
  if (!at) return -ENOMEM;
  if (at >= SPACE_END || bytes > SPACE_END - at) return -EINVAL;
  if (flags & MAP_FIXED_NOREPLACE && !space_is_free(task->process->space, at, bytes)) return -EEXIST;
  if (!space_map(task->process->space, at, bytes,
                 shared ? PAGE_SHARED | PAGE_READ | PAGE_WRITE : page_flags(argument[2])))
    return -ENOMEM;
  mapped_files_settle(kernel_of(task)); /* what was there before */
  if (anonymous && shared) space_protect(task->process->space, at, bytes, page_flags(argument[2]));
  if (anonymous) return (int64_t)at;
  int64_t result =
      shared ? mapped_file_attach(task, at, bytes, argument[4], argument[5], page_flags(argument[2]))
             : read_mapping(task, at, bytes, argument);
  if (result >= 0) return (int64_t)at;
  space_unmap(task->process->space, at, bytes);
  return result;
}

static bool is_range(uint64_t start, uint64_t bytes) {
  return start % PAGE_BYTES == 0 && start < SPACE_END && bytes <= SPACE_END - start;
}

int64_t call_munmap(struct task *task, const uint64_t argument[6]) {
  if (!argument[1] || !is_range(argument[0], argument[1])) return -EINVAL;
  kernel_turn(task);
  space_unmap(task->process->space, argument[0], pages(argument[1]));
  mapped_files_settle(kernel_of(task));
  return 0;
}

int64_t call_mprotect(struct task *task, const uint64_t argument[6]) {
  if (!is_range(argument[0], argument[1])) return -EINVAL;
  if (!argument[1]) return 0;
  kernel_turn(task);
  return space_protect(task->process->space, argument[0], pages(argument[1]), page_flags(argument[2]))
             ? 0
             : -ENOMEM;
}

/* Behind what a mapping was before it grew: zeros, or more of the file that it is of. */
static int64_t map_growth(struct task *task, uint64_t at, uint64_t bytes, uint64_t last, unsigned flags) {
  struct space *space = task->process->space;
  bool of_file = mapped_files_have_page(kernel_of(task), last);
  unsigned permissions = flags & (PAGE_READ | PAGE_WRITE | PAGE_EXECUTE);
  if (!space_map(space, at, bytes, of_file ? PAGE_SHARED | PAGE_READ | PAGE_WRITE : flags)) return -ENOMEM;
  return of_file ? mapped_file_extend(task, last, at, bytes, permissions) : 0;
}

int64_t call_mremap(struct task *task, const uint64_t argument[6]) {
  struct space *space = task->process->space;
  uint64_t from = argument[0], old = pages(argument[1]), new = pages(argument[2]);
  if (!is_range(from, old) || !new || !old || argument[3] & MREMAP_FIXED) return -EINVAL;
  kernel_turn(task);
  if (!space_is_mapped(space, from, old)) return -EFAULT;
  if (new <= old) {
    if (new < old) space_unmap(space, from + new, old - new);
    mapped_files_settle(kernel_of(task));
    return (int64_t)from;
  }
  unsigned flags = space_flags(space, from);
  uint64_t last = space_translate(space, from + old - PAGE_BYTES, 0);
  if (space_is_free(space, from + old, new - old) && from + new <= space->mapping_top) {
    int64_t result = map_growth(task, from + old, new - old, last, flags);
    return result ? result : (int64_t)from;
  }
  if (!(argument[3] & MREMAP_MAYMOVE)) return -ENOMEM;
  uint64_t to = mapping_place(task, 0, new, false);
  if (!to || !space_map(space, to, old, flags) || !space_move(space, from, to, old)) return -ENOMEM;
  int64_t result = map_growth(task, to + old, new - old, last, flags);
  space_unmap(space, from, old);
  return result ? result : (int64_t)to;
}

int64_t call_madvise(struct task *task, const uint64_t argument[6]) {
  if (!is_range(argument[0], argument[1])) return -EINVAL;
  if (argument[2] != MADV_DONTNEED) return 0;
  kernel_turn(task);
  space_discard(task->process->space, argument[0], pages(argument[1]));
  return 0;
}

int64_t call_msync(struct task *task, const uint64_t argument[6]) {
  if (!is_range(argument[0], argument[1])) return -EINVAL;
  mapped_files_flush(kernel_of(task));
  return 0;
}

int64_t call_riscv_flush_icache(struct task *task, const uint64_t argument[6]) {
  (void)argument;
  struct machine *machine = kernel_of(task)->machine;
  for (uint32_t i = 0; i < machine->config.harts; i++) port_drop_all(&machine->harts[i].port, PORT_FETCHES);
  return 0;
}
