/* input_log.c: the input log of a simulated sphere. See input_log.h.
 *
 * An event is a kind (one byte) and numbers as varints; bytes that came in follow as they are. */
#include "sim/kernel/input_log.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "order/order.h"
#include "sim/caches/caches.h"
#include "sim/machine/check.h"
#include "sim/kernel/disk.h"

enum event_kind {
  EVENT_END,
  EVENT_CALL,
  EVENT_RESULT,
  EVENT_CHILD,
  EVENT_COUNTER,
  EVENT_IN,
  EVENT_OUT,
  EVENT_SIGNAL,
  EVENT_KILLED,
  EVENT_TRANSFER,
  EVENT_MASK,
  EVENT_SHOWN,
  EVENT_KINDS
};
static const char *const kind_names[EVENT_KINDS] = {
    "the end of the log", "a system call", "a call's result", "a new thread", "a counter",
    "bytes in",           "bytes out",     "a signal",        "its end",      "a transfer by the disk",
    "a mask of signals",  "bytes shown"};

struct stream {
  uint8_t *bytes;
  uint64_t count, room;
  uint64_t kept;           /* bytes before these, which are on the disk already */
  uint64_t dma, interrupt; /* of all */
};

struct image_file {
  char *path;
  int descriptor; /* -1 in a recording: the path itself */
};

struct input_log {
  struct stream *streams; /* by R-thread */
  uint32_t count, image_count;
  struct image_file *images;
};

struct input_cursor {
  struct input_log *log;
  uint32_t number;
  bool replays;
  uint64_t at; /* in replay */
};

/* -- Logs ---------------------------------------------------------------------------------------------------------------------------- */

struct input_log *input_log_new(void) {
  struct input_log *log = calloc(1, sizeof *log);
  CHECK(log, "no memory for an input log");
  return log;
}

void input_log_free(struct input_log *log) {
  if (!log) return;
  for (uint32_t i = 0; i < log->count; i++) free(log->streams[i].bytes);
  for (uint32_t i = 0; i < log->image_count; i++) {
    if (log->images[i].descriptor >= 0) close(log->images[i].descriptor);
    free(log->images[i].path);
  }
  free(log->streams);
  free(log->images);
  free(log);
}

struct input_sizes input_log_sizes(const struct input_log *log) {
  struct input_sizes sizes = {0};
  for (uint32_t i = 0; i < log->count; i++) {
    const struct stream *s = &log->streams[i];
    sizes.dma += s->dma;
    sizes.interrupt += s->interrupt;
    sizes.input += s->kept + s->count - s->dma - s->interrupt;
  }
  return sizes;
}

static struct stream *stream_of(struct input_log *log, uint32_t number) {
  if (number >= log->count) {
    log->streams = realloc(log->streams, (number + 1) * sizeof *log->streams);
    CHECK(log->streams, "no memory for an input log");
    memset(log->streams + log->count, 0, (number + 1 - log->count) * sizeof *log->streams);
    log->count = number + 1;
  }
  return &log->streams[number];
}

static struct stream *stream(const struct task *task) {
  return stream_of(task->input->log, task->input->number);
}

void input_log_append(struct input_log *log, uint32_t thread, const void *bytes, uint64_t count) {
  struct stream *s = stream_of(log, thread);
  if (s->count + count > s->room) {
    s->room = (s->count + count) * 2;
    s->bytes = realloc(s->bytes, s->room);
    CHECK(s->bytes, "no memory for an input log");
  }
  if (count) memcpy(s->bytes + s->count, bytes, count);
  s->count += count;
}

const uint8_t *input_log_stream(const struct input_log *log, uint32_t thread, size_t *count) {
  *count = thread < log->count ? log->streams[thread].count : 0;
  return *count ? log->streams[thread].bytes : NULL;
}

void input_log_drop(struct input_log *log, uint32_t thread) {
  if (thread >= log->count) return;
  log->streams[thread].kept += log->streams[thread].count;
  log->streams[thread].count = 0;
}

static void put_bytes(struct task *task, const void *bytes, uint64_t count) {
  input_log_append(task->input->log, task->input->number, bytes, count);
}

static void put(struct task *task, uint64_t value) {
  uint8_t bytes[10];
  int n = 0;
  for (; value > 127; value >>= 7) bytes[n++] = (uint8_t)(value | 128);
  bytes[n++] = (uint8_t)value;
  put_bytes(task, bytes, (uint64_t)n);
}

static void put_event(struct task *task, enum event_kind kind) {
  uint8_t byte = (uint8_t)kind;
  put_bytes(task, &byte, 1);
}

/* FDR's hardware logs the same in entries of its own. */
static void log_hardware(const struct task *task, enum log_kind kind, uint64_t bytes) {
  if (task->thread.port) caches_log(task->thread.port, kind, bytes);
}

/* -- Programs ------------------------------------------------------------------------------------------------------------------------------ */

const char *input_log_image(const struct input_log *log, uint32_t index) {
  return index < log->image_count ? log->images[index].path : NULL;
}

void input_log_add_image(struct input_log *log, const char *path, int descriptor) {
  log->images = realloc(log->images, (log->image_count + 1) * sizeof *log->images);
  CHECK(log->images, "no memory for an input log");
  log->images[log->image_count++] = (struct image_file){strdup(path), descriptor};
}

bool input_log_find_image(struct sphere *sphere, const char *path, char out[PATH_BYTES]) {
  struct input_log *log = sphere->input;
  snprintf(out, PATH_BYTES, "%s", path);
  for (uint32_t i = 0; log && i < log->image_count; i++) {
    if (strcmp(log->images[i].path, path)) continue;
    if (log->images[i].descriptor >= 0)
      snprintf(out, PATH_BYTES, "/proc/self/fd/%d", log->images[i].descriptor);
    return true;
  }
  if (log && sphere->mode == SPHERE_RECORD) input_log_add_image(log, path, -1);
  return sphere->mode != SPHERE_REPLAY;
}

/* -- Reading --------------------------------------------------------------------------------------------------------------------------- */

static uint64_t position_of(const struct task *task) {
  return task->thread.port ? task->thread.port->position : task->thread.position;
}

static void diverged(struct task *task, const char *what, uint64_t expected, uint64_t got) {
  kernel_fail(
      kernel_of(task), 120,
      "replay differs from the recording: sphere %u, thread %u, position %lu: %s: expected %#lx, got %#lx",
      task->thread.sphere->number, task->thread.number, (unsigned long)position_of(task), what,
      (unsigned long)expected, (unsigned long)got);
}

static enum event_kind peek(const struct task *task) {
  const struct stream *s = stream(task);
  uint64_t at = task->input->at;
  return at < s->count && s->bytes[at] < EVENT_KINDS ? s->bytes[at] : EVENT_END;
}

static uint64_t get(struct task *task) {
  const struct stream *s = stream(task);
  uint64_t value = 0;
  for (int shift = 0; shift < 64 && task->input->at < s->count; shift += 7) {
    uint8_t byte = s->bytes[task->input->at++];
    value |= (uint64_t)(byte & 127) << shift;
    if (byte < 128) break;
  }
  return value;
}

static bool take_event(struct task *task, enum event_kind kind) {
  enum event_kind found = peek(task);
  if (found == kind) {
    task->input->at++;
    return true;
  }
  /* Where a recording breaks off. Only the kernel's own code can be there: counters are read where the order log still goes on. */
  if (found == EVENT_END && task->thread.sphere->breaks_off && kernel_of(task)->current == task)
    kernel_stand_still(task);
  kernel_fail(kernel_of(task), 120,
              "replay differs from the recording: sphere %u, thread %u, position %lu: expected %s, got %s",
              task->thread.sphere->number, task->thread.number, (unsigned long)position_of(task),
              kind_names[found], kind_names[kind]);
  return false;
}

static void expect(struct task *task, const char *what, uint64_t got) {
  uint64_t expected = get(task);
  if (expected != got) diverged(task, what, expected, got);
}

/* -- Events ------------------------------------------------------------------------------------------------------------------------------ */

void input_attach(struct task *task) {
  struct sphere *sphere = task->thread.sphere;
  if (sphere->mode == SPHERE_PLAIN) return;
  task->input = calloc(1, sizeof *task->input);
  CHECK(task->input, "no memory for an input log");
  task->input->log = sphere->input;
  task->input->number = task->thread.number;
  task->input->replays = sphere->mode == SPHERE_REPLAY;
  stream(task);
}

void input_detach(struct task *task) {
  free(task->input);
  task->input = NULL;
}

uint64_t input_written(const struct task *task) {
  return task->input ? stream(task)->kept + stream(task)->count : 0;
}

bool input_skip(struct task *task, uint64_t written) {
  if (!task->input || written > stream(task)->count) return false;
  task->input->at = written;
  return true;
}

void input_interrupt(const struct task *task) {
  if (input_records(task)) log_hardware(task, LOG_INTERRUPTS, INTERRUPT_ENTRY);
}

bool input_records(const struct task *task) {
  return task->input && !task->input->replays;
}
bool input_replays(const struct task *task) {
  return task->input && task->input->replays;
}

uint64_t input_next_stop(struct task *task) {
  if (!input_replays(task)) return UINT64_MAX;
  enum event_kind kind = peek(task);
  if (kind != EVENT_SIGNAL && kind != EVENT_KILLED) return UINT64_MAX;
  uint64_t at = task->input->at++, position = get(task);
  task->input->at = at;
  return position;
}

void input_call(struct task *task, uint64_t number) {
  if (!task->input) return;
  if (!input_replays(task)) {
    put_event(task, EVENT_CALL);
    put(task, position_of(task));
    put(task, number);
  } else if (take_event(task, EVENT_CALL)) {
    expect(task, "position of a system call", position_of(task));
    expect(task, "number of a system call", number);
  }
}

void input_result(struct task *task, int64_t *result) {
  if (!task->input) return;
  if (!input_replays(task)) {
    put_event(task, EVENT_RESULT);
    put(task, (uint64_t)*result);
    log_hardware(task, LOG_INPUT, INPUT_ENTRY);
  } else if (take_event(task, EVENT_RESULT)) {
    *result = (int64_t)get(task);
  }
}

void input_child(struct task *task, uint32_t *number, uint32_t *tid) {
  if (!task->input) return;
  if (!input_replays(task)) {
    put_event(task, EVENT_CHILD);
    put(task, *number);
    put(task, *tid);
  } else if (take_event(task, EVENT_CHILD)) {
    *number = (uint32_t)get(task);
    *tid = (uint32_t)get(task);
  }
}

bool input_has_room(struct task *task, uint32_t number) {
  if (!task->input || number < ORDER_SLOTS) return true;
  if (task->thread.sphere->breaks_off) kernel_stand_still(task); /* as its recorder gave up here */
  if (input_replays(task))
    kernel_fail(kernel_of(task), 121, "the recording is damaged: it has a thread %u", number);
  else
    kernel_fail(kernel_of(task), 122, "more than %d threads in one recording", ORDER_SLOTS);
  return false;
}

void input_counter(struct task *task, uint64_t *value) {
  if (!task->input) return;
  if (!input_replays(task)) {
    put_event(task, EVENT_COUNTER);
    put(task, *value);
    log_hardware(task, LOG_INPUT, INPUT_ENTRY);
  } else if (take_event(task, EVENT_COUNTER)) {
    *value = get(task);
  }
}

const uint8_t *input_copy_in(struct task *task, uint64_t to, const void *from, uint64_t bytes) {
  if (!task->input) return from;
  if (!input_replays(task)) {
    put_event(task, EVENT_IN);
    put(task, to);
    put(task, bytes);
    put_bytes(task, from, bytes);
    log_hardware(task, LOG_INPUT, (bytes + INPUT_ENTRY - 1) / INPUT_ENTRY * INPUT_ENTRY);
    return from;
  }
  if (!take_event(task, EVENT_IN)) return NULL;
  expect(task, "address of bytes in", to);
  expect(task, "length of bytes in", bytes);
  const struct stream *s = stream(task);
  if (s->count - task->input->at < bytes) return NULL;
  task->input->at += bytes;
  return s->bytes + task->input->at - bytes;
}

/* FNV-1a: what goes out is compared, not kept. */
static uint64_t checksum(const uint8_t *bytes, uint64_t count) {
  uint64_t sum = 0xcbf29ce484222325;
  for (uint64_t i = 0; i < count; i++) sum = (sum ^ bytes[i]) * 0x100000001b3;
  return sum >> 32;
}

void input_copy_out(struct task *task, uint64_t from, const void *bytes, uint64_t count, int error) {
  if (!task->input) return;
  uint64_t sum = error ? 0 : checksum(bytes, count);
  if (!input_replays(task)) {
    put_event(task, EVENT_OUT);
    put(task, from);
    put(task, count);
    put(task, sum);
  } else if (take_event(task, EVENT_OUT)) {
    expect(task, "address of bytes out", from);
    expect(task, "length of bytes out", count);
    expect(task, "checksum of bytes out", sum);
  }
}

/* Counts the bytes written since then as an interrupt. */
static void count_interrupt(struct task *task, uint64_t before) {
  struct stream *s = stream(task);
  s->interrupt += s->count - before;
  log_hardware(task, LOG_INTERRUPTS, INTERRUPT_ENTRY);
}

void input_signal(struct task *task, const struct signal_info *info) {
  uint64_t before = stream(task)->count;
  put_event(task, EVENT_SIGNAL);
  put(task, position_of(task));
  put(task, (uint64_t)info->number);
  put(task, (uint32_t)info->code);
  put(task, info->value);
  put(task, info->more);
  count_interrupt(task, before);
}

bool input_signal_due(struct task *task, struct signal_info *info) {
  if (peek(task) != EVENT_SIGNAL || input_next_stop(task) != position_of(task)) return false;
  task->input->at++;
  get(task);
  info->number = (int32_t)get(task);
  info->code = (int32_t)get(task);
  info->value = get(task);
  info->more = get(task);
  return info->number > 0 && info->number <= SIGNALS;
}

void input_killed(struct task *task) {
  if (!input_records(task)) return;
  uint64_t before = stream(task)->count;
  put_event(task, EVENT_KILLED);
  put(task, position_of(task));
  count_interrupt(task, before);
}

bool input_killed_due(struct task *task) {
  return peek(task) == EVENT_KILLED && input_next_stop(task) == position_of(task);
}

bool input_expects_in(const struct task *task) {
  return peek(task) == EVENT_IN;
}

void input_shown(struct task *task, int descriptor) {
  if (!input_records(task)) return;
  put_event(task, EVENT_SHOWN);
  put(task, (uint64_t)descriptor);
}

void input_mask(struct task *task, uint64_t mask) {
  if (!input_records(task)) return;
  put_event(task, EVENT_MASK);
  put(task, mask);
}

/* -- The disk ------------------------------------------------------------------------------------------------------------------------- */

void input_transfer(struct task *worker, uint32_t tid, uint64_t to, const uint8_t *bytes, uint64_t count) {
  if (!input_records(worker)) return;
  uint64_t before = stream(worker)->count;
  put_event(worker, EVENT_TRANSFER);
  put(worker, tid);
  put(worker, to);
  put(worker, count);
  put_bytes(worker, bytes, count);
  struct stream *s = stream(worker);
  s->dma += s->count - before;
  struct machine *machine = kernel_of(worker)->machine;
  caches_log(machine->ports[machine->config.harts], LOG_DMA, DMA_HEAD + count);
}

bool input_next_transfer(struct task *worker, uint64_t *tid) {
  if (peek(worker) != EVENT_TRANSFER) return false;
  uint64_t at = worker->input->at++;
  *tid = get(worker);
  worker->input->at = at;
  return true;
}

bool input_take_transfer(struct task *worker, uint64_t *to, const uint8_t **bytes, uint64_t *count) {
  if (!take_event(worker, EVENT_TRANSFER)) return false;
  get(worker);
  *to = get(worker);
  *count = get(worker);
  const struct stream *s = stream(worker);
  if (s->count - worker->input->at < *count) return false;
  *bytes = s->bytes + worker->input->at;
  worker->input->at += *count;
  return true;
}

/* -- Following ---------------------------------------------------------------------------------------------------------------------------- */

static bool follow_in(struct task *task) {
  uint64_t at = task->input->at++, to = get(task), bytes = get(task);
  task->input->at = at;
  return copy_in(task, to, NULL, bytes) == 0 || true;
}

/* More than memory has never come out of it. */
static bool follow_out(struct task *task, int shown) {
  uint64_t at = task->input->at++, from = get(task), bytes = get(task);
  bool possible = bytes <= kernel_of(task)->machine->ram_bytes;
  task->input->at = at;
  uint8_t *buffer = possible ? malloc(bytes + 1) : NULL;
  if (!buffer) {
    kernel_fail(kernel_of(task), 121, "the recording is damaged: %lu bytes go out", (unsigned long)bytes);
    return false;
  }
  bool good = copy_out(task, buffer, from, bytes) == 0;
  if (good && shown) {
    fflush(NULL);
    ssize_t heard = write(shown, buffer, bytes);
    (void)heard; /* whether anybody listens changes nothing in the replay */
  }
  free(buffer);
  return good;
}

static void follow_mask(struct task *task) {
  task->input->at++;
  signal_mask_for_call(task, get(task));
}

static void follow_disk(struct task *task) {
  uint32_t number = 0, tid = 0;
  input_child(task, &number, &tid);
  disk_replay(task, number);
}

bool input_follow(struct task *task, int64_t *result) {
  int shown = 0;
  while (!kernel_of(task)->error) {
    switch (peek(task)) {
      case EVENT_IN:
        follow_in(task);
        break;
      case EVENT_OUT:
        follow_out(task, shown);
        shown = 0;
        break;
      case EVENT_KILLED:
        return false;
      case EVENT_CHILD:
        follow_disk(task);
        break;
      case EVENT_SHOWN:
        task->input->at++;
        shown = (int)get(task) == 2 ? 2 : 1;
        break;
      case EVENT_MASK:
        follow_mask(task);
        break;
      default:
        input_result(task, result);
        signal_mask_after_call(task, *result);
        return true;
    }
  }
  return false;
}
