/* solved.h: the order that `reprise solve` has found, as a replay reads it: order logs of all threads, in which no memory is open (solved.c). */
#ifndef REPRISE_SPHERE_SOLVED_H
#define REPRISE_SPHERE_SOLVED_H

#include "recording/recording.h"

struct solved;

/* Reads the whole; RECORDING_ABSENT if the recording has none. */
int solved_load(struct recording_reader *reader, struct solved **out, struct recording_error *error);
/* The order log of a thread, empty if it has none. Valid until the order is dropped. */
const uint8_t *solved_find(const struct solved *solved, uint32_t thread, size_t *count);
void solved_drop(struct solved *solved);

/* Writes the order logs of the threads, one after the other. */
int solved_write(struct recording_image *image, uint32_t thread, const uint8_t *bytes, size_t count,
                 struct recording_error *error);

#endif
