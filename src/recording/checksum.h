/* checksum.h: the two sums of the format: a checksum against damage and a hash that names contents (checksum.c). */
#ifndef REPRISE_RECORDING_CHECKSUM_H
#define REPRISE_RECORDING_CHECKSUM_H

#include <stddef.h>
#include <stdint.h>

/* CRC-32C (Castagnoli, reflected, as in iSCSI and ext4). */
uint32_t crc32c(const void *bytes, size_t length);

/* MurmurHash3_x64_128 with seed 0. Not cryptographic: it keeps apart contents that differ by accident. */
struct content_hash {
  uint64_t h1, h2;
  uint64_t total; /* bytes so far */
};

/* All pieces but the last must be multiples of 16 bytes. */
void content_hash_add(struct content_hash *hash, const uint8_t *bytes, size_t length);
void content_hash_finish(struct content_hash *hash, uint8_t out[16]);

#endif
