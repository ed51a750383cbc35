/* adapter_fuzz.c: any bytes for the readers of the debug adapter: messages of an editor, and lines of gdb's. JSON that is written again and read once more is the
 * same; so is a text that is quoted for gdb. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "dap/messages.h"
#include "dap/mi.h"
#include "inspect/json.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void expect(bool condition) {
  if (!condition) abort();
}

static void write_value(struct json *json, const char *key, const struct value *value) {
  switch (value->kind) {
    case VALUE_NULL:
      json_written(json, key, "null");
      break;
    case VALUE_FALSE:
    case VALUE_TRUE:
      json_bool(json, key, value->kind == VALUE_TRUE);
      break;
    case VALUE_NUMBER:
      json_signed(json, key, 1);
      break;
    case VALUE_TEXT:
      json_string(json, key, value->text);
      break;
    case VALUE_LIST:
      json_open_list(json, key);
      for (const struct value *v = value->first; v; v = v->next) write_value(json, NULL, v);
      json_close_list(json);
      break;
    case VALUE_OBJECT:
      json_open_object(json, key);
      for (const struct value *v = value->first; v; v = v->next) write_value(json, v->name, v);
      json_close_object(json);
      break;
  }
}

/* As far as it has to be: numbers are written as others, and bytes that are no UTF-8 become characters of their own. */
static bool same(const struct value *one, const struct value *other) {
  if (!other || one->kind != other->kind) return false;
  one = one->first;
  other = other->first;
  for (; one && other; one = one->next, other = other->next)
    if (!one->name != !other->name || !same(one, other)) return false;
  return !one && !other;
}

static void read_json(const char *text, size_t count) {
  char *written = NULL;
  size_t length = 0;
  struct value *value = json_read(text, count);
  FILE *to = open_memstream(&written, &length);
  expect(to);
  struct json json = json_begin(to);
  if (value) write_value(&json, "value", value);
  json_end(&json);
  fclose(to);
  /* One level more than is read. */
  struct value *again = json_read(written, length);
  if (value && again) expect(same(value, value_member(again, "value")));
  if (!value) expect(again && !again->first);
  value_free(again);
  value_free(value);
  free(written);
}

static void read_line(const char *line) {
  char *quoted = mi_quoted(line), *stream = NULL;
  expect(quoted && asprintf(&stream, "~%s", quoted) >= 0);
  struct mi_record *record = mi_read(line), *text = mi_read(stream);
  expect(text && text->kind == '~' && !strcmp(text->text, line));
  mi_free(record);
  mi_free(text);
  free(stream);
  free(quoted);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  struct message_reader reader = {0};
  for (size_t i = 0; i < size; i++) {
    enum message_news news = message_read(&reader, data[i]);
    if (news == MESSAGE_WRONG) break;
    if (news == MESSAGE_COMPLETE) {
      expect(reader.count == reader.wanted);
      read_json(reader.content, reader.count);
    }
  }
  message_reader_free(&reader);
  char *all = strndup((const char *)data, size);
  read_json(all, strlen(all));
  read_line(all);
  free(all);
  return 0;
}
