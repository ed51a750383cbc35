/* record_flight.c: see record_flight.h. */
#include "cli/record_flight.h"

#include <stdlib.h>
#include <string.h>

enum { STATUS_MOST = 255 };

static bool parse_bytes(const char *text, uint64_t *bytes) {
  static const char units[] = "KMGT";
  enum { LEAST = 1 << 20, SHIFT = 10 };
  char *end;
  if (*text < '0' || *text > '9') return false;
  uint64_t value = strtoull(text, &end, 10);
  const char *unit = *end ? strchr(units, *end) : NULL;
  unsigned shift = unit ? SHIFT * (unsigned)(unit - units + 1) : 0;
  if ((*end && !unit) || (unit && end[1]) || (shift && value >> (63 - shift))) return false;
  *bytes = value << shift;
  return *bytes >= LEAST;
}

bool flight_parse_window(const char *text, struct flight_options *to) {
  static const struct {
    const char *name;
    double factor;
  } units[] = {{"ms", 1e3}, {"s", 1e6}, {"min", 60e6}, {"h", 3600e6}};
  enum { LEAST = 30000 }; /* a checkpoint every ten milliseconds */
  char *end;
  double value = strtod(text, &end);
  size_t length = strcspn(end, ",");
  if (end == text || !(value > 0) || value > 1e6) return false;
  for (size_t i = 0; i < sizeof units / sizeof *units; i++) {
    if (strlen(units[i].name) != length || strncmp(end, units[i].name, length) != 0) continue;
    to->window = (uint64_t)(value * units[i].factor);
    return to->window >= LEAST && (!end[length] || parse_bytes(end + length + 1, &to->bytes));
  }
  return false;
}

static bool parse_status(const char *text, uint32_t *status, const char **next) {
  char *end;
  unsigned long value = strtoul(text, &end, 10);
  *status = (uint32_t)value;
  *next = end;
  return *text >= '0' && *text <= '9' && value <= STATUS_MOST;
}

static bool parse_statuses(const char *text, struct flight_options *to) {
  if (!parse_status(text, &to->least, &text)) return false;
  to->most = to->least;
  if (*text == '-' && !parse_status(text + 1, &to->most, &text)) return false;
  return !*text && to->least <= to->most;
}

static bool parse_end(const char *word, struct flight_options *to) {
  if (!strcmp(word, "signal")) return to->on_signal = true;
  if (!strcmp(word, "end")) to->on_signal = true;
  if (strncmp(word, "exit", 4) != 0 && strcmp(word, "end") != 0) return false;
  to->on_status = true;
  to->least = word[1] == 'x';
  to->most = STATUS_MOST;
  return word[1] == 'n' || !word[4] || (word[4] == '=' && parse_statuses(word + 5, to));
}

bool flight_parse_trigger(const char *text, struct flight_options *to) {
  char word[32];
  to->on_signal = to->on_status = false;
  for (;; text++) {
    size_t length = strcspn(text, ",");
    if (length >= sizeof word) return false;
    memcpy(word, text, length);
    word[length] = 0;
    if (!parse_end(word, to)) return false;
    text += length;
    if (!*text) return true;
  }
}
