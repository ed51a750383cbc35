/* output.c: shows the standard output and error of the recorded program again in replay.
 *
 * No descriptor of the recording is open in replay, so the engine follows the numbers of standard output and error through
 * the calls that copy and close descriptors. Bytes that a call moves there from another file never were in the program's memory: the
 * recorder reads them again, after the call, and logs them. From a pipe they can't be read again, so a splice to them
 * fails, as with files that know no splice; programs then read and write. Calls that
 * write there come in the log in the order in which they were performed: a thread keeps its turn (or, in parallel, a lock)
 * while it writes, if that needs no waiting. A write longer than a pipe has room for is the exception: other threads may
 * have to run before its reader reads. Where both are files, replay seeks in its own as the program did. */
#include <linux/close_range.h>
#include <linux/fcntl.h>
#include <linux/poll.h>
#include <linux/uio.h>

#include "engine/base/lib.h"
#include "engine/border/sphere.h"
#include "engine/region/rest.h"
#include "input/digest.h"

/* Beside the role of a descriptor. */
enum {
  CLOSES_ON_EXEC = 0x80,
  OPENED_AGAIN = 0x40, /* it has an offset of its own */
};

/* Descriptors can have any number, and few are of interest: each of these has an entry. When the descriptor is closed its entry keeps the number without
 * a role, until another descriptor reuses the entry. The first entry that is 0 and all behind it were never used. Threads may change entries at
 * the same time. Descriptors for which no entry is left are not followed. */
enum { ROLE = 0xff, DESCRIPTORS = 0xffffff };

/* *now: the content of the entry. */
static _Atomic uint32_t *entry_of(struct thread *thread, long fd, uint32_t *now) {
  _Atomic uint32_t *entry = thread->process->output_roles, *end = entry + OUTPUT_ROLES;
  if (fd < 0 || fd >= DESCRIPTORS) return NULL;
  for (; entry < end && (*now = atomic_load(entry)); entry++)
    if (*now >> 8 == (uint32_t)fd + 1) return entry;
  return NULL;
}

static uint8_t known_of(struct thread *thread, long fd) {
  uint32_t now;
  return entry_of(thread, fd, &now) ? now & ROLE & ~CLOSES_ON_EXEC : 0;
}

uint8_t output_role(struct thread *thread, long fd) {
  return known_of(thread, fd) & ~OPENED_AGAIN;
}

static void add_entry(struct thread *thread, long fd, uint8_t role) {
  _Atomic uint32_t *entry = thread->process->output_roles, *end = entry + OUTPUT_ROLES;
  for (; entry < end; entry++) {
    uint32_t now = atomic_load(entry);
    if (!(now & ROLE) && atomic_compare_exchange_strong(entry, &now, OUTPUT_ROLE(fd, role))) return;
  }
}

static void set_role(struct thread *thread, long fd, uint8_t role) {
  uint32_t now;
  for (_Atomic uint32_t *entry; (entry = entry_of(thread, fd, &now));)
    if (atomic_compare_exchange_strong(entry, &now, OUTPUT_ROLE(fd, role))) return;
  if (role && fd >= 0 && fd < DESCRIPTORS) add_entry(thread, fd, role);
}

static _Noreturn void give_up(int fd, long error) {
  if (sphere_claim_end()) {
    region->ending.unwritable.descriptor = fd;
    region->ending.unwritable.error = (int32_t)-error;
  }
  sphere_end_early(OUTCOME_UNWRITABLE);
}

enum { STANDARD_OUTPUT = 1, STANDARD_ERROR = 2 };

/* How many of the next bytes an earlier run has shown, in a replay that was restarted from a checkpoint. */
static size_t shown_before(int fd, size_t count) {
  struct region_checkpoint *checkpoint = &region->checkpoint;
  if (!has_checkpoints() || fd < 0 || (size_t)fd >= COUNT_OF(checkpoint->shown)) return 0;
  uint64_t written = atomic_load(&checkpoint->written[fd]), shown = checkpoint->shown[fd];
  return written < shown ? (size_t)MIN(count, shown - written) : 0;
}

static void count_shown(int fd, size_t count) {
  struct region_checkpoint *checkpoint = &region->checkpoint;
  if (has_checkpoints() && fd >= 0 && (size_t)fd < COUNT_OF(checkpoint->written))
    atomic_fetch_add(&checkpoint->written[fd], count);
}

static void show(int fd, const char *from, size_t count) {
  size_t before = shown_before(fd, count);
  count_shown(fd, count);
  from += before;
  count -= before;
  while (count) {
    long n = os_call3(__NR_write, fd, from, count);
    if (n == -EAGAIN) {
      struct pollfd wait = {.fd = fd, .events = POLLOUT};
      os_call5(__NR_ppoll, &wait, 1, 0, 0, 0);
    } else if (n != -EINTR) {
      if (n < 0) give_up(fd, n);
      from += n;
      count -= (size_t)n;
    }
  }
}

/* False if it holds less. */
static bool show_vector(int fd, uintptr_t vector, long parts, size_t count) {
  for (long i = 0; i < parts && count; i++) {
    struct iovec part;
    if (safe_copy(&part, (const struct iovec *)vector + i, sizeof part)) return false;
    size_t bytes = MIN(part.iov_len, count);
    show(fd, part.iov_base, bytes);
    count -= bytes;
  }
  return !count;
}

/* -- Which descriptors ------------------------------------------------------------------------------------------------ */

static void close_on_exec(struct thread *thread, long fd, bool closes) {
  uint8_t role = known_of(thread, fd);
  if (role) set_role(thread, fd, closes ? role | CLOSES_ON_EXEC : role);
}

uint64_t output_digest(struct thread *thread, const struct input_event *event) {
  uint64_t *digest = &thread->rthread->input.output_digest;
  uint32_t head[] = {event->output.descriptor, event->output.named, event->output.closes,
                     event->output.count};
  *digest = input_digest(*digest, head, sizeof head);
  if (!event->output.named) *digest = input_digest(*digest, event->output.bytes, event->output.count);
  return *digest;
}

void output_named(struct thread *thread, const struct call *call, const struct input_event *event) {
  uint8_t role = (uint8_t)event->output.descriptor;
  if (output_opens(call)) role |= OPENED_AGAIN;
  set_role(thread, event->output.count, role);
  close_on_exec(thread, event->output.count, event->output.closes);
}

/* The descriptor that a call writes to, or whose offset it moves or returns; -1: the call does neither. */
static int written_by(const struct call *call) {
  switch (call->nr) {
    case __NR_sendfile:
    case __NR_lseek:
      return (int)call->args[0];
    case __NR_copy_file_range:
      return (int)call->args[2];
    default:
      return input_facts(call->nr) & INPUT_STORES ? (int)call->args[0] : -1;
  }
}

bool output_writes(struct thread *thread, const struct call *call) {
  return output_role(thread, written_by(call));
}

bool output_shows(struct thread *thread, const struct call *call) {
  return call->nr != __NR_lseek && output_writes(thread, call);
}

/* Where a poll finds room, the kernel takes this many bytes at once. */
enum { SHORT_WRITE = 4096 };

static size_t bytes_of(const struct call *call) {
  if (call->nr == __NR_write || call->nr == __NR_pwrite64) return (size_t)call->args[2];
  if (call->nr == __NR_sendfile) return (size_t)call->args[3];
  if (call->nr == __NR_copy_file_range || call->nr == __NR_lseek)
    return 0; /* in a file there always is room */
  size_t bytes = 0;
  for (long i = 0; i < call->args[2] && bytes <= SHORT_WRITE; i++) {
    struct iovec part;
    if (safe_copy(&part, (const struct iovec *)call->args[1] + i, sizeof part)) break;
    bytes += MIN(part.iov_len, SHORT_WRITE + 1);
  }
  return bytes;
}

bool output_is_short(const struct call *call) {
  return bytes_of(call) <= SHORT_WRITE;
}

bool output_has_room(const struct call *call, long patience) {
  if (call->nr == __NR_lseek) return true;
  struct pollfd ready = {.fd = written_by(call), .events = POLLOUT};
  struct {
    long seconds, nanoseconds;
  } limit = {0, patience};
  return os_call5(__NR_ppoll, &ready, 1, &limit, 0, 0) > 0 ||
         os_call3(__NR_fcntl, ready.fd, F_GETFL, 0) & O_NONBLOCK;
}

static void copy_role(struct thread *thread, long from, long to, bool closes) {
  set_role(thread, to, known_of(thread, from));
  close_on_exec(thread, to, closes);
}

static void each_in_range(struct thread *thread, const long *a) {
  for (unsigned i = 0; i < OUTPUT_ROLES; i++) {
    uint32_t entry = atomic_load(&thread->process->output_roles[i]), fd = (entry >> 8) - 1;
    if (!(entry & ROLE) || fd < (uint32_t)a[0] || fd > (uint32_t)a[1]) continue;
    if (a[2] & CLOSE_RANGE_CLOEXEC)
      close_on_exec(thread, fd, true);
    else
      set_role(thread, fd, 0);
  }
}

static void follow_fcntl(struct thread *thread, const long *a, long result) {
  if (a[1] == F_DUPFD || a[1] == F_DUPFD_CLOEXEC)
    copy_role(thread, (int)a[0], result, a[1] == F_DUPFD_CLOEXEC);
  else if (a[1] == F_SETFD)
    close_on_exec(thread, (int)a[0], a[2] & FD_CLOEXEC);
}

static void follow(struct thread *thread, const struct call *call, long result) {
  const long *a = call->args;
  if (result < 0 && call->nr != __NR_close) return;
  switch (call->nr) {
    case __NR_dup:
#ifdef __NR_dup2
    case __NR_dup2:
#endif
      if (call->nr == __NR_dup || a[0] != a[1]) copy_role(thread, (int)a[0], result, false);
      break;
    case __NR_dup3:
      copy_role(thread, (int)a[0], result, a[2] & O_CLOEXEC);
      break;
    case __NR_fcntl:
      follow_fcntl(thread, a, result);
      break;
    case __NR_close:
      set_role(thread, (int)a[0], 0);
      break;
    case __NR_close_range:
      each_in_range(thread, a);
      break;
    default:
      break;
  }
}

void output_before_exec(struct thread *thread, uint32_t roles[OUTPUT_ROLES]) {
  unsigned count = 0;
  for (unsigned i = 0; i < OUTPUT_ROLES; i++) {
    uint32_t entry = atomic_load(&thread->process->output_roles[i]);
    if (entry & ROLE && !(entry & CLOSES_ON_EXEC)) roles[count++] = entry;
  }
  memset(roles + count, 0, (OUTPUT_ROLES - count) * sizeof *roles);
}

/* -- Recording ---------------------------------------------------------------------------------------------------------- */

bool output_refuses(struct thread *thread, const struct call *call) {
  return call->nr == __NR_splice && output_role(thread, (int)call->args[2]);
}

/* Logs the bytes before the offset: the one at a pointer, or the descriptor's own. */
static void log_moved(struct thread *thread, int from, uintptr_t offset, size_t count, uint8_t role) {
  uint8_t buffer[16 << 10];
  uint64_t end = 0;
  if (!offset)
    end = (uint64_t)os_call3(__NR_lseek, from, 0, 1 /* from here */);
  else if (safe_copy(&end, (const void *)offset, sizeof end))
    return;
  for (uint64_t at = end - count; at < end;) {
    long n = os_call4(__NR_pread64, from, buffer, MIN(sizeof buffer, end - at), at);
    if (n <= 0) return;
    struct input_event event = {.kind = EVENT_OUTPUT,
                                .output = {.descriptor = role, .count = (uint32_t)n, .bytes = buffer}};
    event.output.digest = output_digest(thread, &event);
    record_event(thread, &event);
    at += (uint64_t)n;
  }
}

void output_record(struct thread *thread, const struct call *call, long result) {
  const long *a = call->args;
  follow(thread, call, result);
  if (result >= 0) output_find_names(thread, call, result);
  if (result <= 0) return;
  if (call->nr == __NR_sendfile && output_role(thread, (int)a[0]))
    log_moved(thread, (int)a[1], (uintptr_t)a[2], (size_t)result, output_role(thread, (int)a[0]));
  if (call->nr == __NR_copy_file_range && output_role(thread, (int)a[2]))
    log_moved(thread, (int)a[0], (uintptr_t)a[1], (size_t)result, output_role(thread, (int)a[2]));
}

/* -- Replay --------------------------------------------------------------------------------------------------------------- */

/* With --quiet nothing is shown, but the numbers are followed as in the recording. */
static bool shown(uint8_t role) {
  return role && !config.quiet;
}

static void show_moved(struct thread *thread, const struct call *call) {
  const struct input_event *event;
  while ((event = replay_peek(thread)) && event->kind == EVENT_OUTPUT &&
         event->position == arch_position(thread)) {
    if (output_digest(thread, event) != event->output.digest)
      replay_senseless(thread, "the output has another digest");
    if (event->output.named)
      output_named(thread, call, event);
    else if (!config.quiet)
      show((int)event->output.descriptor, (const char *)event->output.bytes, event->output.count);
    replay_consume(thread);
  }
}

enum { FROM_START, FROM_HERE };

/* The distance of replay's offset from the recorded one, in a file in which the program seeks: known from the program's first
 * seek relative to the current offset. */
static struct {
  bool known;
  long distance;
} shifts[3];

/* In a part that an earlier run has shown the file's offset stays where that run has left it. Known limit: if the program really moved the offset there, and
 * did not just query it, the next output is shown in the wrong place. */
static void follow_seek(uint8_t role, const long *a, long result) {
  if (shown_before(STANDARD_OUTPUT, 1) || shown_before(STANDARD_ERROR, 1)) return;
  if (!shifts[role].known && a[2] == FROM_HERE) {
    long at = os_call3(__NR_lseek, role, 0, FROM_HERE);
    if (os_failed(at)) return;
    shifts[role].known = true;
    shifts[role].distance = at - (result - a[1]);
  }
  if (shifts[role].known) os_call3(__NR_lseek, role, result + shifts[role].distance, FROM_START);
}

static void show_at(uint8_t role, const long *a, long count) {
  if (!shifts[role].known ||
      os_call4(__NR_pwrite64, role, a[1], count, a[3] + shifts[role].distance) != count)
    show(role, (const char *)a[1], (size_t)count);
}

void output_replay(struct thread *thread, const struct call *call, long result) {
  const long *a = call->args;
  uint8_t role = output_role(thread, (int)a[0]);
  bool again = known_of(thread, (int)a[0]) & OPENED_AGAIN;
  show_moved(thread, call);
  follow(thread, call, result);
  if (result < 0 || !shown(role)) return;
  switch (call->nr) {
    case __NR_write:
      show(role, (const char *)a[1], (size_t)result);
      break;
    case __NR_pwrite64:
      if (again)
        show(role, (const char *)a[1], (size_t)result);
      else
        show_at(role, a, result);
      break;
    case __NR_lseek:
      if (!again) follow_seek(role, a, result);
      break;
    case __NR_writev:
    case __NR_pwritev:
    case __NR_pwritev2:
      if (!show_vector(role, (uintptr_t)a[1], a[2], (size_t)result))
        replay_senseless(thread, "a call has written more than it had");
      break;
    default:
      break;
  }
}
