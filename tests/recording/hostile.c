/* hostile.c: recordings that nobody wrote by accident: checksums are right, contents are lies. */
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>
#include <zstd.h>

#include "forge.h"
#include "recording/bytes.h"
#include "support.h"

enum { ID = 0x11 };
static const char lines[] =
    "reprise-recording: 7\narchitecture: %s\nid: 0000000000000011\nstate: %s\nstreams-input: %s\n";

#if defined __x86_64__
#define HERE "x86-64"
#else
#define HERE "aarch64"
#endif

static void write_manifest(const char *architecture, const char *state, const char *streams) {
  char text[4096];
  int n = snprintf(text, sizeof text - 32, lines, architecture, state, streams);
  spill("forged/manifest", text, forge_manifest_sum(text, (size_t)n));
}

static void begin(void) {
  shell("rm -rf forged; mkdir -p forged/streams forged/files");
  write_manifest(HERE, "complete", "0");
}

/* Reads stream input-0 of the forged recording to its end. */
static int read_stream(uint64_t *bytes, struct recording_error *error) {
  struct recording_reader *r;
  struct recording_stream *s;
  struct recording_frame frame;
  int status = recording_open("forged", 0, &r, error);
  if (status) return status;
  *bytes = 0;
  status = recording_stream_open(r, INPUT(0), &s, error);
  if (!status) {
    while (!(status = recording_next(s, &frame, error))) *bytes += frame.length;
    recording_stream_close(s);
  }
  recording_reader_close(r);
  return status;
}

static void expect(int want, const char *what) {
  struct recording_error error = {0};
  uint64_t bytes;
  int status = read_stream(&bytes, &error);
  CHECK(status == want, "%s: %d \"%s\"", what, status, error.text);
  CHECK(is_clear(&error), "%s: \"%s\"", what, error.text);
}

/* -- Frames -------------------------------------------------------------------------------------------------------- */

static const struct forged_frame sound = {.kind = 1,
                                          .flags = 1,
                                          .recording = ID,
                                          .first = 5,
                                          .last = 6,
                                          .raw = 4,
                                          .length = 4,
                                          .payload = "data",
                                          .payload_size = 4};

/* This frame in the place of the stream's second, between two sound ones. */
static void try_frame(struct forged_frame frame, int want, const char *what) {
  static uint8_t bytes[8192];
  struct forged_frame end = {.kind = 1, .flags = 2, .recording = ID, .sequence = 2, .first = 9, .last = 9};
  size_t n = forge_frame(bytes, &sound);
  n += forge_frame(bytes + n, &frame);
  n += forge_frame(bytes + n, &end);
  spill("forged/streams/input-0", bytes, n);
  expect(want, what);
}

static void frames(void) {
  struct forged_frame f = sound;
  f.sequence = 1;
  f.first = 6;
  f.last = 8;
  begin();
  try_frame(f, RECORDING_END, "nothing wrong");
#define TRY(field, value, want)                   \
  do {                                            \
    struct forged_frame forged = f;               \
    forged.field = value;                         \
    try_frame(forged, want, #field " = " #value); \
  } while (0)
  TRY(kind, 2, RECORDING_DAMAGED);
  TRY(kind, 0, RECORDING_DAMAGED);
  TRY(kind, 255, RECORDING_DAMAGED);
  TRY(flags, 0, RECORDING_DAMAGED); /* compressed, yet not smaller */
  TRY(flags, 4, RECORDING_DAMAGED);
  TRY(flags, 255, RECORDING_DAMAGED);
  TRY(recording, ID + 1, RECORDING_DAMAGED);
  TRY(thread, 1, RECORDING_DAMAGED);
  TRY(thread, RECORDING_SPHERE, RECORDING_DAMAGED);
  TRY(sequence, 0, RECORDING_DAMAGED);
  TRY(sequence, 2, RECORDING_DAMAGED);
  TRY(first, 5, RECORDING_DAMAGED); /* before the frame before */
  TRY(first, 9, RECORDING_DAMAGED); /* behind its own last */
  TRY(last, 10, RECORDING_DAMAGED); /* behind the frame after */
  TRY(raw, 0, RECORDING_DAMAGED);
  TRY(raw, 5, RECORDING_DAMAGED);
  TRY(raw, UINT32_MAX, RECORDING_DAMAGED);
  TRY(length, 0, RECORDING_DAMAGED);
  TRY(length, UINT32_MAX, RECORDING_DAMAGED);
  f.raw = f.length = RECORDING_FRAME_MAX + 1;
  try_frame(f, RECORDING_DAMAGED, "a frame that is too large");
  f.raw = f.length = RECORDING_FRAME_MAX;
  try_frame(f, RECORDING_TRUNCATED, "a frame of the largest size that is not there");
  f.flags = 2;
  try_frame(f, RECORDING_DAMAGED, "an end with a payload");
}

/* Compressed payloads that unpack to more or less than the header says, or to nothing. */
static void payloads(void) {
  static uint8_t zeros[RECORDING_FRAME_MAX], packed[4096], twice[8192];
  size_t size = ZSTD_compress(packed, sizeof packed, zeros, sizeof zeros, 1);
  struct forged_frame f = sound;
  f.sequence = 1;
  f.first = 6;
  f.last = 8;
  f.flags = 0;
  f.payload = packed;
  f.payload_size = f.length = (uint32_t)size;
  f.raw = sizeof zeros;
  begin();
  try_frame(f, RECORDING_END, "the densest sound frame");
  TRY(raw, sizeof zeros - 1, RECORDING_DAMAGED);
  TRY(raw, (uint32_t)size + 1, RECORDING_DAMAGED);
  memcpy(twice, packed, size);
  memcpy(twice + size, packed, size);
  f.payload = twice;
  f.payload_size = f.length = (uint32_t)size * 2;
  try_frame(f, RECORDING_DAMAGED, "two payloads in one");
  f.payload = "no zstd at all, of whatever version";
  f.payload_size = f.length = 30;
  try_frame(f, RECORDING_DAMAGED, "a payload that is not compressed");
}

static void other_version(void) {
  uint8_t bytes[256];
  begin();
  size_t n = forge_frame(bytes, &sound);
  bytes[4] = 8;
  spill("forged/streams/input-0", bytes, n);
  expect(RECORDING_OTHER_VERSION, "a stream of version 8");
}

/* -- Manifests ----------------------------------------------------------------------------------------------------- */

static int visit_nothing(struct recording_stream_id id, void *context, struct recording_error *error) {
  (void)id, (void)context, (void)error;
  return 0;
}

static void list_streams(const char *list, int want) {
  struct recording_reader *r;
  struct recording_error error;
  write_manifest(HERE, "complete", list);
  CHECK(!recording_open("forged", 0, &r, &error));
  CHECK(recording_each_stream(r, visit_nothing, NULL, &error) == want, "\"%s\": %s", list, error.text);
  recording_reader_close(r);
}

static void open_text(const char *text, size_t length, int want) {
  struct recording_reader *r;
  struct recording_error error = {0};
  spill("forged/manifest", text, length);
  int status = recording_open("forged", 0, &r, &error);
  if (CHECK(status == want, "%d: %s", status, error.text) && status)
    CHECK(is_clear(&error), "%s", error.text);
  if (!status) recording_reader_close(r);
}

static void open_lines(const char *start, int want) {
  char text[4096];
  int n = snprintf(text, sizeof text - 32, "%s", start);
  open_text(text, forge_manifest_sum(text, (size_t)n), want);
}

static void manifests(void) {
  begin();
  write_manifest("riscv64", "complete", "0");
  expect(RECORDING_OTHER_ARCHITECTURE, "another architecture");
  write_manifest(HERE, "finished", "0");
  expect(RECORDING_DAMAGED, "an unknown state");
  static const char *const good[] = {"0", "0-3,7,sphere", "sphere", "", "5-16777215"};
  static const char *const bad[] = {
      "x",  "-1", "3-2", "1-1",      "0,0",     "5,3", "16777216", "4294967295", "0-99999999999999999999",
      "0,", ",",  "0-",  "sphere,0", "0-3,2-5", "0 "};
  for (size_t i = 0; i < sizeof good / sizeof *good; i++) list_streams(good[i], RECORDING_OK);
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) list_streams(bad[i], RECORDING_DAMAGED);

  const char *rest = "architecture: " HERE "\nid: 0000000000000011\nstate: complete\n";
  char text[4096];
  snprintf(text, sizeof text, "reprise-recording: 7\n%s", rest);
  open_lines(text, RECORDING_OK);
  snprintf(text, sizeof text, "reprise-recording: 5\n%s", rest);
  open_lines(text, RECORDING_OTHER_VERSION);
  open_text("reprise-recording: 17\nwhatever comes then", 30, RECORDING_OTHER_VERSION);
  open_text("reprise-recording: 7", 20, RECORDING_DAMAGED);
  open_text("reprise-recording: \n", 20, RECORDING_DAMAGED);
  open_text("", 0, RECORDING_NOT_ONE);
  static const char *const wrong[] = {"line\n",         "a:b\n",     ": b\n",      "A: b\n",
                                      "a: \\\n",        "a: \\x0\n", "a: \\x00\n", "a: \\x4G\n",
                                      "a: tab\there\n", "\n",        "a: b"};
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
    snprintf(text, sizeof text, "reprise-recording: 7\n%s%s", rest, wrong[i]);
    open_lines(text, RECORDING_DAMAGED);
  }
  open_lines("reprise-recording: 7\n", RECORDING_DAMAGED);
  char *large = calloc(1, RECORDING_MANIFEST_MAX + 1);
  open_text(large, RECORDING_MANIFEST_MAX + 1, RECORDING_DAMAGED);
  free(large);
}

/* -- Packs --------------------------------------------------------------------------------------------------------- */

static void try_pack(const uint8_t *bytes, size_t length, const char *what) {
  struct recording_error error;
  spill("forged.pack", bytes, length);
  free(read_everything("forged.pack", &error));
  CHECK(is_clear(&error) && error.kind != RECORDING_SYSTEM, "%s: \"%s\"", what, error.text);
}

/* Every number of the index and the trailer replaced by a wrong one. */
static void packs(void) {
  static const uint64_t lies[] = {
      0, 1, 15, 17, 0x7fffffffffffffff, 0x8000000000000000, UINT64_MAX, UINT64_MAX - 47};
  struct recording_reader *r;
  struct recording_error error;
  make_small("small", true);
  CHECK(!recording_open("small", 0, &r, &error) && !recording_pack(r, "pack", &error), "%s", error.text);
  recording_reader_close(r);
  size_t length;
  uint8_t *right = slurp("pack", &length), *bytes = malloc(length);
  uint64_t index = get64(right + length - 24);
  for (size_t k = 0; k < sizeof lies / sizeof *lies; k++) {
    for (uint64_t at = index + 24; at + 16 < length; at += 8) {
      memcpy(bytes, right, length);
      if (get64(bytes + at) == lies[k]) continue;
      put64(bytes + at, lies[k]);
      forge_pack_sums(bytes, length);
      if (!memcmp(bytes, right, length)) continue; /* it was a checksum */
      try_pack(bytes, length, "a lie in the index");
    }
  }
  free(right);
  free(bytes);
}

int main(void) {
  enter_scratch();
  frames();
  payloads();
  other_version();
  manifests();
  packs();
  struct rusage usage;
  CHECK(!getrusage(RUSAGE_SELF, &usage) && usage.ru_maxrss < 256 << 10, "%ld KiB of memory", usage.ru_maxrss);
  return verdict();
}
