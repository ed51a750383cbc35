/* code_view.h: the addresses at which the code of the cache is written.
 *
 * Memory of a confined replay is never writable and executable in one mapping. There the cache is mapped twice: code is executed in
 * one view, at the addresses that all other files use, and written in the other (cache.c). Elsewhere both are one. */
#ifndef REPRISE_ENGINE_CODE_VIEW_H
#define REPRISE_ENGINE_CODE_VIEW_H

#include <stdint.h>

/* The distance from the address at which code is executed to that at which it is written. */
extern uintptr_t code_view_distance;

static inline void *code_written(const void *code) {
  return (void *)((uintptr_t)code + code_view_distance);
}

#endif
