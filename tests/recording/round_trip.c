/* round_trip.c: what is written is what is read: frames of all sizes, many streams with few descriptors, manifests, mapped files,
 * seeking; and callers' mistakes are refused. */
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "recording/checksum.h"
#include "recording/manifest.h"
#include "recording/stream_id.h"
#include "support.h"

static struct recording_error error;

#define DONE(call) CHECK(!(call), "%s", error.text)

/* -- Sums: published values ---------------------------------------------------------------------------------------- */

static void check_hash(const char *text, uint64_t h1, uint64_t h2) {
  struct content_hash state = {0};
  uint8_t out[16];
  uint64_t got[2];
  content_hash_add(&state, (const uint8_t *)text, strlen(text));
  content_hash_finish(&state, out);
  memcpy(got, out, sizeof got);
  CHECK(got[0] == h1 && got[1] == h2, "%s: %016llx %016llx", text, (unsigned long long)got[0],
        (unsigned long long)got[1]);
}

static void sums(void) {
  static const uint8_t zeros[32];
  CHECK(crc32c("123456789", 9) == 0xe3069283, "%08x", crc32c("123456789", 9));
  CHECK(crc32c(zeros, 32) == 0x8a9136aa, "%08x", crc32c(zeros, 32));
  CHECK(crc32c("", 0) == 0, "%08x", crc32c("", 0));
  check_hash("", 0, 0);
  check_hash("hello", 0xcbd8a7b341bd9b02u, 0x5b1e906a48ae1d19u);
  check_hash("The quick brown fox jumps over the lazy dog", 0xe34bbc7bbc071b6cu, 0x7a433ca9c49a9347u);
}

/* -- Frames -------------------------------------------------------------------------------------------------------- */

static const size_t sizes[] = {1, 2, 55, 56, 57, 4096, 65535, 65536, 1000000, RECORDING_FRAME_MAX};
enum { SIZES = sizeof sizes / sizeof *sizes };

static void write_sizes(const char *path, uint8_t *bytes) {
  struct recording_writer *w;
  DONE(recording_create(path, &w, &error));
  for (unsigned i = 0; i < SIZES; i++) {
    fill_easy(bytes, sizes[i], i);
    DONE(recording_append(w, INPUT(7), i * 100, i * 100 + 50, bytes, sizes[i], &error));
    fill_hard(bytes, sizes[i], i);
    DONE(recording_append(w, ORDER(7), i, i, bytes, sizes[i], &error));
  }
  DONE(recording_flush(w, &error));
  DONE(recording_close(w, &error));
}

static void read_sizes(struct recording_stream *s, bool easy, uint8_t *bytes) {
  struct recording_frame frame;
  for (unsigned i = 0; i < SIZES; i++) {
    if (!DONE(recording_next(s, &frame, &error))) return;
    (easy ? fill_easy : fill_hard)(bytes, sizes[i], i);
    CHECK(frame.length == sizes[i] && !memcmp(frame.bytes, bytes, sizes[i]), "frame %u", i);
    CHECK(frame.first == (easy ? i * 100 : i) && frame.last == (easy ? i * 100 + 50 : i));
  }
  CHECK(recording_next(s, &frame, &error) == RECORDING_END);
}

static void frames(void) {
  struct recording_reader *r;
  struct recording_stream *s;
  struct recording_frame frame;
  uint8_t *bytes = malloc(RECORDING_FRAME_MAX);
  write_sizes("frames", bytes);
  DONE(recording_open("frames", 0, &r, &error));
  CHECK(recording_reader_state(r) == RECORDING_COMPLETE);
  DONE(recording_stream_open(r, ORDER(7), &s, &error));
  read_sizes(s, false, bytes);
  recording_stream_close(s);
  DONE(recording_stream_open(r, INPUT(7), &s, &error));
  read_sizes(s, true, bytes);
  recording_rewind(s);
  read_sizes(s, true, bytes);
  recording_rewind(s);
  DONE(recording_seek(s, 250, &error)); /* inside frame 2 */
  DONE(recording_next(s, &frame, &error));
  CHECK(frame.first == 200, "%llu", (unsigned long long)frame.first);
  DONE(recording_seek(s, 451, &error)); /* between 4 and 5 */
  DONE(recording_next(s, &frame, &error));
  CHECK(frame.first == 500, "%llu", (unsigned long long)frame.first);
  CHECK(recording_seek(s, 1u << 30, &error) == RECORDING_END);
  recording_stream_close(s);
  CHECK(recording_stream_open(r, INPUT(6), &s, &error) == RECORDING_ABSENT, "%s", error.text);
  CHECK(recording_stream_open(r, EVENTS, &s, &error) == RECORDING_ABSENT, "%s", error.text);
  recording_reader_close(r);
  free(bytes);
}

/* -- Many streams -------------------------------------------------------------------------------------------------- */

enum { THREADS = 3000 };

static int count_stream(struct recording_stream_id id, void *context, struct recording_error *e) {
  uint32_t *next = context;
  (void)e;
  CHECK(id.kind == RECORDING_INPUT && id.thread == *next, "thread %u", id.thread);
  *next += *next == 2000 ? 2 : 1;
  return 0;
}

/* More threads than descriptors, with a gap and an order that is not theirs; every third ends early. */
static void many_streams(void) {
  struct rlimit old, few = {16, 16};
  struct recording_writer *w;
  struct recording_reader *r;
  getrlimit(RLIMIT_NOFILE, &old);
  few.rlim_max = old.rlim_max;
  setrlimit(RLIMIT_NOFILE, &few);
  DONE(recording_create("many", &w, &error));
  for (uint32_t round = 0; round < 2; round++) {
    for (uint32_t i = 0; i < THREADS; i++) {
      uint32_t thread = i * 7 % THREADS;
      if (thread == 2001 || (round && thread % 3 == 0)) continue;
      DONE(recording_append(w, INPUT(thread), round, round, &thread, sizeof thread, &error));
      if (thread % 3 == 0) DONE(recording_end(w, INPUT(thread), &error));
    }
  }
  DONE(recording_close(w, &error));
  DONE(recording_open("many", 0, &r, &error));
  CHECK(!strcmp(recording_get(r, "streams-input", 0), "0-2000,2002-2999"));
  uint32_t next = 0;
  DONE(recording_each_stream(r, count_stream, &next, &error));
  CHECK(next == THREADS);
  DONE(recording_verify(r, &error));
  recording_reader_close(r);
  setrlimit(RLIMIT_NOFILE, &old);
}

/* -- The manifest -------------------------------------------------------------------------------------------------- */

static void manifest(void) {
  struct recording_writer *w;
  struct recording_reader *r;
  char all[256], *large = malloc(RECORDING_MANIFEST_MAX);
  for (int i = 0; i < 255; i++) all[i] = (char)(i + 1);
  all[255] = '\0';
  memset(large, '\n', RECORDING_MANIFEST_MAX);
  large[RECORDING_MANIFEST_MAX - 1] = '\0';
  DONE(recording_create("keys", &w, &error));
  DONE(recording_set(w, "all", all, &error));
  DONE(recording_set(w, "empty", "", &error));
  DONE(recording_set(w, "twice", "first", &error));
  DONE(recording_add(w, "several", "a", &error));
  DONE(recording_add(w, "several", "b: c", &error));
  DONE(recording_set(w, "twice", "second", &error));
  CHECK(recording_set(w, "state", "complete", &error) == RECORDING_MISUSE);
  CHECK(recording_set(w, "streams-input", "", &error) == RECORDING_MISUSE);
  CHECK(recording_set(w, "Upper", "", &error) == RECORDING_MISUSE);
  CHECK(recording_set(w, "", "", &error) == RECORDING_MISUSE);
  CHECK(recording_set(w, "large", large, &error) == RECORDING_MISUSE, "escapes count");
  DONE(recording_close(w, &error));
  DONE(recording_open("keys", 0, &r, &error));
  CHECK(!strcmp(recording_get(r, "all", 0), all));
  CHECK(!strcmp(recording_get(r, "empty", 0), ""));
  CHECK(!strcmp(recording_get(r, "twice", 0), "second") && !recording_get(r, "twice", 1));
  CHECK(!strcmp(recording_get(r, "several", 1), "b: c") && !recording_get(r, "several", 2));
  CHECK(!recording_get(r, "none", 0));
  recording_reader_close(r);
  free(large);
}

/* -- Mapped files -------------------------------------------------------------------------------------------------- */

static uint32_t add(struct recording_writer *w, const char *from, const char *path) {
  uint32_t number = UINT32_MAX;
  int fd = open(from, O_RDONLY | O_CLOEXEC);
  DONE(recording_add_file(w, fd, path, &number, &error));
  close(fd);
  return number;
}

static void check_file(struct recording_reader *r, uint32_t number, const char *path, const char *same_as) {
  struct recording_file file;
  size_t length;
  int fd;
  if (!DONE(recording_find_file(r, number, &file, &error)) ||
      !DONE(recording_open_file(r, &file, &fd, &error)))
    return;
  uint8_t *want = slurp(same_as, &length), *got = malloc(length + 1);
  CHECK(!strcmp(file.path, path) && file.size == length, "%s %llu", file.path, (unsigned long long)file.size);
  CHECK(read(fd, got, length + 1) == (ssize_t)length && !memcmp(got, want, length), "content of %s", path);
  close(fd);
  free(want);
  free(got);
}

static void check_files(const char *recording) {
  struct recording_reader *r;
  struct recording_file file;
  DONE(recording_open(recording, 0, &r, &error));
  check_file(r, 4, "/lib/libc.so.6", "/usr/bin/env");
  check_file(r, 0, "/bin/one", "one");
  check_file(r, 3, "/bin/one", "changed");
  check_file(r, 1, "/bin/other", "one");
  check_file(r, 2, "/bin/copy", "one");
  check_file(r, 5, "/sparse", "sparse");
  CHECK(recording_find_file(r, 6, &file, &error) == RECORDING_ABSENT, "%s", error.text);
  DONE(recording_verify(r, &error));
  recording_reader_close(r);
}

static void files(void) {
  struct recording_writer *w;
  struct recording_reader *r;
  struct stat info;
  uint32_t number;
  shell("seq 100000 >one; cp one kept; cp one copy; truncate -s 8M sparse; echo end >>sparse");
  shell("touch -d '1 hour ago' one copy sparse");
  DONE(recording_create("files-kept", &w, &error));
  CHECK(add(w, "one", "/bin/one") == 0 && add(w, "one", "/bin/one") == 0);
  CHECK(add(w, "one", "/bin/other") == 1, "another path of the same file");
  CHECK(add(w, "copy", "/bin/copy") == 2, "the same content of another file");
  shell("echo more >>one; cp one changed");
  CHECK(add(w, "one", "/bin/one") == 3, "a changed file");
  CHECK(add(w, "/usr/bin/env", "/lib/libc.so.6") == 4);
  CHECK(add(w, "sparse", "/sparse") == 5);
  CHECK(add(w, "/usr/bin/env", "/lib/libc.so.6") == 4, "not recognised after it was stored");
  CHECK(recording_add_file(w, open("/dev/zero", O_RDONLY), "/dev/zero", &number, &error) == RECORDING_MISUSE);
  CHECK(recording_add_file(w, 999, "/none", &number, &error) == RECORDING_SYSTEM);
  DONE(recording_close(w, &error));
  shell("mv one gone; mv kept one; [ $(ls files-kept/files | wc -l) = 4 ]");
  check_files("files-kept");
  CHECK(!stat("sparse", &info) && info.st_blocks * 512 < 1 << 20, "the original is not sparse");
  shell("[ $(du -k files-kept/files | cut -f 1) -lt 4000 ]"); /* nor may the copy be full */
  DONE(recording_open("files-kept", 0, &r, &error));
  DONE(recording_pack(r, "files.pack", &error));
  recording_reader_close(r);
  check_files("files.pack");
  DONE(recording_open("files.pack", 0, &r, &error)); /* a pack of a pack is the same pack */
  DONE(recording_pack(r, "files.again", &error));
  recording_reader_close(r);
  shell("cmp files.pack files.again");
}

/* A file that is rewritten, in place and at the same length, so fast that its times need not change. */
static void rewritten(void) {
  struct recording_writer *w;
  struct recording_reader *r;
  DONE(recording_create("rewritten", &w, &error));
  for (unsigned i = 0; i < 20; i++) {
    char text[16];
    snprintf(text, sizeof text, "content %02u", i);
    spill("fast", text, strlen(text));
    uint32_t number = add(w, "fast", "/fast");
    CHECK(number == i, "number %u", number);
  }
  DONE(recording_close(w, &error));
  DONE(recording_open("rewritten", 0, &r, &error));
  check_file(r, 19, "/fast", "fast");
  spill("fast", "content 00", 10);
  check_file(r, 0, "/fast", "fast");
  recording_reader_close(r);
}

/* -- Mistakes ------------------------------------------------------------------------------------------------------ */

static void mistakes(void) {
  struct recording_writer *w;
  struct recording_reader *r;
  struct recording_stream *s;
  static uint8_t large[RECORDING_FRAME_MAX + 1];
  DONE(recording_create("mistakes", &w, &error));
  DONE(recording_append(w, INPUT(0), 10, 20, "a", 1, &error));
  CHECK(recording_append(w, INPUT(0), 19, 30, "b", 1, &error) == RECORDING_MISUSE, "positions run backwards");
  CHECK(recording_append(w, INPUT(0), 30, 20, "b", 1, &error) == RECORDING_MISUSE);
  CHECK(recording_append(w, INPUT(0), 30, 30, "", 0, &error) == RECORDING_MISUSE);
  CHECK(recording_append(w, INPUT(0), 30, 30, large, sizeof large, &error) == RECORDING_MISUSE);
  CHECK(recording_append(w, INPUT(RECORDING_THREAD_MAX + 1), 0, 0, "b", 1, &error) == RECORDING_MISUSE);
  CHECK(recording_append(w, TABLE, 0, 0, "b", 1, &error) == RECORDING_MISUSE);
  CHECK(recording_append(w, (struct recording_stream_id){RECORDING_EVENTS, 0}, 0, 0, "b", 1, &error));
  CHECK(recording_append(w, (struct recording_stream_id){9, 0}, 0, 0, "b", 1, &error) == RECORDING_MISUSE);
  DONE(recording_end(w, INPUT(0), &error));
  CHECK(recording_append(w, INPUT(0), 30, 30, "b", 1, &error) == RECORDING_MISUSE, "an ended stream goes on");
  CHECK(recording_end(w, INPUT(0), &error) == RECORDING_MISUSE);
  DONE(recording_end(w, INPUT(RECORDING_THREAD_MAX), &error));
  struct recording_writer *second;
  CHECK(recording_create("mistakes", &second, &error) == RECORDING_EXISTS, "%s", error.text);
  DONE(recording_open("mistakes", 0, &r, &error));
  CHECK(recording_reader_state(r) == RECORDING_LIVE);
  CHECK(recording_pack(r, "mistakes.pack", &error) == RECORDING_BUSY && access("mistakes.pack", F_OK));
  recording_reader_close(r);
  DONE(recording_close(w, &error));
  DONE(recording_open("mistakes", 0, &r, NULL));
  CHECK(recording_stream_open(r, (struct recording_stream_id){0, 0}, &s, NULL) == RECORDING_MISUSE);
  CHECK(recording_pack(r, "one", &error) == RECORDING_EXISTS);
  recording_reader_close(r);
  CHECK(recording_open("nothing", 0, &r, &error) == RECORDING_ABSENT, "%s", error.text);
  CHECK(recording_open("/usr/bin", 0, &r, &error) == RECORDING_NOT_ONE, "%s", error.text);
  CHECK(recording_open("/dev/null", 0, &r, &error) == RECORDING_NOT_ONE, "%s", error.text);
  CHECK(recording_open("/usr/bin/env", 0, &r, &error) == RECORDING_NOT_ONE, "%s", error.text);
}

int main(void) {
  enter_scratch();
  sums();
  frames();
  many_streams();
  manifest();
  files();
  rewritten();
  mistakes();
  return verdict();
}
