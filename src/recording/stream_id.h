/* stream_id.h: names of streams, and sets of them (stream_id.c). */
#ifndef REPRISE_RECORDING_STREAM_ID_H
#define REPRISE_RECORDING_STREAM_ID_H

#include "recording/recording.h"

enum {
  KIND_FIRST = RECORDING_INPUT,
  KIND_LAST = RECORDING_FILES, /* of those that a manifest lists */
  KIND_CONTENT = 5,            /* a mapped file's bytes, in packs alone */
  KIND_COUNT = RECORDING_SOLVED + 1,
  STREAM_NAME_MAX = 24,
};

/* True if the format has such a stream. */
bool stream_id_valid(struct recording_stream_id id);

/* "input-7", "order", "events": the file's name in streams/. */
void stream_name(struct recording_stream_id id, char out[STREAM_NAME_MAX]);
/* The reverse; false for a name that stream_name would not have written. */
bool stream_parse(const char *name, struct recording_stream_id *out);

/* By kind, then thread, the sphere's stream last: for qsort and bsearch. */
int stream_compare(const void *a, const void *b);

/* The threads that have a stream of one kind. */
struct thread_set {
  uint64_t *words; /* one bit a thread */
  size_t count;    /* words */
  bool sphere;
};

bool thread_set_has(const struct thread_set *set, uint32_t thread);
/* RECORDING_OK or RECORDING_SYSTEM when there is no memory. */
int thread_set_add(struct thread_set *set, uint32_t thread, struct recording_error *error);

/* The set as text, "0-3,7,sphere": allocated, empty for the empty set, NULL without memory. */
char *thread_set_text(const struct thread_set *set);

/* Walks such a text: *text moves on behind one range. 1: from and to are set; 0: at the end; -1: no such text. */
int thread_range_next(const char **text, uint32_t *from, uint32_t *to);

#endif
