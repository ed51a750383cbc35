/* cut.c: makes of a recording what a recorder that was killed, or had no room any more, might have left of it.
 *
 *     cut FROM TO SEED
 *
 * Logs break off somewhere, mostly in the middle of a record; some are whole. With an odd seed only those of the order do. The files that the
 * program mapped were all kept before it could see them, so they stay. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "copying.h"

static double common; /* about how much is left of most streams */
static bool orders_only;

static void copy_files(void) {
  struct recording_file file;
  uint32_t number;
  int fd;
  for (uint32_t i = 0; !recording_find_file(reader, i, &file, &error); i++) {
    must(recording_open_file(reader, &file, &fd, &error));
    must(recording_add_file(writer, fd, file.path, &number, &error));
    close(fd);
    if (number == i) continue;
    fprintf(stderr, "cut: can't keep the number of %s\n", file.path);
    exit(1);
  }
}

static double chance(void) {
  return (double)rand() / ((double)RAND_MAX + 1);
}

static uint64_t bytes_in(struct recording_stream *stream) {
  struct recording_frame frame;
  uint64_t bytes = 0;
  int status;
  while (!(status = recording_next(stream, &frame, &error))) bytes += frame.length;
  if (status != RECORDING_END) must(status);
  recording_rewind(stream);
  return bytes;
}

/* Many lose nothing, most of the others about as much as each other, a few any amount. */
static uint64_t choose(uint64_t bytes) {
  double left = common + (chance() - 0.5) / 16, kind = chance();
  if (kind < 0.4) left = 1;
  if (kind > 0.9) left = chance();
  return left <= 0 ? 0 : left >= 1 ? bytes : (uint64_t)(left * (double)bytes);
}

static int cut_stream(struct recording_stream_id id, void *context, struct recording_error *failure) {
  (void)context, (void)failure;
  if (id.kind == RECORDING_FILES) return 0;
  struct recording_stream *stream;
  struct recording_frame frame;
  must(recording_stream_open(reader, id, &stream, &error));
  bool cuts = id.kind == RECORDING_ORDER || !orders_only;
  uint64_t all = bytes_in(stream), left = cuts ? choose(all) : all;
  bool whole = left == all;
  while (left) {
    must(recording_next(stream, &frame, &error));
    uint32_t part = frame.length < left ? frame.length : (uint32_t)left;
    must(recording_append(writer, id, frame.first, frame.last, frame.bytes, part, &error));
    left -= part;
  }
  recording_stream_close(stream);
  if (whole && id.thread != RECORDING_SPHERE) must(recording_end(writer, id, &error));
  return 0;
}

int main(int argc, char **argv) {
  if (argc != 4) return 2;
  unsigned seed = (unsigned)strtoul(argv[3], NULL, 10);
  srand(seed);
  orders_only = seed % 2;
  common = chance();
  must(recording_open(argv[1], 0, &reader, &error));
  must(recording_create(argv[2], &writer, &error));
  copy_keys();
  copy_key("chaos");
  copy_key("changing-file");
  must(recording_save(writer, &error));
  copy_files();
  must(recording_each_stream(reader, cut_stream, NULL, &error));
  recording_reader_close(reader);
  recording_abandon(writer);
  return 0;
}
