/* clock.h: simulated time: three cycles a nanosecond (3 GHz, Karma table 1), from a fixed day on. */
#ifndef REPRISE_SIM_CLOCK_H
#define REPRISE_SIM_CLOCK_H

#include <stdbool.h>
#include <stdint.h>

#define CLOCK_EPOCH \
  1000000000000000000ull /* real time when the machine starts, in nanoseconds: September 2001 */

static inline uint64_t clock_nanoseconds(uint64_t cycle) {
  return cycle / 3;
}
static inline uint64_t clock_cycles(uint64_t nanoseconds) {
  return nanoseconds > UINT64_MAX / 4 ? UINT64_MAX - 1 : nanoseconds * 3;
}
/* The cycle of a moment, by the real-time or monotonic clock. */
static inline uint64_t clock_cycle(uint64_t moment, bool realtime) {
  if (realtime) moment = moment > CLOCK_EPOCH ? moment - CLOCK_EPOCH : 0;
  return clock_cycles(moment);
}

#endif
