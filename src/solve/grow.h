/* grow.h: arrays that grow by doubling. */
#ifndef REPRISE_SOLVE_GROW_H
#define REPRISE_SOLVE_GROW_H

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* array: the address of the pointer. */
static inline bool grow(void *array, size_t count, size_t *room, size_t size) {
  void *now;
  if (count < *room) return true;
  size_t more = *room ? *room * 2 : 16;
  memcpy(&now, array, sizeof now);
  now = realloc(now, more * size);
  if (!now) return false;
  memcpy(array, &now, sizeof now);
  *room = more;
  return true;
}

/* Room for one more element; false without memory. */
#define GROW(array, count, room) grow(&(array), count, &(room), sizeof *(array))

#endif
