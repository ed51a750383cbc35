/* frame.h (AArch64): signal frames (frame.c). */
#ifndef REPRISE_A64_FRAME_H
#define REPRISE_A64_FRAME_H

#include <stdint.h>

struct ucontext;

/* The syndrome in a signal frame of the kernel; 0 if the frame has none. */
uint64_t frame_syndrome(const struct ucontext *uc);

#endif
