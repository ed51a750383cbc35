/* predict_upgrades.c: which reads are followed by a write to the same block, from what the thread did after the same read before.
 *
 * A thread that reads a block in order to write it would request it twice. So every check of a read in the translated code has a counter: it
 * rises when the thread, shortly after a miss there, misses again to write the same block. From SURE on a miss at this read claims
 * the block for writing at once. One such miss in TRIES claims it for reading again, to see whether a write still follows. */
#include "engine/predict/predict_checks.h"

#include "engine/base/lib.h"

enum { SURE = 2, SUREST = 4, TRIES = 16 };

bool upgrade_is_expected(struct upgrades *own, struct check_history *check, uint32_t block, uint32_t epoch) {
  uint8_t sure = atomic_load_explicit(&check->writes_soon, memory_order_relaxed);
  unsigned i = ++own->latest;
  if (sure >= SURE && i % TRIES) return true;
  if (sure >= SURE) atomic_store_explicit(&check->writes_soon, sure - 1, memory_order_relaxed);
  own->read[i % COUNT_OF(own->read)].block = block;
  own->read[i % COUNT_OF(own->read)].check = check;
  own->read[i % COUNT_OF(own->read)].epoch = epoch;
  return false;
}

void upgrade_note_write(struct upgrades *own, uint32_t block, uint32_t epoch) {
  for (unsigned i = 0; i < COUNT_OF(own->read); i++) {
    struct check_history *check = own->read[i].check;
    if (!check || own->read[i].epoch != epoch || own->read[i].block != block) continue;
    uint8_t sure = atomic_load_explicit(&check->writes_soon, memory_order_relaxed);
    if (sure < SUREST) atomic_store_explicit(&check->writes_soon, sure + 1, memory_order_relaxed);
    own->read[i].check = NULL;
    return;
  }
}
