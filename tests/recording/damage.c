/* damage.c: every single-byte change and every truncation of a small recording, as directory and as pack, and parts that are
 * missing. Whatever is read before the error must be what was written; an error there must be. */
#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "support.h"

static char *original; /* all of the sound recording */

/* Reads a changed recording: a clear error, and before it nothing but what was recorded. */
static struct recording_error expect_error(const char *recording, const char *part, size_t offset,
                                           const char *what) {
  struct recording_error error;
  char *text = read_everything(recording, &error);
  CHECK(is_clear(&error), "%s of %s at %zu: \"%s\"", what, part, offset, error.text);
  CHECK(!strncmp(text, original, strlen(text)), "%s of %s at %zu: other content", what, part, offset);
  CHECK(error.kind != RECORDING_SYSTEM && error.kind != RECORDING_MISUSE, "%s of %s at %zu: \"%s\"", what,
        part, offset, error.text);
  free(text);
  return error;
}

static void flip_all(const char *recording, const char *part) {
  size_t length;
  uint8_t *bytes = slurp(part, &length);
  for (size_t i = 0; i < length; i++) {
    uint8_t right = bytes[i];
    const uint8_t wrong[] = {right ^ (uint8_t)(1 << i % 8), right ^ 0xff, right ? 0 : 1, right + 1};
    for (size_t k = 0; k < sizeof wrong; k++) {
      bytes[i] = wrong[k];
      spill(part, bytes, length);
      expect_error(recording, part, i, "change");
    }
    bytes[i] = right;
  }
  spill(part, bytes, length);
  free(bytes);
}

static void cut_all(const char *recording, const char *part, enum recording_status kind) {
  size_t length;
  uint8_t *bytes = slurp(part, &length);
  for (size_t i = 0; i < length; i++) {
    spill(part, bytes, i);
    struct recording_error error = expect_error(recording, part, i, "truncation");
    if (kind) CHECK(error.kind == kind, "truncation of %s at %zu: \"%s\"", part, i, error.text);
    if (kind == RECORDING_TRUNCATED) CHECK(strstr(error.text, "truncated at byte"), "\"%s\"", error.text);
  }
  spill(part, bytes, length);
  free(bytes);
}

/* What follows the end, and zeros that a file system left in the place of frames. */
static void lengthen(const char *recording, const char *part) {
  size_t length;
  uint8_t *bytes = slurp(part, &length), *longer = calloc(1, length + 100);
  memcpy(longer, bytes, length);
  for (size_t more = 1; more <= 100; more += 11) {
    spill(part, longer, length + more);
    expect_error(recording, part, length, "lengthening");
  }
  spill(part, bytes, length);
  free(bytes);
  free(longer);
}

static void lose(const char *recording, const char *part) {
  shell("mv %s aside", part);
  struct recording_error error = expect_error(recording, part, 0, "loss");
  CHECK(error.kind == RECORDING_DAMAGED || error.kind == RECORDING_NOT_ONE, "\"%s\"", error.text);
  shell("mkfifo %s", part); /* opening it would wait for ever */
  expect_error(recording, part, 0, "replacement by a pipe");
  shell("rm %s; ln -s $PWD/aside %s", part, part);
  if (!strstr(part, "manifest")) expect_error(recording, part, 0, "replacement by a link");
  shell("rm %s; mv aside %s", part, part);
}

static void try_parts(const char *folder) {
  DIR *entries = opendir(folder);
  for (const struct dirent *entry; (entry = readdir(entries));) {
    char part[512];
    snprintf(part, sizeof part, "%s/%s", folder, entry->d_name);
    if (entry->d_name[0] == '.' || !strcmp(entry->d_name, "streams") || !strcmp(entry->d_name, "files"))
      continue;
    bool stream = strstr(folder, "/streams") != NULL;
    flip_all("small", part);
    cut_all("small", part, stream ? RECORDING_TRUNCATED : RECORDING_OK);
    lengthen("small", part);
    lose("small", part);
  }
  closedir(entries);
}

/* A stream of zeros, all of it or from some frame on, was lost with the power and not changed by anyone. */
static void lose_power(void) {
  size_t length;
  uint8_t *bytes = slurp("small/streams/input-0", &length), *lost = malloc(length);
  memcpy(lost, bytes, length);
  memset(lost + length - 56, 0, 56); /* the closing frame */
  spill("small/streams/input-0", lost, length);
  CHECK(expect_error("small", "input-0", length - 56, "zeros").kind == RECORDING_TRUNCATED);
  memset(lost, 0, length);
  spill("small/streams/input-0", lost, length);
  CHECK(expect_error("small", "input-0", 0, "zeros").kind == RECORDING_TRUNCATED);
  spill("small/streams/input-0", bytes, length);
  CHECK(!truncate("small/streams/order-0", 0) && !truncate("small/streams/order-0", 1ll << 40));
  CHECK(expect_error("small", "order-0", 0, "a sparse stream").kind == RECORDING_DAMAGED);
  free(bytes);
  free(lost);
}

/* An unfinished recording has no closing frames; all that is complete is read, and the rest of a frame is not. */
static void unfinished(void) {
  struct recording_error error;
  make_small("open", false);
  char *text = read_everything("open", &error);
  CHECK(error.kind == RECORDING_TRUNCATED, "%s", error.text);
  CHECK(strstr(text, "0-99 ") && strstr(text, "1000-1073741824 "), "frames are missing");
  free(text);
  struct recording_reader *reader;
  CHECK(!recording_open("open", 0, &reader, &error));
  CHECK(recording_reader_state(reader) == RECORDING_UNFINISHED);
  CHECK(!recording_verify(reader, &error), "%s", error.text);
  recording_reader_close(reader);
  shell("rm open/streams/files; truncate -s -7 open/streams/input-1");
  CHECK(!recording_open("open", 0, &reader, &error));
  CHECK(!recording_verify(reader, &error), "%s", error.text);
  recording_reader_close(reader);
}

/* Frames of another recording, another stream or another place in the same one have sound checksums. */
static void misplaced(void) {
  make_small("other", true);
  shell("cp small/streams/input-0 keep; cp other/streams/input-0 small/streams/input-0");
  CHECK(expect_error("small", "input-0", 0, "exchange").kind == RECORDING_DAMAGED);
  shell("cp small/streams/input-1 small/streams/input-0");
  CHECK(expect_error("small", "input-0", 0, "exchange").kind == RECORDING_DAMAGED);
  shell("cat keep keep > small/streams/input-0");
  CHECK(expect_error("small", "input-0", 0, "doubling").kind == RECORDING_DAMAGED);
  shell("cp keep small/streams/input-0; cp other/manifest small/manifest");
  struct recording_error error;
  free(read_everything("small", &error));
  CHECK(error.kind == RECORDING_DAMAGED, "%s", error.text);
}

int main(void) {
  struct recording_error error;
  struct recording_reader *reader;
  enter_scratch();
  make_small("small", true);
  original = read_everything("small", &error);
  CHECK(!error.kind, "%s", error.text);
  CHECK(strstr(original, "file 1 mapped-2 "), "%s", original);
  CHECK(!recording_open("small", 0, &reader, &error) && !recording_pack(reader, "pack", &error), "%s",
        error.text);
  recording_reader_close(reader);
  char *packed = read_everything("pack", &error);
  CHECK(!strcmp(packed, original), "the pack differs");
  free(packed);

  try_parts("small");
  try_parts("small/streams");
  try_parts("small/files");
  flip_all("pack", "pack");
  cut_all("pack", "pack", RECORDING_OK);
  lengthen("pack", "pack");
  char *still = read_everything("small", &error);
  CHECK(!strcmp(still, original), "the tests themselves changed it");
  free(still);
  unfinished();
  lose_power();
  shell("rm -rf small");
  make_small("small", true);
  free(original);
  original = read_everything("small", &error);
  misplaced();
  free(original);
  return verdict();
}
