/* lasting_marks.h: what in the code of a block depends on where the code and its source lie, noted while it is emitted.
 *
 * With these notes the code of a block can be kept, and put to another place of the cache, of the program and of the engine's tables (lasting_blocks.c).
 * The architecture rewrites the marked places: arch_detach to a form that does not depend on a place, arch_attach from it. */
#ifndef REPRISE_ENGINE_LASTING_MARKS_H
#define REPRISE_ENGINE_LASTING_MARKS_H

#include <stdbool.h>
#include <stdint.h>

enum lasting_mark {
  LASTING_EXIT,       /* the arena offset of an exit */
  LASTING_ENGINE,     /* a jump to code of the engine */
  LASTING_HEAT,       /* the block's counter of entries */
  LASTING_ADDRESS,    /* an address of the program, a fixed distance from the block's pc */
  LASTING_NEGATED,    /* the same with its sign changed */
  LASTING_HIGH_HALF,  /* -(pc >> 16) */
  LASTING_MOVED,      /* an address of the program, in several instructions */
  LASTING_PERMISSION, /* where the permission for an address of the program lies in the thread's map */
  LASTING_COUNT,      /* the word of the position in which the block counts */
  LASTING_FIXED, /* an address of the program in a form that depends on its value: the block can't be moved */
};

struct lasting_place {
  uint16_t at; /* bytes from the beginning of the code, its checking entry included */
  uint16_t kind;
};
enum { LASTING_PLACES = 1024 };

struct lasting_marks {
  const uint8_t *start;
  bool fixed; /* there was LASTING_FIXED */
  bool lost; /* not all marks are here, or the code depends on more than they tell: the block can't be kept */
  bool repeats; /* it has, or ends before, a repeated instruction: see lasting_files.c */
  uint16_t count;
  struct lasting_place places[LASTING_PLACES];
};

static inline void lasting_note(struct lasting_marks *marks, const void *at, enum lasting_mark kind) {
  unsigned long offset = (unsigned long)((const uint8_t *)at - marks->start);
  if (kind == LASTING_FIXED) {
    marks->fixed = true;
  } else if (offset > UINT16_MAX || marks->count == LASTING_PLACES) {
    marks->lost = true;
  } else {
    marks->places[marks->count++] = (struct lasting_place){.at = (uint16_t)offset, .kind = (uint16_t)kind};
  }
}

#endif
