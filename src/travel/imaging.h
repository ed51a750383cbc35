/* imaging.h: a replay that stores checkpoints in its recording (imaging.c). */
#ifndef REPRISE_TRAVEL_IMAGING_H
#define REPRISE_TRAVEL_IMAGING_H

#include "contract/region_debug.h"
#include "sphere/replay.h"

struct imaging {
  uint64_t every; /* microseconds of replay between two images, 0: none but at the moment … */
  const struct debug_moment *at; /* … or NULL */
  /* An image was stored. */
  void (*stored)(uint32_t number, const struct debug_moment *moment, uint64_t bytes);
};

/* The options of such a replay. It can be asked afterwards whether an image could not be stored, which it has told. */
struct replay_options imaging_options(const struct imaging *imaging, bool confined);
bool imaging_failed(void);

#endif
