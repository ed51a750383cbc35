/* memory.c: memory and instructions. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "dap/adapter.h"

bool read_reference(struct adapter *adapter, const struct value *arguments, const char *name,
                    uint64_t *address) {
  const char *text = value_text(arguments, name);
  char *end = NULL;
  if (text && *text >= '0' && *text <= '9') {
    *address = strtoull(text, &end, 0);
    if (!*end) return true;
  }
  adapter_fail(adapter, "%s: this is no address", name);
  return false;
}

/* -- Memory ------------------------------------------------------------------------------------------------------------------ */

static int digit_of(char c) {
  return c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* Hexadecimal digits as base64, allocated. */
static char *to_base64(const char *digits, size_t *bytes) {
  static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  size_t count = strlen(digits) / 2;
  char *text = malloc((count + 2) / 3 * 4 + 1), *to = text;
  for (size_t at = 0; text && at < count; at += 3) {
    uint32_t group = 0;
    for (size_t i = 0; i < 3; i++) {
      uint32_t byte = at + i < count ? (uint32_t)digit_of(digits[2 * (at + i)]) << 4 |
                                           (uint32_t)digit_of(digits[2 * (at + i) + 1])
                                     : 0;
      group = group << 8 | (byte & 0xff);
    }
    for (size_t i = 0; i < 4; i++) *to++ = (char)(at + i > count ? '=' : letters[group >> (18 - 6 * i) & 63]);
  }
  if (text) *to = 0;
  *bytes = count;
  return text;
}

void serve_read_memory(struct adapter *adapter, const struct value *arguments, struct json *body) {
  enum { BYTES_MOST = 1 << 20 };
  uint64_t address;
  int64_t wanted = value_number(arguments, "count", -1);
  size_t bytes = 0;
  if (!read_reference(adapter, arguments, "memoryReference", &address)) return;
  if (wanted < 0 || wanted > BYTES_MOST) {
    adapter_fail(adapter, "count: not from 0 to %d", BYTES_MOST);
    return;
  }
  address += (uint64_t)value_number(arguments, "offset", 0);
  json_address(body, "address", address);
  struct value *results = wanted ? try(adapter, "data-read-memory-bytes --thread %d 0x%" PRIx64 " %" PRId64,
                                       adapter->thread, address, wanted)
                                 : NULL;
  const struct value *part = value_list(results, "memory");
  const char *contents = value_text(part, "contents"), *begin = value_text(part, "begin");
  /* Parts that begin later have a hole before them. */
  if (contents && begin && strtoull(begin, NULL, 0) == address) {
    char *text = to_base64(contents, &bytes);
    json_string(body, "data", text);
    free(text);
  }
  if (wanted > (int64_t)bytes) json_signed(body, "unreadableBytes", wanted - (int64_t)bytes);
  value_free(results);
}

/* -- Instructions ------------------------------------------------------------------------------------------------------------ */

struct instructions {
  struct value **each;
  size_t count, room;
};

static void instructions_free(struct instructions *list) {
  for (size_t i = 0; i < list->count; i++) value_free(list->each[i]);
  free(list->each);
  *list = (struct instructions){0};
}

static uint64_t address_of(const struct value *instruction) {
  const char *text = value_text(instruction, "address");
  return text ? strtoull(text, NULL, 0) : 0;
}

/* Takes them out of gdb's answer. */
static void take_instructions(struct instructions *list, struct value *results) {
  struct value *all = results ? results->first : NULL;
  struct value *next = all && all->kind == VALUE_LIST ? all->first : NULL;
  if (next) all->first = NULL;
  for (struct value *one = next; one; one = next) {
    next = one->next;
    one->next = NULL;
    if (list->count == list->room) {
      list->room = list->room ? 2 * list->room : 64;
      list->each = realloc(list->each, list->room * sizeof(struct value *));
      if (!list->each) abort();
    }
    list->each[list->count++] = one;
  }
}

/* Those of the function that the address is in; false: there is none. */
static bool read_function(struct adapter *adapter, uint64_t address, struct instructions *list) {
  struct value *results = try(adapter, "data-disassemble -a 0x%" PRIx64 " -- 2", address);
  take_instructions(list, results);
  value_free(results);
  return list->count;
}

/* From the address on, as many bytes as can be read. */
static void read_range(struct adapter *adapter, uint64_t address, uint64_t bytes, struct instructions *list) {
  for (; bytes && !list->count; bytes /= 2) {
    struct value *results =
        try(adapter, "data-disassemble -s 0x%" PRIx64 " -e 0x%" PRIx64 " -- 2", address, address + bytes);
    take_instructions(list, results);
    value_free(results);
  }
}

static void describe(struct json *body, const struct value *instruction) {
  const char *function = value_text(instruction, "func-name");
  json_open_object(body, NULL);
  json_address(body, "address", address_of(instruction));
  json_string(body, "instructionBytes", value_text(instruction, "opcodes"));
  json_string(body, "instruction", value_text(instruction, "inst"));
  if (function && !value_number(instruction, "offset", 0)) json_string(body, "symbol", function);
  json_close_object(body);
}

/* The editor wants as many as it has asked for. */
static void describe_none(struct json *body, uint64_t address) {
  json_open_object(body, NULL);
  json_address(body, "address", address);
  json_string(body, "instruction", "??");
  json_string(body, "presentationHint", "invalid");
  json_close_object(body);
}

/* The `wanted` instructions before the address, as far back as functions are known, and as many of them as `most`. Where instructions differ in length, only the
 * beginning of a function tells where they begin. */
static void list_before(struct adapter *adapter, struct json *body, uint64_t address, int64_t wanted,
                        int64_t most) {
  struct instructions list = {0};
  if (wanted <= 0) return;
  if (!read_function(adapter, address, &list) || address_of(list.each[0]) == address) {
    instructions_free(&list);
    read_function(adapter, address - 1, &list);
  }
  size_t before = 0;
  while (before < list.count && address_of(list.each[before]) < address) before++;
  for (int64_t i = 0; i < wanted && i < most; i++) {
    int64_t index = (int64_t)before - wanted + i;
    if (index < 0 || (size_t)index >= list.count)
      describe_none(body, address - (uint64_t)(wanted - i));
    else
      describe(body, list.each[index]);
  }
  instructions_free(&list);
}

static void list_from(struct adapter *adapter, struct json *body, uint64_t address, int64_t skipped,
                      int64_t wanted) {
  enum { LONGEST = 16 };
  struct instructions list = {0};
  if (wanted <= 0) return;
  read_range(adapter, address, (uint64_t)(skipped + wanted) * LONGEST, &list);
  for (int64_t i = skipped; i < skipped + wanted; i++)
    if (i < (int64_t)list.count)
      describe(body, list.each[i]);
    else
      describe_none(body, address + (uint64_t)i);
  instructions_free(&list);
}

void serve_disassemble(struct adapter *adapter, const struct value *arguments, struct json *body) {
  enum { MOST = 10000 };
  uint64_t address;
  int64_t first = value_number(arguments, "instructionOffset", 0),
          count = value_number(arguments, "instructionCount", 0);
  if (!read_reference(adapter, arguments, "memoryReference", &address)) return;
  if (count < 0 || count > MOST || first < -MOST || first > MOST) {
    adapter_fail(adapter, "more than %d instructions", MOST);
    return;
  }
  address += (uint64_t)value_number(arguments, "offset", 0);
  json_open_list(body, "instructions");
  list_before(adapter, body, address, -first, count);
  list_from(adapter, body, address, first > 0 ? first : 0, first < 0 ? count + first : count);
  json_close_list(body);
}
