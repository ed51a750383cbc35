/* images_fuzz.c: a libFuzzer target over the reader of stored checkpoints (`make fuzz`).
 *
 * The input is the content of the frames behind the head: each begins with its length, two bytes, and its kind. A sound pack is built around them, so that the
 * fuzzer need not guess checksums. What is read is given to all that uses it before a process is made. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "contract/region.h"
#include "forge.h"
#include "recording/bytes.h"
#include "recording/recording.h"
#include "travel/image.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { ROOM = 1 << 17, FRAMES = 64, IMAGE_KIND = 6, PROCESSES = 2, SLOTS = 64 };

#if defined __x86_64__
#define HERE "x86-64"
#else
#define HERE "aarch64"
#endif

/* The build and the machine are always right. */
bool image_own(uint8_t engine[16], uint64_t *machine) {
  memset(engine, 0, 16);
  *machine = 0;
  return true;
}

static uint8_t pack[ROOM];
static size_t length;

static void put(const void *bytes, size_t size) {
  memcpy(pack + length, bytes, size);
  length += size;
}

static void put_frame(uint32_t sequence, uint8_t flags, const void *payload, size_t size) {
  struct forged_frame frame = {.kind = IMAGE_KIND,
                               .flags = flags,
                               .recording = 0x11,
                               .sequence = sequence,
                               .raw = (uint32_t)size,
                               .length = (uint32_t)size,
                               .payload = payload,
                               .payload_size = size};
  length += forge_frame(pack + length, &frame);
}

static void put_head(void) {
  uint8_t head[IMAGE_PREFIX + IMAGE_HEAD_BYTES] = {IMAGE_HEAD};
  put32(head + IMAGE_PREFIX, IMAGE_VERSION);
  put32(head + IMAGE_PREFIX + 4, SLOTS);
  put32(head + IMAGE_PREFIX + 32, PROCESSES);
  put_frame(0, 1, head, sizeof head);
}

static void put_frames(const uint8_t *data, size_t size) {
  uint32_t sequence = 1;
  while (size > 3 && sequence < FRAMES) {
    size_t bytes = get16(data);
    data += 2, size -= 2;
    if (bytes > size) bytes = size;
    if (bytes) put_frame(sequence++, 1, data, bytes);
    data += bytes, size -= bytes;
  }
  put_frame(sequence, 2, NULL, 0);
}

static void put_entry(uint8_t type, uint8_t kind, size_t start, size_t end) {
  uint8_t entry[48] = {type, kind};
  put64(entry + 24, start);
  put64(entry + 32, end - start);
  put(entry, sizeof entry);
}

static void build(const uint8_t *data, size_t size) {
  uint8_t header[16] = "RPRSPACK", trailer[32] = "RPRSPEND";
  char text[128];
  size_t lines = (size_t)snprintf(text, sizeof text,
                                  "reprise-recording: %d\narchitecture: " HERE
                                  "\nid: 0000000000000011\nstate: complete\n",
                                  RECORDING_VERSION);
  length = 0;
  put16(header + 8, RECORDING_VERSION);
  put(header, sizeof header);
  put(text, forge_manifest_sum(text, lines));
  size_t manifest = length;
  put_head();
  put_frames(data, size);
  size_t end = length;
  put_entry(1, 0, sizeof header, manifest);
  put_entry(2, IMAGE_KIND, manifest, end);
  put64(trailer + 8, end);
  put64(trailer + 16, 2);
  put(trailer, sizeof trailer);
  forge_pack_sums(pack, length);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  static int fd = -1;
  char path[64];
  struct recording_reader *reader;
  struct recording_error error = {0};
  struct image image;
  if (fd < 0) fd = memfd_create("pack", MFD_CLOEXEC);
  snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
  if (size > ROOM / 8) return 0;
  build(data, size);
  if (ftruncate(fd, 0) || pwrite(fd, pack, length, 0) != (ssize_t)length) abort();
  if (recording_open(path, 0, &reader, &error)) abort();
  if (!image_look(reader, 0, &image, &error)) image_close(&image);
  if (!image_read(reader, 0, &image, &error)) {
    for (uint32_t i = 0; i < image.head.processes; i++)
      if (!image.processes[i].mapping_count || image.processes[i].pages < 0) abort();
    image_close(&image);
  } else if (!error.kind || !error.text[0] || strchr(error.text, '\n')) {
    abort();
  }
  recording_reader_close(reader);
  return 0;
}
