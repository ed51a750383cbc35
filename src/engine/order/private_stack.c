/* private_stack.c: which blocks around its stack pointer a thread has for writing. See private_stack.h. */
#include "engine/order/private_stack.h"

#include "engine/base/arch.h"
#include "engine/base/lib.h"
#include "engine/order/permissions.h"

enum { BLOCK_SHIFT = 6, BLOCK = 1 << BLOCK_SHIFT };
/* How far the range may reach from the part of the stack in use, and how many pages are taken before they are used. */
enum { REACH = 1024, PAGES_AHEAD = 4 };

static void set(struct thread *thread, uintptr_t low, uintptr_t high) {
  thread->private_stack.low = low, thread->private_stack.high = high;
  arch_set_private(thread, low, high);
}

static bool is_mine(const struct thread *thread, uintptr_t address) {
  const uint8_t *map = (const uint8_t *)thread + SLOT_PERMISSIONS;
  return map[(uint32_t)address >> BLOCK_SHIFT] & PERMISSION_WRITE;
}

void private_stack_find(struct thread *thread, uintptr_t address) {
  const uintptr_t far = (uintptr_t)REACH * BLOCK;
  uintptr_t low = ALIGN_DOWN(address, BLOCK), high = low;
  if (!is_mine(thread, address) || address - arch_sp(thread) + far > 2 * far) return;
  for (uintptr_t i = 1; i <= PAGES_AHEAD; i++) permissions_claim_untouched(thread, address - i * PAGE);
  for (unsigned i = 0; i < REACH && low && is_mine(thread, low - 1); i++) low -= BLOCK;
  for (unsigned i = 0; i < REACH && is_mine(thread, high); i++) high += BLOCK;
  set(thread, low, high);
}

static void lose(struct thread *thread, uint32_t block) {
  uintptr_t low = thread->private_stack.low, high = thread->private_stack.high;
  uint32_t above = (block - ((uint32_t)low >> BLOCK_SHIFT)) % PERMISSION_BLOCKS;
  if (above >= (high - low) >> BLOCK_SHIFT) return;
  uintptr_t lost = low + (uintptr_t)above * BLOCK;
  if (lost < arch_sp(thread))
    set(thread, lost + BLOCK, high);
  else
    set(thread, low, lost);
}

void private_stack_lose(struct thread *thread, uint32_t first, uint64_t blocks) {
  enum { GROUP = 64 };
  uintptr_t low = thread->private_stack.low, high = thread->private_stack.high;
  uint32_t above = ((uint32_t)low >> BLOCK_SHIFT) - first, count = (uint32_t)((high - low) >> BLOCK_SHIFT);
  bool apart = above % PERMISSION_BLOCKS >= GROUP && -above % PERMISSION_BLOCKS >= count;
  for (; blocks && !apart; blocks &= blocks - 1) lose(thread, first + (unsigned)__builtin_ctzll(blocks));
}

void private_stack_drop(struct thread *thread) {
  set(thread, 0, 0);
}
