/* written_memory.c: see written_memory.h.
 *
 * Writes by another process must be in the log of the process that owns the memory: the first of its threads that goes on logs them, before
 * it does anything else (region->written). */
#include "engine/order/written_memory.h"

#include <linux/fcntl.h>
#include <linux/mman.h>

#include "engine/base/lib.h"
#include "engine/base/mapping_book.h"
#include "engine/code/code.h"
#include "engine/order/audit.h"
#include "engine/order/stops.h"
#include "engine/order/thread_order.h"
#include "engine/region/endings.h"
#include "engine/region/journal.h"
#include "engine/region/reader.h"
#include "engine/region/sent_signals.h"
#include "engine/region/turns.h"

/* The kernel names it "/proc/PID/mem" or "/proc/PID/task/TID/mem". */
int32_t memory_owner(int fd) {
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

int32_t memory_target(const struct call *call) {
  bool writes = region->memory_files && input_facts(call->nr) & INPUT_STORES;
  return writes ? memory_owner((int)call->args[0]) : 0;
}

/* -- Recording ------------------------------------------------------------------------------------------------------------------ */

int memory_open_own(void) {
  long fd = os_call4(__NR_openat, AT_FDCWD, "/proc/self/mem", O_RDONLY | O_CLOEXEC, 0);
  if (fd < 0) sphere_fail(OUTCOME_FAILED, "can't open /proc/self/mem (error %ld)", -fd);
  return (int)fd;
}

void memory_note_written(int32_t pid, uintptr_t address, size_t bytes) {
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
    if (n <= 0) return; /* it has gone since: no thread has seen it */
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

/* Bytes that other threads of the process are just logging must not be seen before. The first thread that goes on logs later writes. */
static void await_logged(struct thread *thread) {
  permissions_park(thread);
  while (is_noted(-thread->rthread->pid)) region_give_way();
  permissions_unpark(thread);
}

void memory_log_written(struct thread *thread) {
  int32_t own = thread->rthread->pid;
  int fd = memory_open_own();
  audit_turn(NULL);
  for (uint32_t i = 0; i < atomic_load(&region->written_count); i++) {
    struct region_written *written = &region->written[i];
    int32_t expected = own;
    if (!atomic_compare_exchange_strong(&written->pid, &expected, -own)) continue;
    log_range(thread, fd, written->address, written->address + written->bytes);
    atomic_store(&written->pid, 0);
  }
  os_call1(__NR_close, fd);
  if (turns->takes_memory && memory_was_written(own)) await_logged(thread);
}

/* -- Replay --------------------------------------------------------------------------------------------------------------------- */

/* A replay may open no file: the pages are made writable for a moment. No other thread uses them, as none did in the recording. */
static bool force(uintptr_t to, const void *from, size_t bytes) {
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

static bool is_copy_in(const struct thread *thread, const struct input_event *event, bool foreign) {
  return event && event->kind == EVENT_COPY_IN && event->copy_in.foreign == foreign &&
         event->position == arch_position(thread);
}

static void copy_in(struct thread *thread, const struct input_event *event) {
  uintptr_t to = event->copy_in.address;
  uint32_t count = event->copy_in.count;
  if (copy_to_app(to, event->copy_in.bytes, count) && !force(to, event->copy_in.bytes, count))
    replay_diverged(thread, "%u bytes at 0x%lx can't be written", count, to);
  if (event->copy_in.foreign) code_overwritten(to, to + count);
  replay_consume(thread);
}

void replay_copy_ins(struct thread *thread) {
  const struct input_event *event;
  while (is_copy_in(thread, event = replay_peek(thread), false)) copy_in(thread, event);
}

void replay_foreign(struct thread *thread) {
  const struct input_event *event;
  while (is_copy_in(thread, event = replay_peek(thread), true)) {
    order_alone(thread);
    copy_in(thread, event);
    order_tick(thread);
    turns->gate(thread);
  }
}
