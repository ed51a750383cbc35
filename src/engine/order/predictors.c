/* predictors.c: see predictors.h. */
#include "engine/order/predictors.h"

#include "engine/base/lib.h"
#include "engine/order/hand_over.h"

#if defined(REPRISE_STRESS_SLOW_PATHS)
enum { SHARES_PAGES = 0 }; /* the other predictors have to find the blocks that follow */
#else
enum { SHARES_PAGES = 1 };
#endif

static struct {
  _Alignas(DIRECTORY_LINE) _Atomic bool waits; /* the slot's thread does not use what it has */
  struct lease_history history;
} leases_of[REGION_SLOTS];
static struct habits habits_of[REGION_SLOTS];
static struct walks page_walks_of[REGION_SLOTS], block_walks_of[REGION_SLOTS];
/* The walk by blocks that the present claim is a step of; NULL: it may be one of a walk by pages. */
static struct walk *block_walk_of[REGION_SLOTS];
static struct leaving leaving_of[REGION_SLOTS];

/* -- Leases ---------------------------------------------------------------------------------------------------------------- */

void predictors_wait(unsigned slot, bool waits) {
  atomic_store_explicit(&leases_of[slot].waits, waits, memory_order_relaxed);
}

static bool uses_its_blocks(const struct directory *d, unsigned slot) {
  return !atomic_load_explicit(&leases_of[slot].waits, memory_order_relaxed) &&
         atomic_load(&d->slot[slot].state) != DIRECTORY_PARKED;
}

/* Ends early if a request arrives: its sender may wait for this thread. */
static void await_lease(const struct directory *d, uint64_t page, unsigned slot, bool write) {
  uint32_t lease = atomic_load_explicit(&d->group(d, page)->lease, memory_order_relaxed);
  unsigned holder = lease_holder(lease);
  if (holder == slot) return;
  if (write) lease_learn(&leases_of[slot].history, page, arch_moments());
  uint32_t events = atomic_load(&d->slot[slot].events);
  predictors_wait(slot, true);
  while (!lease_is_over(lease, arch_moments()) && uses_its_blocks(d, holder) &&
         atomic_load(&d->slot[slot].events) == events)
    arch_relax();
  predictors_wait(slot, false);
}

void predictors_granted(const struct directory *d, unsigned slot, uint64_t page, uint64_t blocks) {
  if (predicts(PREDICT_leases))
    lease_begin(&d->group(d, page)->lease, &leases_of[slot].history, page, slot, blocks, arch_moments());
  leaving_note(&leaving_of[slot], page, blocks, d->slot[slot].recorder.position);
}

void predictors_lost(unsigned slot, uint64_t page) {
  if (predicts(PREDICT_leases)) lease_note_loss(&leases_of[slot].history, page, arch_moments());
}

/* -- Prefetches -------------------------------------------------------------------------------------------------------------- */

/* The walk by blocks that the claim is a step of, NULL: none. Its further steps are requested unless the whole page is. */
static const struct walk *find_walk(unsigned slot, uint32_t block, unsigned share) {
  struct walk *walk = predicts(PREDICT_walks) ? walk_by_blocks(&block_walks_of[slot], block) : NULL;
  block_walk_of[slot] = share < SHARE_ALL ? walk : NULL;
  return walk;
}

/* A walk's blocks are not left one by one: the threads that follow it would rather have all of them at once. */
static void begin_leaving(const struct directory *d, unsigned slot, uint64_t page, uint64_t need,
                          bool writes) {
  if (!predicts(PREDICT_leaving)) return;
  leaving_begin(&leaving_of[slot], page, directory_left_by(d, slot, page, need & -need), writes);
}

uint64_t predictors_along(const struct directory *d, unsigned slot, uint64_t page, uint64_t need,
                          bool write) {
  bool free = !write && directory_is_unowned(d, page, need);
  if (!free && predicts(PREDICT_leases)) await_lease(d, page, slot, write);
  unsigned first = (unsigned)__builtin_ctzll(need), share = SHARE_ONE;
  uint32_t block = (uint32_t)group_first(page, need);
  uint64_t ticks = arch_ticks();
  if (SHARES_PAGES && predicts(PREDICT_shares))
    share = share_of(&d->group(d, page)->hint, slot, write, free, ticks);
  uint64_t blocks = blocks_from(ALIGN_DOWN(first, 1U << share), 1U << share);
  if (share <= SHARE_FEW && predicts(PREDICT_habits)) blocks |= habit_of(&habits_of[slot], block, ticks);
  const struct walk *walk = find_walk(slot, block, share);
  bool walks = walk && walk->sure;
  if (walks && share < SHARE_ALL) blocks |= blocks_from(first, walk->width);
  begin_leaving(d, slot, page, need, write && share < SHARE_ALL && !walks);
  if (write && predicts(PREDICT_rows))
    blocks |= row_of(d->held(d, slot, page, UINT64_MAX, ORDER_WRITE), need);
  return blocks;
}

/* The next pages of a claim that reaches over several are no prediction. */
static unsigned known_pages(uint64_t page, unsigned known, struct directory_walk *to) {
  *to = (struct directory_walk){0, PAGE_BLOCKS, PAGE_BLOCKS};
  return (unsigned)MIN(MIN(known, WALK_MOST), STAGE_GROUP - 1 - page);
}

unsigned predictors_further(unsigned slot, uint64_t page, unsigned known, struct directory_walk *to) {
  const struct walk *walk = block_walk_of[slot];
  if (!predicts(PREDICT_walks)) return known_pages(page, known, to);
  if (walk && !known) {
    *to = (struct directory_walk){walk->at % PAGE_BLOCKS, walk->width, walk->stride};
    return walk_further(walk, STAGE);
  }
  walk = walk_by_pages(&page_walks_of[slot], (uint32_t)page, known);
  *to = (struct directory_walk){0, PAGE_BLOCKS, (int16_t)(walk->stride * PAGE_BLOCKS)};
  return walk_further(walk, STAGE_GROUP);
}

void predictors_done(unsigned slot) {
  leaving_end(&leaving_of[slot]);
}

/* -- Leaving --------------------------------------------------------------------------------------------------------------- */

static void leave(void *context, struct directory_part part) {
  const struct thread *thread = context;
  struct directory_leaving leaving = {.part = part};
  while (directory_leave_step(&directory, slot_number(thread), &leaving) != DIRECTORY_DONE) {
  }
}

void predictors_serve(struct thread *thread) {
  leaving_serve(&leaving_of[slot_number(thread)], self(thread)->recorder.position, leave, thread);
}

uint64_t predictors_stop(const struct thread *thread) {
  uint64_t position = order_position(thread);
  uint64_t stop = leaving_stop(&leaving_of[slot_number(thread)], position);
  return stop == UINT64_MAX ? UINT64_MAX : arch_position(thread) + stop - position;
}

void predictors_forget(unsigned slot) {
  leaving_forget(&leaving_of[slot]);
}
