/* value.c: see value.h. */
#include "dap/value.h"

#include <stdlib.h>
#include <string.h>

struct value *value_new(enum value_kind kind) {
  struct value *value = calloc(1, sizeof *value);
  if (value) value->kind = kind;
  return value;
}

void value_free(struct value *value) {
  while (value) {
    struct value *next = value->next;
    value_free(value->first);
    free(value->name);
    free(value->text);
    free(value);
    value = next;
  }
}

const struct value *value_member(const struct value *value, const char *name) {
  if (!value || value->kind != VALUE_OBJECT) return NULL;
  for (const struct value *member = value->first; member; member = member->next)
    if (member->name && !strcmp(member->name, name)) return member;
  return NULL;
}

const struct value *value_list(const struct value *value, const char *name) {
  const struct value *list = value_member(value, name);
  return list && list->kind == VALUE_LIST ? list->first : NULL;
}

const char *value_text(const struct value *value, const char *name) {
  const struct value *member = value_member(value, name);
  return member && member->kind == VALUE_TEXT ? member->text : NULL;
}

int64_t value_number(const struct value *value, const char *name, int64_t otherwise) {
  const double most = 9007199254740992.0; /* beyond, a double is no exact number */
  const struct value *member = value_member(value, name);
  if (!member) return otherwise;
  if (member->kind == VALUE_TEXT) {
    char *end;
    int64_t number = strtoll(member->text, &end, 0);
    return end == member->text || *end ? otherwise : number;
  }
  bool fits = member->kind == VALUE_NUMBER && member->number >= -most && member->number <= most;
  return fits ? (int64_t)member->number : otherwise;
}

bool value_truth(const struct value *value, const char *name, bool otherwise) {
  const struct value *member = value_member(value, name);
  if (!member || (member->kind != VALUE_TRUE && member->kind != VALUE_FALSE)) return otherwise;
  return member->kind == VALUE_TRUE;
}

size_t utf8_put(char *to, uint32_t character) {
  if (character < 0x80) {
    to[0] = (char)character;
    return 1;
  }
  size_t bytes = character < 0x800 ? 2 : character < 0x10000 ? 3 : 4;
  static const uint8_t heads[] = {0, 0, 0xc0, 0xe0, 0xf0};
  for (size_t i = bytes - 1; i; i--, character >>= 6) to[i] = (char)(0x80 | (character & 0x3f));
  to[0] = (char)(heads[bytes] | character);
  return bytes;
}
