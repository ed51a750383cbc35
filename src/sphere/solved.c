/* solved.c: the order that was found afterwards. See solved.h.
 *
 * Each frame is a piece of one thread's order log: varint(R-thread), then bytes of the log. */
#include "sphere/solved.h"

#include <stdlib.h>
#include <string.h>

#include "order/varint.h"
#include "recording/error.h"

struct log {
  uint8_t *bytes;
  size_t count, room;
};

struct solved {
  struct log *logs; /* by R-thread */
  uint32_t threads;
};

void solved_drop(struct solved *solved) {
  for (uint32_t i = 0; i < solved->threads; i++) free(solved->logs[i].bytes);
  free(solved->logs);
  free(solved);
}

const uint8_t *solved_find(const struct solved *solved, uint32_t thread, size_t *count) {
  static const uint8_t nothing[1];
  *count = thread < solved->threads ? solved->logs[thread].count : 0;
  return *count ? solved->logs[thread].bytes : nothing;
}

/* The log of the thread; NULL without memory. */
static struct log *log_of(struct solved *solved, uint32_t thread) {
  if (thread >= solved->threads) {
    uint32_t threads = thread + 1 > solved->threads * 2 ? thread + 1 : solved->threads * 2;
    struct log *logs = realloc(solved->logs, threads * sizeof *logs);
    if (!logs) return NULL;
    memset(logs + solved->threads, 0, (threads - solved->threads) * sizeof *logs);
    solved->logs = logs;
    solved->threads = threads;
  }
  return &solved->logs[thread];
}

static bool append(struct log *log, const uint8_t *bytes, size_t count) {
  if (!count) return true;
  if (log->count + count > log->room) {
    size_t room = log->count + count > log->room * 2 ? log->count + count : log->room * 2;
    uint8_t *larger = realloc(log->bytes, room);
    if (!larger) return false;
    log->bytes = larger;
    log->room = room;
  }
  memcpy(log->bytes + log->count, bytes, count);
  log->count += count;
  return true;
}

static int take_frame(struct solved *solved, const struct recording_frame *frame, const char *path,
                      struct recording_error *error) {
  uint64_t thread;
  int used = varint_get(&thread, frame->bytes, frame->length);
  if (used <= 0 || thread > RECORDING_THREAD_MAX)
    return recording_fail(error, RECORDING_DAMAGED, path, "damaged: streams/solved is no order");
  struct log *log = log_of(solved, (uint32_t)thread);
  if (log && append(log, frame->bytes + used, frame->length - (uint32_t)used)) return RECORDING_OK;
  return recording_fail_errno(error, path, "reading its order");
}

int solved_load(struct recording_reader *reader, struct solved **out, struct recording_error *error) {
  struct recording_stream *stream;
  struct recording_frame frame;
  const char *path = recording_reader_path(reader);
  struct recording_stream_id id = {RECORDING_SOLVED, RECORDING_SPHERE};
  int status = recording_stream_open(reader, id, &stream, error);
  if (status) return status;
  struct solved *solved = calloc(1, sizeof *solved);
  if (!solved) status = recording_fail_errno(error, path, "reading its order");
  while (!status && !(status = recording_next(stream, &frame, error)))
    status = take_frame(solved, &frame, path, error);
  recording_stream_close(stream);
  if (status == RECORDING_END) {
    *out = solved;
    return RECORDING_OK;
  }
  if (solved) solved_drop(solved);
  return status;
}

int solved_write(struct recording_image *image, uint32_t thread, const uint8_t *bytes, size_t count,
                 struct recording_error *error) {
  uint8_t frame[VARINT_LARGEST + RECORDING_FRAME_USUAL];
  int status = RECORDING_OK;
  for (size_t at = 0; !status && at < count;) {
    size_t n = varint_put(frame, thread);
    size_t piece = count - at < RECORDING_FRAME_USUAL ? count - at : RECORDING_FRAME_USUAL;
    memcpy(frame + n, bytes + at, piece);
    status = recording_image_append(image, frame, n + piece, error);
    at += piece;
  }
  return status;
}
