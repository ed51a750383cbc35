/* processors.c: how many of the sphere's threads can run at once: threads may spin only if each has a processor
 * of its own. Asked once: a program that binds itself to fewer later waits a little too long. */
#include "engine/base/lib.h"
#include "engine/base/os.h"

unsigned os_processors(void) {
  static _Atomic unsigned known;
  if (!known) {
    uint64_t mask[128] = {0};
    unsigned count = 0;
    os_call3(__NR_sched_getaffinity, 0, sizeof mask, mask);
    for (unsigned i = 0; i < 64 * COUNT_OF(mask); i++) count += mask[i / 64] >> i % 64 & 1;
    known = MAX(count, 1u);
  }
  return known;
}
