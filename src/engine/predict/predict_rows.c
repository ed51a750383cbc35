/* predict_rows.c: which blocks a thread writes next that writes blocks one after the other, from those that it may write already.
 *
 * A thread that may write the blocks just below those that it needs now goes upwards through the page, so a request asks for as many above them; and the
 * other way round. It does so even while the thread takes turns with others in that page: they work at other places. There is no state. */
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
