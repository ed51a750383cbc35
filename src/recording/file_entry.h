/* file_entry.h: one mapped file in the table of files, and the name of its content (file_entry.c). */
#ifndef REPRISE_RECORDING_FILE_ENTRY_H
#define REPRISE_RECORDING_FILE_ENTRY_H

#include "recording/recording.h"

enum {
  FILE_ENTRY_FIXED = 34, /* bytes before the path */
  FILE_ENTRY_MAX = FILE_ENTRY_FIXED + RECORDING_PATH_MAX,
  CONTENT_NAME_MAX = 33,
};

/* The entry as bytes; their number. */
size_t file_entry_encode(const struct recording_file *file, uint8_t out[FILE_ENTRY_MAX]);
/* False when these bytes are no entry. */
bool file_entry_decode(const uint8_t *bytes, size_t length, struct recording_file *out);

/* The file's name in files/: its hash in hexadecimal. */
void content_name(const uint8_t hash[16], char out[CONTENT_NAME_MAX]);
/* The reverse; false for a text that is no such name. */
bool content_parse(const char *name, uint8_t hash[16]);

/* Hashes the file behind fd from its start to its end. With to >= 0, copies it there as well. False with errno. */
bool content_read(int fd, int to, uint8_t hash[16], uint64_t *size);

#endif
