/* triggers.c: what the program does that makes a flight recorder store the last part (travel/flight.c): a call of its own, or output with a certain text. */
#include <linux/uio.h>

#include "engine/base/lib.h"
#include "engine/border/sphere.h"
#include "engine/region/live.h"

/* The longest end of the text's first `count` bytes, other than all of them, that the text begins with. Texts are short, and most bytes of an output do not go on
 * with a match: so there is no table of these. */
static uint32_t shorter_match(const char *text, uint32_t count) {
  uint32_t shorter = count - 1;
  while (shorter && memcmp(text, text + count - shorter, shorter)) shorter--;
  return shorter;
}

/* Goes on with what the output before had of the text. */
static void search(uint32_t *matched, uintptr_t at, size_t count) {
  const char *text = config.trigger_text;
  const uint32_t length = (uint32_t)strlen(text);
  uint8_t bytes[256];
  for (uintptr_t end = at + count; at < end;) {
    size_t part = MIN(sizeof bytes, end - at);
    if (safe_copy(bytes, (const void *)at, part)) return;
    for (size_t i = 0; i < part; i++) {
      while (*matched && (uint8_t)text[*matched] != bytes[i]) *matched = shorter_match(text, *matched);
      if ((uint8_t)text[*matched] == bytes[i]) ++*matched;
      if (*matched < length) continue;
      *matched = 0;
      live_trigger();
    }
    at += part;
  }
}

static void search_vector(uint32_t *matched, uintptr_t vector, long parts, size_t count) {
  for (long i = 0; i < parts && count; i++) {
    struct iovec part;
    if (safe_copy(&part, (const struct iovec *)vector + i, sizeof part)) return;
    size_t bytes = MIN(part.iov_len, count);
    search(matched, (uintptr_t)part.iov_base, bytes);
    count -= bytes;
  }
}

/* Known limit: bytes that a call moves to the output from another file never were in the program's memory, and are not looked at. */
static void search_output(struct thread *thread, const struct call *call, size_t count) {
  uint32_t *matched = &region->checkpoint.matched[output_role(thread, (int)call->args[0])];
  switch (call->nr) {
    case __NR_write:
    case __NR_pwrite64:
      search(matched, (uintptr_t)call->args[1], count);
      break;
    case __NR_writev:
    case __NR_pwritev:
    case __NR_pwritev2:
      search_vector(matched, (uintptr_t)call->args[1], call->args[2], count);
      break;
    default:
      break;
  }
}

void triggers_after_call(struct thread *thread, const struct call *call, long result) {
  if (call->nr == __NR_prctl && call->args[0] == TRIGGER_CALL) live_trigger();
  if (*config.trigger_text && result > 0 && output_shows(thread, call))
    search_output(thread, call, (size_t)result);
}
