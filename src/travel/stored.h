/* stored.h: the images of a recording that can be used here (stored.c). */
#ifndef REPRISE_TRAVEL_STORED_H
#define REPRISE_TRAVEL_STORED_H

#include "contract/region_debug.h"
#include "recording/recording.h"
#include "travel/image.h"

struct stored_image {
  uint32_t number;
  struct debug_moment moment;
  uint32_t threads;                 /* that have begun */
  struct image_position *positions; /* of those that live */
  uint32_t position_count;
};

struct stored {
  struct stored_image *all; /* by moment, no two of the same */
  size_t count;
};

/* Images that are damaged, of another build or of another machine are left out: whoever looks for a place begins earlier. */
void stored_open(struct stored *stored, struct recording_reader *reader);
void stored_close(struct stored *stored);

/* The latest image before a moment; before the thread has come to the position; and of all. NULL: there is none. */
const struct stored_image *stored_before(const struct stored *stored, const struct debug_moment *moment);
const struct stored_image *stored_before_position(const struct stored *stored, uint32_t thread,
                                                  uint64_t position);
const struct stored_image *stored_last(const struct stored *stored);

#endif
