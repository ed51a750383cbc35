/* framing.c: see framing.h. */
#include "debug/framing.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { ESCAPE = 0x7d, ESCAPE_BIT = 0x20, INTERRUPT = 3 };

static int digit_of(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

static void add(struct packet_reader *reader, uint8_t byte) {
  if (reader->count == PACKET_MAX)
    reader->too_long = true;
  else
    reader->content[reader->count++] = (char)byte;
}

static enum packet_news begin(struct packet_reader *reader, uint8_t byte) {
  if (byte == INTERRUPT) return PACKET_INTERRUPT;
  if (byte == '-') return PACKET_REFUSED;
  if (byte != '$') return PACKET_NOTHING;
  reader->state = READS_CONTENT;
  reader->sum = 0;
  reader->count = 0;
  reader->too_long = false;
  return PACKET_NOTHING;
}

static enum packet_news end(struct packet_reader *reader, uint8_t byte) {
  int first = digit_of((char)reader->digits), second = digit_of((char)byte);
  reader->state = READS_NOTHING;
  reader->content[reader->count] = 0;
  bool right = first >= 0 && second >= 0 && (first << 4 | second) == reader->sum;
  return right && !reader->too_long ? PACKET_COMPLETE : PACKET_WRONG;
}

enum packet_news packet_read(struct packet_reader *reader, uint8_t byte) {
  switch (reader->state) {
    case READS_NOTHING:
      return begin(reader, byte);
    case READS_CONTENT:
      if (byte == '$') return begin(reader, byte); /* the one before was never finished */
      if (byte == '#') {
        reader->state = READS_FIRST_DIGIT;
        return PACKET_NOTHING;
      }
      reader->sum = (uint8_t)(reader->sum + byte);
      if (byte == ESCAPE)
        reader->state = READS_ESCAPED;
      else
        add(reader, byte);
      return PACKET_NOTHING;
    case READS_ESCAPED:
      reader->sum = (uint8_t)(reader->sum + byte);
      reader->state = READS_CONTENT;
      add(reader, byte ^ ESCAPE_BIT);
      return PACKET_NOTHING;
    case READS_FIRST_DIGIT:
      reader->digits = byte;
      reader->state = READS_SECOND_DIGIT;
      return PACKET_NOTHING;
    case READS_SECOND_DIGIT:
      return end(reader, byte);
  }
  return PACKET_NOTHING;
}

/* -- Replies ----------------------------------------------------------------------------------------------------------------- */

void reply_clear(struct reply *reply) {
  reply->count = 0;
  reply->too_long = false;
  reply->content[0] = 0;
}

void reply_text(struct reply *reply, const char *pattern, ...) {
  va_list args;
  va_start(args, pattern);
  size_t room = PACKET_MAX - reply->count;
  int n = vsnprintf(reply->content + reply->count, room + 1, pattern, args);
  va_end(args);
  reply->too_long |= n < 0 || (size_t)n > room;
  if (!reply->too_long) reply->count += (size_t)n;
}

void reply_hex(struct reply *reply, const void *bytes, size_t count) {
  static const char digits[] = "0123456789abcdef";
  const uint8_t *from = bytes;
  reply->too_long |= count > (PACKET_MAX - reply->count) / 2;
  for (size_t i = 0; i < count && !reply->too_long; i++) {
    reply->content[reply->count++] = digits[from[i] >> 4];
    reply->content[reply->count++] = digits[from[i] & 15];
  }
  reply->content[reply->count] = 0;
}

static bool needs_escape(uint8_t byte) {
  return byte == '$' || byte == '#' || byte == '*' || byte == ESCAPE;
}

size_t reply_binary(struct reply *reply, const void *bytes, size_t count) {
  const uint8_t *from = bytes;
  size_t i = 0;
  for (; i < count && reply->count + 2 <= PACKET_MAX; i++) {
    bool escaped = needs_escape(from[i]);
    if (escaped) reply->content[reply->count++] = ESCAPE;
    reply->content[reply->count++] = (char)(escaped ? from[i] ^ ESCAPE_BIT : from[i]);
  }
  return i;
}

size_t reply_frame(const struct reply *reply, uint8_t *to) {
  const char *content = reply->too_long ? "E01" : reply->content;
  size_t count = reply->too_long ? 3 : reply->count;
  uint8_t sum = 0;
  char digits[3];
  to[0] = '$';
  for (size_t i = 0; i < count; i++) {
    to[1 + i] = (uint8_t)content[i];
    sum = (uint8_t)(sum + (uint8_t)content[i]);
  }
  snprintf(digits, sizeof digits, "%02x", sum);
  to[1 + count] = '#';
  memcpy(to + 2 + count, digits, 2);
  return count + 4;
}

/* -- Numbers ----------------------------------------------------------------------------------------------------------------- */

const char *packet_number(const char *text, uint64_t *value) {
  *value = 0;
  for (int digit; (digit = digit_of(*text)) >= 0; text++) *value = *value << 4 | (uint64_t)digit;
  return text;
}

size_t packet_bytes(const char *text, void *to, size_t most) {
  size_t i = 0;
  for (; i < most; i++) {
    int high = digit_of(text[2 * i]), low = high < 0 ? -1 : digit_of(text[2 * i + 1]);
    if (low < 0) break;
    ((uint8_t *)to)[i] = (uint8_t)(high << 4 | low);
  }
  return i;
}
