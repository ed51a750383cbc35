/* archive.c: see archive.h. */
#include "sim/archive.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static int misuse(struct recording_error *error, enum recording_status kind, const char *text) {
  if (error) {
    error->kind = kind;
    error->number = 0;
    snprintf(error->text, sizeof error->text, "%s", text);
  }
  return (int)kind;
}

/* -- Writing ------------------------------------------------------------------------------------------------------------------------------- */

static int append(struct recording_writer *writer, enum recording_kind kind, uint32_t thread,
                  const uint8_t *bytes, size_t count, struct recording_error *error) {
  struct recording_stream_id id = {kind, thread};
  for (size_t at = 0; at < count;) {
    size_t part = count - at < RECORDING_FRAME_USUAL ? count - at : RECORDING_FRAME_USUAL;
    int status = recording_append(writer, id, at, at + part - 1, bytes + at, part, error);
    if (status) return status;
    at += part;
  }
  return recording_end(writer, id, error);
}

static int set_number(struct recording_writer *writer, const char *key, uint64_t value,
                      struct recording_error *error) {
  char text[24];
  snprintf(text, sizeof text, "%" PRIu64, value);
  return recording_set(writer, key, text, error);
}

static int write_manifest(struct recording_writer *writer, const struct archive *archive,
                          struct recording_error *error) {
  int status = recording_set(writer, "substrate", "sim", error);
  if (!status) status = recording_set(writer, "scheme", archive->scheme, error);
  if (!status) status = set_number(writer, "threads", archive->threads, error);
  if (!status) status = set_number(writer, "register-digest", archive->register_digest, error);
  if (!status) status = set_number(writer, "memory-digest", archive->memory_digest, error);
  for (char **argument = archive->argv; *argument && !status; argument++)
    status = recording_add(writer, "argument", *argument, error);
  return status;
}

static int write_programs(struct recording_writer *writer, const struct archive *archive,
                          struct recording_error *error) {
  const char *path;
  int status = 0;
  for (uint32_t i = 0; (path = input_log_image(archive->input, i)) && !status; i++) {
    uint32_t number;
    int file = open(path, O_RDONLY | O_CLOEXEC);
    if (file < 0) continue; /* an execve that failed */
    status = recording_add_file(writer, file, path, &number, error);
    close(file);
  }
  return status;
}

static int write_checkpoint(struct recording_writer *writer, const struct archive *archive,
                            struct recording_error *error) {
  uint32_t number;
  if (!archive->checkpoint) return 0;
  int file = memfd_create(ARCHIVE_CHECKPOINT, MFD_CLOEXEC);
  size_t count = archive->checkpoint_bytes;
  bool good = file >= 0 && write(file, archive->checkpoint, count) == (ssize_t)count;
  int status = good ? recording_add_file(writer, file, ARCHIVE_CHECKPOINT, &number, error)
                    : misuse(error, RECORDING_SYSTEM, "no memory for a checkpoint");
  if (file >= 0) close(file);
  return status;
}

static int write_streams(struct recording_writer *writer, const struct archive *archive,
                         struct recording_error *error) {
  int status = 0;
  for (uint32_t i = 0; i < archive->threads && !status; i++) {
    size_t count;
    const uint8_t *bytes = input_log_stream(archive->input, i, &count);
    status = append(writer, RECORDING_INPUT, i, bytes, count, error);
    if (status) break;
    bytes = archive->order(archive->context, i, &count);
    status = append(writer, RECORDING_ORDER, i, bytes, count, error);
  }
  return status;
}

int archive_save(const struct archive *archive, char out[RECORDING_PATH_MAX], struct recording_error *error) {
  struct recording_writer *writer;
  const char *name = strrchr(archive->argv[0], '/');
  int status = archive->path ? recording_create(archive->path, &writer, error)
                             : recording_create_default(name ? name + 1 : archive->argv[0], &writer, error);
  if (status) return status;
  snprintf(out, RECORDING_PATH_MAX, "%s", recording_writer_path(writer));
  status = write_manifest(writer, archive, error);
  if (!status) status = write_programs(writer, archive, error);
  if (!status) status = write_checkpoint(writer, archive, error);
  if (!status) status = write_streams(writer, archive, error);
  if (!status) return recording_close(writer, error);
  recording_abandon(writer);
  return status;
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

int archive_open(const char *path, struct archive_reader *reader, struct recording_error *error) {
  char found[RECORDING_PATH_MAX];
  memset(reader, 0, sizeof *reader);
  int status = recording_resolve(path, found, error);
  if (!status) status = recording_open(found, RECORDING_ANY_ARCHITECTURE, &reader->recording, error);
  if (status) return status;
  const char *substrate = recording_get(reader->recording, "substrate", 0);
  uint64_t threads = 0;
  reader->scheme = recording_get(reader->recording, "scheme", 0);
  bool good =
      reader->scheme && get_number(reader->recording, "threads", &threads) && threads && threads <= 1 << 16 &&
      get_number(reader->recording, "register-digest", &reader->register_digest) &&
      get_number(reader->recording, "memory-digest", &reader->memory_digest) && read_arguments(reader);
  reader->threads = (uint32_t)threads;
  if (good && substrate && !strcmp(substrate, "sim")) return 0;
  archive_close(reader);
  return misuse(error, RECORDING_NOT_ONE, "this is no recording of the simulator");
}

void archive_close(struct archive_reader *reader) {
  for (char **argument = reader->argv; argument && *argument; argument++) free(*argument);
  free(reader->argv);
  if (reader->recording) recording_reader_close(reader->recording);
  reader->recording = NULL;
  reader->argv = NULL;
}

typedef void piece_function(void *context, uint32_t thread, const uint8_t *bytes, size_t count);

static int read_stream(struct archive_reader *reader, enum recording_kind kind, uint32_t thread,
                       piece_function *piece, void *context, struct recording_error *error) {
  struct recording_stream *stream;
  struct recording_frame frame;
  int status =
      recording_stream_open(reader->recording, (struct recording_stream_id){kind, thread}, &stream, error);
  if (status) return status;
  while (!(status = recording_next(stream, &frame, error))) piece(context, thread, frame.bytes, frame.length);
  recording_stream_close(stream);
  return status == RECORDING_END ? 0 : status;
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
