/* error.c: one line for the user per failure. See error.h. */
#include "recording/error.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "recording/plain.h"

enum { PLACE_MAX = 300 };

static void explain(struct recording_error *error, enum recording_status kind, int number, const char *place,
                    const char *pattern, va_list args) {
  if (!error) return;
  size_t length = strlen(place);
  bool clipped = length > PLACE_MAX;
  error->kind = kind;
  error->number = number;
  int n = snprintf(error->text, sizeof error->text, "%s%s: ", clipped ? "..." : "",
                   clipped ? place + length - PLACE_MAX : place);
  vsnprintf(error->text + n, sizeof error->text - (size_t)n, pattern, args);
  plain_text(error->text);
}

void recording_explain(struct recording_error *error, enum recording_status kind, const char *place,
                       const char *pattern, ...) {
  va_list args;
  va_start(args, pattern);
  explain(error, kind, 0, place, pattern, args);
  va_end(args);
}

static void explain_number(struct recording_error *error, int number, const char *place, const char *pattern,
                           ...) {
  va_list args;
  va_start(args, pattern);
  explain(error, RECORDING_SYSTEM, number, place, pattern, args);
  va_end(args);
}

void recording_explain_errno(struct recording_error *error, const char *place, const char *what) {
  int number = errno;
  explain_number(error, number, place, "%s: %s", what, strerror(number));
}
