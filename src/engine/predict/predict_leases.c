/* predict_leases.c: how long a thread should keep blocks of a page before other threads request them, from how soon it had to request
 * them again.
 *
 * A thread that acquires blocks for writing gets a lease of their page, proportional to the number of blocks. A thread that misses in the
 * page waits until the lease expires, and only then requests them. Without leases many threads that go through the same pages would
 * lose blocks before they have used them, and a lock would be taken away before it is free again.
 *
 * A thread that has lost the page's blocks only a moment ago and needs them again was interrupted: its next lease there is twice as long.
 * Otherwise its leases become shorter again. */
#include "engine/predict/predict.h"

#include "engine/base/lib.h"

/* In moments, except LEASE_MOST: log2 of the number of blocks that the longest lease is worth. */
enum { LEASE_MOST = 9, A_BLOCK = 4, SOON = 128 };
enum { BEGIN_BITS = 18, BEGIN_MASK = (1 << BEGIN_BITS) - 1 };

union lease { /* the word of the page's group */
  uint32_t word;
  struct {
    uint32_t slot : 10, length : 4, begin : BEGIN_BITS;
  };
};

static bool is_about(const struct stay *stay, uint64_t page) {
  return atomic_load_explicit(&stay->page, memory_order_relaxed) == page;
}

void lease_begin(_Atomic uint32_t *lease, const struct lease_history *own, uint64_t page, unsigned slot,
                 uint64_t blocks, uint64_t moments) {
  const struct stay *stay = &own->stay[page % LEASE_PAGES];
  unsigned span = 64 - (unsigned)__builtin_clzll(blocks) - (unsigned)__builtin_ctzll(blocks);
  unsigned length = 31 - (unsigned)__builtin_clz(2 * span - 1) + (is_about(stay, page) ? stay->longer : 0);
  union lease now = {.slot = slot & 0x3ff, .length = MIN(length, LEASE_MOST) & 15};
  now.begin = moments & BEGIN_MASK;
  atomic_store_explicit(lease, now.word, memory_order_relaxed);
}

unsigned lease_holder(uint32_t lease) {
  return (union lease){lease}.slot;
}

bool lease_is_over(uint32_t word, uint64_t moments) {
  union lease lease = {word};
  uint32_t age = ((uint32_t)moments - lease.begin) & BEGIN_MASK;
  return age >= (unsigned)A_BLOCK << lease.length;
}

void lease_note_loss(struct lease_history *own, uint64_t page, uint64_t moments) {
  struct stay *stay = &own->stay[page % LEASE_PAGES];
  if (is_about(stay, page)) atomic_store_explicit(&stay->lost, (uint32_t)moments, memory_order_relaxed);
}

void lease_learn(struct lease_history *own, uint64_t page, uint64_t moments) {
  struct stay *stay = &own->stay[page % LEASE_PAGES];
  uint32_t now = (uint32_t)moments;
  if (!is_about(stay, page)) {
    atomic_store_explicit(&stay->page, (uint32_t)page, memory_order_relaxed);
    stay->longer = 0;
    atomic_store_explicit(&stay->lost, now - SOON, memory_order_relaxed);
  }
  if (now - atomic_load_explicit(&stay->lost, memory_order_relaxed) < SOON)
    stay->longer += stay->longer < LEASE_MOST;
  else
    stay->longer -= MIN(stay->longer, 2U);
}
