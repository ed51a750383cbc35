/* checksum.c: CRC-32C eight bytes at a time by tables, and MurmurHash3 in its 128-bit form. See checksum.h.
 *
 * Both are faster than their sources (zstd, the disk) without code of their own for any processor. */
#include "recording/checksum.h"

#include <string.h>

#include "recording/bytes.h"

/* -- CRC-32C ------------------------------------------------------------------------------------------------------- */

static uint32_t table[8][256];

/* table[k][b]: the effect of byte b followed by k zero bytes. Before main, so that threads never race for it. */
__attribute__((constructor)) static void fill_table(void) {
  for (uint32_t b = 0; b < 256; b++) {
    uint32_t crc = b;
    for (int bit = 0; bit < 8; bit++) crc = crc >> 1 ^ (crc & 1 ? 0x82f63b78u : 0);
    table[0][b] = crc;
  }
  for (int k = 1; k < 8; k++)
    for (int b = 0; b < 256; b++) table[k][b] = table[k - 1][b] >> 8 ^ table[0][table[k - 1][b] & 0xff];
}

uint32_t crc32c(const void *bytes, size_t length) {
  const uint8_t *at = bytes;
  uint32_t crc = ~0u;
  for (; length >= 8; at += 8, length -= 8) {
    uint64_t word = get64(at) ^ crc;
    crc = 0;
    for (int k = 0; k < 8; k++) crc ^= table[7 - k][word >> (8 * k) & 0xff];
  }
  for (; length; at++, length--) crc = crc >> 8 ^ table[0][(crc ^ *at) & 0xff];
  return ~crc;
}

/* -- Content hash -------------------------------------------------------------------------------------------------- */

#define C1 0x87c37b91114253d5u
#define C2 0x4cf5ad432745937fu

static uint64_t rotate(uint64_t value, int by) {
  return value << by | value >> (64 - by);
}

static uint64_t scramble1(uint64_t k) {
  return rotate(k * C1, 31) * C2;
}
static uint64_t scramble2(uint64_t k) {
  return rotate(k * C2, 33) * C1;
}

static uint64_t avalanche(uint64_t k) {
  k = (k ^ k >> 33) * 0xff51afd7ed558ccdu;
  k = (k ^ k >> 33) * 0xc4ceb9fe1a85ec53u;
  return k ^ k >> 33;
}

void content_hash_add(struct content_hash *hash, const uint8_t *bytes, size_t length) {
  uint64_t h1 = hash->h1, h2 = hash->h2;
  hash->total += length;
  for (; length >= 16; bytes += 16, length -= 16) {
    h1 = (rotate(h1 ^ scramble1(get64(bytes)), 27) + h2) * 5 + 0x52dce729;
    h2 = (rotate(h2 ^ scramble2(get64(bytes + 8)), 31) + h1) * 5 + 0x38495ab5;
  }
  if (length) { /* the last piece: its rest counts as if zeros followed, and is not mixed further */
    uint8_t rest[16] = {0};
    memcpy(rest, bytes, length);
    h2 ^= scramble2(get64(rest + 8));
    h1 ^= scramble1(get64(rest));
  }
  hash->h1 = h1;
  hash->h2 = h2;
}

void content_hash_finish(struct content_hash *hash, uint8_t out[16]) {
  uint64_t h1 = hash->h1 ^ hash->total, h2 = hash->h2 ^ hash->total;
  h1 += h2;
  h2 += h1;
  h1 = avalanche(h1);
  h2 = avalanche(h2);
  h1 += h2;
  h2 += h1;
  put64(out, h1);
  put64(out + 8, h2);
}
