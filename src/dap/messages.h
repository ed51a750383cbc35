/* messages.h: the frames of the debug adapter protocol: lines of a header, an empty one, and as many bytes as it says (messages.c). */
#ifndef REPRISE_DAP_MESSAGES_H
#define REPRISE_DAP_MESSAGES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { MESSAGE_MAX = 1 << 24, MESSAGE_LINE_MAX = 256 };

enum message_news {
  MESSAGE_NOTHING,  /* it needs more bytes */
  MESSAGE_COMPLETE, /* there is one, with a zero behind it */
  MESSAGE_WRONG,    /* what follows can't be understood any more */
};

struct message_reader {
  char line[MESSAGE_LINE_MAX + 1];
  size_t line_count;
  bool has_length, in_content;
  size_t wanted, count, room;
  char *content;
  const char *mistake; /* after MESSAGE_WRONG */
};

/* Takes one byte that has arrived. */
enum message_news message_read(struct message_reader *reader, uint8_t byte);
void message_reader_free(struct message_reader *reader);

#endif
