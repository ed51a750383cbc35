/* framing.h: packets of the remote protocol as bytes: `$…#cc` with its checksum, acknowledgements, escapes (framing.c). */
#ifndef REPRISE_DEBUG_FRAMING_H
#define REPRISE_DEBUG_FRAMING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { PACKET_MAX = 0x4000 };

enum packet_news {
  PACKET_NOTHING,   /* it needs more bytes */
  PACKET_COMPLETE,  /* there is one, with a zero behind it */
  PACKET_WRONG,     /* one with another checksum, or too long: to be sent again */
  PACKET_INTERRUPT, /* a byte 3 between packets */
  PACKET_REFUSED,   /* the other side wants the last reply again */
};

struct packet_reader {
  enum { READS_NOTHING, READS_CONTENT, READS_ESCAPED, READS_FIRST_DIGIT, READS_SECOND_DIGIT } state;
  uint8_t sum, digits;
  bool too_long;
  size_t count;
  char content[PACKET_MAX + 1];
};

/* Takes one byte that has arrived. */
enum packet_news packet_read(struct packet_reader *reader, uint8_t byte);

/* The answer to a packet. Bytes that do not fit are left out, and the reply is then an error. */
struct reply {
  size_t count;
  bool too_long;
  char content[PACKET_MAX + 1];
};

void reply_clear(struct reply *reply);
void reply_text(struct reply *reply, const char *pattern, ...) __attribute__((format(printf, 2, 3)));
void reply_hex(struct reply *reply, const void *bytes, size_t count);
/* Adds the bytes, escaped; returns how many of them fit. */
size_t reply_binary(struct reply *reply, const void *bytes, size_t count);
/* `$…#cc` of the reply; to has 2 * PACKET_MAX bytes. */
size_t reply_frame(const struct reply *reply, uint8_t *to);

/* Reads hexadecimal digits: a number, and where they end; bytes, and how many. */
const char *packet_number(const char *text, uint64_t *value);
size_t packet_bytes(const char *text, void *to, size_t most);

#endif
