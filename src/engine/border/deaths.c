/* deaths.c: a recorded process is killed by another of the sphere.
 *
 * The kernel marks the robust mutexes of a killed process as abandoned, at some moment of its death: in memory shared with other processes that is a
 * write out of turn, which no log has. So the killer marks them first, in its own turn, and logs that; the kernel finds nothing left.
 * The kernel itself clears the words with the ids of the killed threads, in memory that is common to both processes: the killer waits for that.
 *
 * Known limit. Only where both have the memory at the same address, as after a fork. */
#include <linux/fcntl.h>
#include <linux/futex.h>
#include <linux/uio.h>

#include "engine/base/lib.h"
#include "engine/border/sphere.h"
#include "engine/code/code.h"
#include "engine/order/open_blocks.h"
#include "engine/order/permissions.h"
#include "engine/order/shared.h"
#include "engine/order/stops.h"
#include "engine/region/sent_signals.h"
#include "engine/region/turns.h"

/* -- Memory that two processes share -------------------------------------------------------------------------------------------- */

/* The object mapped at an address, from /proc/PID/maps. */
struct place {
  char object[48]; /* device and inode, "" if the memory is not shared */
  uint64_t offset;
};

static uint64_t hexadecimal(const char **at) {
  uint64_t value = 0;
  for (; (**at >= '0' && **at <= '9') || (**at >= 'a' && **at <= 'f'); ++*at)
    value = value << 4 | (uint64_t)(**at <= '9' ? **at - '0' : **at - 'a' + 10);
  return value;
}

/* "start-end rwxs offset device inode …" */
static bool parse(const char *line, uintptr_t address, struct place *place) {
  uint64_t start = hexadecimal(&line);
  line++;
  uint64_t end = hexadecimal(&line);
  if (address < start || address >= end) return false;
  bool shared = strlen(line) > 6 && line[4] == 's';
  line += 6;
  place->offset = hexadecimal(&line) + (address - start);
  const char *device = line + 1, *space = strchr(device, ' ');
  const char *over = space ? strchr(space + 1, ' ') : NULL;
  size_t length = over ? (size_t)(over - device) : 0;
  place->object[0] = 0;
  if (shared && length < sizeof place->object) format(place->object, length + 1, "%s", device);
  return true;
}

static bool find_place(int32_t pid, uintptr_t address, struct place *place) {
  char path[64], line[512];
  size_t used = 0;
  bool found = false;
  format(path, sizeof path, "/proc/%d/maps", pid);
  long fd = os_call4(__NR_openat, AT_FDCWD, path, O_RDONLY | O_CLOEXEC, 0), n;
  char text[4096];
  while (fd >= 0 && !found && (n = os_call3(__NR_read, fd, text, sizeof text)) > 0) {
    for (long i = 0; i < n && !found; i++) {
      if (text[i] != '\n') {
        if (used < sizeof line - 1) line[used++] = text[i];
        continue;
      }
      line[used] = 0;
      used = 0;
      found = parse(line, address, place);
    }
  }
  if (fd >= 0) os_call1(__NR_close, fd);
  return found;
}

static bool is_shared(int32_t pid, uintptr_t address) {
  struct place own, other;
  if (!find_place((int32_t)os_call0(__NR_getpid), address, &own) || !own.object[0]) return false;
  return find_place(pid, address, &other) && !strcmp(own.object, other.object) && own.offset == other.offset;
}

/* -- The mutexes of the killed process -------------------------------------------------------------------------------------------- */

static bool read_other(int32_t pid, void *to, uintptr_t from, size_t bytes) {
  struct iovec here = {to, bytes}, there = {(void *)from, bytes};
  return os_call6(__NR_process_vm_readv, pid, &here, 1, &there, 1, 0) == (long)bytes;
}

static void abandon(struct deaths *deaths, int32_t pid, int32_t tid, uintptr_t word) {
  uint32_t found;
  if (word % sizeof found || deaths->count == COUNT_OF(deaths->words)) return;
  if (!deaths->common && !is_shared(pid, word)) return;
  open_expect_closed(word, sizeof found);
  turns->take_memory(deaths->thread, word, sizeof found, true);
  if (safe_copy(&found, (void *)word, sizeof found)) return;
  if ((found & FUTEX_TID_MASK) != (uint32_t)tid) return;
  if (swap_in_app(word, found, (found & FUTEX_WAITERS) | FUTEX_OWNER_DIED) != (long)found) return;
  if (found & FUTEX_WAITERS) os_call3(__NR_futex, word, FUTEX_WAKE, 1);
  deaths->words[deaths->count++] = word;
}

static void leave_robust_list(struct deaths *deaths, int32_t pid, int32_t tid) {
  struct {
    uintptr_t next;
    long offset;
    uintptr_t pending;
  } head;
  uintptr_t at = 0;
  size_t size = 0;
  if (os_call3(__NR_get_robust_list, tid, &at, &size) || !at || !read_other(pid, &head, at, sizeof head))
    return;
  if (at >= ENGINE_BASE && at < ENGINE_END) return; /* the engine's own list: thread_exit.c */
  uintptr_t entry = head.next & ~1UL, pending = head.pending & ~1UL;
  for (int limit = ROBUST_LIST_LIMIT; limit && entry != at; limit--) {
    if (entry != pending) abandon(deaths, pid, tid, entry + (uintptr_t)head.offset);
    if (!read_other(pid, &entry, entry, sizeof entry)) return;
    entry &= ~1UL;
  }
  if (pending) abandon(deaths, pid, tid, pending + (uintptr_t)head.offset);
}

/* A process that shares memory with others is stopped first, so that all know its last position. */
static void retire(int32_t pid, void *context) {
  struct deaths *deaths = context;
  if (!os_call2(__NR_kill, pid, 0)) deaths->stopped |= permissions_retire(deaths->thread, pid);
}

static bool has_our_memory(int32_t pid) {
  bool found = false;
  lock_take(&threads_lock);
  for (const struct thread *other = threads; other; other = other->next)
    found |= other->rthread && other->rthread->pid == pid;
  lock_release(&threads_lock);
  return found;
}

/* Notes the words that the kernel clears at the ends of the process's threads. */
static void note_words(struct deaths *deaths, int32_t pid) {
  lock_take(&threads_lock);
  for (const struct thread *other = threads; other; other = other->next) {
    uintptr_t word = other->life.clear_child_tid;
    if (!other->life.entrusted || !other->rthread || other->rthread->pid != pid) continue;
    if (!word || deaths->count == COUNT_OF(deaths->words)) continue;
    open_expect_closed(word, sizeof(uint32_t));
    turns->take_memory(deaths->thread, word, sizeof(uint32_t), true);
    deaths->words[deaths->count++] = word;
    deaths->awaited = pid;
  }
  lock_release(&threads_lock);
}

static void await_death(int32_t pid) {
  for (;;) {
    char state = task_state(pid);
    if (state == 'Z' || state == 'X') return;
    os_call0(__NR_sched_yield);
  }
}

static void killed(int32_t pid, void *context) {
  struct deaths *deaths = context;
  if (os_call2(__NR_kill, pid, 0)) return;
  deaths->common = has_our_memory(pid);
  if (deaths->common) note_words(deaths, pid);
  if (turns->takes_memory) shared_doom(deaths->thread, pid);
  for (uint32_t i = 0; i < REGION_SLOTS; i++) {
    const struct rthread *slot = &region->slots[i];
    if (atomic_load(&slot->state) == SLOT_LIVE && slot->pid == pid) leave_robust_list(deaths, pid, slot->tid);
  }
}

void deaths_before(struct thread *thread, const struct call *call, struct deaths *deaths) {
  int32_t to = 0;
  deaths->count = 0;
  deaths->awaited = 0;
  deaths->thread = thread;
  deaths->stopped = false;
  if (call_sends(call, &to) != SIGKILL) return;
  if (turns->takes_memory) call_reaches_others(thread, to, retire, deaths);
  call_reaches_others(thread, to, killed, deaths);
}

void deaths_after(struct thread *thread, const struct deaths *deaths) {
  if (deaths->awaited) await_death(deaths->awaited);
  for (uint32_t i = 0; i < deaths->count; i++)
    record_copy_in(thread, deaths->words[i], (const void *)deaths->words[i], sizeof(uint32_t));
}

void deaths_over(struct thread *thread, const struct deaths *deaths) {
  if (deaths->stopped) permissions_go(thread);
}
