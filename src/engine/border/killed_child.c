/* killed_child.c: logs the writes of a killed child of vfork to its parent's memory.
 *
 * The instruction at which the child was killed is unknown; its logs, and its replay, end at the last position that it reported.
 * Any later writes lie in blocks that it owned; no other thread has read them, as its parent was held and has no
 * other threads. So the parent logs the content of these blocks, as if its own call had written it. */
#include <linux/mman.h>

#include "engine/base/lib.h"
#include "engine/border/sphere.h"
#include "engine/memory/mappings.h"
#include "engine/order/hand_over.h"

enum { NUMBERED = PERMISSION_BLOCKS / PAGE_BLOCKS }; /* pages that blocks tell apart */

/* Logs the page's blocks that the child owned, each run of them at once. */
static void log_page(struct thread *thread, const uint8_t *map, uintptr_t page) {
  uint8_t bytes[PAGE];
  if (safe_copy(bytes, (const void *)page, PAGE)) return;
  for (unsigned block = 0; block < PAGE_BLOCKS;) {
    unsigned end = block;
    while (end < PAGE_BLOCKS && map[end] & PERMISSION_WRITE) end++;
    size_t offset = (size_t)block << BLOCK_SHIFT, count = (size_t)(end - block) << BLOCK_SHIFT;
    if (count) record_copy_in(thread, page + offset, bytes + offset, count);
    block = end + 1;
  }
}

static bool has_any(const uint8_t *map) {
  uint64_t any = 0;
  for (unsigned i = 0; i < PAGE_BLOCKS / sizeof any; i++) any |= ((const uint64_t *)map)[i];
  return any & 0x0101010101010101 * PERMISSION_WRITE;
}

static void log_mapping(struct thread *thread, const uint8_t *map, const struct mapping *mapping) {
  uintptr_t first = mapping->start / PAGE, end = mapping->end / PAGE;
  for (uintptr_t page = first; page < end && page - first < NUMBERED; page++) {
    const uint8_t *blocks = map + page % NUMBERED * PAGE_BLOCKS;
    if (!has_any(blocks)) continue;
    for (uintptr_t same = page; same < end; same += NUMBERED) log_page(thread, blocks, same * PAGE);
  }
}

void killed_child_log(struct thread *thread) {
  const struct thread *child = thread->record.killed_child;
  struct mapping next;
  if (!child) return;
  thread->record.killed_child = NULL;
  for (uintptr_t at = 0; mappings_next(at, &next); at = next.end)
    if (next.prot & PROT_WRITE && !next.ordered) log_mapping(thread, map_of(child), &next);
}
