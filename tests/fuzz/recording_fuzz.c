/* recording_fuzz.c: a libFuzzer target over everything that reads a recording (`make fuzz`).
 *
 *     recording --seeds FOLDER       write inputs to begin with
 *     recording [OPTION]… FOLDER     fuzz
 *
 * The first byte of an input says what the rest is: a pack, or one part that a sound pack is built around. Checksums are put right
 * before it is read, except in whole packs of the first kind, because a fuzzer would not get past them; that wrong ones are
 * noticed is what tests/recording/damage tries. All is read from a memory file through the public interface. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include <zstd.h>

#include "forge.h"
#include "recording/bytes.h"
#include "recording/recording.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerInitialize(int *argc, char ***argv);

enum mode { RAW_PACK, MENDED_PACK, MANIFEST, STREAM, FILE_TABLE, CONTENT, MODES };

enum { ROOM = 1 << 17, PARTS = 4 };

#if defined __x86_64__
#define HERE "x86-64"
#else
#define HERE "aarch64"
#endif

static const char manifest_lines[] = "reprise-recording: 7\narchitecture: " HERE
                                     "\nid: 0000000000000011\nstate: complete\n"
                                     "argument: a\\x0ab\nstreams-input: 0\nstreams-files: sphere\n";

/* -- Building a pack around a part --------------------------------------------------------------------------------- */

static struct {
  uint8_t bytes[ROOM];
  size_t length;
  uint8_t entries[PARTS][48];
  int count;
} pack;

/* Adds an entry for what was put behind start. The key is big-endian. */
static void add_entry(uint8_t type, uint8_t kind, uint32_t thread, const char *hash, size_t start) {
  uint8_t *entry = pack.entries[pack.count++];
  memset(entry, 0, 48);
  entry[0] = type;
  entry[1] = kind;
  for (int i = 0; i < 4; i++) entry[4 + i] = (uint8_t)(thread >> (24 - 8 * i));
  if (hash) memcpy(entry + 8, hash, 16);
  put64(entry + 24, start);
  put64(entry + 32, pack.length - start);
}

static void put(const void *bytes, size_t size) {
  memcpy(pack.bytes + pack.length, bytes, size);
  pack.length += size;
}

static void put_frame(uint8_t kind, uint32_t thread, uint32_t sequence, uint8_t flags, uint64_t position,
                      const void *payload, size_t size) {
  struct forged_frame frame = {
      .kind = kind,
      .flags = flags,
      .recording = 0x11,
      .thread = thread,
      .sequence = sequence,
      .first = position,
      .last = position,
      .raw = (uint32_t)size,
      .length = (uint32_t)size,
      .payload = payload,
      .payload_size = size,
  };
  pack.length += forge_frame(pack.bytes + pack.length, &frame);
}

/* Puts right what keeps frames from being looked into: checksums, and to whom they belong. */
static void mend_frames(uint8_t *at, size_t size, uint8_t kind, uint32_t thread) {
  for (uint32_t sequence = 0; size >= 56; sequence++) {
    size_t payload = get32(at + 44);
    if (payload > size - 56) payload = size - 56;
    at[6] = kind;
    put64(at + 8, 0x11);
    put32(at + 16, thread);
    put32(at + 20, sequence);
    forge_frame_sums(at, payload);
    at += 56 + payload;
    size -= 56 + payload;
  }
}

static void put_manifest(const uint8_t *data, size_t size) {
  size_t start = pack.length;
  put(data, size);
  pack.length = start + forge_manifest_sum((char *)pack.bytes + start, size);
  add_entry(1, 0, 0, NULL, start);
}

static void put_input(const uint8_t *data, size_t size) {
  size_t start = pack.length;
  put(data, size);
  mend_frames(pack.bytes + start, size, 1, 0);
  add_entry(2, 1, 0, NULL, start);
}

static const char content_hash[17] = "0123456789abcdef"; /* of nothing in particular */

/* One entry a frame, each as long as the first byte that is left says. */
static void put_table(const uint8_t *data, size_t size) {
  size_t start = pack.length;
  uint32_t sequence = 0;
  for (; size > 1 && sequence < 200; sequence++) {
    size_t piece = data[0] && data[0] < size ? data[0] : size - 1;
    put_frame(4, RECORDING_SPHERE, sequence, 1, sequence, data + 1, piece);
    data += 1 + piece;
    size -= 1 + piece;
  }
  put_frame(4, RECORDING_SPHERE, sequence, 2, sequence, NULL, 0);
  add_entry(2, 4, RECORDING_SPHERE, NULL, start);
}

static void put_content(const uint8_t *data, size_t size) {
  size_t start = pack.length;
  put(data, size);
  mend_frames(pack.bytes + start, size, 5, RECORDING_SPHERE);
  add_entry(3, 0, 0, content_hash, start);
}

/* A table with one file that has the content. */
static void put_sound_table(void) {
  uint8_t piece[1 + 34 + 4] = {34 + 4};
  put64(piece + 1 + 8, 1 << 20);
  memcpy(piece + 1 + 16, content_hash, 16);
  put16(piece + 1 + 32, 4);
  memcpy(piece + 1 + 34, "/lib", 4);
  put_table(piece, sizeof piece);
}

static void finish_pack(void) {
  size_t index = pack.length;
  put(pack.entries, (size_t)pack.count * 48);
  memset(pack.bytes + pack.length, 0, 32);
  put64(pack.bytes + pack.length + 8, index);
  put64(pack.bytes + pack.length + 16, (uint64_t)pack.count);
  pack.length += 32;
  forge_pack_sums(pack.bytes, pack.length);
}

static void build(enum mode mode, const uint8_t *data, size_t size) {
  pack.length = 16;
  pack.count = 0;
  bool own_manifest = mode == MANIFEST;
  put_manifest(own_manifest ? data : (const uint8_t *)manifest_lines,
               own_manifest ? size : sizeof manifest_lines - 1);
  put_input(data, mode == STREAM ? size : 0);
  if (mode == FILE_TABLE)
    put_table(data, size);
  else
    put_sound_table();
  put_content(data, mode == CONTENT ? size : 0);
  finish_pack();
}

/* A whole pack with all sums put right, wherever its index leads. */
static void mend(const uint8_t *data, size_t size) {
  memcpy(pack.bytes, data, size);
  pack.length = size;
  if (size < 48) return;
  uint64_t index = get64(pack.bytes + size - 24);
  for (uint64_t at = index; at < size && size - at >= 48 + 32; at += 48) {
    const uint8_t *entry = pack.bytes + at;
    uint64_t start = get64(entry + 24), length = get64(entry + 32);
    if (start < 16 || start > index || length > index - start || index > size) continue;
    uint32_t thread =
        (uint32_t)entry[4] << 24 | (uint32_t)entry[5] << 16 | (uint32_t)entry[6] << 8 | entry[7];
    if (entry[0] == 2) mend_frames(pack.bytes + start, length, entry[1], thread);
    if (entry[0] == 3) mend_frames(pack.bytes + start, length, 5, RECORDING_SPHERE);
  }
  forge_pack_sums(pack.bytes, size);
}

/* -- Reading it ---------------------------------------------------------------------------------------------------- */

static int skip_through(struct recording_stream_id id, void *context, struct recording_error *error) {
  struct recording_stream *stream;
  if (recording_stream_open(context, id, &stream, error)) return 0;
  for (uint64_t position = 1; !recording_seek(stream, position, error) && position < UINT64_MAX / 3;
       position *= 3) {
    struct recording_frame frame;
    if (recording_next(stream, &frame, error)) break;
    if (frame.length > RECORDING_FRAME_MAX || frame.first > frame.last || frame.last < position) abort();
  }
  recording_stream_close(stream);
  return 0;
}

static void read_files(struct recording_reader *reader, struct recording_error *error) {
  struct recording_file file;
  for (uint32_t number = 0; number < 8; number++) {
    int fd;
    if (recording_find_file(reader, number, &file, error)) continue;
    if (file.number != number || !memchr(file.path, 0, sizeof file.path)) abort();
    if (file.size < 1 << 24 && !recording_open_file(reader, &file, &fd, error)) close(fd);
  }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  static int fd = -1;
  static char path[64];
  if (fd < 0) {
    fd = memfd_create("pack", MFD_CLOEXEC);
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
  }
  if (size < 2 || size > ROOM / 4) return 0;
  enum mode mode = data[0] % MODES;
  if (mode == RAW_PACK || mode == MENDED_PACK)
    mend(data + 1, size - 1);
  else
    build(mode, data + 1, size - 1);
  if (mode == RAW_PACK) memcpy(pack.bytes, data + 1, size - 1);
  if (ftruncate(fd, 0) || pwrite(fd, pack.bytes, pack.length, 0) != (ssize_t)pack.length) abort();

  struct recording_reader *reader;
  struct recording_error error = {0};
  if (recording_open(path, RECORDING_ANY_ARCHITECTURE, &reader, &error)) {
    if (!error.kind || !error.text[0] || strchr(error.text, '\n')) abort();
    return 0;
  }
  for (size_t i = 0; recording_get(reader, "argument", i); i++) continue;
  recording_each_stream(reader, skip_through, reader, &error);
  recording_verify(reader, &error);
  read_files(reader, &error);
  recording_reader_close(reader);
  return 0;
}

/* -- Seeds --------------------------------------------------------------------------------------------------------- */

static void write_seed(const char *folder, const char *name, enum mode mode, const void *bytes, size_t size) {
  char path[RECORDING_PATH_MAX];
  snprintf(path, sizeof path, "%s/seed-%s", folder, name);
  FILE *to = fopen(path, "wb");
  if (!to || putc((int)mode, to) == EOF || (size && !fwrite(bytes, size, 1, to)) || fclose(to)) abort();
}

/* Of a stream both stored frames, which a fuzzer can change, and compressed ones; of a pack the one that these make. */
static void write_seeds(const char *folder) {
  static uint8_t stream[4096];
  struct forged_frame frame = {
      .flags = 1, .first = 1, .last = 9, .raw = 5, .length = 5, .payload = "bytes", .payload_size = 5};
  static const uint8_t zeros[100];
  uint8_t packed[200];
  size_t packed_size = ZSTD_compress(packed, sizeof packed, zeros, sizeof zeros, 1);
  size_t length = forge_frame(stream, &frame);
  frame = (struct forged_frame){.first = 9, .last = 20, .raw = sizeof zeros, .length = (uint32_t)packed_size};
  frame.payload = packed;
  frame.payload_size = packed_size;
  length += forge_frame(stream + length, &frame);
  frame = (struct forged_frame){.flags = 2, .first = 20, .last = 20};
  length += forge_frame(stream + length, &frame);
  build(STREAM, stream, length);
  write_seed(folder, "raw", RAW_PACK, pack.bytes, pack.length);
  write_seed(folder, "pack", MENDED_PACK, pack.bytes, pack.length);
  write_seed(folder, "manifest", MANIFEST, manifest_lines, sizeof manifest_lines - 1);
  write_seed(folder, "stream", STREAM, stream, length);
  write_seed(folder, "content", CONTENT, stream, length);
  static const uint8_t table[] =
      "\x26"
      "\0\0\0\0\0\0\0\0"
      "\x10\0\0\0\0\0\0\0"
      "0123456789abcdef"
      "\4\0"
      "/lib";
  write_seed(folder, "table", FILE_TABLE, table, sizeof table - 1);
}

int LLVMFuzzerInitialize(int *argc, char ***argv) {
  if (*argc == 3 && !strcmp((*argv)[1], "--seeds")) {
    write_seeds((*argv)[2]);
    exit(0);
  }
  return 0;
}
