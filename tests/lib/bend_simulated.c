/* bend_simulated.c: a recording of the simulator with one number bent, and all checksums right: what a hostile recording can say.
 *
 *     bend_simulated FROM TO KIND NUMBER WORD VALUE
 *
 * Copies the recording FROM to TO. In the input log of thread 0, the NUMBER-th event (from 0) of the KIND (sim/kernel/input_log.c) has VALUE as its WORD-th number (from 0).
 * Ends with 1 if there is no such event. */
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "copying.h"
#include "order/varint.h"

/* Of each kind, how many numbers it has; bytes follow the last one if it counts them. */
static const struct {
  uint8_t numbers;
  bool has_bytes;
} kinds[] = {{0, false}, {2, false}, {1, false}, {2, false}, {1, false}, {2, true},
             {3, false}, {5, false}, {1, false}, {3, true},  {1, false}, {1, false}};

static struct {
  unsigned kind, number, word;
  uint64_t value;
  bool done;
} bend;

static uint8_t *bytes, *bent;
static size_t count, used, bent_count;

static void copy(size_t part) {
  memcpy(bent + bent_count, bytes + used, part);
  bent_count += part;
  used += part;
}

/* False: the log is over. */
static bool bend_event(void) {
  if (used == count || bytes[used] >= sizeof kinds / sizeof *kinds) return false;
  unsigned kind = bytes[used];
  bool meant = kind == bend.kind && bend.number-- == 0;
  uint64_t value = 0;
  copy(1);
  for (unsigned word = 0; word < kinds[kind].numbers; word++) {
    int n = varint_get(&value, bytes + used, count - used);
    if (n <= 0) return false;
    if (meant && word == bend.word) {
      bent_count += varint_put(bent + bent_count, bend.value);
      used += (size_t)n;
      bend.done = true;
    } else {
      copy((size_t)n);
    }
  }
  if (kinds[kind].has_bytes) copy(value < count - used ? value : count - used);
  return true;
}

static void bend_log(struct recording_stream_id id) {
  struct recording_stream *stream;
  struct recording_frame frame;
  must(recording_stream_open(reader, id, &stream, &error));
  while (!recording_next(stream, &frame, &error)) {
    bytes = realloc(bytes, count + frame.length);
    if (!bytes) abort();
    memcpy(bytes + count, frame.bytes, frame.length);
    count += frame.length;
  }
  recording_stream_close(stream);
  bent = malloc(count + VARINT_LARGEST);
  if (!bent) abort();
  while (bend_event()) continue;
  copy(count - used);
  for (size_t at = 0, part; at < bent_count; at += part) {
    part = bent_count - at < RECORDING_FRAME_USUAL ? bent_count - at : RECORDING_FRAME_USUAL;
    must(recording_append(writer, id, at, at + part - 1, bent + at, part, &error));
  }
}

static int copy_stream(struct recording_stream_id id, void *context, struct recording_error *problem) {
  struct recording_stream *stream;
  struct recording_frame frame;
  (void)context;
  if (id.kind == RECORDING_FILES) return 0;
  if (id.kind == RECORDING_INPUT && id.thread == 0) {
    bend_log(id);
    must(recording_end(writer, id, problem));
    return 0;
  }
  must(recording_stream_open(reader, id, &stream, problem));
  while (!recording_next(stream, &frame, problem))
    must(recording_append(writer, id, frame.first, frame.last, frame.bytes, frame.length, problem));
  recording_stream_close(stream);
  must(recording_end(writer, id, problem));
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
  static const char *const keys[] = {"substrate", "sim-version",  "scheme",          "argument",
                                     "threads",   "instructions", "register-digest", "memory-digest"};
  if (argc != 7) return 2;
  bend.kind = (unsigned)strtoul(argv[3], NULL, 0);
  bend.number = (unsigned)strtoul(argv[4], NULL, 0);
  bend.word = (unsigned)strtoul(argv[5], NULL, 0);
  bend.value = strtoull(argv[6], NULL, 0);
  must(recording_open(argv[1], RECORDING_ANY_ARCHITECTURE, &reader, &error));
  must(recording_create(argv[2], &writer, &error));
  for (size_t k = 0; k < sizeof keys / sizeof *keys; k++) copy_key(keys[k]);
  copy_files();
  must(recording_each_stream(reader, copy_stream, NULL, &error));
  must(recording_close(writer, &error));
  recording_reader_close(reader);
  free(bytes);
  free(bent);
  return !bend.done;
}
