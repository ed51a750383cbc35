/* checkpoint.h: a sphere as it was at one of FDR's checkpoints, from which it can be replayed.
 *
 * FDR section 3: a logical checkpoint is the final memory with the old bytes of the checkpoint logs put back, plus the state of processors then. Here
 * the latter is the kernel's state of the process and its threads. It is noted when a checkpoint begins; when the process ends, the
 * oldest checkpoint whose logs are still there becomes an image that goes into the recording.
 *
 * A checkpoint is put off while a thread of a recorded sphere is in the kernel and does not wait there. None is noted of a sphere that has
 * several processes just then, or for which the disk has worked, or that has shared memory segments, or whose stores go through buffers: that is replayed from its beginning. */
#ifndef REPRISE_SIM_CHECKPOINT_H
#define REPRISE_SIM_CHECKPOINT_H

#include "sim/kernel/kernel.h"

struct checkpoints; /* of a sphere: sphere->checkpoints */

/* From now on: whenever the machine's checkpoint log begins an interval. */
void checkpoints_begin(struct machine *machine);
void checkpoints_free(struct sphere *sphere);
/* The image to be stored, NULL if there is none. */
const uint8_t *checkpoints_image(const struct sphere *sphere, size_t *count);

/* Makes the process of an image, ready to go on, in a sphere whose logs have been read. NULL after kernel_fail. */
struct process *checkpoint_start(struct kernel *kernel, struct sphere *sphere, const uint8_t *image,
                                 size_t count);

#endif
