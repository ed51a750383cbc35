/* restart_log.c: see restart_log.h.
 *
 * An event is stored relative to the one before it. Of a log that begins at a checkpoint the events before are not there: so its events are decoded with the
 * values that the recorder had at the checkpoint, and encoded again as at the beginning of a stream. */
#include "travel/restart_log.h"

#include <stdlib.h>
#include <string.h>

#include "input/events.h"
#include "recording/error.h"

/* The log of one thread. */
struct thread_log {
  uint32_t thread;
  struct input_codec from, to;
  uint8_t *part; /* of an event whose end is in the next frame */
  size_t part_bytes;
};

struct restart_log {
  uint8_t *out; /* a frame; twice the usual size */
  uint32_t latest, count;
  struct thread_log all[];
};

enum { OUT_BYTES = RECORDING_FRAME_MAX, SPARE = 1 << 17 };

struct restart_log *restart_log_open(struct region *copy) {
  uint32_t slots = region_slots(copy);
  struct restart_log *log = calloc(1, sizeof *log + slots * sizeof *log->all);
  if (log) log->out = malloc(OUT_BYTES + SPARE);
  if (!log || !log->out) {
    free(log);
    return NULL;
  }
  for (uint32_t i = 0; i < slots; i++) {
    struct rthread *slot = &copy->slots[i];
    if (atomic_load(&slot->state) != SLOT_LIVE) continue;
    log->all[log->count++] = (struct thread_log){.thread = slot->number, .from = slot->input.codec};
    memset(&slot->input.codec, 0, sizeof slot->input.codec);
  }
  return log;
}

void restart_log_close(struct restart_log *log) {
  if (!log) return;
  for (uint32_t i = 0; i < log->count; i++) free(log->all[i].part);
  free(log->out);
  free(log);
}

static struct thread_log *find(struct restart_log *log, uint32_t thread) {
  for (uint32_t i = 0; i < log->count; i++) {
    uint32_t at = (log->latest + i) % log->count;
    if (log->all[at].thread != thread) continue;
    log->latest = at;
    return &log->all[at];
  }
  return NULL;
}

/* The part that was left, and these bytes. */
static bool add(struct thread_log *own, const uint8_t *bytes, size_t length) {
  uint8_t *larger = realloc(own->part, own->part_bytes + length);
  if (!larger) return false;
  memcpy(larger + own->part_bytes, bytes, length);
  own->part = larger;
  own->part_bytes += length;
  return true;
}

int restart_log_append(struct restart_log *log, struct recording_writer *writer, uint32_t thread,
                       uint64_t first, uint64_t last, const uint8_t *bytes, size_t length,
                       struct recording_error *error) {
  const char *path = recording_writer_path(writer);
  const struct recording_stream_id id = {RECORDING_INPUT, thread};
  struct thread_log *own = find(log, thread);
  if (!own) return recording_append(writer, id, first, last, bytes, length, error);
  if (!add(own, bytes, length)) return recording_fail_errno(error, path, "storing a log");
  size_t at = 0, made = 0;
  int status = RECORDING_OK;
  while (!status) {
    struct input_event event;
    long used = input_decode(&own->from, &event, own->part + at, own->part_bytes - at);
    if (used == EVENT_TRUNCATED) break;
    long size = used < 0 ? used : input_encode(&own->to, &event, log->out + made, OUT_BYTES + SPARE - made);
    if (size < 0)
      return recording_fail(error, RECORDING_DAMAGED, path, "the log of thread %u makes no sense", thread);
    at += (size_t)used;
    made += (size_t)size;
    if (made < RECORDING_FRAME_USUAL) continue;
    status = recording_append(writer, id, first, last, log->out, made, error);
    made = 0;
    first = last; /* whatever is left of it */
  }
  if (!status && made) status = recording_append(writer, id, first, last, log->out, made, error);
  own->part_bytes -= at;
  memmove(own->part, own->part + at, own->part_bytes);
  return status;
}
