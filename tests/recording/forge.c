/* forge.c: see forge.h. */
#include "forge.h"

#include <stdio.h>
#include <string.h>

#include "recording/bytes.h"
#include "recording/checksum.h"

void forge_frame_sums(uint8_t *bytes, size_t payload) {
  memcpy(bytes, "RPFR\7", 6); /* with the second byte of the version */
  put32(bytes + 48, crc32c(bytes + 56, payload));
  put32(bytes + 52, crc32c(bytes, 52));
}

size_t forge_frame(uint8_t *out, const struct forged_frame *frame) {
  out[6] = frame->kind;
  out[7] = frame->flags;
  put64(out + 8, frame->recording);
  put32(out + 16, frame->thread);
  put32(out + 20, frame->sequence);
  put64(out + 24, frame->first);
  put64(out + 32, frame->last);
  put32(out + 40, frame->raw);
  put32(out + 44, frame->length);
  if (frame->payload_size) memcpy(out + 56, frame->payload, frame->payload_size);
  forge_frame_sums(out, frame->payload_size);
  return 56 + frame->payload_size;
}

size_t forge_manifest_sum(char *text, size_t length) {
  return length + (size_t)sprintf(text + length, "checksum: %08x\n", crc32c(text, length));
}

void forge_pack_sums(uint8_t *bytes, size_t length) {
  if (length < 48) return;
  uint8_t *trailer = bytes + length - 32;
  memcpy(bytes, "RPRSPACK\7\0\0", 12);
  put32(bytes + 12, crc32c(bytes, 12));
  memcpy(trailer, "RPRSPEND", 8);
  put32(trailer + 28, crc32c(trailer, 28));
  for (uint64_t at = get64(trailer + 8); at >= 16 && at < length && length - at >= 48 + 32; at += 48)
    put32(bytes + at + 44, crc32c(bytes + at, 44));
}
