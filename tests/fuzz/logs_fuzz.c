/* logs_fuzz.c: all that shows what a recording holds (stat, dump, the place of a divergence), against arbitrary logs and an arbitrary program.
 *
 * An input is three parts, the lengths of the first two before them in two bytes each: the order log, the file that is mapped first, the
 * input log of thread 0. They are put into a recording with sound checksums, in memory if there is a place for that. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "cli/entry.h"
#include "recording/recording.h"
#include "inspect/locations.h"
#include "inspect/summary.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static struct recording_error error;

static void append(struct recording_writer *writer, struct recording_stream_id id, const uint8_t *bytes,
                   size_t count) {
  if (count) (void)recording_append(writer, id, 0, 0, bytes, count, &error);
}

static bool make(const char *path, const uint8_t *data, size_t size) {
  struct recording_writer *writer;
  uint32_t number;
  size_t order = data[0] | (size_t)data[1] << 8, file = data[2] | (size_t)data[3] << 8;
  if (order > size - 4 || file > size - 4 - order || recording_create(path, &writer, &error)) return false;
  data += 4;
  int fd = memfd_create("program", MFD_CLOEXEC);
  if (fd < 0 || write(fd, data + order, file) != (ssize_t)file) abort();
  (void)recording_add(writer, "order", "chunk", &error);
  (void)recording_add(writer, "program", "program", &error);
  (void)recording_add_file(writer, fd, "/program", &number, &error);
  close(fd);
  append(writer, (struct recording_stream_id){RECORDING_ORDER, RECORDING_SPHERE}, data, order);
  append(writer, (struct recording_stream_id){RECORDING_INPUT, 0}, data + order + file,
         size - 4 - order - file);
  return !recording_close(writer, &error);
}

static void show(struct recording_reader *reader, FILE *to) {
  struct logs *logs;
  struct log_entry entry;
  struct places *places = places_new(reader);
  if (!places || logs_open(reader, NULL, NULL, &logs, &error)) abort();
  while (!logs_next(logs, &entry, &error) && places_follow(places, &entry)) {
    uint64_t pc;
    const char *place = entry_pc(&entry, &pc) ? places_text(places, entry.thread, pc) : "";
    const char *file = places_path(places, 0);
    entry_text(to, &entry, place, file);
    entry_json(to, &entry, place, file);
  }
  logs_close(logs);
  places_free(places);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  static char path[64];
  static FILE *nowhere;
  struct recording_reader *reader;
  struct summary summary;
  if (size < 4) return 0;
  if (!nowhere) nowhere = fopen("/dev/null", "w");
  snprintf(path, sizeof path, "%s/reprise-fuzz-%d", access("/dev/shm", W_OK) ? "." : "/dev/shm",
           (int)getpid());
  (void)recording_remove(path, &error);
  if (make(path, data, size)) {
    if (recording_open(path, 0, &reader, &error)) abort();
    (void)summary_count(reader, &summary, &error);
    summary_free(&summary);
    show(reader, nowhere);
    recording_reader_close(reader);
  }
  (void)recording_remove(path, &error);
  return 0;
}
