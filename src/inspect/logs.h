/* logs.h: the logs of a recording as one sequence of entries (logs.c), for commands that inspect it.
 *
 * With the order scheme `chunk` entries come in the order in which they happened: the events of a chunk, then the chunk's
 * end. With any other scheme they come thread by thread, without chunks. Only the state of live threads is in memory. */
#ifndef REPRISE_INSPECT_LOGS_H
#define REPRISE_INSPECT_LOGS_H

#include "input/events.h"
#include "order/chunk.h"
#include "recording/recording.h"

struct logs;

enum log_entry_kind { LOG_EVENT, LOG_CHUNK };

struct log_entry {
  enum log_entry_kind kind;
  uint32_t thread;          /* R-thread */
  uint64_t position;        /* of the thread */
  struct input_event event; /* LOG_EVENT; valid until the next entry is asked for */
  struct chunk_end chunk;   /* LOG_CHUNK */
};

/* Called for every frame that was read. */
typedef void log_visit_frame(void *context, struct recording_stream_id id,
                             const struct recording_frame *frame);

int logs_open(struct recording_reader *reader, log_visit_frame *visit, void *context, struct logs **out,
              struct recording_error *error);
void logs_close(struct logs *logs);

/* The next entry: RECORDING_OK, RECORDING_END, or an error. A stream that breaks off, in a recording that was not closed,
 * just ends. */
int logs_next(struct logs *logs, struct log_entry *entry, struct recording_error *error);

#endif
