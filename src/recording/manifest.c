/* manifest.c: the manifest, lines that a person can read and a checksum that holds them together. See manifest.h.
 *
 *     reprise-recording: 7
 *     architecture: x86-64
 *     argument: ./racy
 *     checksum: 1c291ca3
 *
 * The first line gives the version, the last the CRC-32C of all bytes before it. Control characters and the backslash
 * are escaped in values, so a value never breaks a line or a terminal. */
#include "recording/manifest.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "recording/checksum.h"
#include "recording/error.h"

static const char first_key[] = "reprise-recording: ";
static const char last_key[] = "checksum: ";

enum { KEY_MAX = 64, CHECKSUM_LINE = sizeof last_key - 1 + 8 + 1 };

void manifest_free(struct manifest *manifest) {
  free(manifest->entries);
  *manifest = (struct manifest){0};
}

/* -- Entries ------------------------------------------------------------------------------------------------------- */

/* The entry behind this one, or the first; NULL at the end. */
static char *next_entry(const struct manifest *m, const char *entry, const char **value) {
  size_t at = entry ? (size_t)(*value + strlen(*value) + 1 - m->entries) : 0;
  if (at == m->length) return NULL;
  *value = m->entries + at + strlen(m->entries + at) + 1;
  return m->entries + at;
}

const char *manifest_get(const struct manifest *manifest, const char *key, size_t index) {
  const char *value = NULL;
  for (const char *entry = NULL; (entry = next_entry(manifest, entry, &value));)
    if (!strcmp(entry, key) && !index--) return value;
  return NULL;
}

static bool escaped(char c) {
  return c == '\\' || (unsigned char)c < ' ' || c == 0x7f;
}

static size_t rendered_size(const char *key, const char *value) {
  size_t size = strlen(key) + strlen(value) + 3; /* colon, space, line end */
  for (; *value; value++) size += escaped(*value) ? 3 : 0;
  return size;
}

static void remove_all(struct manifest *m, const char *key) {
  const char *value;
  while ((value = manifest_get(m, key, 0))) {
    char *entry = m->entries + (value - m->entries) - strlen(key) - 1;
    m->rendered -= rendered_size(key, value);
    const char *behind = value + strlen(value) + 1;
    memmove(entry, behind, (size_t)(m->entries + m->length - behind));
    m->length -= (size_t)(behind - entry);
  }
}

static bool key_valid(const char *key, size_t length) {
  if (!length || length > KEY_MAX) return false;
  for (size_t i = 0; i < length; i++)
    if (!(key[i] >= 'a' && key[i] <= 'z') && !(key[i] >= '0' && key[i] <= '9') && key[i] != '-') return false;
  return true;
}

static bool reserve(struct manifest *m, size_t more) {
  if (m->length + more <= m->capacity) return true;
  size_t capacity = (m->length + more) * 2;
  char *entries = realloc(m->entries, capacity);
  if (!entries) return false;
  m->entries = entries;
  m->capacity = capacity;
  return true;
}

int manifest_put(struct manifest *manifest, const char *key, const char *value, bool replace, size_t limit,
                 struct recording_error *error) {
  size_t key_size = strlen(key) + 1, value_size = strlen(value) + 1, rendered = rendered_size(key, value);
  if (!key_valid(key, key_size - 1)) return recording_fail(error, RECORDING_MISUSE, "manifest", "a bad key");
  if (rendered > limit || manifest->rendered > limit - rendered)
    return recording_fail(error, RECORDING_MISUSE, "manifest", "more than %zu bytes", limit);
  if (!reserve(manifest, key_size + value_size))
    return recording_fail_errno(error, "manifest", "adding a line");
  if (replace) remove_all(manifest, key);
  memcpy(manifest->entries + manifest->length, key, key_size);
  memcpy(manifest->entries + manifest->length + key_size, value, value_size);
  manifest->length += key_size + value_size;
  manifest->rendered += rendered;
  return RECORDING_OK;
}

/* -- Writing ------------------------------------------------------------------------------------------------------- */

static void write_value(FILE *to, const char *value) {
  for (; *value; value++) {
    if (escaped(*value))
      fprintf(to, "\\x%02x", (unsigned char)*value);
    else
      putc(*value, to);
  }
}

char *manifest_text(const struct manifest *manifest, size_t *length) {
  char *text = NULL;
  FILE *to = open_memstream(&text, length);
  if (!to) return NULL;
  fprintf(to, "%s%d\n", first_key, RECORDING_VERSION);
  const char *value = NULL;
  for (const char *entry = NULL; (entry = next_entry(manifest, entry, &value));) {
    fprintf(to, "%s: ", entry);
    write_value(to, value);
    putc('\n', to);
  }
  bool failed = fflush(to) != 0;
  if (!failed) fprintf(to, "%s%08x\n", last_key, crc32c(text, *length));
  failed |= ferror(to) != 0;
  if (fclose(to) || failed) {
    free(text);
    return NULL;
  }
  return text;
}

/* -- Reading ------------------------------------------------------------------------------------------------------- */

bool manifest_recognize(const char *text, size_t length) {
  return length > sizeof first_key - 1 && !memcmp(text, first_key, sizeof first_key - 1);
}

static int check_version(const char *text, size_t length, const char *place, struct recording_error *error) {
  if (!manifest_recognize(text, length))
    return recording_fail(error, RECORDING_NOT_ONE, place, "not the manifest of a recording");
  const char *digits = text + sizeof first_key - 1, *end = text + length, *at = digits;
  unsigned version = 0;
  while (at < end && at - digits < 6 && *at >= '0' && *at <= '9')
    version = version * 10 + (unsigned)(*at++ - '0');
  if (at == digits || at == end || *at != '\n' || *digits == '0')
    return recording_fail(error, RECORDING_DAMAGED, place, "damaged: no version in its first line");
  if (version != RECORDING_VERSION)
    return recording_fail(error, RECORDING_OTHER_VERSION, place,
                          "a recording of format version %u; this reprise reads version %d", version,
                          RECORDING_VERSION);
  return RECORDING_OK;
}

static bool checksum_right(const char *text, size_t length) {
  if (length < CHECKSUM_LINE) return false;
  const char *line = text + length - CHECKSUM_LINE;
  char right[CHECKSUM_LINE + 1];
  snprintf(right, sizeof right, "%s%08x\n", last_key, crc32c(text, length - CHECKSUM_LINE));
  return line > text && line[-1] == '\n' && !memcmp(line, right, CHECKSUM_LINE);
}

static int hex_digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* The escaped bytes from..end into to; false for what write_value does not write. *to moves on. */
static bool read_value(const char *from, const char *end, char **to) {
  for (; from < end; from++) {
    char c = *from;
    if (escaped(c)) {
      if (end - from < 4 || from[1] != 'x' || hex_digit(from[2]) < 0 || hex_digit(from[3]) < 0) return false;
      c = (char)(hex_digit(from[2]) * 16 + hex_digit(from[3]));
      if (!c) return false;
      from += 3;
    }
    *(*to)++ = c;
  }
  *(*to)++ = '\0';
  return true;
}

/* One line into the entries, which have room for it: an entry is no longer than its line. */
static bool read_line(struct manifest *m, const char *line, const char *end) {
  const char *colon = memchr(line, ':', (size_t)(end - line));
  if (!colon || end - colon < 2 || colon[1] != ' ' || !key_valid(line, (size_t)(colon - line))) return false;
  char *to = m->entries + m->length;
  memcpy(to, line, (size_t)(colon - line));
  to += colon - line;
  *to++ = '\0';
  if (!read_value(colon + 2, end, &to)) return false;
  m->length = (size_t)(to - m->entries);
  return true;
}

int manifest_parse(struct manifest *manifest, const char *text, size_t length, const char *place,
                   struct recording_error *error) {
  int status = check_version(text, length, place, error);
  if (status) return status;
  if (!checksum_right(text, length))
    return recording_fail(error, RECORDING_DAMAGED, place, "damaged: its checksum is wrong or missing");
  if (!reserve(manifest, length)) return recording_fail_errno(error, place, "reading it");
  const char *line = (const char *)memchr(text, '\n', length) + 1, *last = text + length - CHECKSUM_LINE;
  while (line < last) {
    const char *end =
        memchr(line, '\n', (size_t)(last - line)); /* there is one: last comes behind a line's end */
    if (!read_line(manifest, line, end))
      return recording_fail(error, RECORDING_DAMAGED, place, "damaged: a line is no `key: value'");
    line = end + 1;
  }
  return RECORDING_OK;
}
