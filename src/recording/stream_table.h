/* stream_table.h: the streams that a writer has open (stream_table.c). */
#ifndef REPRISE_RECORDING_STREAM_TABLE_H
#define REPRISE_RECORDING_STREAM_TABLE_H

#include "recording/recording.h"

struct open_stream {
  struct recording_stream_id id; /* kind 0: an empty place of the table */
  uint32_t sequence;             /* the next frame's number */
  uint64_t offset;               /* where it goes */
  uint64_t last;                 /* the last position so far */
};

struct stream_table {
  struct open_stream *places; /* found by hash, then by stepping on */
  size_t size;                /* a power of two, or 0 */
  size_t used;
};

/* The stream, or NULL. The pointer is good until the table changes. */
struct open_stream *stream_table_find(const struct stream_table *table, struct recording_stream_id id);
/* Adds a stream that is not there, all zero but its id. NULL without memory. */
struct open_stream *stream_table_add(struct stream_table *table, struct recording_stream_id id);
void stream_table_drop(struct stream_table *table, struct open_stream *stream);

#endif
