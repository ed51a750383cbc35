/* config.c: the configuration of this process, read when it starts (start.c). */
#include "engine/base/config.h"

struct engine_config config;
struct demands demands;
int engine_fd;

void config_decide(void) {
  bool at_once = config.order != ENGINE_CHUNK;
  demands = (struct demands){.permissions = at_once && recording(),
                             .told_accesses = at_once,
                             .frequent_stops = at_once && replaying()};
}
