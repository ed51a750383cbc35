/* private_stack.h: the part of its stack that a thread need not check block by block (private_stack.c).
 *
 * A thread knows one range of addresses around its stack pointer of which it has every block for writing. Generated
 * code compares an address with the bounds of the range instead of looking into the permission map. The map permits all of the
 * range, too: the range shrinks in the same step in which a block is given up, by the thread itself at a safepoint or by
 * the thread that acts for it while it is parked. So it does not matter what kind of memory the stack is, who made it, or
 * what becomes of it. */
#ifndef REPRISE_ENGINE_PRIVATE_STACK_H
#define REPRISE_ENGINE_PRIVATE_STACK_H

#include "engine/base/thread.h"

/* The thread has the block of the address, which may be on its stack: nothing if it is far from the stack pointer. */
void private_stack_find(struct thread *thread, uintptr_t address);
/* The thread does not have some of the 64 blocks from there on for writing any more; the whole map is forgotten. */
void private_stack_lose(struct thread *thread, uint32_t first, uint64_t blocks);
void private_stack_drop(struct thread *thread);

#endif
