/* predict_rows.c: how a thread goes on that writes blocks one after the other, from those that it may write already.
 *
 * A thread that may write the blocks just below those that it needs now goes upwards through the page, so it gets as many above them; and the
 * other way round. It gets them even while it takes turns with other threads in that page: they are at other places. There is no state. */
#include "engine/predict/predict.h"

#include "engine/base/lib.h"

enum { ROW_MOST = 8 };

uint64_t row_of(uint64_t writable, uint64_t need) {
  unsigned first = (unsigned)__builtin_ctzll(need), end = DIRECTORY_GROUP - (unsigned)__builtin_clzll(need);
  unsigned below = 0, above = 0;
  while (below < ROW_MOST && below < first && writable >> (first - below - 1) & 1) below++;
  while (above < ROW_MOST && end + above < DIRECTORY_GROUP && writable >> (end + above) & 1) above++;
  uint64_t row = below && end < DIRECTORY_GROUP ? blocks_from(end, below) : 0;
  unsigned down = MIN(above, first);
  return down ? row | blocks_from(first - down, down) : row;
}
