/* predict_spans.c: when a miss should claim all blocks that the rest of the translated code relies on, from how often other threads
 * took some of them away.
 *
 * One check may stand for several accesses: those of a window around an address, or all to the stack. To claim all of them at the first
 * miss saves the later ones. But where threads work side by side each would claim the blocks that the other works on, again and again: a check that
 * fell short too often claims no more than the instruction needs. A walk over memory, which goes on to another block each time, is
 * no such case. */
#include "engine/predict/predict_checks.h"

enum { WALK = 64 }; /* blocks: a window that lies this little above the one before belongs to a walk */
#if defined(REPRISE_STRESS_TINY_CACHE) || defined(REPRISE_STRESS_FLUSH)
enum { TOO_OFTEN = 2 };
#else
enum { TOO_OFTEN = 100 };
#endif

bool span_of_window(struct check_history *check, uint32_t first, uint32_t last, bool reaches) {
  uint32_t before = atomic_load_explicit(&check->short_at, memory_order_relaxed);
  uint8_t often = atomic_load_explicit(&check->falls_short, memory_order_relaxed);
  if (first == last || reaches || often >= TOO_OFTEN) return false;
  if (first - before - 1 >= WALK) atomic_store_explicit(&check->falls_short, often + 1, memory_order_relaxed);
  atomic_store_explicit(&check->short_at, first, memory_order_relaxed);
  return true;
}

bool span_of_stack(struct check_history *check, uint32_t first, bool reaches) {
  uint32_t before = atomic_load_explicit(&check->short_at, memory_order_relaxed);
  uint8_t often = atomic_load_explicit(&check->falls_short, memory_order_relaxed);
  if (reaches) return true;
  if (first == before && often < TOO_OFTEN)
    atomic_store_explicit(&check->falls_short, often + 1, memory_order_relaxed);
  atomic_store_explicit(&check->short_at, first, memory_order_relaxed);
  return often < TOO_OFTEN;
}
