/* turns.c: see turns.h. */
#include "engine/region/turns.h"

const struct turns *turns;
