/* config.c: the configuration of this process, read when it starts (start.c). */
#include "engine/base/config.h"

struct engine_config config;
int engine_fd;
