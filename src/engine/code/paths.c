/* paths.c: the path that a thread takes from a hot block on. See paths.h.
 *
 * The next path is noted, not the most frequent one: a frequent one is likely to be next (the observation behind
 * "next executing tail" trace selection). But a path of many branches is hardly the likely one at each of them. So the targets of
 * direct branches are counted whenever they are on any path; the path that is translated takes
 * the most frequent targets. */
#include "engine/code/paths.h"

#include <stdatomic.h>

#include "engine/base/lib.h"

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

/* Targets of indirect branches, by the start of the step that the branch ends. A lost or garbled update only causes another guess. */
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

/* Targets of direct branches, by the start of the step that they end. A lost or garbled update only causes
 * another path: its translation ends where the steps do not fit the code. */
static struct {
  _Atomic uintptr_t pc, to[2];
  _Atomic unsigned seen[2], instructions;
} ways[1 << 12];

void path_note_direct(const struct path *path) {
  uintptr_t pc = path->steps[path->count - 1].pc;
  unsigned slot = slot_of(pc);
  if (ways[slot].pc != pc) {
    ways[slot].seen[0] = ways[slot].seen[1] = 0;
    ways[slot].to[0] = ways[slot].to[1] = path->next;
    ways[slot].instructions = path->steps[path->count - 1].instructions;
    ways[slot].pc = pc;
  }
  unsigned way = ways[slot].to[0] != path->next;
  ways[slot].to[way] = path->next;
  ways[slot].seen[way]++;
}

/* Adds the most frequent step from path->next on; false if none is known. */
static bool add_likely_step(struct path *path) {
  unsigned slot = slot_of(path->next);
  if (ways[slot].pc != path->next) return false;
  uintptr_t to = ways[slot].to[ways[slot].seen[1] > ways[slot].seen[0]];
  path_add(path, ways[slot].instructions);
  path->next = to;
  return true;
}

static uintptr_t behind_step(const struct path *path, unsigned i) {
  return i + 1 < path->count ? path->steps[i + 1].pc : path->next;
}

/* Adds the step that the other path takes: behind an indirect branch, mostly. */
static bool add_step_of(struct path *path, const struct path *other) {
  for (unsigned i = 0; i < other->count; i++) {
    if (other->steps[i].pc != path->next) continue;
    path_add(path, other->steps[i].instructions);
    path->next = behind_step(other, i);
    return true;
  }
  return false;
}

/* The expected number of instructions that are executed on the path: those of each step times the probability of reaching it, from 0 to
 * CERTAIN. */
static uint64_t worth_of(const struct path *path) {
  enum { CERTAIN = 1 << 16 };
  uint64_t likely = CERTAIN, worth = 0;
  for (unsigned i = 0; i < path->count; i++) {
    worth += likely * path->steps[i].instructions;
    unsigned slot = slot_of(path->steps[i].pc), seen[2] = {ways[slot].seen[0], ways[slot].seen[1]};
    if (ways[slot].pc == path->steps[i].pc && seen[0] + seen[1] > 0)
      likely = likely * seen[ways[slot].to[0] != behind_step(path, i)] / (seen[0] + seen[1]);
  }
  return worth;
}

void path_make_likely(struct path *path, bool (*ends_at)(uintptr_t pc)) {
  struct path likely;
  path_begin(&likely, path->head);
  likely.indirect = path->indirect;
  while (!path_is_complete(&likely) && !ends_at(likely.next) &&
         (add_likely_step(&likely) || add_step_of(&likely, path)))
    continue;
  if (!likely.count) return;
  path_close(&likely);
  if (worth_of(&likely) > worth_of(path)) *path = likely;
}

void path_close(struct path *path) {
  unsigned last =
      path->next == path->head && path->instructions <= PATH_INSTRUCTIONS ? path->count : path->count - 1;
  if (last == path->count) return;
  while (last > 0 && path->steps[last].pc != path->head) last--;
  if (last == 0) return;
  path->count = last;
  path->next = path->head;
}
