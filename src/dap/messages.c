/* messages.c: see messages.h. */
#include "dap/messages.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

static enum message_news wrong(struct message_reader *reader, const char *mistake) {
  reader->mistake = mistake;
  return MESSAGE_WRONG;
}

static enum message_news complete(struct message_reader *reader) {
  reader->content[reader->count] = 0;
  reader->in_content = reader->has_length = false;
  return MESSAGE_COMPLETE;
}

/* Room comes with the bytes: a header alone takes none. */
static bool make_room(struct message_reader *reader) {
  enum { LEAST = 4096 };
  if (reader->count + 1 < reader->room) return true;
  size_t room = reader->room ? 2 * reader->room : LEAST;
  char *larger = realloc(reader->content, room);
  if (!larger) return false;
  reader->content = larger;
  reader->room = room;
  return true;
}

static enum message_news begin_content(struct message_reader *reader) {
  if (!reader->has_length) return wrong(reader, "a header without Content-Length");
  reader->in_content = true;
  reader->count = 0;
  if (!make_room(reader)) return wrong(reader, "there is no memory");
  return reader->wanted ? MESSAGE_NOTHING : complete(reader);
}

static enum message_news take_line(struct message_reader *reader) {
  static const char name[] = "Content-Length:";
  char *line = reader->line, *end;
  if (reader->line_count && line[reader->line_count - 1] == '\r') reader->line_count--;
  line[reader->line_count] = 0;
  reader->line_count = 0;
  if (!*line) return begin_content(reader);
  if (!strchr(line, ':')) return wrong(reader, "a line that is no header");
  if (strncasecmp(line, name, strlen(name))) return MESSAGE_NOTHING;
  line += strlen(name);
  line += strspn(line, " \t");
  unsigned long length = strtoul(line, &end, 10);
  if (*line < '0' || *line > '9' || end[strspn(end, " \t")])
    return wrong(reader, "a Content-Length that is no number");
  if (length > MESSAGE_MAX) return wrong(reader, "a message that is too long");
  reader->wanted = length;
  reader->has_length = true;
  return MESSAGE_NOTHING;
}

enum message_news message_read(struct message_reader *reader, uint8_t byte) {
  if (reader->in_content) {
    if (!make_room(reader)) return wrong(reader, "there is no memory");
    reader->content[reader->count++] = (char)byte;
    return reader->count < reader->wanted ? MESSAGE_NOTHING : complete(reader);
  }
  if (byte == '\n') return take_line(reader);
  if (reader->line_count == MESSAGE_LINE_MAX) return wrong(reader, "a header that is too long");
  reader->line[reader->line_count++] = (char)byte;
  return MESSAGE_NOTHING;
}

void message_reader_free(struct message_reader *reader) {
  free(reader->content);
  *reader = (struct message_reader){0};
}
