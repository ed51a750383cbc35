/* predict_shares.c: how many blocks of a page a request should ask for, from which thread missed there before.
 *
 * A thread that needs one block of a page mostly needs its neighbours soon, so one request asks for an aligned part of the page: 1, 2, 4 … or
 * all 64 blocks. If another thread missed in the page a moment ago, the two are taking turns: the part is made smaller, because blocks that are
 * not used now would have to be requested back. If the thread itself was the last to miss, it needs more than it was given: the part is
 * doubled. Where turns come seldom the whole page is tried again, step by step.
 *
 * Readers do not take turns with readers, and a page that is written by turns now may be read by all later: reads and writes
 * have a measure each. Both lie in one word of the page's group. */
#include "engine/predict/predict.h"

#include "engine/base/lib.h"

enum { A_MOMENT = 1, SELDOM = 128 }; /* ticks */

struct hint { /* log2 of blocks; of the last miss: whether it was a write, slot + 1, when */
  uint32_t reads : 3, writes : 3, wrote : 1, last : 10, ticks : 15;
};

unsigned share_of(_Atomic uint32_t *hint, unsigned slot, bool write, bool free, uint64_t ticks) {
  union {
    uint32_t word;
    struct hint hint;
  } now = {0}, before = {atomic_load_explicit(hint, memory_order_relaxed)};
  unsigned share = write ? before.hint.writes : before.hint.reads;
  now.hint = (struct hint){.reads = before.hint.reads, .writes = before.hint.writes, .wrote = write};
  now.hint.last = (slot + 1) & 0x3ff, now.hint.ticks = ticks & 0x7fff;
  uint32_t age = (now.hint.ticks - before.hint.ticks) & 0x7fff;
  bool turns = before.hint.last != slot + 1 && (write || before.hint.wrote) && age < SELDOM;
  if (!before.hint.last)
    now.hint.reads = now.hint.writes = share = SHARE_ALL;
  else if (!turns)
    share = free ? SHARE_ALL : share + (share < SHARE_ALL);
  else if (age <= A_MOMENT)
    share -= MIN(share, 2U);
  if (write)
    now.hint.writes = share & 7;
  else
    now.hint.reads = share & 7;
  atomic_store_explicit(hint, now.word, memory_order_relaxed);
  return share;
}
