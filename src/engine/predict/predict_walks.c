/* predict_walks.c: where a thread that walks over memory will miss next, from the distances between its misses.
 *
 * This is the stride prefetcher of a cache. A thread has a few walks: each knows where the thread missed last, and the stride from the miss
 * before. A miss at the next place of a walk is a step of it. The first such step may be chance; from the second on a request brings further
 * steps, twice as many each time; fewer when the thread has missed within the steps that were brought.
 *
 * Where pages are passed on as a whole a step is a page. Elsewhere a step is some blocks, as many as the thread missed in one after the other:
 * a row of a part of a picture. */
#include "engine/predict/predict.h"

#include "engine/base/lib.h"

enum { NEAR = 16 }; /* pages: a miss farther away from a walk does not give it a new stride */

/* How many strides the place is ahead of the walk; 0: it is not on the way, or farther than the requested steps. */
static unsigned strides_to(const struct walk *walk, uint64_t at) {
  int64_t distance = (int64_t)at - walk->at, stride = walk->stride;
  if (stride < 0) distance = -distance, stride = -stride;
  if (distance <= 0 || distance > stride * (walk->further + 1)) return 0;
  return distance % stride == 0 ? (unsigned)(distance / stride) : 0;
}

/* The walk that the page or block belongs to, perhaps a new one. */
static struct walk *find_walk(struct walks *walks, uint64_t at, int64_t near) {
  for (struct walk *walk = walks->walk; walk < walks->walk + WALKS; walk++) {
    unsigned strides = strides_to(walk, at);
    if (!strides) continue;
    unsigned more = walk->sure ? MIN(2 * walk->further + 1, WALK_MOST) : 0;
    walk->further = (uint8_t)(strides > walk->further ? more : strides - 1);
    walk->sure = true;
    return walk;
  }
  for (struct walk *walk = walks->walk; walk < walks->walk + WALKS; walk++) {
    int64_t distance = (int64_t)at - walk->at;
    if (!distance || distance > near || distance < -near) continue;
    walk->stride = (int16_t)distance;
    walk->further = walk->sure = 0;
    return walk;
  }
  struct walk *walk = &walks->walk[walks->next++ % WALKS];
  *walk = (struct walk){.stride = 1, .width = 1};
  return walk;
}

struct walk *walk_by_blocks(struct walks *walks, uint32_t block) {
  for (struct walk *walk = walks->walk; walk < walks->walk + WALKS; walk++) {
    uint32_t beyond = block - walk->at;
    if (!walk->at || beyond > walk->width) continue;
    if (!beyond) return walk; /* the same block again */
    if (beyond == walk->width) walk->width = (uint8_t)MIN(2 * walk->width, DIRECTORY_GROUP);
    return NULL;
  }
  struct walk *walk = find_walk(walks, block, (int64_t)NEAR * DIRECTORY_GROUP);
  walk->at = block;
  return walk;
}

struct walk *walk_by_pages(struct walks *walks, uint32_t page, unsigned known) {
  struct walk *walk = find_walk(walks, page, NEAR);
  if (known > walk->further || (known && walk->stride != 1)) {
    walk->stride = 1;
    walk->further = (uint8_t)MIN(known, WALK_MOST);
  }
  walk->at = page;
  return walk;
}

unsigned walk_further(const struct walk *walk, uint32_t end) {
  if (!walk->further) return 0;
  int64_t stride = walk->stride, room = stride > 0 ? (int64_t)end - 1 - walk->at : walk->at;
  return (unsigned)MIN(walk->further, room / (stride > 0 ? stride : -stride));
}
