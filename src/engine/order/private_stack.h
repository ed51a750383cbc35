/* private_stack.h: the part of its stack that a thread need not look at block by block (private_stack.c).
 *
 * A thread knows of one range of addresses that it has every block of for writing: around its stack pointer, as far as nobody
 * else reaches. Generated code compares with its bounds where it would look into the permission map. The range says
 * nothing that the map does not say too: it shrinks in the same step in which a block is given up, by the thread itself at a safepoint or by
 * who acts for it while it is parked. So it does not matter what kind of memory the stack is, who made it, or
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
