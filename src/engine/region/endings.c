/* endings.c: the first thread that finds that the sphere can't go on stores the reason, and ends it. See endings.h. */
#include "engine/region/endings.h"

#include "engine/base/lib.h"
#include "engine/region/debug.h"
#include "engine/region/turns.h"

bool sphere_claim_end(void) {
  uint32_t own = (uint32_t)os_call0(__NR_gettid), claimant = 0;
  while (!atomic_compare_exchange_strong(&region->ending.claimed, &claimant, own)) {
    region_wait(&region->outcome, OUTCOME_NONE);
    if (atomic_load(&region->outcome)) return false;
    if (!task_is_dead((int32_t)claimant)) claimant = 0; /* it will store it; if it is dead, this one does */
  }
  return true;
}

void sphere_end_early(enum outcome outcome) {
  uint32_t none = OUTCOME_NONE;
  static const int statuses[] = {
      [OUTCOME_UNSUPPORTED] = 122, [OUTCOME_DIVERGED] = 120, [OUTCOME_DAMAGED] = 121,
      [OUTCOME_FAILED] = 125,      [OUTCOME_LOG_ENDS] = 0,   [OUTCOME_UNWRITABLE] = 125};
  if (debugged()) debug_fails(outcome);
  atomic_compare_exchange_strong(&region->outcome, &none, outcome);
  region_doorbell();
  for (;;) os_call1(__NR_exit_group, statuses[outcome]);
}

void sphere_fail(enum outcome outcome, const char *pattern, ...) {
  if (sphere_claim_end() && pattern) {
    va_list args;
    va_start(args, pattern);
    vformat(region->ending.text, sizeof region->ending.text, pattern, args);
    va_end(args);
  }
  sphere_end_early(outcome);
}

void sphere_warn(const char *pattern, ...) {
  char line[1024];
  va_list args;
  va_start(args, pattern);
  vformat(line, sizeof line, pattern, args);
  va_end(args);
  print(2, "reprise: %s\n", line);
}

void replay_senseless(const struct thread *thread, const char *why) {
  const struct rthread *rthread = thread->rthread;
  sphere_fail(OUTCOME_DAMAGED, "the input log of thread %u is damaged at position %lu: %s", rthread->number,
              rthread->input.codec.position, why);
}

/* True if a thread may have run on beyond the end of its input log, because its order log is longer. It may have run without a lost event, a signal say,
 * and other threads may have seen the effects. */
static bool order_is_guessed(void) {
  for (uint32_t i = 0; !turns->alone && i < region_slots(region); i++) {
    const struct rthread *rthread = &region->slots[i];
    if (atomic_load(&rthread->state) == SLOT_LIVE && rthread->input.lost && !rthread->order_log.ended)
      return true;
  }
  return false;
}

/* The manager reports it, with the names of functions. */
void replay_diverged(struct thread *thread, const char *pattern, ...) {
  struct early_end *ending = &region->ending;
  if (order_is_guessed()) sphere_fail(OUTCOME_LOG_ENDS, NULL);
  if (sphere_claim_end()) {
    va_list args;
    va_start(args, pattern);
    vformat(ending->text, sizeof ending->text, pattern, args);
    va_end(args);
    ending->thread = thread->rthread->number;
    ending->position = arch_position(thread);
    ending->pc = arch_pc(thread);
  }
  sphere_end_early(OUTCOME_DIVERGED);
}
