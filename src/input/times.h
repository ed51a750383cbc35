/* times.h: the calls that do nothing but tell the time, as two words at one of their arguments: seconds and a fraction. They never wait,
 * programs make them by the million, and the time differs little from that of the last call: so the log has the time
 * with the call (docs/format.md), unlike all else that the kernel writes. */
#ifndef REPRISE_INPUT_TIMES_H
#define REPRISE_INPUT_TIMES_H

#include <asm/unistd.h>
#include <stdbool.h>
#include <stdint.h>

struct input_time {
  uint32_t argument; /* that points to the words */
  uint32_t unit;     /* fractions in a second; 0: no such call */
};

static inline struct input_time input_time(uint32_t nr) {
  if (nr == __NR_gettimeofday) return (struct input_time){.argument = 0, .unit = 1000000};
  if (nr == __NR_clock_gettime) return (struct input_time){.argument = 1, .unit = 1000000000};
  return (struct input_time){0};
}

#endif
