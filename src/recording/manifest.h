/* manifest.h: the manifest as a list of keys and values, and as text (manifest.c). */
#ifndef REPRISE_RECORDING_MANIFEST_H
#define REPRISE_RECORDING_MANIFEST_H

#include "recording/recording.h"

/* Zero bytes make an empty manifest. */
struct manifest {
  char *entries;   /* key, NUL, value, NUL, and so on */
  size_t length;   /* bytes in use */
  size_t capacity; /* bytes allocated */
  size_t rendered; /* bytes these entries take as text */
};

void manifest_free(struct manifest *manifest);

/* The value of the index-th entry with that key, or NULL. */
const char *manifest_get(const struct manifest *manifest, const char *key, size_t index);

/* Adds an entry; with replace, instead of all others of that key. RECORDING_MISUSE for a key that is none and when
 * the entries' text would be longer than limit. */
int manifest_put(struct manifest *manifest, const char *key, const char *value, bool replace, size_t limit,
                 struct recording_error *error);

/* The whole text: first line, entries, checksum. Allocated; NULL without memory. *length leaves its NUL out. */
char *manifest_text(const struct manifest *manifest, size_t *length);

/* Reads a text of length bytes into an empty manifest. place is where it came from, for messages. */
int manifest_parse(struct manifest *manifest, const char *text, size_t length, const char *place,
                   struct recording_error *error);

/* True if a file that begins so calls itself a manifest, of whatever version. */
bool manifest_recognize(const char *text, size_t length);

#endif
