/* window.h: a replay of a part of a recording, between stored checkpoints (window.c). */
#ifndef REPRISE_TRAVEL_WINDOW_H
#define REPRISE_TRAVEL_WINDOW_H

#include "recording/recording.h"
#include "sphere/replay.h"
#include "travel/image.h"

enum { WINDOW_WHOLE = IMAGE_NONE };

/* image_begins() of the recording at the path. */
int64_t window_begins(const char *path);

/* A replay from one image on, or from the beginning, to another, or to the end: the numbers of images, or WINDOW_WHOLE. It needs a debugged replay if there is
 * an end (settings.debugged). */
const struct replay_driver *window_driver(int64_t from, int64_t until);

#endif
