/* reader.h: structures that the parts of a recording's reader share. */
#ifndef REPRISE_RECORDING_READER_H
#define REPRISE_RECORDING_READER_H

#include "recording/frame.h"
#include "recording/manifest.h"
#include "recording/stream_id.h"

/* The place of a stream's bytes: a part of a file. */
struct extent {
  int fd;
  bool own; /* the descriptor is to be closed after use, and the extent to be found again for the next */
  uint64_t start, length;
};

void extent_release(struct extent *extent);

/* The functions of either form of a recording. All return RECORDING_ABSENT when there is no such part. */
struct source {
  int (*find_manifest)(struct recording_reader *reader, struct extent *out, struct recording_error *error);
  int (*find_stream)(struct recording_reader *reader, struct recording_stream_id id, struct extent *out,
                     struct recording_error *error);
  /* The content as it is stored: for a pack, frames of KIND_CONTENT. */
  int (*find_content)(struct recording_reader *reader, const uint8_t hash[16], struct extent *out,
                      struct recording_error *error);
  /* All streams that are there, in order; for a recording whose manifest does not list them. */
  int (*each_stream)(struct recording_reader *reader, recording_visit_stream *visit, void *context,
                     struct recording_error *error);
};

extern const struct source directory_source, pack_source;

struct recording_reader {
  char path[RECORDING_PATH_MAX];
  const struct source *source;
  int fd;                     /* the directory or the pack */
  uint64_t pack_index;        /* where a pack's index starts */
  uint64_t pack_entries;      /* in it */
  uint64_t id;                /* that frames must have */
  enum recording_state state; /* as the manifest says, LIVE if it is locked */
  struct manifest manifest;
  ZSTD_DCtx *decompressor;
  uint8_t *payload;               /* RECORDING_FRAME_MAX bytes, for one frame at a time */
  struct recording_stream *files; /* the table of files, once it was asked for */
};

struct recording_stream {
  struct recording_reader *reader;
  uint8_t kind; /* or KIND_CONTENT */
  uint32_t thread;
  char name[48];              /* for messages: in a directory, the file's */
  struct extent extent;       /* unless it is found anew each time */
  uint64_t offset;            /* of the next frame */
  uint64_t last;              /* position of the frame before */
  uint32_t sequence;          /* of the next frame */
  uint8_t *raw;               /* the frame returned last */
  size_t capacity;            /* of raw */
  struct recording_error end; /* once kind is not RECORDING_OK, every further call returns this */
};

/* Makes a stream that starts at an extent, which it takes over; NULL without memory. */
struct recording_stream *stream_new(struct recording_reader *reader, uint8_t kind, uint32_t thread,
                                    const char *name, struct extent extent);

/* Reads and checks the pack's header and trailer (pack_read.c). */
int pack_recognize(struct recording_reader *reader, uint64_t length, struct recording_error *error);

/* Calls visit for every file of the table, in order (file_table.c). */
typedef int visit_file(const struct recording_file *file, void *context, struct recording_error *error);
int each_file(struct recording_reader *reader, visit_file *visit, void *context,
              struct recording_error *error);

#endif
