/* predict_habits.c: blocks that a thread requests one after the other come together. */
#include "engine/predict/predict.h"

#include "expect.h"

enum { PAGE_A = 5 * DIRECTORY_GROUP, LATER = 100 };

static struct habits habits;
static uint64_t now;

static uint64_t request(uint32_t block, uint64_t later) {
  now += later;
  return habit_of(&habits, block, now);
}

static void begin(void) {
  habits = (struct habits){0}, now = 1234;
}

static void test_nothing_is_known_at_first(void) {
  begin();
  EXPECT(request(PAGE_A + 7, LATER) == 1UL << 7);
}

static void test_what_followed_comes_along(void) {
  begin();
  request(PAGE_A + 1, LATER);
  request(PAGE_A + 9, 1);
  request(PAGE_A + 4, 1);
  EXPECT(request(PAGE_A + 1, LATER) == (1UL << 1 | 1UL << 9 | 1UL << 4));
  EXPECT(request(PAGE_A + 9, LATER) == (1UL << 9 | 1UL << 4));
}

static void test_what_came_along_counts_as_requested(void) {
  begin();
  request(PAGE_A + 1, LATER);
  request(PAGE_A + 9, 1);
  request(PAGE_A + 1, LATER); /* brings 9 */
  request(PAGE_A + 20, 1);    /* so this follows on 9 */
  EXPECT(request(PAGE_A + 9, LATER) == (1UL << 9 | 1UL << 20));
}

static void test_what_comes_late_does_not_follow(void) {
  begin();
  request(PAGE_A + 1, LATER);
  request(PAGE_A + 9, LATER);
  EXPECT(request(PAGE_A + 1, LATER) == 1UL << 1);
}

static void test_another_page_does_not_follow(void) {
  begin();
  request(PAGE_A + 1, LATER);
  request(PAGE_A + DIRECTORY_GROUP + 9, 1);
  EXPECT(request(PAGE_A + 1, LATER) == 1UL << 1);
}

static void test_circles_end(void) {
  begin();
  for (unsigned i = 0; i < 6; i++) request(PAGE_A + i % 2, 1);
  EXPECT(request(PAGE_A, LATER) == 3);
}

static void test_chains_end(void) {
  begin();
  request(PAGE_A, LATER);
  for (unsigned i = 1; i < 30; i++) request(PAGE_A + i, 1);
  EXPECT(__builtin_popcountll(request(PAGE_A, LATER)) == 7);
}

int main(void) {
  test_nothing_is_known_at_first();
  test_what_followed_comes_along();
  test_what_came_along_counts_as_requested();
  test_what_comes_late_does_not_follow();
  test_another_page_does_not_follow();
  test_circles_end();
  test_chains_end();
  return expect_end();
}
