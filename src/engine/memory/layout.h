/* layout.h: the addresses of the program's parts, for the kernel and for core files (layout.c). */
#ifndef REPRISE_ENGINE_LAYOUT_H
#define REPRISE_ENGINE_LAYOUT_H

#include <stddef.h>
#include <stdint.h>

struct layout {
  uintptr_t sp, top; /* the initial stack */
  uintptr_t entry;   /* of the program's code */
  uintptr_t heap;
};

/* The program as it was started, and its finished auxiliary vector. */
void layout_keep(const struct layout *layout, const void *auxv, size_t bytes);
/* Tells the kernel the addresses of arguments and environment on a new stack, so that ps(1) and its like show them. If the
 * kernel refuses, they show none. The stack's content may be senseless. */
void layout_announce(const struct layout *layout);
/* The same, and the finished vector, for the program as it was started. */
void layout_announce_program(void);
/* The stack pointer with which the program was started. */
uintptr_t layout_sp(void);
/* The finished vector, for /proc/self/auxv. */
const void *layout_auxv(size_t *bytes);

#endif
