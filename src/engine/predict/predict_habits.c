/* predict_habits.c: which blocks of a page a thread requests together, from which it requested one right after the other.
 *
 * A thread that requested block B and then block C in the same page, a moment later, will probably do so again: a lock, the data
 * that it guards, the list of threads to wake. So a request for B also asks for C, and for the blocks that followed on C. The table
 * has one successor per block; blocks that share an entry replace each other. */
#include "engine/predict/predict.h"

enum { HABIT_MOST = 6, A_MOMENT = 1 /* tick */ };

uint64_t habit_of(struct habits *own, uint32_t block, uint64_t ticks) {
  uint32_t now = (uint32_t)ticks;
  if (own->last / DIRECTORY_GROUP == block / DIRECTORY_GROUP && now - own->ticks <= A_MOMENT) {
    own->habit[own->last % HABITS].block = own->last;
    own->habit[own->last % HABITS].next = block;
  }
  uint64_t blocks = 0;
  for (unsigned i = 0; i <= HABIT_MOST; i++) {
    blocks |= 1UL << block % DIRECTORY_GROUP;
    own->last = block;
    if (own->habit[block % HABITS].block != block) break;
    block = own->habit[block % HABITS].next;
    if (blocks >> block % DIRECTORY_GROUP & 1) break;
  }
  own->ticks = now;
  return blocks;
}
