/* restart_log.h: input logs of threads that are to begin in their middle (restart_log.c). */
#ifndef REPRISE_TRAVEL_RESTART_LOG_H
#define REPRISE_TRAVEL_RESTART_LOG_H

#include "contract/region.h"
#include "recording/recording.h"

struct restart_log;

/* Takes the codecs of all threads that live out of the region, where they begin anew. NULL without memory. */
struct restart_log *restart_log_open(struct region *copy);
void restart_log_close(struct restart_log *log);

/* Appends a frame of an input log, events of a thread that lived at that time stored relative to the first of them. */
int restart_log_append(struct restart_log *log, struct recording_writer *writer, uint32_t thread,
                       uint64_t first, uint64_t last, const uint8_t *bytes, size_t length,
                       struct recording_error *error);

#endif
