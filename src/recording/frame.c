/* frame.c: makes frames and takes them apart. See frame.h.
 *
 * The header has a checksum of its own so that its lengths can be believed before the payload is looked at: a length that was
 * damaged must not make a sound stream look truncated. */
#include "recording/frame.h"

#include <stdlib.h>
#include <string.h>

#include "recording/bytes.h"
#include "recording/checksum.h"
#include "recording/stream_id.h"

static const uint8_t magic[4] = {'R', 'P', 'F', 'R'};

static void encode(const struct frame_header *h, uint8_t *at) {
  memcpy(at, magic, sizeof magic);
  put16(at + 4, RECORDING_VERSION);
  at[6] = h->kind;
  at[7] = h->flags;
  put64(at + 8, h->recording);
  put32(at + 16, h->thread);
  put32(at + 20, h->sequence);
  put64(at + 24, h->first);
  put64(at + 32, h->last);
  put32(at + 40, h->raw);
  put32(at + 44, h->payload);
  put32(at + 48, h->checksum);
  put32(at + 52, crc32c(at, 52));
}

unsigned frame_version(const uint8_t *bytes) {
  return get16(bytes + 4);
}

static bool lengths_fit(const struct frame_header *h) {
  if (h->flags & FRAME_END) return h->flags == FRAME_END && !h->raw && !h->payload;
  if (h->flags & ~FRAME_STORED || !h->payload || h->raw > RECORDING_FRAME_MAX) return false;
  return h->flags & FRAME_STORED ? h->payload == h->raw : h->payload < h->raw;
}

enum frame_verdict frame_decode(const uint8_t *bytes, struct frame_header *out) {
  if (memcmp(bytes, magic, sizeof magic)) return FRAME_BROKEN;
  if (frame_version(bytes) != RECORDING_VERSION) return FRAME_FOREIGN;
  if (get32(bytes + 52) != crc32c(bytes, 52)) return FRAME_BROKEN;
  *out = (struct frame_header){
      .kind = bytes[6],
      .flags = bytes[7],
      .recording = get64(bytes + 8),
      .thread = get32(bytes + 16),
      .sequence = get32(bytes + 20),
      .first = get64(bytes + 24),
      .last = get64(bytes + 32),
      .raw = get32(bytes + 40),
      .payload = get32(bytes + 44),
      .checksum = get32(bytes + 48),
  };
  return lengths_fit(out) && out->first <= out->last ? FRAME_FINE : FRAME_BROKEN;
}

bool frame_maker_open(struct frame_maker *maker) {
  maker->compressor = ZSTD_createCCtx();
  maker->bytes = malloc(FRAME_HEADER + RECORDING_FRAME_MAX);
  return maker->compressor && maker->bytes;
}

void frame_maker_close(struct frame_maker *maker) {
  ZSTD_freeCCtx(maker->compressor);
  free(maker->bytes);
}

/* Copied-in bytes come by the megabyte, and compressing them takes more time than all else that is done with them. */
static int level_of(const struct frame_header *header) {
  return header->kind == RECORDING_INPUT ? -5 : 1;
}

size_t frame_make(struct frame_maker *maker, struct frame_header *header, const void *raw) {
  uint8_t *payload = maker->bytes + FRAME_HEADER;
  if (header->raw) {
    /* A payload that does not become smaller fails for want of room and is stored. */
    size_t size =
        ZSTD_compressCCtx(maker->compressor, payload, header->raw - 1, raw, header->raw, level_of(header));
    bool stored = ZSTD_isError(size);
    if (stored) memcpy(payload, raw, header->raw);
    header->flags = stored ? FRAME_STORED : 0;
    header->payload = stored ? header->raw : (uint32_t)size;
  }
  header->checksum = crc32c(payload, header->payload);
  encode(header, maker->bytes);
  return FRAME_HEADER + header->payload;
}

bool frame_unpack(ZSTD_DCtx *decompressor, const struct frame_header *header, const uint8_t *payload,
                  uint8_t *raw) {
  if (crc32c(payload, header->payload) != header->checksum) return false;
  if (header->flags & FRAME_STORED) {
    memcpy(raw, payload, header->raw);
    return true;
  }
  return ZSTD_decompressDCtx(decompressor, raw, header->raw, payload, header->payload) == header->raw;
}
