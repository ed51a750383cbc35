/* forge.h: frames, manifests and packs with sound checksums around whatever content a test wants (forge.c). Written from docs/format.md and
 * not with the library's own encoder, so that it is also a second opinion on the format. */
#ifndef TESTS_RECORDING_FORGE_H
#define TESTS_RECORDING_FORGE_H

#include <stddef.h>
#include <stdint.h>

/* Sets magic and version and the payload's and the header's checksum of the frame at bytes. payload is how many bytes of
 * payload there are, whatever the header says. */
void forge_frame_sums(uint8_t *bytes, size_t payload);

/* A frame header of the given fields, followed by the payload. Returns its size. */
struct forged_frame {
  uint8_t kind, flags;
  uint64_t recording;
  uint32_t thread, sequence;
  uint64_t first, last;
  uint32_t raw, length; /* as the header tells them */
  const void *payload;
  size_t payload_size; /* as they are */
};
size_t forge_frame(uint8_t *out, const struct forged_frame *frame);

/* Puts "checksum: …" behind length bytes of a manifest's lines; the new length. out has 32 bytes more. */
size_t forge_manifest_sum(char *text, size_t length);

/* Sets the checksums of a pack's header, entries and trailer where the trailer puts them, if it is in bounds. */
void forge_pack_sums(uint8_t *bytes, size_t length);

#endif
