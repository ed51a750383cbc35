/* rings.c: byte rings between the engine and the manager, and the region around them. See rings.h. */
#include "engine/region/rings.h"

#include <linux/fcntl.h>
#include <linux/futex.h>
#include <linux/mman.h>
#include <linux/ptrace.h>
#include <linux/time.h>
#include <linux/uio.h>
#include <linux/wait.h>

#include "engine/base/lib.h"
#include "engine/region/endings.h"

static _Atomic bool mapped[REGION_RINGS]; /* which rings this process has mapped */

static void map_part(uintptr_t at, size_t bytes, uint64_t offset) {
  long result = os_call6(__NR_mmap, at, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED,
                         engine_fd + FD_REGION, offset);
  if (os_failed(result)) fail_to_map("the memory shared with the manager", result);
}

void region_attach(void) {
  map_part(REGION_BASE, REGION_HEADER, 0);
  if (region->magic != REGION_MAGIC) die(125, "the memory shared with the manager is of another version");
  region->descriptor = engine_fd + FD_REGION;
}

/* Twice in a row. */
static void map_ring(uint32_t index) {
  uintptr_t at = RINGS_BASE + (uintptr_t)index * 2 * RING_BYTES;
  map_part(at, RING_BYTES, REGION_RING(index));
  map_part(at + RING_BYTES, RING_BYTES, REGION_RING(index));
}

void region_detach(void) {
  for (uint32_t i = 0; i < REGION_RINGS; i++)
    if (mapped[i]) os_call2(__NR_munmap, RINGS_BASE + (uintptr_t)i * 2 * RING_BYTES, 2 * RING_BYTES);
  os_call2(__NR_munmap, REGION_BASE, REGION_HEADER);
}

void region_divert(void) {
  const size_t offset = offsetof(struct region, debug) + offsetof(struct region_debug, diversion);
  for (uint32_t i = 0; i < REGION_RINGS; i++)
    if (mapped[i]) os_call2(__NR_munmap, RINGS_BASE + (uintptr_t)i * 2 * RING_BYTES, 2 * RING_BYTES);
  long result = os_call6(__NR_mmap, REGION_BASE, REGION_HEADER, PROT_READ | PROT_WRITE,
                         MAP_PRIVATE | MAP_FIXED, engine_fd + FD_REGION, 0);
  if (os_failed(result)) os_call1(__NR_exit_group, 1);
  map_part(REGION_BASE + offset, sizeof(struct region_diversion), offset);
}

void region_attach_again(void) {
  region_attach();
  for (uint32_t i = 0; i < REGION_RINGS; i++)
    if (mapped[i]) map_ring(i);
}

/* -- Waiting ---------------------------------------------------------------------------------------------------------- */

static void sleep_on(_Atomic uint32_t *word, uint32_t seen, uint32_t times) {
  enum { PATIENCE = 50, MOST = 999, NANOSECONDS = 1000000 };
  struct {
    long seconds, nanoseconds;
  } patience = {0, (long)MIN(PATIENCE * times, MOST) * NANOSECONDS};
  os_call4(__NR_futex, word, FUTEX_WAIT, seen, &patience);
}

void region_wait_briefly(_Atomic uint32_t *word, uint32_t seen) {
  struct {
    long seconds, nanoseconds;
  } millisecond = {0, 1000000};
  os_call4(__NR_futex, word, FUTEX_WAIT, seen, &millisecond);
}

void region_wait_longer(_Atomic uint32_t *word, uint32_t seen, uint32_t times) {
  sleep_on(word, seen, times);
  thread_slept(word, seen);
}

void region_give_way(void) {
  static const _Atomic uint32_t nothing;
  os_call0(__NR_sched_yield);
  thread_slept(&nothing, 0);
}

void region_wait_for_death(void) {
  static _Atomic uint32_t never;
  for (;;) region_wait(&never, 0);
}

void region_wait(_Atomic uint32_t *word, uint32_t seen) {
  region_wait_longer(word, seen, 1);
}

void region_wake(_Atomic uint32_t *word, int waiters) {
  os_call3(__NR_futex, word, FUTEX_WAKE, waiters);
}

bool region_look_is_due(_Atomic uint64_t *last) {
  enum { MILLISECONDS_APART = 40 };
  struct {
    long seconds, nanoseconds;
  } now = {0, 0};
  os_call2(__NR_clock_gettime, CLOCK_MONOTONIC_COARSE, &now);
  uint64_t time = (uint64_t)(now.seconds * 1000 + now.nanoseconds / 1000000), before = atomic_load(last);
  return time - before >= MILLISECONDS_APART && atomic_compare_exchange_strong(last, &before, time);
}

/* The kernel's letter for the state of a thread; 'X' when there is none of that id, 'R' when it can't be told. A replay, which may open no
 * file, learns only whether there is one: there, no process stays a zombie (signals.c). */
char task_state(int32_t tid) {
  char path[64], text[512];
  if (replaying()) return os_call2(__NR_tkill, tid, 0) == -ESRCH ? 'X' : 'R';
  /* As a thread: of a process the kernel adds up the times of all its threads first. */
  format(path, sizeof path, "/proc/%d/task/%d/stat", tid, tid);
  long fd = os_call4(__NR_openat, AT_FDCWD, path, O_RDONLY | O_CLOEXEC, 0);
  if (fd == -ENOENT || fd == -ESRCH) return 'X';
  if (fd < 0) return 'R';
  long n = os_call3(__NR_read, fd, text, sizeof text - 1);
  os_call1(__NR_close, fd);
  if (n == -ESRCH) return 'X';
  if (n <= 0) return 'R';
  text[n] = 0;
  const char *end = strrchr(text, ')');
  if (!end) return 'R';
  return end[2];
}

bool task_pass_kick(int32_t tid) {
  siginfo_t info;
  if (os_call4(__NR_ptrace, PTRACE_GETSIGINFO, tid, 0, &info) || !is_kick(&info)) return false;
  os_call4(__NR_wait4, tid, 0, __WALL | WNOHANG, 0);
  return !os_call4(__NR_ptrace, PTRACE_CONT, tid, 0, SIGSYS);
}

void task_await_trap(int32_t tid) {
  do
    while (task_state(tid) == 'R') os_call0(__NR_sched_yield);
  while (task_pass_kick(tid));
}

bool task_is_dead(int32_t tid) {
  char state = task_state(tid);
  return state == 'X' || state == 'Z';
}

/* A lock is its owner's id, with LOCK_SLEEPERS when another thread waits; so a killed owner's lock can be taken over. A thread that finds its own id
 * there has the id from its process's first thread, which ended with the lock when another thread executed this program. */
void region_take(_Atomic uint32_t *lock, bool (*is_left)(uint32_t word)) {
  struct thread *self = arch_self();
  uint32_t own = self && self->region_lock.id ? self->region_lock.id : (uint32_t)os_call0(__NR_gettid),
           seen = 0;
  if (atomic_compare_exchange_strong(lock, &seen, own)) return;
  for (;;) {
    seen = atomic_load(lock);
    if (!seen && atomic_compare_exchange_strong(lock, &seen, own | LOCK_SLEEPERS)) return;
    if (!seen) continue;
    if (!(seen & LOCK_SLEEPERS) && !atomic_compare_exchange_strong(lock, &seen, seen | LOCK_SLEEPERS))
      continue;
    seen |= LOCK_SLEEPERS;
    if (!is_left || !is_left(seen)) {
      region_wait(lock, seen);
      uint32_t owner = seen & ~(LOCK_SLEEPERS | LOCK_YIELDS);
      if (atomic_load(lock) != seen || (owner != own && !task_is_dead((int32_t)owner))) continue;
    }
    if (atomic_compare_exchange_strong(lock, &seen, own | LOCK_SLEEPERS)) return;
  }
}

void region_release(_Atomic uint32_t *lock) {
  if (atomic_exchange(lock, 0) & LOCK_SLEEPERS) region_wake(lock, 1);
}

/* -- The manager -------------------------------------------------------------------------------------------------------- */

void region_doorbell(void) {
  atomic_fetch_add(&region->doorbell, 1);
  if (atomic_load(&region->manager_sleeps)) region_wake(&region->doorbell, 1);
}

static void check_manager(void) {
  if (os_call2(__NR_kill, region->manager, 0) == -ESRCH) die(125, "the manager of this recording is gone");
}

static int64_t ask(enum request_kind kind, int64_t value) {
  while (atomic_load(&region->request_state) == REQUEST_ASKED) { /* by a thread that was killed meanwhile */
    sleep_on(&region->request_state, REQUEST_ASKED, 1);
    check_manager();
  }
  region->request_kind = kind;
  region->request_pid = (int32_t)os_call0(__NR_getpid);
  region->request_value = value;
  atomic_store(&region->request_state, REQUEST_ASKED);
  region_doorbell();
  while (atomic_load(&region->request_state) != REQUEST_ANSWERED) {
    sleep_on(&region->request_state, REQUEST_ASKED, 1);
    check_manager();
  }
  atomic_store(&region->request_state, REQUEST_NONE);
  int64_t answer = region->request_answer;
  if (answer == -EIO) sphere_fail(OUTCOME_FAILED, NULL); /* the manager reports the reason */
  return answer;
}

int64_t region_ask(enum request_kind kind, int64_t value) {
  region_take(&region->request_lock, NULL);
  int64_t answer = ask(kind, value);
  region_release(&region->request_lock);
  return answer;
}

struct control {
  size_t length;
  int level, type;
  int fd;
};

/* A file that came over the socket, and the number of the request it is for. */
static int receive_file(uint32_t *serial) {
  enum { CLOSE_ON_EXEC = 0x40000000 };
  struct control control = {.fd = -1};
  struct iovec bytes = {serial, sizeof *serial};
  struct kernel_message message = {
      .parts = &bytes, .part_count = 1, .control = &control, .control_length = sizeof control};
  long n;
  do n = os_call3(__NR_recvmsg, engine_fd + FD_SOCKET, &message, CLOSE_ON_EXEC);
  while (n == -EINTR);
  if (n != sizeof *serial) sphere_fail(OUTCOME_FAILED, "no file came from the manager (error %ld)", -n);
  return control.fd >= 0 ? control.fd : -EMFILE;
}

/* An earlier requester that was killed has left its file in the socket. */
int region_ask_file(enum request_kind kind, int64_t value) {
  region_take(&region->request_lock, NULL);
  uint32_t serial = ++region->request_serial, got;
  int fd = (int)ask(kind, value);
  if (fd >= 0)
    while ((fd = receive_file(&got)) >= 0 && got != serial) os_call1(__NR_close, fd);
  region_release(&region->request_lock);
  return fd;
}

/* -- Rings -------------------------------------------------------------------------------------------------------------- */

/* The ring twice in a row. */
static uint8_t *bytes_of(const struct ring *ring) {
  uint32_t index = region_ring_index(region, ring);
  uintptr_t at = RINGS_BASE + (uintptr_t)index * 2 * RING_BYTES;
  if (!mapped[index]) {
    map_ring(index);
    mapped[index] = true;
  }
  return (uint8_t *)at;
}

/* Waits until the manager has moved its end of the ring. */
static void wait_for_manager(struct ring *ring, uint64_t head, uint64_t tail) {
  uint32_t seen = atomic_load(&ring->moved);
  atomic_store(&ring->waiting, 1);
  if (atomic_load(&ring->head) == head && atomic_load(&ring->tail) == tail && !atomic_load(&ring->ended)) {
    region_doorbell();
    sleep_on(&ring->moved, seen, 1);
    check_manager();
  }
  atomic_store(&ring->waiting, 0);
}

uint8_t *ring_room(struct ring *ring, size_t count) {
  for (;;) {
    uint64_t head = atomic_load_explicit(&ring->head, memory_order_relaxed);
    uint64_t tail = atomic_load_explicit(&ring->tail, memory_order_acquire);
    if (RING_BYTES - (head - tail) >= count) return bytes_of(ring) + head % RING_BYTES;
    wait_for_manager(ring, head, tail);
  }
}

/* Rings the doorbell once for every RING_MARK bytes. */
void ring_produced(struct ring *ring, size_t count) {
  uint64_t head = atomic_load_explicit(&ring->head, memory_order_relaxed);
  atomic_store_explicit(&ring->head, head + count, memory_order_release);
  if ((head + count) / RING_MARK != head / RING_MARK) region_doorbell();
}

void ring_put(struct ring *ring, const void *bytes, size_t count) {
  memcpy(ring_room(ring, count), bytes, count);
  ring_produced(ring, count);
}

const uint8_t *ring_content(struct ring *ring, size_t *count) {
  uint64_t tail = ring->tail;
  *count = atomic_load(&ring->head) - tail;
  return bytes_of(ring) + tail % RING_BYTES;
}

bool ring_await(struct ring *ring, size_t count) {
  for (;;) {
    bool ended = atomic_load(&ring->ended);
    uint64_t head = atomic_load(&ring->head), tail = ring->tail;
    if (head - tail > count) return true;
    if (ended) return false;
    if (head - tail == RING_BYTES)
      sphere_fail(OUTCOME_DAMAGED, "the recording holds an event larger than any can be");
    wait_for_manager(ring, head, tail);
  }
}

void ring_consume(struct ring *ring, size_t count) {
  uint64_t tail = atomic_load_explicit(&ring->tail, memory_order_relaxed);
  atomic_store_explicit(&ring->tail, tail + count, memory_order_release);
  uint64_t left = atomic_load(&ring->head) - tail;
  if (left - count < RING_MARK && left >= RING_MARK && !atomic_load(&ring->ended)) region_doorbell();
}
