/* pack_read.c: a recording in one file, as a source for its reader. See reader.h.
 *
 * Parts are found by bisecting the index on disk, so a pack costs no memory however many streams it has. Every entry has a
 * checksum of its own, which is checked whenever it is looked at. */
#include <string.h>

#include "recording/bytes.h"
#include "recording/checksum.h"
#include "recording/error.h"
#include "recording/io.h"
#include "recording/pack_format.h"
#include "recording/reader.h"

const uint8_t pack_magic[8] = {'R', 'P', 'R', 'S', 'P', 'A', 'C', 'K'};
const uint8_t pack_end_magic[8] = {'R', 'P', 'R', 'S', 'P', 'E', 'N', 'D'};

void pack_key(uint8_t out[PACK_KEY], enum pack_type type, uint8_t kind, uint32_t thread,
              const uint8_t *hash) {
  memset(out, 0, PACK_KEY);
  out[0] = (uint8_t)type;
  out[1] = kind;
  thread = htobe32(thread);
  memcpy(out + 4, &thread, 4);
  if (hash) memcpy(out + 8, hash, 16);
}

static int damaged(struct recording_reader *r, const char *what, struct recording_error *error) {
  return recording_fail(error, RECORDING_DAMAGED, r->path, "damaged: %s", what);
}

/* Exactly length bytes, whose last four are the checksum of those before. */
static int read_checked(struct recording_reader *r, uint64_t offset, uint8_t *out, size_t length,
                        const char *what, struct recording_error *error) {
  ssize_t n = read_upto(r->fd, offset, out, length);
  if (n < 0) return recording_fail_errno(error, r->path, "reading it");
  if ((size_t)n < length || get32(out + length - 4) != crc32c(out, length - 4))
    return damaged(r, what, error);
  return RECORDING_OK;
}

int pack_recognize(struct recording_reader *reader, uint64_t length, struct recording_error *error) {
  uint8_t header[PACK_HEADER], trailer[PACK_TRAILER];
  ssize_t n = read_upto(reader->fd, 0, header, sizeof header);
  if (n < 0) return recording_fail_errno(error, reader->path, "reading it");
  if (n < PACK_HEADER || memcmp(header, pack_magic, sizeof pack_magic))
    return recording_fail(error, RECORDING_NOT_ONE, reader->path, "not a recording");
  if (get16(header + 8) != RECORDING_VERSION)
    return recording_fail(error, RECORDING_OTHER_VERSION, reader->path,
                          "a recording of format version %u; this reprise reads version %d",
                          get16(header + 8), RECORDING_VERSION);
  int status = read_checked(reader, 0, header, sizeof header, "its header is wrong", error);
  if (status) return status;
  if (get16(header + 10)) return damaged(reader, "its header is wrong", error);
  if (length < PACK_HEADER + PACK_TRAILER) return damaged(reader, "it is cut off", error);
  status = read_checked(reader, length - PACK_TRAILER, trailer, sizeof trailer, "its end is cut off or wrong",
                        error);
  if (status) return status;
  reader->pack_index = get64(trailer + 8);
  reader->pack_entries = get64(trailer + 16);
  uint64_t room = length - PACK_TRAILER;
  if (memcmp(trailer, pack_end_magic, sizeof pack_end_magic) || get32(trailer + 24) ||
      reader->pack_index < PACK_HEADER || reader->pack_index > room ||
      (room - reader->pack_index) % PACK_ENTRY ||
      (room - reader->pack_index) / PACK_ENTRY != reader->pack_entries)
    return damaged(reader, "its end is wrong", error);
  return RECORDING_OK;
}

/* -- The index ----------------------------------------------------------------------------------------------------- */

static int read_entry(struct recording_reader *r, uint64_t number, uint8_t entry[PACK_ENTRY],
                      struct recording_error *error) {
  int status =
      read_checked(r, r->pack_index + number * PACK_ENTRY, entry, PACK_ENTRY, "its index is wrong", error);
  return status || !get32(entry + 40) ? status : damaged(r, "its index is wrong", error);
}

/* The first entry whose key is not below this one; pack_entries if there is none. */
static int bisect(struct recording_reader *r, const uint8_t key[PACK_KEY], uint64_t *number,
                  struct recording_error *error) {
  uint64_t low = 0, high = r->pack_entries;
  uint8_t entry[PACK_ENTRY];
  while (low < high) {
    uint64_t middle = low + (high - low) / 2;
    int status = read_entry(r, middle, entry, error);
    if (status) return status;
    if (memcmp(entry, key, PACK_KEY) < 0)
      low = middle + 1;
    else
      high = middle;
  }
  *number = low;
  return RECORDING_OK;
}

static int find(struct recording_reader *r, const uint8_t key[PACK_KEY], struct extent *out,
                struct recording_error *error) {
  uint64_t number;
  uint8_t entry[PACK_ENTRY];
  int status = bisect(r, key, &number, error);
  if (!status && number < r->pack_entries) status = read_entry(r, number, entry, error);
  if (status) return status;
  if (number == r->pack_entries || memcmp(entry, key, PACK_KEY))
    return recording_fail(error, RECORDING_ABSENT, r->path, "has no such part");
  uint64_t offset = get64(entry + 24), length = get64(entry + 32);
  if (offset < PACK_HEADER || offset > r->pack_index || length > r->pack_index - offset)
    return damaged(r, "its index is wrong", error);
  *out = (struct extent){.fd = r->fd, .start = offset, .length = length};
  return RECORDING_OK;
}

/* -- The source ---------------------------------------------------------------------------------------------------- */

static int find_manifest(struct recording_reader *r, struct extent *out, struct recording_error *error) {
  uint8_t key[PACK_KEY];
  pack_key(key, PACK_MANIFEST, 0, 0, NULL);
  return find(r, key, out, error);
}

static int find_stream(struct recording_reader *r, struct recording_stream_id id, struct extent *out,
                       struct recording_error *error) {
  uint8_t key[PACK_KEY];
  pack_key(key, PACK_STREAM, (uint8_t)id.kind, id.thread, NULL);
  return find(r, key, out, error);
}

static int find_content(struct recording_reader *r, const uint8_t hash[16], struct extent *out,
                        struct recording_error *error) {
  uint8_t key[PACK_KEY];
  pack_key(key, PACK_CONTENT, 0, 0, hash);
  return find(r, key, out, error);
}

static int each_stream(struct recording_reader *r, recording_visit_stream *visit, void *context,
                       struct recording_error *error) {
  uint8_t key[PACK_KEY], entry[PACK_ENTRY];
  uint64_t number;
  pack_key(key, PACK_STREAM, 0, 0, NULL);
  int status = bisect(r, key, &number, error);
  for (; !status && number < r->pack_entries; number++) {
    status = read_entry(r, number, entry, error);
    if (status || entry[0] != PACK_STREAM) break;
    uint32_t thread;
    memcpy(&thread, entry + 4, 4);
    struct recording_stream_id id = {(enum recording_kind)entry[1], be32toh(thread)};
    status = stream_id_valid(id) ? visit(id, context, error) : damaged(r, "its index is wrong", error);
  }
  return status;
}

const struct source pack_source = {find_manifest, find_stream, find_content, each_stream};
