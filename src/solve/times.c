/* times.c: the times in the input logs. See times.h. */
#include "solve/times.h"

#include <stdlib.h>
#include <string.h>

#include "input/events.h"
#include "recording/error.h"
#include "solve/grow.h"

/* The clock may be read before the last accesses are over for other processors, and after the next ones have begun: this many of its units, some microseconds. */
enum { SLACK = 128 };

struct reading {
  struct recording_reader *reader;
  struct times *times;
  size_t threads_room, points_room;
  struct input_codec codec;
  struct input_event event;
  uint8_t *bytes;
  size_t count, room;
};

static int fail_memory(const struct reading *r, struct recording_error *error) {
  return recording_fail_errno(error, recording_reader_path(r->reader), "reading its input logs");
}

/* Takes the events that are whole; -1 without memory. */
static int take_events(struct reading *r) {
  struct times_thread *thread = &r->times->threads[r->times->count - 1];
  size_t at = 0;
  for (long used; at < r->count; at += (size_t)used) {
    used = input_decode(&r->codec, &r->event, r->bytes + at, r->count - at);
    if (used <= 0) break; /* what makes no sense is told by the replay */
    if (r->event.kind != EVENT_OPEN || r->event.open.what != OPEN_TIME) continue;
    if (!GROW(thread->points, thread->count, r->points_room)) return -1;
    thread->points[thread->count++] = (struct times_point){r->event.position, r->event.open.address};
  }
  memmove(r->bytes, r->bytes + at, r->count - at);
  r->count -= at;
  return 0;
}

static int read_thread(struct reading *r, struct recording_stream *stream, struct recording_error *error) {
  struct recording_frame frame;
  int status;
  while (!(status = recording_next(stream, &frame, error))) {
    while (r->count + frame.length > r->room)
      if (!GROW(r->bytes, r->room, r->room)) return fail_memory(r, error);
    memcpy(r->bytes + r->count, frame.bytes, frame.length);
    r->count += frame.length;
    if (take_events(r)) return fail_memory(r, error);
  }
  return status == RECORDING_END ? RECORDING_OK : status;
}

static int read_log(struct recording_stream_id id, void *context, struct recording_error *error) {
  struct reading *r = context;
  struct recording_stream *stream;
  if (id.kind != RECORDING_INPUT || id.thread == RECORDING_SPHERE) return RECORDING_OK;
  if (!GROW(r->times->threads, r->times->count, r->threads_room)) return fail_memory(r, error);
  r->times->threads[r->times->count++] = (struct times_thread){.thread = id.thread};
  r->codec = (struct input_codec){0};
  r->count = r->points_room = 0;
  int status = recording_stream_open(r->reader, id, &stream, error);
  if (status) return status;
  status = read_thread(r, stream, error);
  recording_stream_close(stream);
  return status;
}

int times_read(struct recording_reader *reader, struct times *times, struct recording_error *error) {
  struct reading *r = calloc(1, sizeof *r);
  *times = (struct times){0};
  if (!r) return recording_fail_errno(error, recording_reader_path(reader), "reading its input logs");
  r->reader = reader;
  r->times = times;
  int status = recording_each_stream(reader, read_log, r, error);
  free(r->bytes);
  free(r);
  if (status) times_drop(times);
  return status;
}

void times_drop(struct times *times) {
  for (size_t i = 0; i < times->count; i++) free(times->threads[i].points);
  free(times->threads);
  *times = (struct times){0};
}

static const struct times_thread *thread_of(const struct times *times, uint32_t thread) {
  for (size_t i = 0; i < times->count; i++)
    if (times->threads[i].thread == thread) return &times->threads[i];
  return NULL;
}

void times_find(const struct times *times, uint32_t number, uint64_t instructions, uint64_t *began,
                uint64_t *ended, uint64_t *guess) {
  const struct times_thread *thread = thread_of(times, number);
  size_t low = 0, high = thread ? thread->count : 0;
  *began = *guess = 0;
  *ended = UINT64_MAX;
  while (low < high) {
    size_t middle = (low + high) / 2;
    if (thread->points[middle].instructions <= instructions)
      low = middle + 1;
    else
      high = middle;
  }
  const struct times_point *before = low ? &thread->points[low - 1] : NULL;
  const struct times_point *behind = thread && low < thread->count ? &thread->points[low] : NULL;
  if (before) *guess = before->time, *began = before->time > SLACK ? before->time - SLACK : 0;
  if (behind) *ended = behind->time + SLACK;
  if (behind && !before) *guess = behind->time;
  if (!before || !behind || behind->time < before->time) return;
  double part =
      (double)(instructions - before->instructions) / (double)(behind->instructions - before->instructions);
  *guess += (uint64_t)(part * (double)(behind->time - before->time));
}
