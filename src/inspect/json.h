/* json.h: writes JSON objects, each on a line of its own (json.c). */
#ifndef REPRISE_INSPECT_JSON_H
#define REPRISE_INSPECT_JSON_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

struct json {
  FILE *to;
  bool comma; /* something stands before */
};

struct json json_begin(FILE *to);
void json_end(struct json *json);

/* Objects and lists within it. The key of all that stands in a list is NULL. */
void json_open_object(struct json *json, const char *key);
void json_close_object(struct json *json);
void json_open_list(struct json *json, const char *key);
void json_close_list(struct json *json);

void json_string(struct json *json, const char *key, const char *value); /* NULL: left out */
void json_number(struct json *json, const char *key, uint64_t value);
void json_signed(struct json *json, const char *key, int64_t value);
void json_bool(struct json *json, const char *key, bool value);
/* As "0x…": beyond what many readers take for a number. */
void json_address(struct json *json, const char *key, uint64_t value);
void json_addresses(struct json *json, const char *key, const uint64_t *values, size_t count);
/* As a string of hexadecimal digits. */
void json_bytes(struct json *json, const char *key, const uint8_t *bytes, size_t count);
/* What is JSON already. */
void json_written(struct json *json, const char *key, const char *written);

#endif
