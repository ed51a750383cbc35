/* frame.h: one frame of a stream: its header in bytes, its payload compressed (frame.c). docs/format.md draws it. */
#ifndef REPRISE_RECORDING_FRAME_H
#define REPRISE_RECORDING_FRAME_H

#include <zstd.h>

#include "recording/recording.h"

enum {
  FRAME_HEADER = 56, /* bytes */
  FRAME_STORED = 1,  /* flag: the payload is not compressed */
  FRAME_END = 2,     /* flag: the stream's last frame, without payload */
};

struct frame_header {
  uint8_t kind;  /* enum recording_kind or KIND_CONTENT */
  uint8_t flags; /* FRAME_STORED, FRAME_END */
  uint64_t recording;
  uint32_t thread;
  uint32_t sequence; /* counts the frames of the stream */
  uint64_t first, last;
  uint32_t raw;     /* bytes when uncompressed */
  uint32_t payload; /* bytes behind the header; never more than raw */
  uint32_t checksum;
};

enum frame_verdict {
  FRAME_FINE,
  FRAME_FOREIGN, /* another version's */
  FRAME_BROKEN,  /* no writer wrote this */
};

/* Reads FRAME_HEADER bytes. When FINE, the lengths are in bounds and the header's checksum was right. */
enum frame_verdict frame_decode(const uint8_t *bytes, struct frame_header *out);

/* The version of a frame that is FRAME_FOREIGN. */
unsigned frame_version(const uint8_t *bytes);

/* Makes frames. One is enough for any number of streams. */
struct frame_maker {
  ZSTD_CCtx *compressor;
  uint8_t *bytes; /* the frame made last */
};

bool frame_maker_open(struct frame_maker *maker); /* false without memory */
void frame_maker_close(struct frame_maker *maker);

/* Puts a frame of raw bytes into maker->bytes and returns its size. header's kind, thread, recording, sequence, positions
 * and FRAME_END are the caller's; lengths, checksum and FRAME_STORED are filled in. */
size_t frame_make(struct frame_maker *maker, struct frame_header *header, const void *raw);

/* Checks a payload and unpacks it into raw, which has header->raw bytes. False when it is damaged. */
bool frame_unpack(ZSTD_DCtx *decompressor, const struct frame_header *header, const uint8_t *payload,
                  uint8_t *raw);

#endif
