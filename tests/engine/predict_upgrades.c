/* predict_upgrades.c: reads that a write follows claim the block for writing. */
#include <stddef.h>

#include "engine/predict/predict_checks.h"

#include "expect.h"

enum { EPOCH = 4 };

static struct upgrades own;
static struct check_history check, other;

static void begin(void) {
  own = (struct upgrades){0};
  check = other = (struct check_history){0};
}

static bool read_and_write(uint32_t block) {
  bool upgraded = upgrade_is_expected(&own, &check, block, EPOCH);
  if (!upgraded) upgrade_note_write(&own, block, EPOCH);
  return upgraded;
}

/* Of so many reads, each of another block. */
static unsigned upgraded(unsigned reads, bool written) {
  unsigned count = 0;
  for (unsigned i = 0; i < reads; i++)
    count += written ? read_and_write(100 + i) : upgrade_is_expected(&own, &check, 100 + i, EPOCH);
  return count;
}

static void test_it_is_learnt(void) {
  begin();
  EXPECT(!read_and_write(1));
  EXPECT(!read_and_write(2));
  EXPECT(read_and_write(3));
}

static void test_it_stays_so(void) {
  begin();
  unsigned count = upgraded(1600, true);
  EXPECT(count >= 1480 && count < 1600); /* but for a try now and then */
}

static void test_it_is_forgotten(void) {
  begin();
  upgraded(100, true);
  upgraded(200, false);
  EXPECT(upgraded(100, false) == 0);
  begin();
  for (uint32_t i = 0; i < 8; i++) upgrade_is_expected(&own, &check, i, EPOCH);
  for (uint32_t i = 0; i < 8; i++) upgrade_note_write(&own, i, EPOCH);
  upgraded(70, false);
  EXPECT(upgraded(100, false) == 0); /* however many writes there were */
}

static void test_reads_alone_are_not(void) {
  begin();
  EXPECT(upgraded(1000, false) == 0);
}

static void test_other_blocks_do_not_count(void) {
  begin();
  for (uint32_t i = 0; i < 20; i++) {
    EXPECT(!upgrade_is_expected(&own, &check, i, EPOCH));
    upgrade_note_write(&own, i + 1000, EPOCH);
  }
}

static void test_a_write_counts_once(void) {
  begin();
  upgrade_is_expected(&own, &check, 1, EPOCH);
  for (unsigned i = 0; i < 5; i++) upgrade_note_write(&own, 1, EPOCH);
  EXPECT(!upgrade_is_expected(&own, &check, 2, EPOCH));
}

static void test_checks_are_apart(void) {
  begin();
  upgraded(10, true);
  EXPECT(!upgrade_is_expected(&own, &other, 500, EPOCH));
}

/* What was read in another epoch of the code cache is not there any more. */
static void test_flushed_code_is_not_touched(void) {
  begin();
  for (unsigned i = 0; i < 8; i++) upgrade_is_expected(&own, &check, 7, EPOCH);
  upgrade_note_write(&own, 7, EPOCH + 1);
  EXPECT(check.writes_soon == 0);
}

int main(void) {
  test_it_is_learnt();
  test_it_stays_so();
  test_it_is_forgotten();
  test_reads_alone_are_not();
  test_other_blocks_do_not_count();
  test_a_write_counts_once();
  test_checks_are_apart();
  test_flushed_code_is_not_touched();
  return expect_end();
}
