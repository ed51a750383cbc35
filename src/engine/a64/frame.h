/* frame.h (AArch64): signal frames (frame.c). */
#ifndef REPRISE_A64_FRAME_H
#define REPRISE_A64_FRAME_H

#include <stdint.h>

struct ucontext;

/* The syndrome that a frame of the kernel's tells of; 0 when it does not. */
uint64_t frame_syndrome(const struct ucontext *uc);

#endif
