/* driving.c: see driving.h. */
#include "travel/driving.h"

#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

void driving_begin(struct region *region, const struct debug_moment *goal) {
  struct region_debug *debug = &region->debug;
  debug->hits = HITS_IGNORE;
  debug->goal = goal ? GOAL_MOMENT : GOAL_NONE;
  debug->stops_at_rest = goal != NULL;
  if (goal) debug->moment = *goal;
}

static bool is_stopped(const struct region *region) {
  return atomic_load(&region->debug.state) == DEBUG_STOPPED;
}

bool driving_settled(const struct region *region) {
  for (uint32_t i = 0; i < region_slots(region); i++) {
    const struct rthread *slot = &region->slots[i];
    const struct debug_thread *thread = &region->debug.threads[i];
    uint32_t name = slot->number + 1;
    if (atomic_load(&slot->dismissed)) continue;
    if (atomic_load(&slot->state) != SLOT_LIVE || i == region->debug.stop.runner) continue;
    if (atomic_load(&thread->leaves) != name && atomic_load(&thread->rests) != name) return false;
  }
  return true;
}

bool driving_arrived(struct region *region) {
  if (!is_stopped(region) || region->debug.stop.reason != DEBUG_ARRIVED || !driving_settled(region))
    return false;
  region->debug.goal = GOAL_NONE;
  return true;
}

void driving_go_on(struct region *region) {
  if (!is_stopped(region)) return;
  atomic_store(&region->debug.state, DEBUG_RUNS);
  syscall(SYS_futex, &region->debug.state, FUTEX_WAKE, 1, NULL, NULL, 0);
}
