/* calls_shared.c: System V shared memory. See shared_memory.h.
 *
 * Segments belong to a sphere and their identifiers are never used twice. So a replay needs no order of the calls that make and remove segments: it
 * takes their results from the log, and makes a segment, full of zeros, when it is first attached. */
#include <errno.h>
#include <stdlib.h>
#include <sys/ipc.h>
#include <sys/shm.h>

#include "sim/kernel/calls.h"
#include "sim/kernel/input_log.h"
#include "sim/kernel/shared_memory.h"
#include "sim/machine/check.h"
#include "sim/machine/pages.h"

call_function call_shmget, call_shmctl, call_shmat, call_shmdt;

struct segment {
  struct segment *next;
  const struct sphere *sphere;
  int32_t key, id;
  uint32_t mode, creator, last; /* creator, last: processes */
  uint64_t bytes, pages;
  uint32_t attached;
  bool removed; /* goes with its last attachment */
  uint64_t page[];
};

struct attachment {
  struct attachment *next;
  const struct space *space;
  struct segment *segment;
  uint64_t address;
};

/* -- Segments ------------------------------------------------------------------------------------------------------------- */

static struct segment *segment_new(struct task *task, int32_t key, int32_t id, uint64_t bytes) {
  struct kernel *kernel = kernel_of(task);
  uint64_t pages = (bytes + PAGE_BYTES - 1) / PAGE_BYTES;
  struct segment *segment = calloc(1, sizeof *segment + pages * sizeof *segment->page);
  if (!segment) return NULL;
  *segment = (struct segment){.next = kernel->segments,
                              .sphere = task->thread.sphere,
                              .key = key,
                              .id = id,
                              .creator = task->process->pid,
                              .bytes = bytes};
  for (; segment->pages < pages; segment->pages++) {
    uint64_t page = page_take(kernel->machine);
    if (page == SPACE_FAULT) break;
    segment->page[segment->pages] = page;
  }
  if (segment->pages == pages) return kernel->segments = segment;
  while (segment->pages) page_release(kernel->machine, segment->page[--segment->pages]);
  free(segment);
  return NULL;
}

static void segment_free(struct kernel *kernel, struct segment *segment) {
  struct segment **link = &kernel->segments;
  while (*link != segment) link = &(*link)->next;
  *link = segment->next;
  for (uint64_t n = 0; n < segment->pages; n++) page_release(kernel->machine, segment->page[n]);
  free(segment);
}

static struct segment *find_id(const struct task *task, int32_t id) {
  struct segment *segment = kernel_of(task)->segments;
  while (segment && (segment->id != id || segment->sphere != task->thread.sphere)) segment = segment->next;
  return segment;
}

static struct segment *find_key(const struct task *task, int32_t key) {
  struct segment *segment = kernel_of(task)->segments;
  while (segment && (segment->key != key || segment->sphere != task->thread.sphere || segment->removed))
    segment = segment->next;
  return segment;
}

/* -- Attachments ---------------------------------------------------------------------------------------------------------- */

static void attach(struct kernel *kernel, const struct space *space, struct segment *segment,
                   uint64_t address) {
  struct attachment *attachment = malloc(sizeof *attachment);
  CHECK(attachment, "out of memory");
  *attachment = (struct attachment){kernel->attachments, space, segment, address};
  kernel->attachments = attachment;
  segment->attached++;
}

static void detach(struct kernel *kernel, struct attachment **link) {
  struct attachment *attachment = *link;
  struct segment *segment = attachment->segment;
  *link = attachment->next;
  free(attachment);
  if (!--segment->attached && segment->removed) segment_free(kernel, segment);
}

void shared_memory_fork(struct kernel *kernel, const struct space *from, struct space *to) {
  for (struct attachment *a = kernel->attachments; a; a = a->next)
    if (a->space == from) attach(kernel, to, a->segment, a->address);
}

void shared_memory_leave(struct kernel *kernel, struct space *space) {
  if (space->users > 1) return;
  for (struct attachment **link = &kernel->attachments; *link;)
    if ((*link)->space == space)
      detach(kernel, link);
    else
      link = &(*link)->next;
}

bool shared_memory_is_used(const struct kernel *kernel, const struct sphere *sphere) {
  const struct segment *segment = kernel->segments;
  while (segment && segment->sphere != sphere) segment = segment->next;
  return segment;
}

void shared_memory_end(struct kernel *kernel) {
  while (kernel->attachments) detach(kernel, &kernel->attachments);
  while (kernel->segments) segment_free(kernel, kernel->segments);
}

/* -- Calls ------------------------------------------------------------------------------------------------------------------ */

int64_t call_shmget(struct task *task, const uint64_t argument[6]) {
  int32_t key = (int32_t)argument[0];
  uint64_t bytes = argument[1], flags = argument[2];
  struct segment *segment = key == IPC_PRIVATE ? NULL : find_key(task, key);
  if (segment) {
    if ((flags & (IPC_CREAT | IPC_EXCL)) == (IPC_CREAT | IPC_EXCL)) return -EEXIST;
    return bytes > segment->bytes ? -EINVAL : segment->id;
  }
  if (key != IPC_PRIVATE && !(flags & IPC_CREAT)) return -ENOENT;
  if (!bytes || bytes > kernel_of(task)->machine->ram_bytes) return -EINVAL;
  segment = segment_new(task, key, (int32_t)kernel_of(task)->next_segment, bytes);
  if (!segment) return -ENOMEM;
  kernel_of(task)->next_segment++;
  segment->mode = flags & 0777;
  return segment->id;
}

/* asm-generic/shmbuf.h and ipcbuf.h */
struct status {
  int32_t key;
  uint32_t uid, gid, creator_uid, creator_gid, mode;
  uint16_t sequence, pad;
  uint64_t unused[2];
  uint64_t bytes;
  int64_t attached_at, detached_at, changed_at;
  int32_t creator, last;
  uint64_t attached, more_unused[2];
};
_Static_assert(sizeof(struct status) == 112, "as the C library of riscv64 has it");

int64_t call_shmctl(struct task *task, const uint64_t argument[6]) {
  struct segment *segment = find_id(task, (int32_t)argument[0]);
  if (!segment) return -EINVAL;
  struct status status = {.key = segment->key,
                          .mode = segment->mode | (segment->removed ? SHM_DEST : 0),
                          .bytes = segment->bytes,
                          .creator = (int32_t)segment->creator,
                          .last = (int32_t)segment->last,
                          .attached = segment->attached};
  switch ((int)argument[1] & ~0x100) { /* IPC_64 */
    case IPC_RMID:
      segment->removed = true;
      segment->key = IPC_PRIVATE;
      if (!segment->attached) segment_free(kernel_of(task), segment);
      return 0;
    case IPC_STAT:
      return copy_in(task, argument[2], &status, sizeof status);
    case IPC_SET:
      if (copy_out(task, &status, argument[2], sizeof status)) return -EFAULT;
      if ((segment = find_id(task, (int32_t)argument[0]))) segment->mode = status.mode & 0777;
      return 0;
    case SHM_LOCK:
    case SHM_UNLOCK:
      return 0;
    default:
      return -EINVAL;
  }
}

static bool map_segment(struct space *space, const struct segment *segment, uint64_t at, unsigned flags) {
  if (!space_map(space, at, segment->pages * PAGE_BYTES, flags)) return false;
  for (uint64_t n = 0; n < segment->pages; n++)
    if (!space_share_page(space, at + n * PAGE_BYTES, segment->page[n], flags)) return false;
  return true;
}

int64_t call_shmat(struct task *task, const uint64_t argument[6]) {
  int32_t id = (int32_t)argument[0];
  uint64_t hint = argument[1], flags = argument[2];
  kernel_turn(task);
  struct segment *segment = find_id(task, id);
  uint64_t bytes = segment ? segment->bytes : 0;
  input_counter(task, &bytes);
  if (!bytes) return -EINVAL;
  if (!segment) segment = segment_new(task, IPC_PRIVATE, id, bytes);
  if (!segment) return -ENOMEM;
  if (flags & SHM_RND) hint &= ~(uint64_t)(PAGE_BYTES - 1);
  uint64_t length = segment->pages * PAGE_BYTES;
  struct space *space = task->process->space;
  if (hint % PAGE_BYTES || hint >= SPACE_END || length > SPACE_END - hint) return -EINVAL;
  if (hint && !(flags & SHM_REMAP) && !space_is_free(space, hint, length)) return -EINVAL;
  uint64_t at = mapping_place(task, hint, length, hint != 0);
  if (!at) return -ENOMEM;
  unsigned permissions =
      PAGE_SHARED | PAGE_READ | (flags & SHM_RDONLY ? 0 : PAGE_WRITE) | (flags & SHM_EXEC ? PAGE_EXECUTE : 0);
  if (!map_segment(space, segment, at, permissions)) return -ENOMEM;
  segment->last = task->process->pid;
  attach(kernel_of(task), space, segment, at);
  return (int64_t)at;
}

int64_t call_shmdt(struct task *task, const uint64_t argument[6]) {
  kernel_turn(task);
  struct kernel *kernel = kernel_of(task);
  struct space *space = task->process->space;
  struct attachment **link = &kernel->attachments;
  while (*link && ((*link)->space != space || (*link)->address != argument[0])) link = &(*link)->next;
  if (!*link) return -EINVAL;
  struct segment *segment = (*link)->segment;
  segment->last = task->process->pid;
  space_unmap(space, argument[0], segment->pages * PAGE_BYTES);
  detach(kernel, link);
  return 0;
}
