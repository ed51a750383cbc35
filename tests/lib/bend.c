/* bend.c: a recording with one event bent, and all checksums right: what a hostile recording can say.
 *
 *     bend FROM TO KIND NUMBER VALUE
 *
 * Copies the recording FROM to TO. In the input log of thread 0, the NUMBER-th event (from 0) of the KIND has VALUE in it instead:
 *     copy-in   its address
 *     copied    the first byte of a copy-in
 *     file      its address
 *     numbered  the number of a file
 *     mapped    the result of an mmap that succeeded
 *     thread    the number of the thread that is born
 *     registers the digest of the registers at the end of an epoch
 *     memory    … of memory
 *     signal    a signal of that number is put before the NUMBER-th call */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>

#include "copying.h"
#include "input/events.h"

static struct {
  const char *kind;
  unsigned long number;
  uint64_t value;
  bool done;
} bend;

static uint8_t *bytes;
static size_t count;

/* The whole log, since an event may lie in two frames. */
static void read_log(struct recording_stream_id id) {
  struct recording_stream *stream;
  struct recording_frame frame;
  count = 0;
  must(recording_stream_open(reader, id, &stream, &error));
  while (!recording_next(stream, &frame, &error)) {
    bytes = realloc(bytes, count + frame.length);
    if (!bytes) abort();
    memcpy(bytes + count, frame.bytes, frame.length);
    count += frame.length;
  }
  recording_stream_close(stream);
}

static bool is_meant(const struct input_event *event) {
  const char *kind = bend.kind;
  if (!strcmp(kind, "mapped"))
    return event->kind == EVENT_SYSCALL && event->syscall.nr == SYS_mmap && event->syscall.result > 0 &&
           event->syscall.args[2];
  if (!strcmp(kind, "signal")) return event->kind == EVENT_SYSCALL;
  if (!strcmp(kind, "copied")) return event->kind == EVENT_COPY_IN;
  if (!strcmp(kind, "numbered")) return event->kind == EVENT_FILE;
  bool ends_epoch = event->kind == EVENT_CHECK && event->check.epoch;
  if (!strcmp(kind, "registers")) return ends_epoch;
  if (!strcmp(kind, "memory")) return ends_epoch && event->check.has_memory;
  const char *name = input_event_name(event->kind);
  return !strcmp(kind, name);
}

static void put(struct input_codec *codec, const struct input_event *event, uint8_t *to, size_t *at,
                size_t room) {
  long n = input_encode(codec, event, to + *at, room - *at);
  if (n <= 0) {
    fprintf(stderr, "the event can't be written\n");
    exit(1);
  }
  *at += (size_t)n;
}

static void bend_event(struct input_event *event) {
  switch (event->kind) {
    case EVENT_COPY_IN:
      if (!strcmp(bend.kind, "copied"))
        bytes[event->copy_in.bytes - bytes] = (uint8_t)bend.value;
      else
        event->copy_in.address = bend.value;
      break;
    case EVENT_FILE:
      if (!strcmp(bend.kind, "numbered"))
        event->file.file = (uint32_t)bend.value;
      else
        event->file.address = bend.value;
      break;
    case EVENT_THREAD:
      event->thread.thread = (uint32_t)bend.value;
      break;
    case EVENT_SYSCALL:
      event->syscall.result = (int64_t)bend.value;
      break;
    case EVENT_CHECK:
      if (!strcmp(bend.kind, "memory"))
        event->check.memory = bend.value;
      else
        event->check.registers = (uint32_t)bend.value;
      break;
    default:
      break;
  }
}

static void bend_log(struct recording_stream_id id) {
  struct input_codec from = {0}, to = {0};
  size_t room = 2 * count + 65536, out = 0, start = 0;
  uint8_t *written = malloc(room);
  uint64_t first = 0;
  for (size_t at = 0; at < count;) {
    struct input_event event;
    long n = input_decode(&from, &event, bytes + at, count - at);
    if (n <= 0) break;
    at += (size_t)n;
    bool meant = is_meant(&event) && !bend.done && bend.number-- == 0;
    bool added = !strcmp(bend.kind, "signal");
    bend.done |= meant;
    if (meant && added) {
      struct input_event extra = {
          .kind = EVENT_SIGNAL, .position = event.position, .signal = {.signo = (uint32_t)bend.value}};
      put(&to, &extra, written, &out, room);
    }
    if (meant && !added) bend_event(&event);
    put(&to, &event, written, &out, room);
    if (out - start > RECORDING_FRAME_MAX / 2 || at >= count) {
      must(recording_append(writer, id, first, event.position, written + start, out - start, &error));
      first = event.position;
      start = out;
    }
  }
  free(written);
}

static int copy_stream(struct recording_stream_id id, void *context, struct recording_error *problem) {
  struct recording_stream *stream;
  struct recording_frame frame;
  (void)context;
  if (id.kind == RECORDING_FILES) return 0;
  if (id.kind == RECORDING_INPUT && id.thread == 0) {
    read_log(id);
    bend_log(id);
    return 0;
  }
  must(recording_stream_open(reader, id, &stream, problem));
  while (!recording_next(stream, &frame, problem))
    must(recording_append(writer, id, frame.first, frame.last, frame.bytes, frame.length, problem));
  recording_stream_close(stream);
  return 0;
}

static void copy_files(void) {
  static struct recording_file file;
  for (uint32_t number = 0; !recording_find_file(reader, number, &file, &error); number++) {
    uint32_t copied;
    int fd;
    must(recording_open_file(reader, &file, &fd, &error));
    must(recording_add_file(writer, fd, file.path, &copied, &error));
  }
}

int main(int argc, char **argv) {
  if (argc != 6) return 2;
  bend.kind = argv[3];
  bend.number = strtoul(argv[4], NULL, 0);
  bend.value = strtoull(argv[5], NULL, 0);
  must(recording_open(argv[1], 0, &reader, &error));
  must(recording_create(argv[2], &writer, &error));
  copy_keys();
  copy_files();
  must(recording_each_stream(reader, copy_stream, NULL, &error));
  copy_key("instructions");
  copy_key("duration");
  copy_key("status");
  must(recording_close(writer, &error));
  recording_reader_close(reader);
  free(bytes);
  if (!bend.done) fprintf(stderr, "there is no such event\n");
  return !bend.done;
}
