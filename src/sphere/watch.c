/* watch.c: how the watchdog decides. See watchdog.h. */
#include "contract/engine.h"
#include "sphere/watchdog.h"

static void mix(uint64_t *digest, uint64_t value) {
  *digest = (*digest ^ value) * 0x9e3779b97f4a7c15;
  *digest ^= *digest >> 29;
}

static void mix_ring(uint64_t *digest, const struct ring *ring) {
  mix(digest, atomic_load(&ring->head));
  mix(digest, atomic_load(&ring->tail));
  mix(digest, atomic_load(&ring->position));
}

/* All that changes when a thread moves, or the manager does something for it. */
static uint64_t digest_of(const struct region *region) {
  uint64_t digest = 1;
  mix(&digest, atomic_load(&region->holder));
  mix(&digest, atomic_load(&region->live));
  mix(&digest, atomic_load(&region->retirements));
  mix(&digest, atomic_load(&region->request_state));
  mix(&digest, region->threads);
  for (uint32_t i = 0; i < region_slots(region); i++) {
    const struct rthread *slot = &region->slots[i];
    mix(&digest, atomic_load(&slot->state));
    mix(&digest, (uint64_t)slot->number << 32 | (uint32_t)slot->tid);
    mix(&digest, atomic_load(&slot->turn));
    mix(&digest, atomic_load(&slot->watch.word));
    mix(&digest, atomic_load(&slot->watch.position));
    mix(&digest, atomic_load(&slot->watch.moves));
    mix_ring(&digest, &slot->ring);
    mix_ring(&digest, &slot->order_log.ring);
    mix(&digest, atomic_load(&region->directory[i].state));
    mix(&digest, atomic_load(&region->directory[i].events));
  }
  return digest;
}

/* -- Threads that do not look --------------------------------------------------------------------------------------------- */

/* True if the kernel holds the thread until its child of vfork executes a program or ends, and that child is alive. */
static bool has_lent(const struct region *region, const struct rthread *slot) {
  if (!slot->vforks) return false;
  for (uint32_t i = 0; i < region_slots(region); i++) {
    const struct rthread *child = &region->slots[i];
    if (atomic_load(&child->state) == SLOT_LIVE && child->number == slot->born.number && child->tid)
      return true;
  }
  return false;
}

/* True if a thread that sleeps in the kernel does so in a call of the program, and holds nothing of the engine's that others could wait for: it
 * has given up the baton, or is parked. A replay makes no such calls. */
static bool has_left(const struct region *region, uint32_t i, bool is_replay) {
  if (is_replay) return false;
  if (atomic_load(&region->directory_slots))
    return atomic_load(&region->directory[i].state) == DIRECTORY_PARKED;
  return atomic_load(&region->holder) != i + 1;
}

static enum watch_part part_of(const struct watch *watch, const struct region *region, uint32_t i,
                               char (*state)(int32_t pid, int32_t tid)) {
  const struct rthread *slot = &region->slots[i];
  if (atomic_load(&slot->watch.looks) != watch->looks[i]) return PART_WAITS;
  if (slot->pid <= 0 || slot->tid <= 0) return PART_MOVES; /* it is just being made */
  char letter = state(slot->pid, slot->tid);
  if (letter == 'X' || letter == 'Z') return PART_HELD;
  if ((letter == 'D' || letter == 'S') && has_lent(region, slot)) return PART_HELD;
  return letter == 'S' && has_left(region, i, watch->is_replay) ? PART_IDLE : PART_MOVES;
}

/* -- Threads that do -------------------------------------------------------------------------------------------------------- */

struct awaited watch_awaited(const struct region *region, const struct rthread *slot) {
  uint64_t at = atomic_load(&slot->watch.word) - REGION_BASE;
  const struct directory_slot *own = &region->directory[slot - region->slots];
#define AT(member) (at == (uint64_t)((const char *)&(member) - (const char *)region))
  if (AT(slot->turn)) return (struct awaited){.what = AWAITS_BATON, .slot = atomic_load(&region->holder)};
  if (AT(region->lock)) return (struct awaited){.what = AWAITS_LOCK, .task = atomic_load(&region->lock)};
  if (AT(region->request_lock))
    return (struct awaited){.what = AWAITS_REQUEST, .task = atomic_load(&region->request_lock)};
  if (AT(region->output.holder))
    return (struct awaited){.what = AWAITS_OUTPUT, .slot = atomic_load(&region->output.holder)};
  if (AT(region->shared.holder))
    return (struct awaited){.what = AWAITS_SHARED, .slot = atomic_load(&region->shared.holder)};
  if (AT(region->memory_writer))
    return (struct awaited){.what = AWAITS_WRITER, .slot = atomic_load(&region->memory_writer)};
  if (AT(slot->stops.tracer))
    return (struct awaited){.what = AWAITS_TRACER, .slot = atomic_load(&slot->stops.tracer)};
  if (AT(own->events)) return (struct awaited){.what = AWAITS_MEMORY};
  if (AT(region->order.moved)) return (struct awaited){.what = AWAITS_SLOT};
  if (AT(region->retirements)) return (struct awaited){.what = AWAITS_RETIREMENTS};
#undef AT
  uint32_t place = atomic_load(&slot->replay.waits_for);
  if (place && place <= REGION_SLOTS)
    return (struct awaited){.what = AWAITS_PLACE, .slot = atomic_load(&region->news[place - 1].resident)};
  return (struct awaited){.what = AWAITS_OTHERS};
}

static bool is_of(const struct rthread *rthread, struct awaited awaited) {
  return rthread->tid == (int32_t)(awaited.task & ~(LOCK_SLEEPERS | LOCK_YIELDS));
}

/* True if the thread may be waiting for an idle one. No thread waits for a parked thread's memory: a requester takes it
 * by itself. */
static bool may_wait_for_idle(const struct watch *watch, const struct region *region,
                              const struct rthread *slot) {
  struct awaited awaited = watch_awaited(region, slot);
  if (awaited.what == AWAITS_MEMORY) return false;
  if (awaited.slot && awaited.slot <= region_slots(region)) return watch->part[awaited.slot - 1] == PART_IDLE;
  if (awaited.what == AWAITS_BATON) return false; /* it has no holder */
  for (uint32_t i = 0; awaited.task && i < region_slots(region); i++)
    if (watch->part[i] == PART_IDLE && is_of(&region->slots[i], awaited)) return true;
  return !awaited.task;
}

/* -- Rounds ------------------------------------------------------------------------------------------------------------------ */

/* True if all threads that do not sleep in calls of the program have looked since the round began, or can't look. */
static bool is_round(struct watch *watch, const struct region *region,
                     char (*state)(int32_t pid, int32_t tid)) {
  uint32_t waits = 0, idle = 0, slots = region_slots(region);
  for (uint32_t i = 0; i < slots; i++)
    waits += atomic_load(&region->slots[i].state) == SLOT_LIVE &&
             atomic_load(&region->slots[i].watch.looks) != watch->looks[i];
  if (!waits) return false;
  for (uint32_t i = 0; i < slots; i++) {
    if (atomic_load(&region->slots[i].state) != SLOT_LIVE) continue;
    watch->part[i] = part_of(watch, region, i, state);
    if (watch->part[i] == PART_MOVES) return false;
    idle += watch->part[i] == PART_IDLE;
  }
  for (uint32_t i = 0; idle && i < slots; i++)
    if (atomic_load(&region->slots[i].state) == SLOT_LIVE && watch->part[i] == PART_WAITS &&
        may_wait_for_idle(watch, region, &region->slots[i]))
      return false;
  return true;
}

static void begin_round(struct watch *watch, const struct region *region) {
  for (uint32_t i = 0; i < region_slots(region); i++)
    watch->looks[i] = atomic_load(&region->slots[i].watch.looks);
}

bool watch_look(struct watch *watch, const struct region *region, char (*state)(int32_t pid, int32_t tid)) {
  uint64_t digest = digest_of(region);
  if (digest != watch->seen) {
    watch->seen = digest;
    watch->rounds = 0;
    begin_round(watch, region);
    return false;
  }
  if (!is_round(watch, region, state)) return false;
  begin_round(watch, region);
  return ++watch->rounds >= WATCH_ROUNDS;
}
