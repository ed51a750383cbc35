/* mi.c: reads what gdb writes in its machine interface: [TOKEN]KINDclass,name=value,… where a value is "text", {name=value,…} or [value,…]. The elements
 * of a list may have names, too. */
#include "dap/mi.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct reader {
  const char *at;
  unsigned depth;
};

static struct value *read_value(struct reader *reader);

static bool is_octal(char c) {
  return c >= '0' && c <= '7';
}

static char read_escape(struct reader *reader) {
  static const char names[] = "abefnrtv", meanings[] = "\a\b\033\f\n\r\t\v";
  if (is_octal(*reader->at)) {
    unsigned byte = 0;
    for (int i = 0; i < 3 && is_octal(*reader->at); i++) byte = byte << 3 | (unsigned)(*reader->at++ - '0');
    return (char)(byte & 0xff ? byte : '?');
  }
  const char *found = strchr(names, *reader->at);
  char c = *reader->at++;
  return (char)(found ? meanings[found - names] : c);
}

/* Allocated; NULL: there is no text in quotes. */
static char *read_text(struct reader *reader) {
  if (*reader->at != '"') return NULL;
  char *text = malloc(strlen(reader->at)), *to = text;
  if (!text) return NULL;
  for (reader->at++; *reader->at && *reader->at != '"';) {
    bool escaped = *reader->at == '\\' && reader->at[1];
    if (escaped) reader->at++;
    *to++ = (char)(escaped ? read_escape(reader) : *reader->at++);
  }
  *to = 0;
  if (*reader->at == '"') {
    reader->at++;
    return text;
  }
  free(text);
  return NULL;
}

/* The name before a value; empty: it has none. */
static size_t name_length(const char *at) {
  size_t n = strcspn(at, "=\"{[]},");
  return at[n] == '=' ? n : 0;
}

static struct value *read_member(struct reader *reader) {
  size_t n = name_length(reader->at);
  char *name = n ? strndup(reader->at, n) : NULL;
  if (n) reader->at += n + 1;
  struct value *value = read_value(reader);
  if (value)
    value->name = name;
  else
    free(name);
  return value;
}

/* Members until `closes`, which may be the end of the line. */
static struct value *read_members(struct reader *reader, enum value_kind kind, char closes) {
  struct value *value = value_new(kind);
  struct value **next = value ? &value->first : NULL;
  if (value && *reader->at == closes) return reader->at += closes != 0, value;
  if (value && ++reader->depth <= VALUE_DEPTH)
    while ((*next = read_member(reader))) {
      next = &(*next)->next;
      if (*reader->at == ',') {
        reader->at++;
        continue;
      }
      if (*reader->at != closes) break;
      reader->depth--;
      return reader->at += closes != 0, value;
    }
  value_free(value);
  return NULL;
}

static struct value *read_value(struct reader *reader) {
  if (*reader->at == '{') return reader->at++, read_members(reader, VALUE_OBJECT, '}');
  if (*reader->at == '[') return reader->at++, read_members(reader, VALUE_LIST, ']');
  char *text = read_text(reader);
  struct value *value = text ? value_new(VALUE_TEXT) : NULL;
  if (value)
    value->text = text;
  else
    free(text);
  return value;
}

struct mi_record *mi_read(const char *line) {
  struct mi_record *record = calloc(1, sizeof *record);
  if (!record) return NULL;
  struct reader reader = {line, 0};
  for (; *reader.at >= '0' && *reader.at <= '9'; reader.at++)
    record->token = record->token * 10 + (uint64_t)(*reader.at - '0');
  record->kind = *reader.at;
  if (record->kind && strchr("~@&", record->kind)) {
    reader.at++;
    record->text = read_text(&reader);
    if (record->text && !*reader.at) return record;
  } else if (record->kind && strchr("^*=+", record->kind)) {
    size_t n = strcspn(++reader.at, ",");
    record->text = strndup(reader.at, n);
    reader.at += n + (reader.at[n] == ',');
    record->results = read_members(&reader, VALUE_OBJECT, 0);
    if (record->text && record->results) return record;
  } else if (!strncmp(reader.at, "(gdb)", 5)) {
    record->kind = 0;
    return record;
  }
  mi_free(record);
  return NULL;
}

void mi_free(struct mi_record *record) {
  if (!record) return;
  free(record->text);
  value_free(record->results);
  free(record);
}

char *mi_quoted(const char *text) {
  char *quoted = malloc(4 * strlen(text) + 3), *to = quoted;
  if (!quoted) return NULL;
  *to++ = '"';
  for (; *text; text++) {
    if ((unsigned char)*text < ' ')
      to += sprintf(to, "\\%03o", (unsigned)(unsigned char)*text);
    else if (*text == '"' || *text == '\\')
      *to++ = '\\', *to++ = *text;
    else
      *to++ = *text;
  }
  *to++ = '"';
  *to = 0;
  return quoted;
}
