/* flight_dump.c: stores what a flight recorder has kept. See flight_dump.h. */
#include "travel/flight_dump.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "order/chunk.h"
#include "recording/error.h"
#include "recording/scratch.h"
#include "sphere/feed.h"
#include "sphere/kept_files.h"
#include "sphere/mapped.h"
#include "travel/image.h"
#include "travel/restart_log.h"

struct dump {
  struct recording_writer *writer;
  const struct keep *kept;
  struct restart_log *restart; /* NULL: it begins with the program */
  int region;                  /* a copy of the first segment's */
};

static int lacks_memory(const struct dump *d, struct recording_error *error) {
  return recording_fail_errno(error, recording_writer_path(d->writer), "storing the last part");
}

/* -- Logs -------------------------------------------------------------------------------------------------------------------------- */

static int put_entry(const struct dump *d, const struct entry *entry, const uint8_t *bytes,
                     struct recording_error *error) {
  if (entry->ends) return recording_end(d->writer, entry->id, error);
  if (d->restart && entry->id.kind == RECORDING_INPUT)
    return restart_log_append(d->restart, d->writer, entry->id.thread, entry->first, entry->last, bytes,
                              entry->length, error);
  return recording_append(d->writer, entry->id, entry->first, entry->last, bytes, entry->length, error);
}

static int put_block(const struct dump *d, const struct block *block, struct recording_error *error) {
  int status = RECORDING_OK;
  for (size_t at = 0; at < block->used && !status;) {
    struct entry entry;
    memcpy(&entry, block->bytes + at, sizeof entry);
    at += sizeof entry;
    status = put_entry(d, &entry, block->bytes + at, error);
    at += entry.length;
  }
  return status;
}

/* -- The checkpoint ---------------------------------------------------------------------------------------------------------------- */

static int put_image(const struct dump *d, const struct segment *segment, uint64_t ended,
                     struct recording_error *error) {
  const char *path = recording_writer_path(d->writer);
  struct mapped_copies *none = calloc(1, sizeof *none);
  struct feed_state *beginning = feed_at_beginning();
  struct recording_reader *reader = NULL;
  struct image_source from = {.moment = segment->moment,
                              .region = d->region,
                              .shared = none,
                              .kept = d->kept,
                              .vessels = segment->vessels,
                              .count = segment->count};
  uint8_t *feed = beginning ? feed_encode(beginning, &from.feed_bytes) : NULL;
  uint32_t number = 0;
  from.feed = feed;
  int status = none && feed ? recording_open(path, 0, &reader, error) : lacks_memory(d, error);
  if (!status) status = image_write(&from, reader, &number, NULL, error);
  if (reader) recording_reader_close(reader);
  char text[16];
  snprintf(text, sizeof text, "%" PRIu32, number);
  if (!status) status = recording_set(d->writer, "begins", text, error);
  snprintf(text, sizeof text, "%.3f", (double)(ended - segment->begun) / 1e6);
  if (!status) status = recording_set(d->writer, "window", text, error);
  free(feed);
  free(beginning);
  free(none);
  return status;
}

/* The codecs of the checkpoint, with which the region in its image has no more to do. */
static int take_codecs(struct dump *d, const struct segment *segment, struct recording_error *error) {
  d->region = scratch_file("reprise-checkpoint", REGION_HEADER);
  if (d->region < 0 || !mapped_copy(segment->region, d->region)) return lacks_memory(d, error);
  struct region *copy = mmap(NULL, REGION_HEADER, PROT_READ | PROT_WRITE, MAP_SHARED, d->region, 0);
  if (copy == MAP_FAILED) return lacks_memory(d, error);
  d->restart = restart_log_open(copy);
  munmap(copy, REGION_HEADER);
  return d->restart ? RECORDING_OK : lacks_memory(d, error);
}

/* -- The whole --------------------------------------------------------------------------------------------------------------------- */

int flight_store(struct recording_writer *writer, const struct keep *kept, const struct segment *first,
                 const struct segment *last, struct recording_error *error) {
  struct dump d = {.writer = writer, .kept = kept, .region = -1};
  int status = RECORDING_OK;
  if (!first->from_start) {
    uint64_t ended = first->ended;
    for (const struct segment *segment = first; segment != last; segment = segment->next)
      ended = segment->ended;
    status = take_codecs(&d, first, error);
    if (!status) status = put_image(&d, first, ended, error);
  }
  for (const struct segment *segment = first; segment != last && !status; segment = segment->next)
    for (const struct block *block = segment->first; block && !status; block = block->next)
      status = put_block(&d, block, error);
  restart_log_close(d.restart);
  if (d.region >= 0) close(d.region);
  return status ? status : recording_set(writer, "stored", "yes", error);
}

/* -- Beside ------------------------------------------------------------------------------------------------------------------------ */

/* *chunks: it has the order `chunk`. */
static int copy_manifest(const struct recording_writer *of, struct recording_writer *writer, bool *chunks,
                         struct recording_error *error) {
  static const char *const keys[] = {"signals-ignored", "signals-blocked", "stack-limit",
                                     "program",         "argument",        "directory",
                                     "order",           "chaos",           "flight"};
  struct recording_reader *reader;
  int status = recording_open(recording_writer_path(of), 0, &reader, error);
  if (status) return status;
  for (size_t i = 0; i < sizeof keys / sizeof *keys && !status; i++) {
    const char *value;
    for (size_t n = 0; !status && (value = recording_get(reader, keys[i], n)); n++)
      status = recording_add(writer, keys[i], value, error);
  }
  const char *order = recording_get(reader, "order", 0);
  *chunks = order && !strcmp(order, "chunk");
  recording_reader_close(reader);
  return status ? status : recording_save(writer, error);
}

int flight_store_beside(const char *path, const struct recording_writer *of, const struct keep *kept,
                        const struct segment *first, const struct segment *last, const char *ending,
                        const struct order_end *end, struct recording_error *error) {
  const struct recording_stream_id order = {RECORDING_ORDER, RECORDING_SPHERE};
  struct recording_writer *writer;
  bool chunks;
  int status = recording_create(path, &writer, error);
  if (status) return status;
  status = copy_manifest(of, writer, &chunks, error);
  if (!status) status = keep_again_in(kept, writer, error);
  if (!status) status = flight_store(writer, kept, first, last, error);
  if (!status && chunks && end && end->count)
    status = recording_append(writer, order, 0, 0, end->bytes, end->count, error);
  if (!status) status = recording_set(writer, "status", ending, error);
  if (!status) status = recording_close(writer, error);
  if (!status) return RECORDING_OK;
  recording_abandon(writer);
  recording_remove(path, NULL);
  return status;
}
