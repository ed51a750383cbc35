/* exchange.c: a recording with something else in it: what replay must notice.
 *
 *     exchange FROM TO PATH FILE
 *     exchange FROM TO order/THREAD FILE
 *     exchange FROM TO order/THREAD -BYTES
 *
 * Copies the recording FROM to TO, log by log, with the content of FILE for the file that was mapped as PATH, or for the order log of a
 * thread; or without the last BYTES of that log, which ends all the same. THREAD is "sphere" for the log that is of no thread. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "copying.h"

struct order_log {
  long thread; /* -1: none is replaced */
  const char *path;
};

static void put_shorter(struct recording_stream_id id, uint64_t bytes) {
  struct recording_stream *stream;
  struct recording_frame frame;
  uint64_t all = 0, done = 0;
  must(recording_stream_open(reader, id, &stream, &error));
  while (!recording_next(stream, &frame, &error)) all += frame.length;
  recording_rewind(stream);
  while (!recording_next(stream, &frame, &error) && done + bytes < all) {
    uint64_t left = all - bytes - done, part = frame.length < left ? frame.length : left;
    must(recording_append(writer, id, frame.first, frame.last, frame.bytes, part, &error));
    done += part;
  }
  recording_stream_close(stream);
  if (!done) must(recording_end(writer, id, &error));
}

static void put_order(struct recording_stream_id id, const char *path) {
  char bytes[4096];
  if (path[0] == '-') {
    put_shorter(id, strtoul(path + 1, NULL, 10));
    return;
  }
  int fd = open(path, O_RDONLY);
  ssize_t count = read(fd, bytes, sizeof bytes);
  close(fd);
  if (count <= 0) must(1);
  must(recording_append(writer, id, 0, 0, bytes, (size_t)count, &error));
}

static int copy_stream(struct recording_stream_id id, void *context, struct recording_error *problem) {
  const struct order_log *log = context;
  struct recording_stream *stream;
  struct recording_frame frame;
  if (id.kind == RECORDING_FILES) return 0;
  if (id.kind == RECORDING_ORDER && id.thread == log->thread) {
    put_order(id, log->path);
    return 0;
  }
  must(recording_stream_open(reader, id, &stream, problem));
  while (!recording_next(stream, &frame, problem))
    must(recording_append(writer, id, frame.first, frame.last, frame.bytes, frame.length, problem));
  recording_stream_close(stream);
  return 0;
}

static void copy_files(const char *path, const char *replacement) {
  static struct recording_file file;
  bool found = false;
  for (uint32_t number = 0; !recording_find_file(reader, number, &file, &error); number++) {
    uint32_t copied;
    int fd;
    if (strcmp(file.path, path)) {
      must(recording_open_file(reader, &file, &fd, &error));
    } else {
      fd = open(replacement, O_RDONLY);
      found = true;
    }
    must(recording_add_file(writer, fd, file.path, &copied, &error));
    close(fd);
  }
  if (found || !path[0]) return;
  fprintf(stderr, "exchange: no file %s in the recording\n", path);
  exit(1);
}

int main(int argc, char **argv) {
  if (argc != 5) return 2;
  must(recording_open(argv[1], 0, &reader, &error));
  must(recording_create(argv[2], &writer, &error));
  copy_keys();
  copy_key("status");
  bool orders = !strncmp(argv[3], "order/", 6);
  bool sphere = orders && !strcmp(argv[3] + 6, "sphere");
  struct order_log log = {!orders  ? -1
                          : sphere ? (long)RECORDING_SPHERE
                                   : strtol(argv[3] + 6, NULL, 10),
                          argv[4]};
  copy_files(orders ? "" : argv[3], argv[4]);
  must(recording_each_stream(reader, copy_stream, &log, &error));
  must(recording_close(writer, &error));
  return 0;
}
