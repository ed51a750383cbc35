/* stream.c: reads a stream frame by frame, in a bounded amount of memory and trusting nothing. See recording.h.
 *
 * A stream ends in one of three ways:
 *   RECORDING_END        with the frame that its writer puts last, and nothing behind it
 *   RECORDING_TRUNCATED  at a frame's border, or within a frame that would have gone on; or with nothing but zeros, which
 *                        is what some file systems make of a write that was lost with the power
 *   RECORDING_DAMAGED    at bytes that are there but are no frame of this stream at this place */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "recording/error.h"
#include "recording/io.h"
#include "recording/reader.h"

void extent_release(struct extent *extent) {
  if (extent->own) close(extent->fd);
  extent->own = false;
}

struct recording_stream *stream_new(struct recording_reader *reader, uint8_t kind, uint32_t thread,
                                    const char *name, struct extent extent) {
  struct recording_stream *stream = calloc(1, sizeof *stream);
  if (stream) {
    stream->reader = reader;
    stream->kind = kind;
    stream->thread = thread;
    stream->extent = extent;
    snprintf(stream->name, sizeof stream->name, "%s", name);
  }
  extent_release(stream ? &stream->extent : &extent);
  return stream;
}

void recording_stream_close(struct recording_stream *stream) {
  if (stream) free(stream->raw);
  free(stream);
}

void recording_rewind(struct recording_stream *stream) {
  stream->offset = stream->last = stream->sequence = 0;
  stream->end.kind = RECORDING_OK;
}

struct recording_place recording_place(const struct recording_stream *stream) {
  return (struct recording_place){stream->offset, stream->last, stream->sequence};
}

void recording_return(struct recording_stream *stream, const struct recording_place *place) {
  recording_rewind(stream);
  stream->offset = place->offset;
  stream->last = place->last;
  stream->sequence = place->sequence;
}

/* -- How it ends --------------------------------------------------------------------------------------------------- */

static int ended(struct recording_stream *s, struct recording_error *error) {
  if (error) *error = s->end;
  return (int)s->end.kind;
}

/* The stream's final word: "PATH/NAME: MESSAGE". */
static int finish(struct recording_stream *s, enum recording_status kind, const char *message,
                  struct recording_error *error) {
  char place[RECORDING_PATH_MAX + sizeof s->name];
  snprintf(place, sizeof place, "%s/%s", s->reader->path, s->name);
  recording_explain(&s->end, kind, place, "%s %" PRIu64, message, s->offset);
  if (error) *error = s->end;
  return (int)kind;
}

static int truncated(struct recording_stream *s, struct recording_error *error) {
  return finish(s, RECORDING_TRUNCATED, "truncated at byte", error);
}

static int damaged(struct recording_stream *s, struct recording_error *error) {
  return finish(s, RECORDING_DAMAGED, "damaged: no sound frame at byte", error);
}

/* The last frame was read: nothing may follow. */
static int closed(struct recording_stream *s, const struct extent *extent, struct recording_error *error) {
  if (s->offset + FRAME_HEADER != extent->length)
    return finish(s, RECORDING_DAMAGED, "damaged: something follows its end at byte", error);
  return finish(s, RECORDING_END, "ends at byte", error);
}

/* -- One frame ----------------------------------------------------------------------------------------------------- */

static int system_failure(struct recording_stream *s, struct recording_error *error) {
  return recording_fail_errno(error, s->reader->path, "reading a stream");
}

static int find_extent(struct recording_stream *s, struct extent *out, struct recording_error *error) {
  if (s->reader->source != &directory_source) {
    *out = s->extent;
    return RECORDING_OK;
  }
  struct recording_stream_id id = {(enum recording_kind)s->kind, s->thread};
  int status = s->reader->source->find_stream(s->reader, id, out, error);
  return status == RECORDING_ABSENT ? damaged(s, error) : status;
}

/* Are all bytes from here to the end of the extent zero? -1 with errno. Not looked for behind more than any lost write
 * would leave, because a sparse file costs nothing to make and for ever to read. */
static int zeros_follow(struct recording_stream *s, const struct extent *extent) {
  enum { LOST_MAX = 64 << 20 };
  uint8_t *buffer = s->reader->payload;
  if (extent->length - s->offset > LOST_MAX) return 0;
  for (uint64_t at = s->offset; at < extent->length;) {
    uint64_t left = extent->length - at;
    ssize_t n = read_upto(extent->fd, extent->start + at, buffer, left < 4096 ? left : 4096);
    if (n <= 0) return n < 0 ? -1 : 1;
    for (ssize_t i = 0; i < n; i++)
      if (buffer[i]) return 0;
    at += (uint64_t)n;
  }
  return 1;
}

static bool header_belongs(const struct recording_stream *s, const struct frame_header *h) {
  return h->kind == s->kind && h->thread == s->thread && h->recording == s->reader->id &&
         h->sequence == s->sequence && h->first >= s->last;
}

static int judge_no_frame(struct recording_stream *s, const struct extent *extent, const uint8_t *bytes,
                          enum frame_verdict verdict, struct recording_error *error) {
  char message[96];
  if (verdict == FRAME_FOREIGN && !s->sequence) { /* versions do not change within a stream */
    snprintf(message, sizeof message, "of format version %u, while this reprise reads version %d, at byte",
             frame_version(bytes), RECORDING_VERSION);
    return finish(s, RECORDING_OTHER_VERSION, message, error);
  }
  int zeros = zeros_follow(s, extent);
  if (zeros < 0) return system_failure(s, error);
  return zeros ? truncated(s, error) : damaged(s, error);
}

/* The header at the current offset, with its payload known to be there. */
static int read_header(struct recording_stream *s, const struct extent *extent, struct frame_header *h,
                       struct recording_error *error) {
  uint8_t bytes[FRAME_HEADER];
  if (extent->length < s->offset || extent->length - s->offset < FRAME_HEADER) return truncated(s, error);
  ssize_t n = read_upto(extent->fd, extent->start + s->offset, bytes, FRAME_HEADER);
  if (n < 0) return system_failure(s, error);
  if (n < FRAME_HEADER) return truncated(s, error);
  enum frame_verdict verdict = frame_decode(bytes, h);
  if (verdict != FRAME_FINE) return judge_no_frame(s, extent, bytes, verdict, error);
  if (!header_belongs(s, h)) return damaged(s, error);
  if (h->flags & FRAME_END) return closed(s, extent, error);
  if (extent->length - s->offset - FRAME_HEADER < h->payload) return truncated(s, error);
  return RECORDING_OK;
}

static void step(struct recording_stream *s, const struct frame_header *h) {
  s->offset += FRAME_HEADER + (uint64_t)h->payload;
  s->sequence++;
  s->last = h->last;
}

static int read_payload(struct recording_stream *s, const struct extent *extent, const struct frame_header *h,
                        struct recording_error *error) {
  if (h->raw > s->capacity) {
    uint8_t *larger = realloc(s->raw, h->raw);
    if (!larger) return system_failure(s, error);
    s->raw = larger;
    s->capacity = h->raw;
  }
  uint8_t *payload = s->reader->payload;
  ssize_t n = read_upto(extent->fd, extent->start + s->offset + FRAME_HEADER, payload, h->payload);
  if (n < 0) return system_failure(s, error);
  if ((uint32_t)n < h->payload) return truncated(s, error);
  return frame_unpack(s->reader->decompressor, h, payload, s->raw) ? RECORDING_OK : damaged(s, error);
}

int recording_next(struct recording_stream *stream, struct recording_frame *frame,
                   struct recording_error *error) {
  if (stream->end.kind) return ended(stream, error);
  struct extent extent;
  struct frame_header h;
  int status = find_extent(stream, &extent, error);
  if (status) return status;
  status = read_header(stream, &extent, &h, error);
  if (!status) status = read_payload(stream, &extent, &h, error);
  extent_release(&extent);
  if (status) return status;
  step(stream, &h);
  *frame = (struct recording_frame){h.first, h.last, stream->raw, h.raw, FRAME_HEADER + h.payload};
  return RECORDING_OK;
}

int recording_seek(struct recording_stream *stream, uint64_t position, struct recording_error *error) {
  if (stream->end.kind) return ended(stream, error);
  struct extent extent;
  struct frame_header h;
  int status = find_extent(stream, &extent, error);
  if (status) return status;
  while (!(status = read_header(stream, &extent, &h, error)) && h.last < position) step(stream, &h);
  extent_release(&extent);
  return status;
}
