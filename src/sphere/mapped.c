/* mapped.c: opens the files of a recording for a replay. One that the recorded sphere has changed is copied to memory first:
 * the replay changes it again. */
#include "sphere/mapped.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "recording/scratch.h"
#include "sphere/ahead.h"

static bool changes(struct recording_reader *reader, uint32_t number) {
  const char *text;
  for (size_t i = 0; (text = recording_get(reader, "changing-file", i)); i++)
    if (strtoul(text, NULL, 10) == number) return true;
  return false;
}

bool mapped_copy(int from, int to) {
  return mapped_copy_part(from, to, UINT64_MAX);
}

bool mapped_copy_part(int from, int to, uint64_t bytes) {
  char buffer[65536];
  off_t at = 0, end;
  while ((uint64_t)at < bytes && (at = lseek(from, at, SEEK_DATA)) >= 0 && (uint64_t)at < bytes &&
         (end = lseek(from, at, SEEK_HOLE)) > at)
    while (at < end && (uint64_t)at < bytes) {
      size_t part = (size_t)(end - at) < sizeof buffer ? (size_t)(end - at) : sizeof buffer;
      ssize_t n = pread(from, buffer, part, at);
      if (n <= 0 || pwrite(to, buffer, (size_t)n, at) != n) return false;
      at += n;
    }
  return true;
}

/* A copy in memory, as sparse as the original; or -1 with errno. */
static int copy_to_memory(int from, uint64_t size) {
  int to = scratch_file("reprise-mapped", size);
  if (to >= 0 && !ftruncate(to, (off_t)size) && mapped_copy(from, to)) return to;
  if (to >= 0) close(to);
  return -1;
}

static int open_kept(struct mapped *mapped, struct recording_reader *reader, uint32_t number, uint64_t *size,
                     struct recording_error *error) {
  static struct recording_file file;
  int fd = ahead_take(mapped->ahead, number, size);
  if (fd >= 0) return fd;
  int status = recording_find_file(reader, number, &file, error);
  if (status == RECORDING_ABSENT) error->kind = RECORDING_DAMAGED; /* its logs name it */
  if (status || recording_open_file(reader, &file, &fd, error)) return -EIO;
  *size = file.size;
  return fd;
}

/* The same file, open to be read: what is mapped from it can't be made writable later. */
static int open_again(int fd) {
  char path[64];
  snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
  int again = open(path, O_RDONLY | O_CLOEXEC);
  return again < 0 ? fd : again;
}

/* Takes the file over; false: there is no file, or no memory. */
static bool add_changing(struct mapped *mapped, uint32_t number, int fd) {
  void *larger = realloc(mapped->changing, (mapped->changing_count + 1) * sizeof *mapped->changing);
  if (larger) mapped->changing = larger;
  if (fd < 0 || !larger) {
    if (fd >= 0) close(fd);
    return false;
  }
  mapped->changing[mapped->changing_count].number = number;
  mapped->changing[mapped->changing_count].fd = fd;
  mapped->changing[mapped->changing_count++].read_only = open_again(fd);
  return true;
}

static int open_changing(struct mapped *mapped, struct recording_reader *reader, uint32_t number,
                         bool writable, struct recording_error *error) {
  uint64_t size;
  int kept = open_kept(mapped, reader, number, &size, error);
  if (kept < 0) return kept;
  int fd = copy_to_memory(kept, size);
  close(kept);
  if (!add_changing(mapped, number, fd)) {
    *error = (struct recording_error){.kind = RECORDING_SYSTEM, .number = errno};
    snprintf(error->text, sizeof error->text, "can't copy a mapped file to memory: %s", strerror(errno));
    return -ENOMEM;
  }
  return writable ? fd : mapped->changing[mapped->changing_count - 1].read_only;
}

/* A file that can't be noted is stored with images as if it were memory. */
static void note_file(struct mapped *mapped, uint32_t number, int fd) {
  struct stat info;
  if (fstat(fd, &info) || mapped_number(mapped, info.st_dev, info.st_ino) == number) return;
  void *larger = realloc(mapped->known, (mapped->known_count + 1) * sizeof *mapped->known);
  if (!larger) return;
  mapped->known = larger;
  mapped->known[mapped->known_count++] = (struct mapped_known){info.st_dev, info.st_ino, number};
}

/* The latest: a number may have been another file's, which is closed and mapped nowhere. */
uint32_t mapped_number(const struct mapped *mapped, uint64_t device, uint64_t inode) {
  for (size_t i = mapped->known_count; i-- > 0;)
    if (mapped->known[i].device == device && mapped->known[i].inode == inode) return mapped->known[i].number;
  return UINT32_MAX;
}

bool mapped_changes(const struct mapped *mapped, uint32_t number) {
  for (size_t i = 0; i < mapped->changing_count; i++)
    if (mapped->changing[i].number == number) return true;
  return false;
}

int mapped_open(struct mapped *mapped, struct recording_reader *reader, uint32_t number, bool writable,
                struct recording_error *error) {
  uint64_t size;
  for (size_t i = 0; i < mapped->changing_count; i++)
    if (mapped->changing[i].number == number)
      return writable ? mapped->changing[i].fd : mapped->changing[i].read_only;
  /* One that is changed though the recording does not say so is a copy from then on: no replay changes a recording. */
  if (writable || changes(reader, number)) return open_changing(mapped, reader, number, writable, error);
  for (unsigned i = 0; i < MAPPED_OPEN; i++)
    if (mapped->open[i].fd > 0 && mapped->open[i].number == number) return mapped->open[i].fd;
  int fd = open_kept(mapped, reader, number, &size, error);
  if (fd < 0) return fd;
  unsigned slot = mapped->next++ % MAPPED_OPEN;
  if (mapped->open[slot].fd > 0) close(mapped->open[slot].fd);
  mapped->open[slot].number = number;
  mapped->open[slot].fd = fd;
  note_file(mapped, number, fd);
  return fd;
}

/* -- Checkpoints ----------------------------------------------------------------------------------------------------------------- */

enum { NO_NUMBER = UINT32_MAX };

int mapped_memory(struct mapped *mapped, uint64_t bytes) {
  int fd = scratch_file("reprise-shared", bytes);
  if (fd < 0) return -errno;
  if (ftruncate(fd, (off_t)bytes)) {
    int error = errno;
    close(fd);
    return -error;
  }
  return add_changing(mapped, NO_NUMBER, fd) ? fd : -ENOMEM;
}

static int copy_of(int fd, struct stat *info) {
  return fstat(fd, info) ? -1 : copy_to_memory(fd, (uint64_t)info->st_size);
}

struct mapped_copies *mapped_keep(const struct mapped *mapped) {
  struct mapped_copies *copies = calloc(1, sizeof *copies + mapped->changing_count * sizeof *copies->copy);
  struct stat info;
  for (size_t i = 0; copies && i < mapped->changing_count; i++) {
    int fd = copy_of(mapped->changing[i].fd, &info);
    if (fd < 0) {
      mapped_forget(copies);
      return NULL;
    }
    copies->copy[copies->count].number = mapped->changing[i].number;
    copies->copy[copies->count].inode = info.st_ino;
    copies->copy[copies->count++].fd = fd;
  }
  return copies;
}

void mapped_forget(struct mapped_copies *copies) {
  for (size_t i = 0; copies && i < copies->count; i++) close(copies->copy[i].fd);
  free(copies);
}

bool mapped_go_back(struct mapped *mapped, const struct mapped_copies *copies) {
  struct stat info;
  for (size_t i = 0; i < mapped->changing_count; i++) {
    if (mapped->changing[i].read_only != mapped->changing[i].fd) close(mapped->changing[i].read_only);
    close(mapped->changing[i].fd);
  }
  mapped->changing_count = 0;
  for (size_t i = 0; i < copies->count; i++)
    if (!add_changing(mapped, copies->copy[i].number, copy_of(copies->copy[i].fd, &info))) return false;
  return true;
}
