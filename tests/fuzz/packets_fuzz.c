/* packets_fuzz.c: any bytes for the reader of a debugger's packets. A complete packet that is framed again and read once more is the same. */
#include <stdlib.h>
#include <string.h>

#include "debug/framing.h"

static void expect(bool condition) {
  if (!condition) abort();
}

static void read_again(const struct packet_reader *first) {
  static struct packet_reader second;
  static struct reply reply;
  static uint8_t frame[2 * PACKET_MAX];
  reply_clear(&reply);
  if (reply_binary(&reply, first->content, first->count) < first->count) return; /* escapes take more room */
  size_t count = reply_frame(&reply, frame);
  memset(&second, 0, sizeof second);
  for (size_t i = 0; i + 1 < count; i++) expect(packet_read(&second, frame[i]) == PACKET_NOTHING);
  expect(packet_read(&second, frame[count - 1]) == PACKET_COMPLETE);
  expect(second.count == first->count && !memcmp(second.content, first->content, first->count));
}

static void read_numbers(const struct packet_reader *reader) {
  static uint8_t bytes[PACKET_MAX];
  uint64_t value;
  const char *rest = packet_number(reader->content, &value);
  expect(rest >= reader->content && rest <= reader->content + strlen(reader->content));
  expect(packet_bytes(reader->content, bytes, sizeof bytes) <= reader->count / 2);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  static struct packet_reader reader;
  memset(&reader, 0, sizeof reader);
  for (size_t i = 0; i < size; i++) {
    enum packet_news news = packet_read(&reader, data[i]);
    expect(reader.count <= PACKET_MAX);
    if (news != PACKET_COMPLETE) continue;
    read_again(&reader);
    read_numbers(&reader);
  }
  return 0;
}
