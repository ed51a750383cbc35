/* error.h: how the recording library reports a failure (error.c). */
#ifndef REPRISE_RECORDING_ERROR_H
#define REPRISE_RECORDING_ERROR_H

#include "recording/recording.h"

/* Both fill *error unless it is NULL with "PLACE: MESSAGE" and give the status, for `return recording_fail(…)`. A place that
 * is too long loses its beginning, so that the message is always whole. Macros, so that analysers see which status it is. */
#define recording_fail(error, kind, ...) (recording_explain(error, kind, __VA_ARGS__), (int)(kind))
/* RECORDING_SYSTEM from errno: "PLACE: WHAT: No space left on device". */
#define recording_fail_errno(error, place, what) \
  (recording_explain_errno(error, place, what), (int)RECORDING_SYSTEM)

void recording_explain(struct recording_error *error, enum recording_status kind, const char *place,
                       const char *pattern, ...) __attribute__((format(printf, 4, 5)));
void recording_explain_errno(struct recording_error *error, const char *place, const char *what);

#endif
