/* json.c: see json.h. What is no UTF-8 is taken byte by byte, so that every line is JSON whatever a recording holds. */
#include "cli/json.h"

#include <inttypes.h>

struct json json_begin(FILE *to) {
  putc('{', to);
  return (struct json){to, false};
}

void json_end(struct json *json) {
  fputs("}\n", json->to);
}

/* How many bytes of a well-formed character there are; 0: none. */
static int character(const unsigned char *at) {
  int more = *at < 0x80                  ? 0
             : *at >= 0xc2 && *at < 0xe0 ? 1
             : *at >= 0xe0 && *at < 0xf0 ? 2
             : *at >= 0xf0 && *at < 0xf5 ? 3
                                         : -1;
  if (more < 0) return 0;
  for (int i = 1; i <= more; i++)
    if ((at[i] & 0xc0) != 0x80) return 0;
  if ((*at == 0xe0 && at[1] < 0xa0) || (*at == 0xed && at[1] > 0x9f)) return 0;
  if ((*at == 0xf0 && at[1] < 0x90) || (*at == 0xf4 && at[1] > 0x8f)) return 0;
  return 1 + more;
}

static void quoted(FILE *to, const char *text) {
  const unsigned char *at = (const unsigned char *)text;
  putc('"', to);
  while (*at) {
    int n = character(at);
    if (!n || *at < ' ' || *at == 0x7f)
      fprintf(to, "\\u%04x", *at);
    else if (*at == '"' || *at == '\\')
      fprintf(to, "\\%c", *at);
    else
      fwrite(at, 1, (size_t)n, to);
    at += n ? n : 1;
  }
  putc('"', to);
}

static void key_of(struct json *json, const char *key) {
  if (json->comma) fputs(", ", json->to);
  json->comma = true;
  quoted(json->to, key);
  fputs(": ", json->to);
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
