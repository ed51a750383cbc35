/* file_entry.c: entries of the table of files, and contents. See file_entry.h. */
#include "recording/file_entry.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
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

bool content_read(int fd, int to, uint8_t hash[16], uint64_t *size) {
  enum { PIECE = 128 << 10 };
  struct content_hash state = {0};
  uint8_t *piece = malloc(PIECE);
  ssize_t n = piece ? PIECE : -1;
  while (n == PIECE) {
    n = read_upto(fd, state.total, piece, PIECE);
    if (n <= 0) break;
    /* Zeros are left out: the copy of a sparse file stays sparse. */
    if (to >= 0 && !all_zero(piece, (size_t)n) && !write_all(to, state.total, piece, (size_t)n)) n = -1;
    if (n > 0) content_hash_add(&state, piece, (size_t)n);
  }
  free(piece);
  *size = state.total;
  content_hash_finish(&state, hash);
  return n >= 0 && (to < 0 || !ftruncate(to, (off_t)state.total));
}
