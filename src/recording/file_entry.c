/* file_entry.c: entries of the table of files, and contents. See file_entry.h. */
#include "recording/file_entry.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "recording/bytes.h"
#include "recording/checksum.h"
#include "recording/io.h"

/* -- Entries ------------------------------------------------------------------------------------------------------- */

size_t file_entry_encode(const struct recording_file *file, uint8_t out[FILE_ENTRY_MAX]) {
  size_t length = strlen(file->path);
  put32(out, file->number);
  put32(out + 4, file->mode);
  put64(out + 8, file->size);
  memcpy(out + 16, file->hash, 16);
  put16(out + 32, (uint16_t)length);
  memcpy(out + FILE_ENTRY_FIXED, file->path, length);
  return FILE_ENTRY_FIXED + length;
}

bool file_entry_decode(const uint8_t *bytes, size_t length, struct recording_file *out) {
  if (length < FILE_ENTRY_FIXED) return false;
  size_t path = get16(bytes + 32);
  if (path >= RECORDING_PATH_MAX || length != FILE_ENTRY_FIXED + path) return false;
  if (memchr(bytes + FILE_ENTRY_FIXED, 0, path)) return false;
  out->number = get32(bytes);
  out->mode = get32(bytes + 4);
  out->size = get64(bytes + 8);
  memcpy(out->hash, bytes + 16, 16);
  memcpy(out->path, bytes + FILE_ENTRY_FIXED, path);
  out->path[path] = '\0';
  return true;
}

/* -- Contents ------------------------------------------------------------------------------------------------------ */

void content_name(const uint8_t hash[16], char out[CONTENT_NAME_MAX]) {
  for (size_t i = 0; i < 16; i++) snprintf(out + 2 * i, 3, "%02x", hash[i]);
}

bool content_parse(const char *name, uint8_t hash[16]) {
  char canonical[CONTENT_NAME_MAX];
  if (strlen(name) != CONTENT_NAME_MAX - 1) return false;
  for (size_t i = 0; i < 16; i++) {
    char digits[3] = {name[2 * i], name[2 * i + 1], '\0'};
    hash[i] = (uint8_t)strtoul(digits, NULL, 16);
  }
  content_name(hash, canonical);
  return !strcmp(name, canonical);
}

static bool all_zero(const uint8_t *bytes, size_t length) {
  return length && !bytes[0] && !memcmp(bytes, bytes + 1, length - 1);
}

enum { PIECE = 128 << 10 };

/* The first piece from `at` on that may hold data; -1: only a hole is left. Where the file system does not tell, it is the next one. */
static off_t next_piece(int fd, off_t at) {
  off_t data = lseek(fd, at, SEEK_DATA);
  if (data >= 0) return data - data % PIECE > at ? data - data % PIECE : at;
  return errno == ENXIO ? -1 : at;
}

/* A piece of zeros counts for nothing, be it a hole or not; the next one is then preceded by its number. */
static void hash_piece(struct content_hash *state, uint64_t *expected, uint64_t number, const uint8_t *bytes,
                       size_t length) {
  if (all_zero(bytes, length)) return;
  if (number != *expected) {
    uint8_t gap[16];
    put64(gap, number);
    put64(gap + 8, ~number);
    content_hash_add(state, gap, sizeof gap);
  }
  content_hash_add(state, bytes, length);
  *expected = number + 1;
}

bool content_read(int fd, int to, uint8_t hash[16], uint64_t *size) {
  struct content_hash state = {0};
  struct stat info;
  uint8_t *piece = malloc(PIECE);
  uint64_t expected = 0;
  ssize_t n = piece ? PIECE : -1;
  off_t at = 0, next, offset = lseek(fd, 0, SEEK_CUR);
  *size = 0;
  while (n == PIECE && (next = next_piece(fd, at)) >= 0) {
    n = read_upto(fd, (uint64_t)next, piece, PIECE);
    if (n <= 0) break;
    /* Zeros are left out: the copy of a sparse file stays sparse. */
    if (to >= 0 && !all_zero(piece, (size_t)n) && !write_all(to, (uint64_t)next, piece, (size_t)n)) n = -1;
    if (n > 0) hash_piece(&state, &expected, (uint64_t)next / PIECE, piece, (size_t)n);
    at = next + PIECE;
    *size = (uint64_t)next + (uint64_t)(n > 0 ? n : 0);
  }
  free(piece);
  lseek(fd, offset, SEEK_SET); /* looking for holes has moved it */
  /* The file may end with a hole. */
  if (n == PIECE && fstat(fd, &info)) n = -1;
  if (n == PIECE && (uint64_t)info.st_size > *size) *size = (uint64_t)info.st_size;
  state.total = *size;
  content_hash_finish(&state, hash);
  return n >= 0 && (to < 0 || !ftruncate(to, (off_t)*size));
}
