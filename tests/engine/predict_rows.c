/* predict_rows.c: a thread that writes blocks in a row gets more of the row. */
#include "engine/predict/predict.h"

#include "expect.h"

#define BLOCK(n) (1UL << (n))

int main(void) {
  EXPECT(row_of(0, BLOCK(9)) == 0);
  EXPECT(row_of(BLOCK(8), BLOCK(9)) == BLOCK(10));
  EXPECT(row_of(BLOCK(7) | BLOCK(8), BLOCK(9)) == (BLOCK(10) | BLOCK(11)));
  EXPECT(row_of(BLOCK(7), BLOCK(9)) == 0); /* not beside it */
  EXPECT(row_of(BLOCK(10), BLOCK(9)) == BLOCK(8));
  EXPECT(row_of(BLOCK(8) | BLOCK(11), BLOCK(9) | BLOCK(10)) == (BLOCK(11) | BLOCK(8)));
  EXPECT(row_of(blocks_from(0, 40), BLOCK(40)) == blocks_from(41, 8)); /* no more than these */
  EXPECT(row_of(blocks_from(21, 40), BLOCK(20)) == blocks_from(12, 8));
  /* The page ends. */
  EXPECT(row_of(blocks_from(54, 8), BLOCK(62)) == BLOCK(63));
  EXPECT(row_of(blocks_from(0, 63), BLOCK(63)) == 0);
  EXPECT(row_of(blocks_from(1, 63), BLOCK(0)) == 0);
  EXPECT(row_of(blocks_from(2, 62), BLOCK(1)) == BLOCK(0));
  EXPECT(row_of(0, UINT64_MAX) == 0);
  return expect_end();
}
