/* writer.h: structures that the parts of a recording's writer share. */
#ifndef REPRISE_RECORDING_WRITER_H
#define REPRISE_RECORDING_WRITER_H

#include <sys/types.h>

#include "recording/frame.h"
#include "recording/manifest.h"
#include "recording/store.h"
#include "recording/stream_id.h"
#include "recording/stream_table.h"

struct kept_file {
  struct file_identity identity;
  uint8_t path_hash[16]; /* the path itself would cost too much memory */
  uint8_t content_hash[16];
  uint64_t size; /* bytes that were kept */
};

struct recording_writer {
  char path[RECORDING_PATH_MAX];        /* as given or made, for messages */
  int directory;                        /* holds the lock */
  int streams, files;                   /* the two folders */
  int store;                            /* of contents that recordings share, or -1 */
  int reserve;                          /* a file without a name that takes up room; or -1 */
  int latest;                           /* the stream written last, or -1 … */
  struct recording_stream_id latest_id; /* … which is this */
  uint64_t id;                          /* in every frame */
  struct manifest manifest;
  struct frame_maker maker;
  struct stream_table open;
  struct thread_set existing[KIND_LAST + 1]; /* by kind: open and ended streams */
  struct kept_file *kept;                    /* by number */
  uint32_t kept_count;
};

/* recording_append without its checks of the caller's arguments. */
int writer_append(struct recording_writer *writer, struct recording_stream_id id, uint64_t first,
                  uint64_t last, const void *bytes, size_t length, struct recording_error *error);

#endif
