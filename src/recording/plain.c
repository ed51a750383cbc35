/* plain.c: see plain.h. Names are chosen by others: a file may be called ESC ]0;… or have its ending turned round. */
#include "recording/plain.h"

#include <string.h>

/* How many bytes follow the first, -1: it begins nothing. */
static int bytes_behind(unsigned char first) {
  if (first < 0x80) return 0;
  if (first >= 0xc2 && first < 0xe0) return 1;
  if (first >= 0xe0 && first < 0xf0) return 2;
  return first >= 0xf0 && first < 0xf5 ? 3 : -1;
}

size_t plain_next(const char *at, uint32_t *number, bool *well_formed) {
  static const uint32_t least[] = {0, 0x80, 0x800, 0x10000};
  const unsigned char *bytes = (const unsigned char *)at;
  int more = bytes_behind(*bytes);
  *well_formed = false;
  *number = *bytes;
  if (more < 0) return 1;
  uint32_t found = more ? *bytes & (0x3f >> more) : *bytes;
  for (int i = 1; i <= more; i++) {
    if ((bytes[i] & 0xc0) != 0x80) return 1;
    found = found << 6 | (bytes[i] & 0x3f);
  }
  if (found < least[more] || found > 0x10ffff || (found >= 0xd800 && found < 0xe000)) return 1;
  *well_formed = true;
  *number = found;
  return 1 + (size_t)more;
}

bool plain_is_shown(uint32_t number) {
  static const struct {
    uint32_t first, last;
  } hidden[] = {
      {0, 0x1f},        /* controls of the first set, ESC and ends of lines among them */
      {0x7f, 0x9f},     /* delete, and controls of the second set */
      {0x061c, 0x061c}, /* marks of direction */
      {0x200b, 0x200f}, /* of no width, and marks of direction */
      {0x2028, 0x202e}, /* ends of lines and paragraphs; embeddings and overrides of direction */
      {0x2060, 0x206f}, /* invisible ones; isolates of direction */
      {0xfeff, 0xfeff}, {0xfff9, 0xfffb}, {0xe0000, 0xe007f},
  };
  for (size_t i = 0; i < sizeof hidden / sizeof *hidden; i++)
    if (number >= hidden[i].first && number <= hidden[i].last) return false;
  return true;
}

void plain_text(char *text) {
  char *to = text;
  while (*text) {
    uint32_t number;
    bool well_formed;
    size_t bytes = plain_next(text, &number, &well_formed);
    if (well_formed && plain_is_shown(number)) {
      memmove(to, text, bytes);
      to += bytes;
    } else {
      *to++ = '?';
    }
    text += bytes;
  }
  *to = 0;
}

void plain_write(FILE *to, const char *text) {
  while (*text) {
    uint32_t number;
    bool well_formed;
    size_t bytes = plain_next(text, &number, &well_formed);
    if (well_formed && plain_is_shown(number))
      fwrite(text, 1, bytes, to);
    else
      putc('?', to);
    text += bytes;
  }
}
