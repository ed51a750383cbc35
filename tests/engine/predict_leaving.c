/* predict_leaving.c: a thread leaves what it has had for long enough, and keeps longer what it takes back. */
#include "engine/predict/predict.h"

#include "expect.h"

enum { PAGE_A = 12, PAGE_B = 13, LONG = 1 << 20 };

static struct leaving own;
static struct directory_part left[LEAVING_PARTS + 1];
static unsigned lefts;

static void leave(void *context, struct directory_part part) {
  EXPECT(context == &own);
  left[lefts++] = part;
}

static unsigned serve(uint64_t position) {
  lefts = 0;
  leaving_serve(&own, position, leave, &own);
  return lefts;
}

static void take(uint64_t page, uint64_t blocks, uint64_t position, bool taken_back) {
  leaving_begin(&own, page, taken_back, true);
  leaving_note(&own, page, blocks, position);
  leaving_end(&own);
}

/* For how many instructions a block of the page is kept if it is taken now. */
static uint64_t kept(uint64_t page, bool taken_back) {
  own.count = 0;
  take(page, 1, 0, taken_back);
  uint64_t least = 0, most = LONG;
  if (!own.count) return UINT64_MAX;
  while (least < most) {
    struct leaving copy = own;
    uint64_t middle = (least + most) / 2;
    lefts = 0;
    leaving_serve(&own, middle, leave, &own);
    own = copy;
    if (lefts)
      most = middle;
    else
      least = middle + 1;
  }
  return least;
}

static void test_what_was_taken_is_left_once(void) {
  own = (struct leaving){0};
  take(PAGE_A, 6, 100, false);
  EXPECT(serve(100) == 0);
  EXPECT(serve(100 + LONG) == 1 && left[0].group == PAGE_A && left[0].blocks == 6);
  EXPECT(serve(100 + 2 * LONG) == 0);
}

static void test_only_what_the_claim_writes(void) {
  own = (struct leaving){0};
  leaving_begin(&own, PAGE_A, false, false);
  leaving_note(&own, PAGE_A, 1, 0);
  leaving_begin(&own, PAGE_A, true, false);
  leaving_note(&own, PAGE_A, 1, 0);
  leaving_begin(&own, PAGE_A, false, true);
  leaving_end(&own);
  leaving_note(&own, PAGE_A, 2, 0); /* not of the claim */
  EXPECT(serve(LONG) == 0);
  EXPECT(leaving_stop(&own, 0) == UINT64_MAX);
}

static void test_blocks_taken_together_are_left_together(void) {
  own = (struct leaving){0};
  take(PAGE_A, 1, 100, false);
  take(PAGE_B, 4, 101, false);
  take(PAGE_A, 2, 102, false);
  EXPECT(serve(LONG) == 2);
  EXPECT(left[0].group == PAGE_A ? left[0].blocks == 3 : left[1].blocks == 3);
  take(PAGE_A, 1, LONG, false);
  take(PAGE_A, 2, LONG + 400, false); /* too late for that */
  EXPECT(serve(3 * LONG) == 2);
}

static void test_only_what_is_due(void) {
  own = (struct leaving){0};
  uint64_t keep = kept(PAGE_A, false);
  own.count = 0;
  take(PAGE_A, 1, 0, false);
  take(PAGE_B, 1, keep, false);
  EXPECT(serve(keep - 1) == 0);
  EXPECT(serve(keep) == 1 && left[0].group == PAGE_A);
  EXPECT(serve(2 * keep - 1) == 0);
  EXPECT(serve(2 * keep) == 1 && left[0].group == PAGE_B);
}

static void test_the_thread_comes_by(void) {
  own = (struct leaving){0};
  take(PAGE_A, 1, 1000, false);
  uint64_t stop = leaving_stop(&own, 1000);
  EXPECT(stop > 1000 && stop < 1000 + LONG);
  EXPECT(serve(stop) == 1);
  EXPECT(leaving_stop(&own, stop) == UINT64_MAX);
}

static void test_what_is_taken_back_is_kept_longer(void) {
  own = (struct leaving){0};
  uint64_t first = kept(PAGE_A, false), before = first;
  for (unsigned i = 0; i < 9; i++) {
    uint64_t now = kept(PAGE_A, true);
    EXPECT(now >= before);
    before = now;
  }
  EXPECT(before > 8 * first && before != UINT64_MAX);
  for (unsigned i = 0; i < 9; i++) before = kept(PAGE_A, true);
  EXPECT(before == UINT64_MAX); /* not left at all */
  for (unsigned i = 0; i < 1000; i++) before = kept(PAGE_A, false);
  EXPECT(before == first); /* tried again */
}

static void test_pages_are_apart(void) {
  own = (struct leaving){0};
  uint64_t first = kept(PAGE_B, false);
  for (unsigned i = 0; i < 8; i++) kept(PAGE_A, true);
  EXPECT(kept(PAGE_A, true) > 4 * first);
  EXPECT(kept(PAGE_B, false) == first);
  for (unsigned i = 0; i < 100; i++) kept(PAGE_B, false);
  EXPECT(kept(PAGE_A + LEAVING_PAGES, false) == first); /* the same entry of the table */
}

static void test_there_is_room_for_so_many(void) {
  own = (struct leaving){0};
  for (unsigned i = 0; i < 2 * LEAVING_PARTS; i++) take(1000 + i, 1, 0, false);
  EXPECT(serve(LONG) == LEAVING_PARTS);
}

static void test_a_new_thread_has_nothing_to_leave(void) {
  own = (struct leaving){0};
  take(PAGE_A, 1, 0, false);
  leaving_forget(&own);
  EXPECT(serve(LONG) == 0);
}

int main(void) {
  test_what_was_taken_is_left_once();
  test_only_what_the_claim_writes();
  test_blocks_taken_together_are_left_together();
  test_only_what_is_due();
  test_the_thread_comes_by();
  test_what_is_taken_back_is_kept_longer();
  test_pages_are_apart();
  test_there_is_room_for_so_many();
  test_a_new_thread_has_nothing_to_leave();
  return expect_end();
}
