/* leaving.c: see leaving.h. */
#include "engine/leaving.h"

#include "engine/hand_over.h"
#include "engine/lib.h"

/* Instructions: after how many a thread comes by to leave something, for how many it keeps what it has taken at least, and within how many
 * blocks of a page must be taken to be left together. Where a thread counts in several words it comes by when one of them has had its
 * share: with a smaller COME_BY it would do so all the time. */
enum { COME_BY = 4096, KEEP = COME_BY / 8, TOGETHER = KEEP / 4 };
/* How often KEEP is doubled, in steps; with so many doublings nothing is left, for that many claims. A thread that is alone with another takes
 * back half of what it leaves, one among many hardly anything. */
enum {
  DOUBLING = 8,
  DOUBLINGS = 9,
  TOP = DOUBLING * DOUBLINGS,
  PAUSE = 256,
  TAKEN_BACK = 4,
  NOT_TAKEN_BACK = 1
};
enum { PARTS = 255, PLACES = 512, PAGES = 64 };

static struct taken {
  _Alignas(DIRECTORY_LINE) bool to_be_left; /* what the present claim takes … */
  uint64_t keep;                            /* … in so many instructions */
  uint64_t due;                             /* the first of the parts: a position */
  unsigned count;
  struct {
    struct directory_part part;
    uint64_t due;
  } taken[PARTS];        /* more than these are not left */
  uint8_t place[PLACES]; /* by page: where it may be among them */
  struct {
    uint32_t page, longer;
  } learnt[PAGES];
  uint32_t longer; /* of a page that nothing is known of */
} taken_by[REGION_SLOTS];

static uint32_t adapt(uint32_t longer, bool taken_back) {
  if (!taken_back) return longer - MIN(longer, (uint32_t)NOT_TAKEN_BACK);
  longer += TAKEN_BACK;
  return longer < TOP ? longer : TOP + PAUSE;
}

void leaving_begin(const struct directory *d, unsigned slot, uint64_t page, uint64_t need, bool writes) {
  struct taken *own = &taken_by[slot];
  bool taken_back = directory_left_by(d, slot, page, need & -need);
  unsigned i = page % PAGES;
  own->to_be_left = false;
  if (!taken_back && !writes) return;
  if (own->learnt[i].page != page) own->learnt[i].page = (uint32_t)page, own->learnt[i].longer = own->longer;
  own->learnt[i].longer = adapt(own->learnt[i].longer, taken_back);
  own->longer = adapt(own->longer, taken_back);
  own->to_be_left = writes && own->learnt[i].longer < TOP;
  if (own->to_be_left) own->keep = (uint64_t)KEEP << own->learnt[i].longer / DOUBLING;
}

void leaving_note(const struct directory *d, unsigned slot, uint64_t page, uint64_t blocks) {
  struct taken *own = &taken_by[slot];
  if (!own->to_be_left) return;
  uint64_t due = d->slot[slot].recorder.position + own->keep;
  unsigned known = own->place[page % PLACES];
  if (known < own->count && own->taken[known].part.group == page && due - own->taken[known].due <= TOGETHER) {
    own->taken[known].part.blocks |= blocks;
    return;
  }
  if (own->count == PARTS) return;
  own->place[page % PLACES] = (uint8_t)own->count;
  own->due = own->count ? MIN(own->due, due) : due;
  own->taken[own->count].part = (struct directory_part){page, blocks};
  own->taken[own->count++].due = due;
}

void leaving_end(unsigned slot) {
  taken_by[slot].to_be_left = false;
}

void leaving_serve(struct thread *thread) {
  unsigned me = slot_number(thread);
  struct taken *own = &taken_by[me];
  uint64_t position = self(thread)->recorder.position;
  if (!own->count || own->due > position) return;
  own->due = UINT64_MAX;
  for (unsigned i = 0; i < own->count;) {
    if (own->taken[i].due > position) {
      own->due = MIN(own->due, own->taken[i].due);
      i++;
      continue;
    }
    struct directory_leaving leaving = {.part = own->taken[i].part};
    while (directory_leave_step(&directory, me, &leaving) != DIRECTORY_DONE) {
    }
    own->taken[i] = own->taken[--own->count];
    own->place[own->taken[i].part.group % PLACES] = (uint8_t)i;
  }
}

uint64_t leaving_stop(const struct thread *thread) {
  const struct taken *own = &taken_by[slot_number(thread)];
  if (!own->count) return UINT64_MAX;
  uint64_t position = order_position(thread);
  return arch_position(thread) + MAX(own->due, position + COME_BY) - position;
}

void leaving_forget(unsigned slot) {
  taken_by[slot].count = 0;
  taken_by[slot].to_be_left = false;
}
