/* values.c: what threads have seen of open memory, and the log of what they had not. See values.h. */
#include "order/values.h"

uint8_t *values_see(struct values_seen *seen, uint64_t line) {
  struct values_line *entry = &seen->lines[line / VALUES_LINE % VALUES_LINES];
  if (entry->address == line + 1) return entry->bytes;
  entry->address = line + 1;
  for (unsigned i = 0; i < VALUES_LINE; i++) entry->bytes[i] = 0;
  return entry->bytes;
}

/* One more than the last byte of the run that begins there. */
static unsigned end_of_run(const uint8_t *now, const uint8_t *seen, unsigned at, unsigned end) {
  unsigned last = at;
  for (unsigned i = at + 1; i < end && i <= last + 1 + VALUES_GAP; i++)
    if (now[i] != seen[i]) last = i;
  return last + 1;
}

size_t values_encode(unsigned part, const struct values_part *what, const uint8_t *now, uint8_t *seen,
                     uint8_t *to) {
  size_t length = 0;
  unsigned end = what->from + what->count;
  for (unsigned at = what->from; at < end; at++) {
    if (now[at] == seen[at]) continue;
    unsigned behind = end_of_run(now, seen, at, end);
    length += varint_put(to + length, part * VALUES_LINE + at);
    length += varint_put(to + length, behind - at);
    for (; at < behind; at++) to[length++] = seen[at] = now[at];
  }
  return length;
}

int values_decode(const struct values_part *parts, unsigned count, const uint8_t *bytes, size_t length,
                  struct values_run *run) {
  uint64_t where, much;
  if (!length) return 0;
  int used = varint_get(&where, bytes, length);
  if (used <= 0 || where / VALUES_LINE >= count) return -1;
  int more = varint_get(&much, bytes + used, length - (size_t)used);
  if (more <= 0) return -1;
  const struct values_part *part = &parts[where / VALUES_LINE];
  unsigned offset = (unsigned)(where % VALUES_LINE), end = part->from + part->count;
  if (offset < part->from || offset >= end || !much || much > end - offset) return -1;
  if (much > length - (size_t)used - (size_t)more) return -1;
  *run = (struct values_run){.part = (unsigned)(where / VALUES_LINE),
                             .offset = offset,
                             .count = (unsigned)much,
                             .bytes = bytes + used + more};
  return used + more + (int)much;
}
