/* grow.h: arrays that grow by doubling. */
#ifndef REPRISE_SOLVE_GROW_H
#define REPRISE_SOLVE_GROW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>

/* The array with room for more than `count` elements, perhaps at another place; NULL without memory: it is as it was. */
static inline void *grown(void *array, size_t count, size_t *room, size_t size) {
  if (array && count < *room) return array;
  size_t more = *room ? *room * 2 : 16;
  void *larger = realloc(array, more * size);
  if (larger) *room = more;
  return larger;
}

/* Room for one more element; false without memory. */
#define GROW(array, count, room)                                           \
  ({                                                                       \
    void *grown_array = grown((array), (count), &(room), sizeof *(array)); \
    if (grown_array) (array) = grown_array;                                \
    grown_array != NULL;                                                   \
  })

#endif
