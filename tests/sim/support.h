/* support.h: a simulated machine without harts and kernel: ports that the test itself drives. */
#ifndef TESTS_SIM_SUPPORT_H
#define TESTS_SIM_SUPPORT_H

#include "sim/caches/caches.h"

/* A small machine: defaults that a test then changes before support_machine. */
struct sim_config support_config(uint32_t harts, uint64_t seed);
/* One port for each hart, all at cycle 0 and with this run function, and a device's port more when asked for. */
struct machine *support_machine(const struct sim_config *config, void (*run)(struct port *), bool device);
void support_free(struct machine *machine);

/* A generator for tests: the same sequence for the same seed. */
uint64_t support_random(uint64_t *state);
static inline uint64_t support_below(uint64_t *state, uint64_t limit) {
  return (support_random(state) >> 16) % limit;
}

/* "N passed, N failed" at the end; what failed is named. */
void support_check(bool good, const char *format, ...) __attribute__((format(printf, 2, 3)));
int support_end(void);

#endif
