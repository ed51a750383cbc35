/* predict_shares.c: how many blocks of a page a request asks for, as threads take turns there or do not. */
#include "engine/predict/predict.h"

#include "expect.h"

enum { LONG = 1000 }; /* ticks that no two turns are apart */

static _Atomic uint32_t hint;
static uint64_t now;

static unsigned miss(unsigned slot, bool write, uint64_t later) {
  now += later;
  return share_of(&hint, slot, write, false, now);
}

static void begin(void) {
  hint = 0;
  now = 77;
}

static void test_first_miss_takes_the_page(void) {
  begin();
  EXPECT(miss(3, true, 0) == SHARE_ALL);
  EXPECT(miss(3, true, 0) == SHARE_ALL);
}

static void test_turns_make_it_smaller(void) {
  begin();
  unsigned before = miss(0, true, 0);
  for (unsigned i = 1; i <= 3; i++) {
    unsigned share = miss(i % 2, true, 1);
    EXPECT(share < before);
    before = share;
  }
  EXPECT(before == SHARE_ONE);
  EXPECT(miss(4 % 2, true, 1) == SHARE_ONE); /* and not less */
}

static void test_turns_that_come_late_leave_it(void) {
  begin();
  miss(0, true, 0);
  unsigned share = miss(1, true, 1);
  EXPECT(miss(0, true, 2) == share);
}

static void test_the_same_thread_gets_more(void) {
  begin();
  for (unsigned i = 0; i < 8; i++) miss(i % 2, true, 1);
  for (unsigned share = SHARE_ONE + 1; share <= SHARE_ALL; share++) EXPECT(miss(1, true, 1) == share);
  EXPECT(miss(1, true, 1) == SHARE_ALL);
}

static void test_seldom_turns_try_more(void) {
  begin();
  for (unsigned i = 0; i < 8; i++) miss(i % 2, true, 1);
  EXPECT(miss(0, true, LONG) == SHARE_ONE + 1);
}

static void test_readers_do_not_take_turns(void) {
  begin();
  for (unsigned i = 0; i < 8; i++) EXPECT(miss(i % 3, false, 1) == SHARE_ALL);
}

static void test_reads_and_writes_are_apart(void) {
  begin();
  for (unsigned i = 0; i < 8; i++) miss(i % 2, true, 1);
  EXPECT(miss(1, false, LONG) == SHARE_ALL);
  EXPECT(miss(1, true, 1) == SHARE_ONE + 1);
}

static void test_unowned_blocks_come_at_once(void) {
  begin();
  for (unsigned i = 0; i < 8; i++) miss(i % 2, i % 2, 1);
  EXPECT(share_of(&hint, 5, false, true, now + LONG) == SHARE_ALL);
}

int main(void) {
  test_first_miss_takes_the_page();
  test_turns_make_it_smaller();
  test_turns_that_come_late_leave_it();
  test_the_same_thread_gets_more();
  test_seldom_turns_try_more();
  test_readers_do_not_take_turns();
  test_reads_and_writes_are_apart();
  test_unowned_blocks_come_at_once();
  return expect_end();
}
