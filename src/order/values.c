/* values.c: what threads have seen of open memory, and the log of what they had not. See values.h. */
#include "order/values.h"

uint8_t *values_see(struct values_seen *seen, uint64_t line) {
  uint64_t place = line / VALUES_LINE % VALUES_LINES;
  uint8_t *bytes = seen->lines[place];
  if (seen->tags[place] == line + 1) return bytes;
  seen->tags[place] = line + 1;
  for (unsigned i = 0; i < VALUES_LINE; i++) bytes[i] = 0;
  return bytes;
}

void values_forget(struct values_seen *seen) {
  for (unsigned i = 0; i < VALUES_LINES; i++) seen->tags[i] = 0;
}

/* One more than the last byte of the run that begins there. */
static unsigned end_of_run(const uint8_t *now, const uint8_t *seen, unsigned at, unsigned end) {
  unsigned last = at;
  for (unsigned i = at + 1; i < end && i <= last + 1 + VALUES_GAP; i++)
    if (now[i] != seen[i]) last = i;
  return last + 1;
}

size_t values_encode(uint64_t since, struct values_part part, const uint8_t *now, uint8_t *seen,
                     uint8_t *to) {
  size_t length = 0;
  unsigned end = part.from + part.count;
  for (unsigned at = part.from; at < end; at++) {
    if (now[at] == seen[at]) continue;
    unsigned behind = end_of_run(now, seen, at, end);
    length += varint_put(to + length, since * VALUES_LINE + at);
    length += varint_put(to + length, behind - at);
    for (; at < behind; at++) to[length++] = seen[at] = now[at];
    since = 0;
  }
  return length;
}

int values_decode(const uint8_t *bytes, size_t length, struct values_run *run) {
  uint64_t where, count;
  if (!length) return 0;
  int used = varint_get(&where, bytes, length);
  if (used <= 0) return -1;
  int more = varint_get(&count, bytes + used, length - (size_t)used);
  if (more <= 0) return -1;
  unsigned offset = (unsigned)(where % VALUES_LINE);
  if (!count || count > VALUES_LINE - offset) return -1;
  if (count > length - (size_t)used - (size_t)more) return -1;
  *run = (struct values_run){
      .since = where / VALUES_LINE, .offset = offset, .count = (unsigned)count, .bytes = bytes + used + more};
  return used + more + (int)count;
}
