/* seeds.c: inputs for the fuzzers to begin with, from a real recording: seeds RECORDING FOLDER.
 *
 * FOLDER/events.corpus, order.corpus and logs.corpus get the beginnings of its logs. */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "recording/recording.h"

enum { LOG_MOST = 8192, FILE_MOST = 4096 };

static struct recording_error error;
static const char *folder;
static struct {
  uint8_t bytes[LOG_MOST];
  size_t count;
} order, input;

static void put(const char *corpus, uint32_t thread, const void *head, size_t head_bytes, const void *rest,
                size_t bytes) {
  char path[4096];
  snprintf(path, sizeof path, "%s/%s.corpus/seed-%d-%u", folder, corpus, (int)getpid(), thread);
  FILE *to = fopen(path, "w");
  if (!to) return;
  fwrite(head, 1, head_bytes, to);
  fwrite(rest, 1, bytes, to);
  fclose(to);
}

static int each(struct recording_stream_id id, void *context, struct recording_error *problem) {
  /* As order_fuzz.c numbers the schemes. */
  static const char *const schemes[] = {"tokens", "dag", "scalar", "arcs", "chunk"};
  struct recording_reader *reader = context;
  struct recording_stream *stream;
  struct recording_frame frame;
  if (id.kind == RECORDING_FILES || recording_stream_open(reader, id, &stream, problem)) return 0;
  if (!recording_next(stream, &frame, problem)) {
    size_t count = frame.length < LOG_MOST ? frame.length : LOG_MOST;
    const char *name = recording_get(reader, "order", 0);
    uint8_t scheme = 0;
    while (scheme < 4 && name && strcmp(name, schemes[scheme])) scheme++;
    if (id.kind == RECORDING_INPUT) put("events", id.thread, "", 0, frame.bytes, count);
    if (id.kind == RECORDING_ORDER) put("order", id.thread, &scheme, 1, frame.bytes, count);
    bool first = id.kind == RECORDING_INPUT && id.thread == 0;
    if (first || id.thread == RECORDING_SPHERE) {
      memcpy(first ? input.bytes : order.bytes, frame.bytes, count);
      *(first ? &input.count : &order.count) = count;
    }
  }
  recording_stream_close(stream);
  return 0;
}

int main(int argc, char **argv) {
  static struct recording_file file;
  static uint8_t seed[4 + LOG_MOST + FILE_MOST];
  struct recording_reader *reader;
  int fd;
  if (argc != 3 || recording_open(argv[1], 0, &reader, &error)) return 1;
  folder = argv[2];
  (void)recording_each_stream(reader, each, reader, &error);
  ssize_t count = 0;
  if (!recording_find_file(reader, 0, &file, &error) && !recording_open_file(reader, &file, &fd, &error))
    count = pread(fd, seed + 4 + order.count, FILE_MOST, 0);
  if (count < 0) return 1;
  memcpy(seed + 4, order.bytes, order.count);
  seed[0] = (uint8_t)order.count, seed[1] = (uint8_t)(order.count >> 8);
  seed[2] = (uint8_t)count, seed[3] = (uint8_t)(count >> 8);
  put("logs", 0, seed, 4 + order.count + (size_t)count, input.bytes, input.count);
  recording_reader_close(reader);
  return 0;
}
