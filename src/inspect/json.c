/* json.c: see json.h. Strings that are no UTF-8 are taken byte by byte, so that every line is JSON whatever a recording holds. Characters
 * that a terminal would not show as themselves are escaped. */
#include "inspect/json.h"

#include <inttypes.h>

#include "recording/plain.h"

struct json json_begin(FILE *to) {
  putc('{', to);
  return (struct json){to, false};
}

void json_end(struct json *json) {
  fputs("}\n", json->to);
}

static void quoted(FILE *to, const char *text) {
  putc('"', to);
  while (*text) {
    uint32_t number;
    bool well_formed;
    size_t bytes = plain_next(text, &number, &well_formed);
    if (number >= 0x10000 && !plain_is_shown(number))
      fprintf(to, "\\u%04x\\u%04x", 0xd7c0 + (number >> 10), 0xdc00 + (number & 0x3ff));
    else if (!well_formed || !plain_is_shown(number))
      fprintf(to, "\\u%04x", number);
    else if (*text == '"' || *text == '\\')
      fprintf(to, "\\%c", *text);
    else
      fwrite(text, 1, bytes, to);
    text += bytes;
  }
  putc('"', to);
}

static void key_of(struct json *json, const char *key) {
  if (json->comma) fputs(", ", json->to);
  json->comma = true;
  if (!key) return;
  quoted(json->to, key);
  fputs(": ", json->to);
}

static void open_part(struct json *json, const char *key, char with) {
  key_of(json, key);
  putc(with, json->to);
  json->comma = false;
}

static void close_part(struct json *json, char with) {
  putc(with, json->to);
  json->comma = true;
}

void json_open_object(struct json *json, const char *key) {
  open_part(json, key, '{');
}

void json_close_object(struct json *json) {
  close_part(json, '}');
}

void json_open_list(struct json *json, const char *key) {
  open_part(json, key, '[');
}

void json_close_list(struct json *json) {
  close_part(json, ']');
}

void json_written(struct json *json, const char *key, const char *written) {
  key_of(json, key);
  fputs(written, json->to);
}

void json_string(struct json *json, const char *key, const char *value) {
  if (!value) return;
  key_of(json, key);
  quoted(json->to, value);
}

void json_number(struct json *json, const char *key, uint64_t value) {
  key_of(json, key);
  fprintf(json->to, "%" PRIu64, value);
}

void json_signed(struct json *json, const char *key, int64_t value) {
  key_of(json, key);
  fprintf(json->to, "%" PRId64, value);
}

void json_bool(struct json *json, const char *key, bool value) {
  key_of(json, key);
  fputs(value ? "true" : "false", json->to);
}

void json_address(struct json *json, const char *key, uint64_t value) {
  key_of(json, key);
  fprintf(json->to, "\"0x%" PRIx64 "\"", value);
}

void json_addresses(struct json *json, const char *key, const uint64_t *values, size_t count) {
  key_of(json, key);
  putc('[', json->to);
  for (size_t i = 0; i < count; i++) fprintf(json->to, "%s\"0x%" PRIx64 "\"", i ? ", " : "", values[i]);
  putc(']', json->to);
}

void json_bytes(struct json *json, const char *key, const uint8_t *bytes, size_t count) {
  key_of(json, key);
  putc('"', json->to);
  for (size_t i = 0; i < count; i++) fprintf(json->to, "%02x", bytes[i]);
  putc('"', json->to);
}
