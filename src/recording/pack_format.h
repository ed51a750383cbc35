/* pack_format.h: the frame of a pack: header, index, trailer (docs/format.md draws them; pack.c writes, pack_read.c reads). */
#ifndef REPRISE_RECORDING_PACK_FORMAT_H
#define REPRISE_RECORDING_PACK_FORMAT_H

#include <stddef.h>
#include <stdint.h>

enum {
  PACK_HEADER = 16,
  PACK_ENTRY = 48,
  PACK_TRAILER = 32,
  PACK_KEY = 24, /* the first bytes of an entry, by which the index is sorted */
};

enum pack_type {
  PACK_MANIFEST = 1,
  PACK_STREAM = 2,
  PACK_CONTENT = 3,
};

extern const uint8_t pack_magic[8], pack_end_magic[8];

/* The key of an entry. Big-endian, so that memcmp sorts it: the one exception to the format's byte order. */
void pack_key(uint8_t out[PACK_KEY], enum pack_type type, uint8_t kind, uint32_t thread, const uint8_t *hash);

#endif
