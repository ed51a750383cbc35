/* predict_leaving.c: when a thread should give blocks up before another thread requests them, from whether it took them back itself.
 *
 * Where many threads use the same memory in turn (locks and the data that they guard, tables that all write to) a thread leaves the blocks that it has
 * acquired for writing after it has run on for a while (directory_leave_step). The next thread that needs them sends no request, and waits in
 * replay only until the owner has left them, instead of until the owner would have answered.
 *
 * A thread that takes back blocks that it has left itself was too early: no other thread needed them. It keeps blocks of that page longer next time, and in
 * the end until another thread requests them. */
#include "engine/predict/predict.h"

#include "engine/base/lib.h"

/* Instructions. A thread comes to a safepoint for leaving every COME_BY. It keeps a block for KEEP at least. Blocks of a page that it acquires
 * within TOGETHER are left together. A thread that counts instructions in several words stops when one of them has had its share, so with
 * a smaller COME_BY it would stop all the time. */
enum { COME_BY = 4096, KEEP = COME_BY / 8, TOGETHER = KEEP / 4 };
/* `longer` counts steps; DOUBLING of them double KEEP. A block that is taken back adds TAKEN_BACK steps, another one removes NOT_TAKEN_BACK: of two
 * threads that share a page each takes back half of what it leaves, of many threads hardly any. At TOP the thread leaves nothing in the page, for
 * PAUSE claims. */
enum {
  DOUBLING = 8,
  DOUBLINGS = 9,
  TOP = DOUBLING * DOUBLINGS,
  PAUSE = 256,
  TAKEN_BACK = 4,
  NOT_TAKEN_BACK = 1
};

static uint32_t adapt(uint32_t longer, bool taken_back) {
  if (!taken_back) return longer - MIN(longer, (uint32_t)NOT_TAKEN_BACK);
  longer += TAKEN_BACK;
  return longer < TOP ? longer : TOP + PAUSE;
}

void leaving_begin(struct leaving *own, uint64_t page, bool taken_back, bool writes) {
  unsigned i = page % LEAVING_PAGES;
  own->to_be_left = false;
  if (!taken_back && !writes) return;
  if (own->learnt[i].page != page) own->learnt[i].page = (uint32_t)page, own->learnt[i].longer = own->longer;
  own->learnt[i].longer = adapt(own->learnt[i].longer, taken_back);
  own->longer = adapt(own->longer, taken_back);
  own->to_be_left = writes && own->learnt[i].longer < TOP;
  if (own->to_be_left) own->keep = (uint64_t)KEEP << own->learnt[i].longer / DOUBLING;
}

void leaving_note(struct leaving *own, uint64_t page, uint64_t blocks, uint64_t position) {
  if (!own->to_be_left) return;
  uint64_t due = position + own->keep;
  unsigned known = own->place[page % LEAVING_PLACES];
  if (known < own->count && own->taken[known].part.group == page && due - own->taken[known].due <= TOGETHER) {
    own->taken[known].part.blocks |= blocks;
    return;
  }
  if (own->count == LEAVING_PARTS) return;
  own->place[page % LEAVING_PLACES] = (uint8_t)own->count;
  own->due = own->count ? MIN(own->due, due) : due;
  own->taken[own->count].part = (struct directory_part){page, blocks};
  own->taken[own->count++].due = due;
}

void leaving_end(struct leaving *own) {
  own->to_be_left = false;
}

void leaving_serve(struct leaving *own, uint64_t position,
                   void (*leave)(void *context, struct directory_part part), void *context) {
  if (!own->count || own->due > position) return;
  own->due = UINT64_MAX;
  for (unsigned i = 0; i < own->count;) {
    if (own->taken[i].due > position) {
      own->due = MIN(own->due, own->taken[i].due);
      i++;
      continue;
    }
    leave(context, own->taken[i].part);
    own->taken[i] = own->taken[--own->count];
    own->place[own->taken[i].part.group % LEAVING_PLACES] = (uint8_t)i;
  }
}

uint64_t leaving_stop(const struct leaving *own, uint64_t position) {
  return own->count ? MAX(own->due, position + COME_BY) : UINT64_MAX;
}

void leaving_forget(struct leaving *own) {
  own->count = 0;
  own->to_be_left = false;
}
