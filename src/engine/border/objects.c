/* objects.c: see objects.h.
 *
 * All processes of the sphere share the set of objects: a hash table in the region, by device and inode, which
 * the manager keeps from being reused. Looking up every written descriptor would cost a call for each write,
 * so it is done only after some object may be open for writing in the sphere (region->exposed).
 *
 * Known limit. Changes of a mapped file by a process outside of the sphere are not ordered with it. The manager notices, at
 * the end of the sphere, that a file has changed, and says so. */
#include "engine/border/objects.h"

#include <linux/falloc.h>
#include <linux/fcntl.h>
#include <linux/fs.h>
#include <linux/mman.h>
#include <linux/openat2.h>
#include <linux/shm.h>
#include <linux/stat.h>

#include "engine/base/file_state.h"
#include "engine/base/lib.h"
#include "engine/base/opening.h"
#include "engine/border/sphere.h"
#include "engine/code/code_files.h"
#include "engine/memory/mappings.h"
#include "engine/order/rthreads.h"
#include "engine/order/shared.h"
#include "engine/region/object_table.h"
#include "engine/view/descriptors.h"
#include "engine/view/files.h"

enum { PIECE = 16 << 10 };

#define SEGMENTS UINT64_MAX /* the device of System V segments: their inode is the identifier */

/* -- The table ----------------------------------------------------------------------------------------------------------- */

static struct region_object *add(uint64_t device, uint64_t inode, uint32_t file) {
  if (!object_place(device, inode)->known && region->object_count >= REGION_OBJECTS / 2)
    sphere_fail(OUTCOME_UNSUPPORTED, "more than %d mapped files can't be recorded", REGION_OBJECTS / 2);
  region_lock(); /* in parallel, other processes may be here as well */
  struct region_object *object = object_place(device, inode);
  if (!object->known) region->object_count++;
  *object = (struct region_object){.device = device,
                                   .inode = inode,
                                   .file = file,
                                   .unordered = atomic_load(&object->unordered),
                                   .stored = atomic_load(&object->stored),
                                   .partly = atomic_load(&object->partly),
                                   .reach = object->reach,
                                   .known = true,
                                   .copied = object->copied,
                                   .changes = object->changes};
  region_unlock();
  return object;
}

static bool looks_the_same(const struct region_object *object, const struct statx *info) {
  return object->settled && object->size == info->stx_size && object->modified == info->stx_mtime.tv_sec &&
         object->modified_fraction == info->stx_mtime.tv_nsec;
}

/* info is older than the state of the file that the manager has kept. */
static void note_state(struct region_object *object, const struct statx *info) {
  object->settled = true;
  object->size = info->stx_size;
  object->modified = info->stx_mtime.tv_sec;
  object->modified_fraction = info->stx_mtime.tv_nsec;
}

static bool identify(int fd, const char *path, struct statx *info) {
  return !file_state(fd, path, info);
}

/* -- Recording: mappings ---------------------------------------------------------------------------------------------------- */

/* The manager is asked once for a file that is mapped repeatedly: objects_opened notices if it is opened for writing in between. */
static struct region_object *keep(int fd, bool changes) {
  struct statx info;
  struct region_object *object = object_find(fd, "", &info);
  if (object && !changes && !object->changes && looks_the_same(object, &info)) return object;
  int64_t answer = region_ask(REQUEST_KEEP_FILE, fd | (changes ? REQUEST_CHANGES : 0));
  struct statx now;
  if (answer < 0 || !identify(fd, "", &now))
    sphere_fail(OUTCOME_UNSUPPORTED, "a mapped file can't be kept with the recording (error %ld)",
                (long)-answer);
  object = add(object_device(&now), now.stx_ino, (uint32_t)answer);
  object->changes |= changes;
  if (answer & REQUEST_SETTLED) note_state(object, &info);
  if (changes || answer & REQUEST_EXPOSED) region->exposed = true;
  return object;
}

uint32_t record_file(struct thread *thread, int fd) {
  (void)thread;
  return keep(fd, false)->file;
}

static bool is_zero_device(const struct statx *info) {
  return info->stx_rdev_major == 1 && info->stx_rdev_minor == 5;
}

/* S_IFMT and S_IFREG, which the kernel's header leaves to a C library that another one has brought in. */
enum { FILE_TYPE = 0170000, REGULAR_FILE = 0100000 };

bool objects_can_map(const struct call *call) {
  struct statx info;
  if (call->args[3] & MAP_ANONYMOUS || descriptor_reserved(call->args[4]))
    return true; /* not ours to judge */
  if (!identify((int)call->args[4], "", &info)) return true;
  return (info.stx_mode & FILE_TYPE) == REGULAR_FILE || is_zero_device(&info);
}

bool objects_map_changed(const struct call *call) {
  struct statx info;
  if (!region->exposed || call->args[3] & MAP_ANONYMOUS) return false;
  const struct region_object *object = object_find((int)call->args[4], "", &info);
  return object && object->changes;
}

struct region_object *objects_mapped(struct thread *thread, const struct call *call, long at) {
  int fd = (int)call->args[4];
  struct statx info;
  if (identify(fd, "", &info) && is_zero_device(&info)) return NULL;
  bool writable = (os_call2(__NR_fcntl, fd, F_GETFL) & O_ACCMODE) != O_RDONLY;
  struct region_object *object = keep(fd, writable);
  struct input_event event = {.kind = EVENT_FILE,
                              .file = {.file = object->file,
                                       .address = (uint64_t)at,
                                       .bytes = ALIGN_UP((uint64_t)call->args[1], PAGE),
                                       .offset = (uint64_t)call->args[5],
                                       .writable = writable}};
  record_event(thread, &event);
  return object;
}

/* A file with the content of a segment. */
static uint32_t keep_segment(uintptr_t at, size_t bytes) {
  long fd = scratch_file("segment");
  if (fd < 0 || os_call2(__NR_ftruncate, fd, bytes))
    sphere_fail(OUTCOME_FAILED, "can't make a file of shared memory (error %ld)", -fd);
  static const uint8_t zeros[PAGE];
  for (size_t offset = 0; offset < bytes; offset += PAGE)
    if (memcmp((const void *)(at + offset), zeros, PAGE)) {
      size_t part = MIN(PAGE, bytes - offset);
      long written = os_call4(__NR_pwrite64, fd, at + offset, part, offset);
      if (written != (long)part)
        sphere_fail(OUTCOME_FAILED, "can't fill a file of shared memory (error %ld)", -written);
    }
  int64_t answer = region_ask(REQUEST_KEEP_FILE, fd | REQUEST_CHANGES);
  if (answer < 0)
    sphere_fail(OUTCOME_UNSUPPORTED, "shared memory can't be kept with the recording (error %ld)",
                (long)-answer);
  os_call1(__NR_close, fd);
  return (uint32_t)answer;
}

struct region_object *objects_attached(struct thread *thread, const struct call *call, long at) {
  struct shmid64_ds info;
  struct mapping mapping;
  uint64_t id = (uint32_t)call->args[0];
  if (!mappings_find((uintptr_t)at, &mapping) || os_call3(__NR_shmctl, call->args[0], IPC_STAT, &info))
    sphere_fail(OUTCOME_FAILED, "shared memory is gone as soon as it was attached");
  struct region_object *object = object_place(SEGMENTS, id);
  if (!object->known) {
    if (info.shm_nattch > 1)
      sphere_warn("shared memory %lu is used outside of the recording, too: the replay may differ",
                  (unsigned long)id);
    object = add(SEGMENTS, id, keep_segment((uintptr_t)at, info.shm_segsz));
    object->changes = true;
  }
  struct input_event event = {.kind = EVENT_FILE,
                              .file = {.file = object->file,
                                       .address = (uint64_t)at,
                                       .bytes = ALIGN_UP(info.shm_segsz, PAGE),
                                       .writable = true}};
  record_event(thread, &event);
  return object;
}

/* -- Recording: changes --------------------------------------------------------------------------------------------------------- */

/* Calls that change the file behind a descriptor, which is this argument. */
static int written_argument(const struct call *call) {
  if (call->nr == __NR_ioctl)
    return (unsigned)call->args[1] == FICLONE || (unsigned)call->args[1] == FICLONERANGE ? 0 : -1;
  return input_changed(call->nr);
}

struct region_object *objects_target(const struct call *call) {
  struct region_object *object = NULL;
  struct statx info;
  struct input_opening how;
  int argument = written_argument(call);
  char name[ENGINE_PATH_MAX];
  if (argument >= 0) {
    if (region->exposed) object = object_find((int)call->args[argument], "", &info);
  } else if (call_opens(call, &how) && how.flags & O_TRUNC && how.path) {
    if (files_copy_path(name, how.path) > 0) object = object_find(how.folder, name, &info);
  }
  if (!object || object->changes) return object;
  int64_t answer = region_ask(REQUEST_FILE_CHANGES, object->file);
  if (answer < 0)
    sphere_fail(OUTCOME_FAILED, "a mapped file that is going to be changed is not known (error %ld)",
                (long)-answer);
  object->changes = true;
  return object;
}

static void log_change(struct thread *thread, const struct region_object *object, uint64_t offset,
                       uint64_t size, const uint8_t *bytes, size_t count) {
  struct input_event event = {
      .kind = EVENT_CHANGE,
      .change = {
          .file = object->file, .offset = offset, .size = size, .count = (uint32_t)count, .bytes = bytes}};
  record_event(thread, &event);
}

/* Logs the present content of a range of the file. */
static void log_range(struct thread *thread, const struct region_object *object, int fd, uint64_t start,
                      uint64_t end, uint64_t size) {
  char path[64];
  uint8_t buffer[PIECE];
  format(path, sizeof path, "/proc/self/fd/%d", fd);
  long from = os_call4(__NR_openat, AT_FDCWD, path, O_RDONLY | O_CLOEXEC, 0);
  if (from < 0) sphere_fail(OUTCOME_UNSUPPORTED, "a mapped file is written that can't be read");
  end = MIN(end, size);
  if (start >= end) log_change(thread, object, 0, size, NULL, 0);
  while (start < end) {
    long n = os_call4(__NR_pread64, from, buffer, MIN(sizeof buffer, end - start), start);
    if (n <= 0) break;
    log_change(thread, object, start, size, buffer, (size_t)n);
    start += (uint64_t)n;
  }
  os_call1(__NR_close, from);
}

/* The end of the write of a call that moves an offset: one in memory, or the descriptor's own. */
static uint64_t end_by_offset(int fd, uintptr_t pointer) {
  uint64_t end = 0;
  if (!pointer) return (uint64_t)os_call3(__NR_lseek, fd, 0, SEEK_CUR);
  safe_copy(&end, (const void *)pointer, sizeof end);
  return end;
}

static uint64_t end_at(int fd, uint64_t offset, uint64_t result, uint64_t size) {
  return os_call2(__NR_fcntl, fd, F_GETFL) & O_APPEND ? size : offset + result;
}

static void written_range(const struct call *call, uint64_t result, uint64_t size, uint64_t *start,
                          uint64_t *end) {
  const long *a = call->args;
  switch (call->nr) {
    case __NR_pwrite64:
    case __NR_pwritev:
      *end = end_at((int)a[0], (uint64_t)a[3], result, size);
      break;
    case __NR_pwritev2:
      *end = a[3] == -1 ? end_by_offset((int)a[0], 0) : end_at((int)a[0], (uint64_t)a[3], result, size);
      break;
    case __NR_copy_file_range:
    case __NR_splice:
      *end = end_by_offset((int)a[2], (uintptr_t)a[3]);
      break;
    case __NR_ftruncate:
      *start = *end = 0;
      return;
    case __NR_fallocate:
      if (!(a[1] & ~FALLOC_FL_KEEP_SIZE)) { /* room, but no other content */
        *start = *end = 0;
        return;
      }
      *start = (uint64_t)a[2];
      *end = a[1] & (FALLOC_FL_COLLAPSE_RANGE | FALLOC_FL_INSERT_RANGE) ? size : *start + (uint64_t)a[3];
      return;
    case __NR_ioctl:
      *start = 0;
      *end = size;
      return;
    default:
      *end = end_by_offset((int)a[0], 0);
      break;
  }
  *start = *end - result;
}

void objects_changed(struct thread *thread, struct region_object *object, const struct call *call,
                     long result) {
  int argument = written_argument(call);
  struct statx info;
  uint64_t start, end;
  if (result < 0) return;
  if (argument < 0) {
    uint64_t size = call->nr == __NR_truncate ? (uint64_t)call->args[1] : 0;
    shared_resized(object, size);
    log_change(thread, object, 0, size, NULL, 0);
    return;
  }
  int fd = (int)call->args[argument];
  if (!identify(fd, "", &info)) return;
  shared_resized(object, info.stx_size);
  written_range(call, (uint64_t)result, info.stx_size, &start, &end);
  log_range(thread, object, fd, start, end, info.stx_size);
}

void objects_opened(struct thread *thread, const struct call *call, long result) {
  struct input_opening how;
  struct statx info;
  if (result < 0 || !call_opens(call, &how) || !how.descriptor || !opens_to_write(&how)) return;
  const struct region_object *object = object_find((int)result, "", &info);
  if (!object) return;
  region->exposed = true;
  if (!code_files_opened((int)result)) return;
  struct input_event event = {.kind = EVENT_CHANGE, .change = {.file = object->file, .opened = true}};
  record_event(thread, &event);
}

/* -- Replay ------------------------------------------------------------------------------------------------------------------------ */

int objects_open(uint32_t number, bool writable) {
  int fd = region_ask_file(REQUEST_OPEN_FILE, number | (writable ? REQUEST_CHANGES : 0));
  if (fd < 0) sphere_fail(OUTCOME_FAILED, "can't open file %u of the recording (error %d)", number, -fd);
  return fd;
}

void objects_replay_changes(struct thread *thread) {
  const struct input_event *event;
  while ((event = replay_peek(thread)) && event->kind == EVENT_CHANGE &&
         event->position == arch_position(thread)) {
    int fd = objects_open(event->change.file, !event->change.opened);
    if (event->change.opened) {
      code_files_opened(fd);
    } else {
      long result = os_call2(__NR_ftruncate, fd, event->change.size);
      if (!result && event->change.count)
        result = os_call4(__NR_pwrite64, fd, event->change.bytes, event->change.count, event->change.offset) -
                 (long)event->change.count;
      if (result) sphere_fail(OUTCOME_FAILED, "no memory for a mapped file (error %ld)", -result);
    }
    os_call1(__NR_close, fd);
    replay_consume(thread);
  }
}
