/* image_load.h: the vessels of a stored checkpoint (image_load.c). */
#ifndef REPRISE_TRAVEL_IMAGE_LOAD_H
#define REPRISE_TRAVEL_IMAGE_LOAD_H

#include <sys/types.h>

#include "travel/image.h"

struct manager;
struct feed;

/* Makes a vessel of a process of the image, with the manager's settings: its channel and its id. */
int image_make_vessel(const struct image *image, uint32_t index, struct manager *manager, struct feed *feed,
                      int *channel, pid_t *pid, struct recording_error *error);
/* True once the vessel waits at its channel; false: it is gone. */
bool vessel_waits(int channel);
/* The memory that processes share, as a checkpoint has it. */
int image_take_shared(struct image *image, const char *path, uint32_t number, struct mapped_copies **out,
                      struct recording_error *error);

#endif
