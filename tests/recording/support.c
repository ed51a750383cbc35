/* support.c: see support.h. */
#include "support.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "recording/file_entry.h"

static unsigned long passed, failed;
static char scratch[] = "/tmp/reprise-recording-XXXXXX";

bool check(bool held, const char *file, int line, const char *condition, const char *pattern, ...) {
  if (held) {
    passed++;
    return true;
  }
  if (failed++ < 50) {
    va_list args;
    va_start(args, pattern);
    printf("%s:%d: %s:", file, line, condition);
    vprintf(pattern, args);
    putchar('\n');
    va_end(args);
  }
  return false;
}

static void die(const char *what) {
  printf("%s: %s\n", what, strerror(errno));
  exit(2);
}

void shell(const char *pattern, ...) {
  char command[8192];
  va_list args;
  va_start(args, pattern);
  vsnprintf(command, sizeof command, pattern, args);
  va_end(args);
  fflush(stdout);
  if (system(command)) die(command);
}

int verdict(void) {
  if (chdir("/")) die("/");
  shell("rm -rf %s", scratch);
  printf("%lu passed, %lu failed\n", passed, failed);
  return failed != 0 || passed == 0;
}

void enter_scratch(void) {
  if (!mkdtemp(scratch) || chdir(scratch)) die(scratch);
}

/* -- Bytes --------------------------------------------------------------------------------------------------------- */

void fill_easy(uint8_t *bytes, size_t length, unsigned seed) {
  for (size_t i = 0; i < length; i++) bytes[i] = (uint8_t)(i / 24 * seed + i % 24);
}

void fill_hard(uint8_t *bytes, size_t length, unsigned seed) {
  uint64_t state = seed * 0x9e3779b97f4a7c15u + 1;
  for (size_t i = 0; i < length; i++) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    bytes[i] = (uint8_t)(state >> 56);
  }
}

uint8_t *slurp(const char *path, size_t *length) {
  FILE *from = fopen(path, "rb");
  struct stat info;
  if (!from || fstat(fileno(from), &info)) die(path);
  uint8_t *bytes = malloc((size_t)info.st_size + 1);
  *length = fread(bytes, 1, (size_t)info.st_size, from);
  fclose(from);
  return bytes;
}

/* Files that a recording keeps are there to be read only. */
void spill(const char *path, const void *bytes, size_t length) {
  if (chmod(path, 0600) && errno != ENOENT) die(path);
  int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
  if (fd < 0 || write(fd, bytes, length) != (ssize_t)length) die(path);
  close(fd);
}

bool is_clear(const struct recording_error *error) {
  return error->kind != RECORDING_OK && strlen(error->text) > 10 && !strchr(error->text, '\n');
}

/* -- A recording --------------------------------------------------------------------------------------------------- */

static void append(struct recording_writer *w, struct recording_stream_id id, uint64_t first, uint64_t last,
                   size_t length, bool easy) {
  struct recording_error error;
  uint8_t bytes[1024];
  (easy ? fill_easy : fill_hard)(bytes, length, (unsigned)(first + id.thread + id.kind));
  CHECK(!recording_append(w, id, first, last, bytes, length, &error), "%s", error.text);
}

static void add_file(struct recording_writer *w, const char *name, size_t length) {
  struct recording_error error;
  uint8_t bytes[1024];
  uint32_t number;
  fill_hard(bytes, length, (unsigned)length);
  spill(name, bytes, length);
  int fd = open(name, O_RDONLY | O_CLOEXEC);
  CHECK(!recording_add_file(w, fd, name, &number, &error), "%s", error.text);
  close(fd);
}

void make_small(const char *path, bool close) {
  struct recording_writer *w;
  struct recording_error error;
  if (!CHECK(!recording_create(path, &w, &error), "%s", error.text)) exit(verdict());
  CHECK(!recording_add(w, "argument", "./program", &error));
  CHECK(!recording_add(w, "argument", "two\nlines \\ and \x01", &error));
  for (uint32_t thread = 0; thread < 2; thread++) {
    append(w, INPUT(thread), 0, 99, 200, true);
    append(w, INPUT(thread), 99, 1000, 70, false);
    append(w, INPUT(thread), 1000, 1u << 30, 400, true);
    append(w, ORDER(thread), 5, 1u << 30, 33, false);
  }
  append(w, ORDER(RECORDING_SPHERE), 0, 0, 1, false);
  append(w, EVENTS, 0, 3, 120, true);
  add_file(w, "mapped-1", 300);
  add_file(w, "mapped-2", 0);
  if (close)
    CHECK(!recording_close(w, &error), "%s", error.text);
  else
    recording_abandon(w);
}

/* -- Reading it all ------------------------------------------------------------------------------------------------ */

struct reading {
  struct recording_reader *reader;
  FILE *to;
};

static void write_bytes(FILE *to, const uint8_t *bytes, size_t length) {
  for (size_t i = 0; i < length; i++) fprintf(to, "%02x", bytes[i]);
  putc('\n', to);
}

static int read_stream(struct recording_stream_id id, void *context, struct recording_error *error) {
  struct reading *reading = context;
  struct recording_stream *stream;
  struct recording_frame frame;
  int status = recording_stream_open(reading->reader, id, &stream, error);
  if (status) return status;
  fprintf(reading->to, "stream %d %u\n", (int)id.kind, id.thread);
  while (!(status = recording_next(stream, &frame, error))) {
    fprintf(reading->to, "%llu-%llu ", (unsigned long long)frame.first, (unsigned long long)frame.last);
    write_bytes(reading->to, frame.bytes, frame.length);
  }
  struct recording_error again;
  CHECK(recording_next(stream, &frame, &again) == status, "an end does not stay");
  recording_stream_close(stream);
  return status == RECORDING_END ? RECORDING_OK : status;
}

static int read_file(struct reading *reading, uint32_t number, struct recording_error *error) {
  struct recording_file file;
  int fd;
  int status = recording_find_file(reading->reader, number, &file, error);
  if (!status) status = recording_open_file(reading->reader, &file, &fd, error);
  if (status) return status;
  uint8_t bytes[1024];
  ssize_t n = pread(fd, bytes, sizeof bytes, 0);
  fprintf(reading->to, "file %u %s %o %llu ", file.number, file.path, file.mode,
          (unsigned long long)file.size);
  write_bytes(reading->to, bytes, n < 0 ? 0 : (size_t)n);
  close(fd);
  return RECORDING_OK;
}

static int read_parts(struct reading *reading, struct recording_error *error) {
  static const char *const keys[] = {"architecture", "id", "created", "state", "argument"};
  for (size_t k = 0; k < sizeof keys / sizeof *keys; k++) {
    const char *value;
    for (size_t i = 0; (value = recording_get(reading->reader, keys[k], i)); i++)
      fprintf(reading->to, "%s: %s\n", keys[k], value);
  }
  int status = recording_each_stream(reading->reader, read_stream, reading, error);
  for (uint32_t number = 0; !status; number++) status = read_file(reading, number, error);
  return status == RECORDING_ABSENT ? RECORDING_OK : status;
}

char *read_everything(const char *path, struct recording_error *error) {
  char *text = NULL;
  size_t size;
  struct reading reading = {.to = open_memstream(&text, &size)};
  int status = recording_open(path, 0, &reading.reader, error);
  if (!status) {
    status = read_parts(&reading, error);
    recording_reader_close(reading.reader);
  }
  fclose(reading.to);
  CHECK(!status || error->kind == (enum recording_status)status, "returned %d, error says %d", status,
        (int)error->kind);
  if (!status) *error = (struct recording_error){0};
  return text;
}
