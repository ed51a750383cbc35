/* predict_spans.c: checks claim all that relies on them, until other threads have taken some of it too often. */
#include "engine/predict/predict_checks.h"

#include "expect.h"

enum { MANY = 300 };

static struct check_history check;

static unsigned windows(unsigned misses, uint32_t step) {
  unsigned claimed = 0;
  for (unsigned i = 0; i < misses; i++)
    claimed += span_of_window(&check, 5000 + i * step, 5001 + i * step, false);
  return claimed;
}

static void test_windows(void) {
  check = (struct check_history){0};
  EXPECT(!span_of_window(&check, 10, 10, false)); /* there is nothing more to claim */
  EXPECT(!span_of_window(&check, 10, 11, true));
  EXPECT(span_of_window(&check, 10, 11, false));
}

static void test_windows_that_are_taken_away(void) {
  check = (struct check_history){0};
  unsigned claimed = windows(MANY, 0);
  EXPECT(claimed > 10 && claimed < MANY);
  EXPECT(windows(MANY, 0) == 0);
  EXPECT(windows(MANY, 1) == 0);
}

static void test_walks_claim_them(void) {
  check = (struct check_history){0};
  EXPECT(windows(MANY, 1) == MANY);
  EXPECT(windows(MANY, 2) == MANY);
}

static void test_stacks(void) {
  unsigned claimed = 0;
  check = (struct check_history){0};
  for (unsigned i = 0; i < MANY; i++) claimed += span_of_stack(&check, 77, false);
  EXPECT(claimed > 10 && claimed < MANY);
  EXPECT(!span_of_stack(&check, 77, false));
  EXPECT(span_of_stack(&check, 77, true));
  check = (struct check_history){0};
  for (unsigned i = 0; i < MANY; i++)
    EXPECT(span_of_stack(&check, 77 + i, false)); /* other places of the stack */
}

int main(void) {
  test_windows();
  test_windows_that_are_taken_away();
  test_walks_claim_them();
  test_stacks();
  return expect_end();
}
