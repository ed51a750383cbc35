/* file_table.c: the table of mapped files and their contents, read. See recording.h.
 *
 * The table is a stream with one file a frame, at the position that is its number, so finding one needs no memory. */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "recording/checksum.h"
#include "recording/error.h"
#include "recording/file_entry.h"
#include "recording/io.h"
#include "recording/reader.h"
#include "recording/scratch.h"

/* -- The table ----------------------------------------------------------------------------------------------------- */

static int open_table(struct recording_reader *r, struct recording_error *error) {
  if (r->files) return RECORDING_OK;
  return recording_stream_open(r, (struct recording_stream_id){RECORDING_FILES, RECORDING_SPHERE}, &r->files,
                               error);
}

static int next_file(struct recording_reader *r, struct recording_file *out, struct recording_error *error) {
  struct recording_frame frame;
  int status = recording_next(r->files, &frame, error);
  if (status) return status;
  if (!file_entry_decode(frame.bytes, frame.length, out) || out->number != frame.first ||
      frame.first != frame.last)
    return recording_fail(error, RECORDING_DAMAGED, r->path, "damaged: a bad entry in streams/files");
  return RECORDING_OK;
}

int recording_find_file(struct recording_reader *reader, uint32_t number, struct recording_file *out,
                        struct recording_error *error) {
  int status = open_table(reader, error);
  if (status) return status;
  /* Mostly the next one is wanted: a replay maps files in the order in which they were kept. */
  if (reader->files->end.kind || number < reader->files->sequence) recording_rewind(reader->files);
  struct recording_file found;
  status = recording_seek(reader->files, number, error);
  if (!status) status = next_file(reader, &found, error);
  if (status == RECORDING_END || (!status && found.number != number))
    return recording_fail(error, RECORDING_ABSENT, reader->path, "damaged: it has no file %u", number);
  if (!status) *out = found;
  return status;
}

/* RECORDING_OK at a proper end; RECORDING_TRUNCATED if the table breaks off. */
int each_file(struct recording_reader *reader, visit_file *visit, void *context,
              struct recording_error *error) {
  struct recording_file file;
  int status = open_table(reader, error);
  if (status == RECORDING_ABSENT) return RECORDING_OK;
  if (status) return status;
  recording_rewind(reader->files);
  while (!(status = next_file(reader, &file, error)))
    if ((status = visit(&file, context, error))) return status;
  return status == RECORDING_END ? RECORDING_OK : status;
}

/* -- Contents ------------------------------------------------------------------------------------------------------ */

/* Unpacks frames of content into a memory file, never more than the table says; the caller checks the hash. */
static int unpack(struct recording_reader *r, const struct recording_file *file, const char *name,
                  struct extent extent, int to, struct recording_error *error) {
  struct recording_stream *stream = stream_new(r, KIND_CONTENT, RECORDING_SPHERE, name, extent);
  if (!stream) return recording_fail_errno(error, r->path, "unpacking a file");
  struct recording_frame frame;
  uint64_t size = 0;
  int status;
  while (!(status = recording_next(stream, &frame, error)) && frame.length <= file->size - size) {
    if (!write_all(to, size, frame.bytes, frame.length)) {
      status = recording_fail_errno(error, r->path, "unpacking a file");
      break;
    }
    size += frame.length;
  }
  recording_stream_close(stream);
  if (status == RECORDING_END) return RECORDING_OK;
  if (status && status != RECORDING_TRUNCATED) return status;
  return recording_fail(error, RECORDING_DAMAGED, r->path, "damaged: files/%s has another length", name);
}

static int check(struct recording_reader *r, const struct recording_file *file, const char *name, int fd,
                 struct recording_error *error) {
  uint8_t hash[16];
  uint64_t size;
  if (!content_read(fd, -1, hash, &size))
    return recording_fail_errno(error, r->path, "reading a mapped file");
  if (size != file->size || memcmp(hash, file->hash, 16))
    return recording_fail(error, RECORDING_DAMAGED, r->path, "damaged: files/%s (of %.200s) has changed",
                          name, file->path);
  return RECORDING_OK;
}

int recording_open_file(struct recording_reader *reader, const struct recording_file *file, int *fd,
                        struct recording_error *error) {
  char name[CONTENT_NAME_MAX];
  content_name(file->hash, name);
  struct extent extent;
  int status = reader->source->find_content(reader, file->hash, &extent, error);
  if (status == RECORDING_ABSENT)
    return recording_fail(error, RECORDING_DAMAGED, reader->path, "damaged: files/%s (of %.200s) is missing",
                          name, file->path);
  if (status) return status;
  int content = extent.fd;
  if (!extent.own) {
    content = scratch_file(name, file->size);
    if (content < 0) return recording_fail_errno(error, reader->path, "unpacking a file");
    status = unpack(reader, file, name, extent, content, error);
  }
  if (!status) status = check(reader, file, name, content, error);
  if (status)
    close(content);
  else
    *fd = content;
  return status;
}

/* -- Verifying ----------------------------------------------------------------------------------------------------- */

static int verify_stream(struct recording_stream_id id, void *context, struct recording_error *error) {
  struct recording_reader *r = context;
  struct recording_stream *stream;
  struct recording_frame frame;
  int status = recording_stream_open(r, id, &stream, error);
  if (status) return status;
  do status = recording_next(stream, &frame, error);
  while (!status);
  recording_stream_close(stream);
  bool may_break_off = r->state != RECORDING_COMPLETE && (int)id.kind <= KIND_LAST;
  if (status == RECORDING_END || (status == RECORDING_TRUNCATED && may_break_off)) return RECORDING_OK;
  return status;
}

static int verify_file(const struct recording_file *file, void *context, struct recording_error *error) {
  int fd = -1;
  int status = recording_open_file(context, file, &fd, error);
  if (!status) close(fd);
  return status;
}

int recording_verify(struct recording_reader *reader, struct recording_error *error) {
  int status = recording_each_stream(reader, verify_stream, reader, error);
  if (!status) status = recording_each_image(reader, verify_stream, reader, error);
  if (!status) status = recording_each_solved(reader, verify_stream, reader, error);
  if (status) return status;
  status = each_file(reader, verify_file, reader, error);
  return status == RECORDING_TRUNCATED && reader->state != RECORDING_COMPLETE ? RECORDING_OK : status;
}
