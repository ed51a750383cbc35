/* near_atomics.h: which code lies near an instruction that synchronises threads (near_atomics.c). */
#ifndef REPRISE_ENGINE_NEAR_ATOMICS_H
#define REPRISE_ENGINE_NEAR_ATOMICS_H

#include <stdbool.h>
#include <stdint.h>

/* Code that the program may not write, and that therefore is the same in recording and replay. */
bool code_is_lasting(uintptr_t pc);
/* True if the code at pc is lasting, and so is an atomic within some hundred bytes of it. Under cache_lock. */
bool code_is_near_atomic(uintptr_t pc);

#endif
