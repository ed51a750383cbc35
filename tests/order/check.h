/* check.h: whether the logs of the world's history order what they must. */
#ifndef REPRISE_TESTS_ORDER_CHECK_H
#define REPRISE_TESTS_ORDER_CHECK_H

#include "world.h"

/* Every replay of the logs in world.history keeps the order of conflicting accesses and comes to its end; if not, world_wrong says what is
 * wrong. */
bool check_history(const struct order_scheme *scheme);
/* Of all logs together. */
size_t check_bytes(void);

#endif
