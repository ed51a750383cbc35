/* paths.c: the path that a thread takes from a hot block on. See paths.h.
 *
 * It is the next path that is noted, not the most frequent: a frequent one is likely to be next (the observation behind
 * "next executing tail" trace selection). */
#include "engine/paths.h"

#include <stdatomic.h>

#include "engine/lib.h"

void path_begin(struct path *path, uintptr_t head) {
  path->head = path->next = head;
  path->count = path->instructions = 0;
  path->indirect = false;
}

bool path_is_complete(const struct path *path) {
  return path->count == PATH_STEPS || path->instructions >= PATH_INSTRUCTIONS;
}

void path_add(struct path *path, unsigned instructions) {
  path->steps[path->count].pc = path->next;
  path->steps[path->count++].instructions = instructions;
  path->instructions += instructions;
}

/* By the start of the step that the branch ends. What is lost or garbled by chance only makes for another guess. */
static struct {
  _Atomic uintptr_t pc, target;
  _Atomic unsigned seen;
} branches[1 << 12];

enum { SEEN_CHANGING = 0x10000 };

static unsigned slot_of(uintptr_t pc) {
  return (unsigned)(pc ^ pc >> 12) % COUNT_OF(branches);
}

void path_note_indirect(struct path *path) {
  path->indirect = true;
  uintptr_t pc = path->steps[path->count - 1].pc;
  unsigned slot = slot_of(pc);
  if (branches[slot].pc != pc) {
    branches[slot].pc = pc;
    branches[slot].target = path->next;
    branches[slot].seen = 1;
  } else {
    branches[slot].seen += branches[slot].target == path->next ? 1 : SEEN_CHANGING;
    branches[slot].target = path->next;
  }
}

bool path_is_steady(uintptr_t pc, uintptr_t target, unsigned times) {
  unsigned slot = slot_of(pc), seen = branches[slot].seen;
  return branches[slot].pc == pc && branches[slot].target == target && seen >= times && seen < SEEN_CHANGING;
}

void path_close(struct path *path) {
  unsigned last =
      path->next == path->head && path->instructions <= PATH_INSTRUCTIONS ? path->count : path->count - 1;
  if (last == path->count) return;
  while (last > 0 && path->steps[last].pc != path->head) last--;
  if (last > 0) path->count = last;
}
