/* pack.c: puts a recording into one file. See recording_pack in recording.h, and pack_read.c for the way back.
 *
 * Streams are copied as they are, contents of files become frames too. Everything is checked before it is copied: packs
 * travel, and damage should be found where it happened. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "recording/bytes.h"
#include "recording/checksum.h"
#include "recording/error.h"
#include "recording/io.h"
#include "recording/pack_format.h"
#include "recording/reader.h"

struct content {
  uint8_t hash[16];
  uint32_t number; /* of a file that has it */
};

struct packer {
  struct recording_reader *reader;
  const char *path;
  int fd;
  uint64_t offset; /* the pack's length so far */
  uint8_t *index;  /* entries, in the order in which they are added: that of their keys */
  size_t entries, capacity;
  struct frame_maker maker;
  uint8_t *buffer;          /* RECORDING_FRAME_MAX bytes */
  struct content *contents; /* of the table of files */
  size_t content_count, content_space;
};

/* -- Bytes --------------------------------------------------------------------------------------------------------- */

static int put(struct packer *p, const void *bytes, size_t length, struct recording_error *error) {
  if (!write_all(p->fd, p->offset, bytes, length))
    return recording_fail_errno(error, p->path, "writing the pack");
  p->offset += length;
  return RECORDING_OK;
}

/* An entry for what was written since start. */
static int add_entry(struct packer *p, const uint8_t key[PACK_KEY], uint64_t start,
                     struct recording_error *error) {
  if (p->entries == p->capacity) {
    size_t capacity = p->capacity ? p->capacity * 2 : 64;
    uint8_t *larger = realloc(p->index, capacity * PACK_ENTRY);
    if (!larger) return recording_fail_errno(error, p->path, "writing the pack");
    p->index = larger;
    p->capacity = capacity;
  }
  uint8_t *entry = p->index + PACK_ENTRY * p->entries++;
  memset(entry, 0, PACK_ENTRY);
  memcpy(entry, key, PACK_KEY);
  put64(entry + 24, start);
  put64(entry + 32, p->offset - start);
  put32(entry + 44, crc32c(entry, 44));
  return RECORDING_OK;
}

static int copy(struct packer *p, const struct extent *from, uint64_t length, struct recording_error *error) {
  for (uint64_t at = 0; at < length;) {
    size_t piece = length - at < RECORDING_FRAME_MAX ? length - at : RECORDING_FRAME_MAX;
    ssize_t n = read_upto(from->fd, from->start + at, p->buffer, piece);
    if (n < 0) return recording_fail_errno(error, p->reader->path, "reading it");
    if ((size_t)n < piece)
      return recording_fail(error, RECORDING_DAMAGED, p->reader->path, "changes while it is read");
    int status = put(p, p->buffer, piece, error);
    if (status) return status;
    at += piece;
  }
  return RECORDING_OK;
}

/* -- Parts --------------------------------------------------------------------------------------------------------- */

static int pack_manifest(struct packer *p, struct recording_error *error) {
  struct extent extent;
  uint8_t key[PACK_KEY];
  uint64_t start = p->offset;
  pack_key(key, PACK_MANIFEST, 0, 0, NULL);
  int status = p->reader->source->find_manifest(p->reader, &extent, error);
  if (status) return status;
  status = copy(p, &extent, extent.length, error);
  extent_release(&extent);
  return status ? status : add_entry(p, key, start, error);
}

/* Reads a stream to its end; *length is that of its sound frames. */
static int measure(struct packer *p, struct recording_stream_id id, uint64_t *length,
                   struct recording_error *error) {
  struct recording_stream *stream;
  struct recording_frame frame;
  int status = recording_stream_open(p->reader, id, &stream, error);
  if (status) return status;
  do status = recording_next(stream, &frame, error);
  while (!status);
  *length = stream->offset + (status == RECORDING_END ? FRAME_HEADER : 0);
  recording_stream_close(stream);
  bool may_break_off = p->reader->state != RECORDING_COMPLETE && (int)id.kind <= KIND_LAST;
  return status == RECORDING_END || (status == RECORDING_TRUNCATED && may_break_off) ? RECORDING_OK : status;
}

static int pack_stream(struct recording_stream_id id, void *context, struct recording_error *error) {
  struct packer *p = context;
  struct extent extent;
  uint8_t key[PACK_KEY];
  uint64_t length, start = p->offset;
  pack_key(key, PACK_STREAM, (uint8_t)id.kind, id.thread, NULL);
  int status = measure(p, id, &length, error);
  if (!status) status = p->reader->source->find_stream(p->reader, id, &extent, error);
  if (status) return status;
  status = copy(p, &extent, length, error);
  extent_release(&extent);
  return status ? status : add_entry(p, key, start, error);
}

static int write_content(struct packer *p, int fd, struct recording_error *error) {
  struct frame_header header = {.kind = KIND_CONTENT, .recording = p->reader->id, .thread = RECORDING_SPHERE};
  ssize_t n;
  while ((n = read_upto(fd, header.last, p->buffer, RECORDING_FRAME_MAX)) > 0) {
    header.first = header.last;
    header.last += (uint64_t)n;
    header.raw = (uint32_t)n;
    int status = put(p, p->maker.bytes, frame_make(&p->maker, &header, p->buffer), error);
    if (status) return status;
    header.sequence++;
  }
  if (n < 0) return recording_fail_errno(error, p->reader->path, "reading a mapped file");
  header.first = header.last;
  header.raw = header.payload = 0;
  header.flags = FRAME_END;
  return put(p, p->maker.bytes, frame_make(&p->maker, &header, NULL), error);
}

/* -- Mapped files -------------------------------------------------------------------------------------------------- */

static int collect_content(const struct recording_file *file, void *context, struct recording_error *error) {
  struct packer *p = context;
  if (p->content_count == p->content_space) {
    size_t space = p->content_space ? p->content_space * 2 : 16;
    struct content *larger = realloc(p->contents, space * sizeof *larger);
    if (!larger) return recording_fail_errno(error, p->path, "writing the pack");
    p->contents = larger;
    p->content_space = space;
  }
  struct content *content = &p->contents[p->content_count++];
  memcpy(content->hash, file->hash, sizeof content->hash);
  content->number = file->number;
  return RECORDING_OK;
}

static int compare_contents(const void *a, const void *b) {
  const struct content *x = a, *y = b;
  return memcmp(x->hash, y->hash, sizeof x->hash);
}

static int pack_content(struct packer *p, const struct content *content, struct recording_error *error) {
  uint8_t key[PACK_KEY];
  uint64_t start = p->offset;
  struct recording_file file;
  int fd;
  pack_key(key, PACK_CONTENT, 0, 0, content->hash);
  int status = recording_find_file(p->reader, content->number, &file, error);
  if (!status) status = recording_open_file(p->reader, &file, &fd, error);
  if (status) return status;
  status = write_content(p, fd, error);
  close(fd);
  return status ? status : add_entry(p, key, start, error);
}

static int pack_contents(struct packer *p, struct recording_error *error) {
  int status = each_file(p->reader, collect_content, p, error);
  if (status == RECORDING_TRUNCATED && p->reader->state != RECORDING_COMPLETE) status = RECORDING_OK;
  if (p->content_count) qsort(p->contents, p->content_count, sizeof *p->contents, compare_contents);
  for (size_t i = 0; !status && i < p->content_count; i++)
    if (!i || compare_contents(&p->contents[i - 1], &p->contents[i]))
      status = pack_content(p, &p->contents[i], error);
  return status;
}

/* -- The whole ----------------------------------------------------------------------------------------------------- */

static int write_header(struct packer *p, struct recording_error *error) {
  uint8_t header[PACK_HEADER] = {0};
  memcpy(header, pack_magic, sizeof pack_magic);
  put16(header + 8, RECORDING_VERSION);
  put32(header + 12, crc32c(header, 12));
  return put(p, header, sizeof header, error);
}

static int write_index(struct packer *p, struct recording_error *error) {
  uint8_t trailer[PACK_TRAILER] = {0};
  memcpy(trailer, pack_end_magic, sizeof pack_end_magic);
  put64(trailer + 8, p->offset);
  put64(trailer + 16, p->entries);
  put32(trailer + 28, crc32c(trailer, 28));
  int status = put(p, p->index, p->entries * PACK_ENTRY, error);
  if (!status) status = put(p, trailer, sizeof trailer, error);
  if (!status && fsync(p->fd)) status = recording_fail_errno(error, p->path, "writing the pack");
  return status;
}

static int write_pack(struct packer *p, struct recording_error *error) {
  p->buffer = malloc(RECORDING_FRAME_MAX);
  if (!frame_maker_open(&p->maker) || !p->buffer)
    return recording_fail_errno(error, p->path, "writing the pack");
  int status = write_header(p, error);
  if (!status) status = pack_manifest(p, error);
  if (!status) status = recording_each_stream(p->reader, pack_stream, p, error);
  if (!status) status = recording_each_image(p->reader, pack_stream, p, error);
  if (!status) status = recording_each_solved(p->reader, pack_stream, p, error);
  if (!status) status = pack_contents(p, error);
  return status ? status : write_index(p, error);
}

int recording_pack(struct recording_reader *reader, const char *path, struct recording_error *error) {
  if (reader->state == RECORDING_LIVE)
    return recording_fail(error, RECORDING_BUSY, reader->path, "is being recorded at this moment");
  struct packer p = {.reader = reader, .path = path};
  p.fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  if (p.fd < 0 && errno == EEXIST) return recording_fail(error, RECORDING_EXISTS, path, "exists already");
  if (p.fd < 0) return recording_fail_errno(error, path, "can't make the pack");
  int status = write_pack(&p, error);
  if (close(p.fd) && !status) status = recording_fail_errno(error, path, "writing the pack");
  if (status) unlink(path);
  frame_maker_close(&p.maker);
  free(p.buffer);
  free(p.index);
  free(p.contents);
  return status;
}
