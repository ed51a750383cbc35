/* predict_leases.c: how long a thread keeps blocks that it was granted for writing. */
#include "engine/predict/predict.h"

#include "expect.h"

enum { PAGE_A = 70, SLOT = 9, ONE = 1 };

static struct lease_history history;
static _Atomic uint32_t lease;

/* Moments that a lease of these blocks lasts if it begins then. */
static unsigned length_of(uint64_t page, uint64_t blocks, uint64_t begin) {
  unsigned length = 0;
  lease_begin(&lease, &history, page, SLOT, blocks, begin);
  while (length < 1 << 16 && !lease_is_over(lease, begin + length)) length++;
  return length;
}

static void test_more_blocks_last_longer(void) {
  history = (struct lease_history){0};
  unsigned one = length_of(PAGE_A, ONE, 1000);
  EXPECT(one > 0);
  EXPECT(length_of(PAGE_A, 1UL << 63, 1000) == one);
  EXPECT(length_of(PAGE_A, 3, 1000) == 2 * one);
  EXPECT(length_of(PAGE_A, UINT64_MAX, 1000) == 64 * one);
  EXPECT(length_of(PAGE_A, 1 | 1UL << 63, 1000) == 64 * one); /* the span counts */
  EXPECT(lease_holder(lease) == SLOT);
}

static void test_the_clock_wraps(void) {
  history = (struct lease_history){0};
  EXPECT(length_of(PAGE_A, ONE, (1UL << 18) - 1) == length_of(PAGE_A, ONE, 0));
  EXPECT(length_of(PAGE_A, ONE, UINT32_MAX) == length_of(PAGE_A, ONE, 0));
}

/* The page is lost, and needed again so much later. */
static void lose_and_miss(uint64_t page, uint64_t *now, unsigned later) {
  lease_note_loss(&history, page, *now);
  *now += later;
  lease_learn(&history, page, *now);
}

static void test_losses_that_hurt_make_it_longer(void) {
  uint64_t now = 5000;
  history = (struct lease_history){0};
  unsigned before = length_of(PAGE_A, ONE, now);
  lease_learn(&history, PAGE_A, now);
  EXPECT(length_of(PAGE_A, ONE, now) == before);
  lose_and_miss(PAGE_A, &now, 10);
  EXPECT(length_of(PAGE_A, ONE, now) == 2 * before);
  lose_and_miss(PAGE_A, &now, 10);
  EXPECT(length_of(PAGE_A, ONE, now) == 4 * before);
  lose_and_miss(PAGE_A, &now, 10000);
  EXPECT(length_of(PAGE_A, ONE, now) == before);
}

static void test_it_has_a_limit(void) {
  uint64_t now = 5000;
  history = (struct lease_history){0};
  unsigned before = length_of(PAGE_A, ONE, now);
  lease_learn(&history, PAGE_A, now);
  for (unsigned i = 0; i < 40; i++) lose_and_miss(PAGE_A, &now, 10);
  EXPECT(length_of(PAGE_A, ONE, now) == 512 * before);
  EXPECT(length_of(PAGE_A, UINT64_MAX, now) == 512 * before);
}

static void test_pages_are_apart(void) {
  uint64_t now = 5000;
  history = (struct lease_history){0};
  unsigned before = length_of(PAGE_A, ONE, now);
  lease_learn(&history, PAGE_A, now);
  for (unsigned i = 0; i < 5; i++) lose_and_miss(PAGE_A, &now, 10);
  EXPECT(length_of(PAGE_A + 1, ONE, now) == before);
  EXPECT(length_of(PAGE_A + LEASE_PAGES, ONE, now) == before); /* the same entry of the table */
  lease_learn(&history, PAGE_A + LEASE_PAGES, now);
  EXPECT(length_of(PAGE_A + LEASE_PAGES, ONE, now) == before);
  EXPECT(length_of(PAGE_A, ONE, now) == before);
}

int main(void) {
  test_more_blocks_last_longer();
  test_the_clock_wraps();
  test_losses_that_hurt_make_it_longer();
  test_it_has_a_limit();
  test_pages_are_apart();
  return expect_end();
}
