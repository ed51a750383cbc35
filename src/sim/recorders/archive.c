/* archive.c: see archive.h. */
#include "sim/recorders/archive.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "order/varint.h"
#include "sim/machine/check.h"

static int misuse(struct recording_error *error, enum recording_status kind, const char *text) {
  if (error) {
    error->kind = kind;
    error->number = 0;
    snprintf(error->text, sizeof error->text, "%s", text);
  }
  return (int)kind;
}

/* -- Writing ------------------------------------------------------------------------------------------------------------------------------- */

/* Of one thread: bytes in its input and its order stream. */
struct written {
  uint64_t input, order;
};

struct archive_writer {
  struct recording_writer *recording;
  struct written *written;
  uint32_t threads, programs;
  uint64_t cut_bytes;
};

/* Of the simulator's recordings, as the manifest says it. Those of version 1, which don't say one, have other names for their schemes. */
enum { SIM_VERSION = 4 };

static const struct recording_stream_id cut_stream = {RECORDING_ORDER, RECORDING_SPHERE};

static int set_number(struct recording_writer *writer, const char *key, uint64_t value,
                      struct recording_error *error) {
  char text[24];
  snprintf(text, sizeof text, "%" PRIu64, value);
  return recording_set(writer, key, text, error);
}

int archive_begin(const char *path, bool board, const char *scheme, char **argv, struct archive_writer **out,
                  struct recording_error *error) {
  struct recording_writer *recording;
  const char *name = strrchr(argv[0], '/');
  int status = path ? recording_create(path, &recording, error)
                    : recording_create_default(name ? name + 1 : argv[0], &recording, error);
  if (status) return status;
  status = recording_set(recording, "substrate", board ? "sim-board" : "sim", error);
  if (!status) status = set_number(recording, "sim-version", SIM_VERSION, error);
  if (!status) status = recording_set(recording, "scheme", scheme, error);
  for (char **argument = argv; *argument && !status; argument++)
    status = recording_add(recording, "argument", *argument, error);
  if (!status) status = recording_save(recording, error);
  if (status) {
    recording_abandon(recording);
    return status;
  }
  CHECK(*out = calloc(1, sizeof **out), "out of memory");
  (*out)->recording = recording;
  return 0;
}

const char *archive_path(const struct archive_writer *writer) {
  return recording_writer_path(writer->recording);
}

static struct written *written_of(struct archive_writer *writer, uint32_t thread) {
  if (thread >= writer->threads) {
    writer->written = realloc(writer->written, (thread + 1) * sizeof *writer->written);
    CHECK(writer->written, "out of memory");
    memset(writer->written + writer->threads, 0, (thread + 1 - writer->threads) * sizeof *writer->written);
    writer->threads = thread + 1;
  }
  return &writer->written[thread];
}

static int append(struct recording_writer *writer, struct recording_stream_id id, uint64_t *written,
                  const uint8_t *bytes, size_t count, struct recording_error *error) {
  for (size_t at = 0; at < count;) {
    size_t part = count - at < RECORDING_FRAME_USUAL ? count - at : RECORDING_FRAME_USUAL;
    int status = recording_append(writer, id, *written, *written + part - 1, bytes + at, part, error);
    if (status) return status;
    at += part;
    *written += part;
  }
  return 0;
}

int archive_append(struct archive_writer *writer, enum recording_kind kind, uint32_t thread,
                   const uint8_t *bytes, size_t count, struct recording_error *error) {
  struct written *written = written_of(writer, thread);
  return append(writer->recording, (struct recording_stream_id){kind, thread},
                kind == RECORDING_INPUT ? &written->input : &written->order, bytes, count, error);
}

int archive_programs(struct archive_writer *writer, const struct input_log *input,
                     struct recording_error *error) {
  const char *path;
  int status = 0;
  for (; (path = input_log_image(input, writer->programs)) && !status; writer->programs++) {
    uint32_t number;
    int file = open(path, O_RDONLY | O_CLOEXEC);
    if (file < 0) continue; /* an execve that failed */
    status = recording_add_file(writer->recording, file, path, &number, error);
    close(file);
  }
  return status;
}

int archive_add_file(struct archive_writer *writer, const char *path, struct recording_error *error) {
  uint32_t number;
  int file = open(path, O_RDONLY | O_CLOEXEC);
  if (file < 0) return misuse(error, RECORDING_SYSTEM, "a file of the recording can't be opened");
  int status = recording_add_file(writer->recording, file, path, &number, error);
  close(file);
  return status;
}

/* A cut: varint(threads), and of each varint(position * 2 + ended), varint(input bytes), varint(order bytes), eight bytes of digest. */
enum { CUT_LARGEST = 3 * VARINT_LARGEST + 8 };

int archive_cut(struct archive_writer *writer, struct archive_cut *cuts, uint32_t threads,
                struct recording_error *error) {
  uint8_t *bytes = malloc(VARINT_LARGEST + (size_t)threads * CUT_LARGEST);
  CHECK(bytes, "out of memory");
  size_t n = varint_put(bytes, threads);
  for (uint32_t i = 0; i < threads; i++) {
    const struct written *written = written_of(writer, i);
    n += varint_put(bytes + n, cuts[i].position << 1 | cuts[i].ended);
    n += varint_put(bytes + n, cuts[i].input_bytes = written->input);
    n += varint_put(bytes + n, cuts[i].order_bytes = written->order);
    memcpy(bytes + n, &cuts[i].digest, 8);
    n += 8;
  }
  int status = recording_append(writer->recording, cut_stream, writer->cut_bytes, writer->cut_bytes + n - 1,
                                bytes, n, error);
  writer->cut_bytes += n;
  free(bytes);
  return status;
}

static int write_checkpoint(struct recording_writer *writer, const struct archive_end *end,
                            struct recording_error *error) {
  uint32_t number;
  if (!end->checkpoint) return 0;
  int file = memfd_create(ARCHIVE_CHECKPOINT, MFD_CLOEXEC);
  size_t count = end->checkpoint_bytes;
  bool good = file >= 0 && write(file, end->checkpoint, count) == (ssize_t)count;
  int status = good ? recording_add_file(writer, file, ARCHIVE_CHECKPOINT, &number, error)
                    : misuse(error, RECORDING_SYSTEM, "no memory for a checkpoint");
  if (file >= 0) close(file);
  return status;
}

/* Streams without a byte exist as well: a replay asks for all. */
static int end_streams(struct archive_writer *writer, uint32_t threads, struct recording_error *error) {
  int status = 0;
  for (uint32_t i = 0; i < threads && !status; i++) {
    status = recording_end(writer->recording, (struct recording_stream_id){RECORDING_INPUT, i}, error);
    if (!status)
      status = recording_end(writer->recording, (struct recording_stream_id){RECORDING_ORDER, i}, error);
  }
  return status;
}

int archive_finish(struct archive_writer *writer, const struct archive_end *end,
                   struct recording_error *error) {
  struct recording_writer *recording = writer->recording;
  int status = set_number(recording, "threads", end->threads, error);
  if (!status) status = set_number(recording, "instructions", end->instructions, error);
  if (!status) status = set_number(recording, "register-digest", end->register_digest, error);
  if (!status) status = set_number(recording, "memory-digest", end->memory_digest, error);
  if (!status) status = write_checkpoint(recording, end, error);
  if (!status) status = end_streams(writer, end->threads, error);
  if (!status) {
    status = recording_close(recording, error);
    writer->recording = NULL;
  }
  archive_abandon(writer);
  return status;
}

void archive_abandon(struct archive_writer *writer) {
  if (!writer) return;
  if (writer->recording) recording_abandon(writer->recording);
  free(writer->written);
  free(writer);
}

/* -- Reading --------------------------------------------------------------------------------------------------------------------------------- */

static bool get_number(const struct recording_reader *recording, const char *key, uint64_t *value) {
  const char *text = recording_get(recording, key, 0);
  char *end;
  if (!text) return false;
  *value = strtoull(text, &end, 10);
  return end != text && !*end;
}

static bool read_arguments(struct archive_reader *reader) {
  size_t count = 0;
  while (recording_get(reader->recording, "argument", count)) count++;
  reader->argv = calloc(count + 1, sizeof *reader->argv);
  for (size_t i = 0; reader->argv && i < count; i++)
    reader->argv[i] = strdup(recording_get(reader->recording, "argument", i));
  return reader->argv && count;
}

static bool parse_cut(struct archive_reader *reader, const uint8_t *bytes, size_t count) {
  uint64_t threads, value[3];
  int n = varint_get(&threads, bytes, count);
  if (n <= 0 || !threads || threads > 1 << 16) return false;
  size_t at = (size_t)n;
  free(reader->cuts);
  CHECK(reader->cuts = calloc(threads, sizeof *reader->cuts), "out of memory");
  reader->threads = (uint32_t)threads;
  for (uint32_t i = 0; i < threads; i++) {
    for (int k = 0; k < 3; k++, at += (size_t)n)
      if ((n = varint_get(&value[k], bytes + at, count - at)) <= 0) return false;
    if (count - at < 8) return false;
    reader->cuts[i] = (struct archive_cut){value[0] & 1, value[0] >> 1, 0, value[1], value[2]};
    memcpy(&reader->cuts[i].digest, bytes + at, 8);
    at += 8;
  }
  return at == count;
}

/* The last cut of a recording that was not finished. */
static int read_cuts(struct archive_reader *reader, struct recording_error *error) {
  struct recording_stream *stream;
  struct recording_frame frame;
  bool good = true;
  int status = recording_stream_open(reader->recording, cut_stream, &stream, error);
  if (!status) {
    while (good && !(status = recording_next(stream, &frame, error)))
      good = parse_cut(reader, frame.bytes, frame.length);
    recording_stream_close(stream);
  }
  if (!good) return misuse(error, RECORDING_DAMAGED, "the recording is damaged: a cut makes no sense");
  if (status == RECORDING_DAMAGED || status == RECORDING_SYSTEM) return status;
  return reader->cuts ? 0
                      : misuse(error, RECORDING_DAMAGED, "the recording broke off before anything was kept");
}

static bool of_this_version(const struct archive_reader *reader) {
  uint64_t version;
  return get_number(reader->recording, "sim-version", &version) && version == SIM_VERSION;
}

int archive_open(const char *path, bool board, struct archive_reader *reader, struct recording_error *error) {
  char found[RECORDING_PATH_MAX];
  memset(reader, 0, sizeof *reader);
  int status = recording_resolve(path, found, error);
  if (!status) status = recording_open(found, RECORDING_ANY_ARCHITECTURE, &reader->recording, error);
  if (status) return status;
  const char *substrate = recording_get(reader->recording, "substrate", 0);
  uint64_t threads = 0;
  reader->scheme = recording_get(reader->recording, "scheme", 0);
  bool good = reader->scheme && substrate && !strcmp(substrate, board ? "sim-board" : "sim") &&
              read_arguments(reader);
  bool other = substrate && !strcmp(substrate, board ? "sim" : "sim-board");
  if (good && !of_this_version(reader)) {
    archive_close(reader);
    return misuse(error, RECORDING_OTHER_VERSION,
                  "the recording was made by another version of the simulator: record it again");
  }
  if (good && recording_reader_state(reader->recording) != RECORDING_COMPLETE) {
    status = read_cuts(reader, error);
    if (status) archive_close(reader);
    return status;
  }
  good = good && get_number(reader->recording, "threads", &threads) && threads && threads <= 1 << 16 &&
         get_number(reader->recording, "register-digest", &reader->register_digest) &&
         get_number(reader->recording, "memory-digest", &reader->memory_digest);
  reader->threads = (uint32_t)threads;
  if (good) return 0;
  archive_close(reader);
  return misuse(error, RECORDING_NOT_ONE,
                !other ? "this is no recording of the simulator"
                : board
                    ? "this is a recording of a program: `reprise sim replay` repeats it"
                    : "this is a recording of an operating system: `reprise sim boot --replay` repeats it");
}

void archive_close(struct archive_reader *reader) {
  for (char **argument = reader->argv; argument && *argument; argument++) free(*argument);
  free(reader->argv);
  free(reader->cuts);
  if (reader->recording) recording_reader_close(reader->recording);
  reader->recording = NULL;
  reader->argv = NULL;
  reader->cuts = NULL;
}

typedef void piece_function(void *context, uint32_t thread, const uint8_t *bytes, size_t count);

/* Up to the cut, if there is one: what comes after it in this stream may not be in others. */
static int read_stream(struct archive_reader *reader, enum recording_kind kind, uint32_t thread,
                       piece_function *piece, void *context, struct recording_error *error) {
  struct recording_stream *stream;
  struct recording_frame frame;
  const struct archive_cut *cut = reader->cuts ? &reader->cuts[thread] : NULL;
  uint64_t left = !cut ? UINT64_MAX : kind == RECORDING_INPUT ? cut->input_bytes : cut->order_bytes;
  if (!left) return 0;
  int status =
      recording_stream_open(reader->recording, (struct recording_stream_id){kind, thread}, &stream, error);
  if (status) return status;
  while (left && !(status = recording_next(stream, &frame, error))) {
    size_t part = frame.length < left ? frame.length : (size_t)left;
    piece(context, thread, frame.bytes, part);
    left -= cut ? part : 0;
  }
  recording_stream_close(stream);
  return !left || status == RECORDING_END ? 0 : status;
}

static void add_input(void *context, uint32_t thread, const uint8_t *bytes, size_t count) {
  input_log_append(context, thread, bytes, count);
}

/* The recording's programs take the place of those on the disk. */
static int read_programs(struct archive_reader *reader, struct input_log *input,
                         struct recording_error *error) {
  struct recording_file file;
  for (uint32_t i = 0;; i++) {
    int descriptor, status = recording_find_file(reader->recording, i, &file, error);
    if (status == RECORDING_ABSENT && i) return 0;
    if (status == RECORDING_TRUNCATED && i && reader->cuts) return 0;
    if (!status) status = recording_open_file(reader->recording, &file, &descriptor, error);
    if (status) return status;
    input_log_add_image(input, file.path, descriptor);
  }
}

int archive_read(struct archive_reader *reader, struct input_log *input, piece_function *order, void *context,
                 struct recording_error *error) {
  int status = read_programs(reader, input, error);
  for (uint32_t i = 0; i < reader->threads && !status; i++) {
    status = read_stream(reader, RECORDING_INPUT, i, add_input, input, error);
    if (!status) status = read_stream(reader, RECORDING_ORDER, i, order, context, error);
  }
  return status;
}

int archive_open_file(struct archive_reader *reader, uint32_t number, int *descriptor,
                      struct recording_error *error) {
  struct recording_file file;
  int status = recording_find_file(reader->recording, number, &file, error);
  return status ? status : recording_open_file(reader->recording, &file, descriptor, error);
}

struct board_piece {
  void (*call)(void *context, enum recording_kind kind, uint32_t thread, const uint8_t *bytes, size_t count);
  void *context;
  enum recording_kind kind;
};

static void give_piece(void *context, uint32_t thread, const uint8_t *bytes, size_t count) {
  const struct board_piece *piece = context;
  piece->call(piece->context, piece->kind, thread, bytes, count);
}

int archive_read_board(struct archive_reader *reader,
                       void (*piece)(void *context, enum recording_kind kind, uint32_t thread,
                                     const uint8_t *bytes, size_t count),
                       void *context, struct recording_error *error) {
  struct board_piece input = {piece, context, RECORDING_INPUT}, order = {piece, context, RECORDING_ORDER};
  int status = 0;
  for (uint32_t i = 0; i < reader->threads && !status; i++) {
    status = read_stream(reader, RECORDING_INPUT, i, give_piece, &input, error);
    if (!status) status = read_stream(reader, RECORDING_ORDER, i, give_piece, &order, error);
  }
  return status;
}
