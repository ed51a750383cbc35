/* near_atomics.h: which code lies near an instruction that synchronises threads (near_atomics.c). */
#ifndef REPRISE_ENGINE_NEAR_ATOMICS_H
#define REPRISE_ENGINE_NEAR_ATOMICS_H

#include <stdbool.h>
#include <stdint.h>

/* Code that the program may not write, and that therefore is the same in recording and replay. */
bool code_is_lasting(uintptr_t pc);
/* True if the code at pc is lasting, and so is an atomic within some hundred bytes of it. Under cache_lock. */
bool code_is_near_atomic(uintptr_t pc);
/* True if a load there belongs to a loop that waits for a store of another thread. Under cache_lock. */
bool code_is_waiting(uintptr_t pc);
/* waiting_loops.c: sets a bit for each ARCH_ATOMIC_UNIT bytes of a page of code in which such a load may begin. */
void find_waiting_loads(uintptr_t page, uint64_t *units);

#endif
