/* patience.c: see patience.h. */
#include "engine/base/patience.h"

#include "engine/base/arch.h"
#include "engine/base/lib.h"
#include "engine/base/os.h"

enum { LOOKS_LEAST = 50, LOOKS_CROWDED = 400, LOOKS_MOST = 40000, LOOKS_PER_OFFER = 1000, TRY_EVERY = 8 };

void patience_begin(struct patience *own) {
  own->limit = own->waits++ % TRY_EVERY ? MAX(own->most, LOOKS_LEAST) : LOOKS_MOST;
  own->looks = 0;
}

/* True if sched_yield let another thread run. */
static bool is_wanted(void) {
  enum { TICKS_OF_A_CALL = 1 };
  uint64_t before = arch_ticks();
  os_call0(__NR_sched_yield);
  return arch_ticks() - before > TICKS_OF_A_CALL;
}

bool patience_lasts(struct patience *own, bool (*crowded)(void)) {
  own->looks++;
  if (own->looks < own->limit && !(own->looks == LOOKS_CROWDED && crowded()) &&
      !(own->looks % LOOKS_PER_OFFER == 0 && is_wanted())) {
    arch_relax();
    return true;
  }
  own->most = MIN(own->most, own->looks) / 2;
  return false;
}

/* Always spin at least LOOKS_LEAST times. */
void patience_pays(struct patience *own) {
  if (own->looks > LOOKS_LEAST) own->most = LOOKS_MOST;
}
