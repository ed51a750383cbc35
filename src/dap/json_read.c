/* json_read.c: reads JSON (RFC 8259). A zero and half a surrogate pair within a text become U+FFFD, so that every text is a string of C, and UTF-8
 * as far as its bytes are. */
#include <stdlib.h>
#include <string.h>

#include "dap/value.h"

enum { REPLACEMENT = 0xfffd };

struct reader {
  const char *at, *end; /* a zero stands at the end */
  unsigned depth;
};

static struct value *read_value(struct reader *reader);

static void skip_blanks(struct reader *reader) {
  while (reader->at < reader->end && strchr(" \t\r\n", *reader->at) && *reader->at) reader->at++;
}

static bool take(struct reader *reader, char c) {
  skip_blanks(reader);
  if (reader->at == reader->end || *reader->at != c) return false;
  reader->at++;
  return true;
}

/* -- Texts ------------------------------------------------------------------------------------------------------------------- */

static bool read_unit(struct reader *reader, uint32_t *unit) {
  *unit = 0;
  for (int i = 0; i < 4; i++) {
    char c = *reader->at; /* the zero at the end is no digit */
    int digit = c >= '0' && c <= '9'   ? c - '0'
                : c >= 'a' && c <= 'f' ? c - 'a' + 10
                : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                       : -1;
    if (digit < 0) return false;
    *unit = *unit << 4 | (uint32_t)digit;
    reader->at++;
  }
  return true;
}

/* Behind \u. */
static bool read_character(struct reader *reader, uint32_t *character) {
  uint32_t low;
  if (!read_unit(reader, character)) return false;
  if (*character >= 0xd800 && *character < 0xdc00 && reader->at[0] == '\\' && reader->at[1] == 'u') {
    struct reader behind = {reader->at + 2, reader->end, 0};
    if (!read_unit(&behind, &low)) return false;
    if (low >= 0xdc00 && low < 0xe000) {
      *character = 0x10000 + ((*character - 0xd800) << 10) + (low - 0xdc00);
      reader->at = behind.at;
    }
  }
  if (!*character || (*character >= 0xd800 && *character < 0xe000)) *character = REPLACEMENT;
  return true;
}

static bool read_escape(struct reader *reader, char **to) {
  static const char names[] = "\"\\/bfnrt", meanings[] = "\"\\/\b\f\n\r\t";
  uint32_t character;
  char name = *reader->at;
  const char *found = name ? strchr(names, name) : NULL;
  if (found) {
    *(*to)++ = meanings[found - names];
    reader->at++;
    return true;
  }
  if (name != 'u') return false;
  reader->at++;
  if (!read_character(reader, &character)) return false;
  *to += utf8_put(*to, character);
  return true;
}

/* Allocated: it is never longer than what stands between the quotes. */
static char *read_text(struct reader *reader) {
  if (!take(reader, '"')) return NULL;
  const char *end = reader->at;
  while (end < reader->end && *end != '"') end += *end == '\\' && end + 1 < reader->end ? 2 : 1;
  if (end >= reader->end) return NULL;
  char *text = malloc((size_t)(end - reader->at) + 1), *to = text;
  bool right = text;
  while (right && reader->at < end) {
    char c = *reader->at++;
    if (c == '\\')
      right = read_escape(reader, &to);
    else if ((unsigned char)c < ' ')
      right = false;
    else
      *to++ = c;
  }
  if (!right) {
    free(text);
    return NULL;
  }
  *to = 0;
  reader->at = end + 1;
  return text;
}

/* -- Values ------------------------------------------------------------------------------------------------------------------ */

static bool skip_digits(const char **at) {
  const char *start = *at;
  while (**at >= '0' && **at <= '9') ++*at;
  return *at > start;
}

static struct value *read_number(struct reader *reader) {
  const char *at = reader->at;
  if (*at == '-') at++;
  bool leads = *at == '0';
  const char *whole = at;
  if (!skip_digits(&at) || (leads && at > whole + 1)) return NULL;
  if (*at == '.' && (at++, !skip_digits(&at))) return NULL;
  if (*at == 'e' || *at == 'E') {
    at++;
    if (*at == '+' || *at == '-') at++;
    if (!skip_digits(&at)) return NULL;
  }
  struct value *value = value_new(VALUE_NUMBER);
  if (value) value->number = strtod(reader->at, NULL);
  reader->at = at;
  return value;
}

static struct value *read_word(struct reader *reader, const char *word, enum value_kind kind) {
  size_t n = strlen(word);
  if ((size_t)(reader->end - reader->at) < n || memcmp(reader->at, word, n)) return NULL;
  reader->at += n;
  return value_new(kind);
}

static struct value *read_member(struct reader *reader, bool named) {
  char *name = NULL;
  if (named && (!(name = read_text(reader)) || !take(reader, ':'))) {
    free(name);
    return NULL;
  }
  struct value *value = read_value(reader);
  if (value)
    value->name = name;
  else
    free(name);
  return value;
}

/* A list or an object, behind its opening. */
static struct value *read_members(struct reader *reader, enum value_kind kind) {
  char closes = kind == VALUE_LIST ? ']' : '}';
  struct value *value = value_new(kind);
  if (!value || take(reader, closes)) return value;
  struct value **next = &value->first;
  if (++reader->depth <= VALUE_DEPTH)
    while ((*next = read_member(reader, kind == VALUE_OBJECT))) {
      next = &(*next)->next;
      if (take(reader, ',')) continue;
      reader->depth--;
      if (take(reader, closes)) return value;
      break;
    }
  value_free(value);
  return NULL;
}

static struct value *read_value(struct reader *reader) {
  skip_blanks(reader);
  if (reader->at == reader->end) return NULL;
  switch (*reader->at) {
    case '{':
      reader->at++;
      return read_members(reader, VALUE_OBJECT);
    case '[':
      reader->at++;
      return read_members(reader, VALUE_LIST);
    case '"': {
      char *text = read_text(reader);
      struct value *value = text ? value_new(VALUE_TEXT) : NULL;
      if (value)
        value->text = text;
      else
        free(text);
      return value;
    }
    case 'n':
      return read_word(reader, "null", VALUE_NULL);
    case 't':
      return read_word(reader, "true", VALUE_TRUE);
    case 'f':
      return read_word(reader, "false", VALUE_FALSE);
    default:
      return read_number(reader);
  }
}

struct value *json_read(const char *text, size_t count) {
  struct reader reader = {text, text + count, 0};
  struct value *value = read_value(&reader);
  skip_blanks(&reader);
  if (value && reader.at == reader.end) return value;
  value_free(value);
  return NULL;
}
