/* path.h: where a thread went from a hot block on (code/paths.h). */
#ifndef REPRISE_ENGINE_PATH_H
#define REPRISE_ENGINE_PATH_H

#include <stdbool.h>
#include <stdint.h>

enum { PATH_STEPS = 40 };

struct path {
  uintptr_t head; /* where it starts; 0 while none is being noted */
  uintptr_t next; /* where it goes on */
  unsigned count;
  unsigned instructions; /* of all steps */
  bool indirect;         /* one of them ends with an indirect branch */
  struct {
    uintptr_t pc;
    unsigned instructions;
  } steps[PATH_STEPS];
};

#endif
