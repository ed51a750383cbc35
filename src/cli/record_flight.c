/* record_flight.c: see record_flight.h. */
#include "cli/record_flight.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>

enum { STATUS_MOST = 255 };

/* A number of bytes, as 64M; *next: what is behind it. */
static bool parse_bytes(const char *text, uint64_t *bytes, const char **next) {
  static const char units[] = "KMGT";
  enum { LEAST = 1 << 20, SHIFT = 10 };
  char *end;
  if (*text < '0' || *text > '9') return false;
  uint64_t value = strtoull(text, &end, 10);
  const char *unit = *end ? strchr(units, *end) : NULL;
  unsigned shift = unit ? SHIFT * (unsigned)(unit - units + 1) : 0;
  if (shift && value >> (63 - shift)) return false;
  *bytes = value << shift;
  *next = end + (unit != NULL);
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
    const char *next = "";
    return to->window >= LEAST &&
           (!end[length] || (parse_bytes(end + length + 1, &to->bytes, &next) && !*next));
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

/* The first one that is named takes the place of the usual ones. */
static bool parse_end(const char *word, struct flight_options *to) {
  if (!to->ends_named) to->on_signal = to->on_status = false;
  to->ends_named = true;
  if (!strcmp(word, "signal")) return to->on_signal = true;
  if (!strcmp(word, "end")) to->on_signal = true;
  if (strncmp(word, "exit", 4) != 0 && strcmp(word, "end") != 0) return false;
  to->on_status = true;
  to->least = word[1] == 'x';
  to->most = STATUS_MOST;
  return word[1] == 'n' || !word[4] || (word[4] == '=' && parse_statuses(word + 5, to));
}

/* A signal's name, with or without SIG, or its number. */
static bool parse_signal(const char *text, struct flight_options *to) {
  enum { SIGNALS = 64 };
  char *end;
  if (!strncmp(text, "SIG", 3)) text += 3;
  for (int signo = 1; signo <= SIGNALS; signo++) {
    const char *name = sigabbrev_np(signo);
    bool named = name && !strcmp(text, name);
    if (named || (*text >= '0' && *text <= '9' && strtol(text, &end, 10) == signo && !*end)) {
      to->signals |= 1ull << (signo - 1);
      return true;
    }
  }
  return false;
}

/* What happens while the program runs. */
static bool parse_event(const char *word, struct flight_options *to) {
  const char *next = "";
  if (!strncmp(word, "caught=", 7)) return parse_signal(word + 7, to);
  if (!strncmp(word, "memory=", 7)) return parse_bytes(word + 7, &to->memory, &next) && !*next;
  return false;
}

static bool take_text(const char *text, struct flight_options *to) {
  if (!*text || strlen(text) >= sizeof to->text || *to->text) return false;
  strcpy(to->text, text); /* NOLINT: it fits */
  return true;
}

bool flight_parse_trigger(const char *text, struct flight_options *to) {
  char word[32];
  for (;; text++) {
    if (!strncmp(text, "output=", 7)) return take_text(text + 7, to);
    size_t length = strcspn(text, ",");
    if (length >= sizeof word) return false;
    memcpy(word, text, length);
    word[length] = 0;
    if (!parse_event(word, to) && !parse_end(word, to)) return false;
    text += length;
    if (!*text) return true;
  }
}
