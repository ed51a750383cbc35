/* mapping_book.c: the book of the application's mappings. See mapping_book.h. */
#include "engine/base/mapping_book.h"

#include <asm/mman.h>
#include <linux/resource.h>

#include "engine/base/lib.h"
#include "engine/base/mapping_tree.h"

_Atomic bool mappings_unsettled;
bool mappings_read_implies_exec;

/* It is unknown how much of the change the kernel has made, and how much of it the book has. */
static void mend(void) {
  if (mappings_unsettled || tree_in_pieces)
    die(125, "a process was killed while it changed mappings of memory that it has in common with this one");
}

struct lock mappings_lock = {.mend = mend};

bool mappings_in_engine(uintptr_t start, uintptr_t length) {
  return start < ENGINE_END && (start >= ENGINE_BASE || length > ENGINE_BASE - start);
}

void mappings_add(uintptr_t start, uintptr_t end, uint32_t prot, bool shared) {
  lock_take(&mappings_lock);
  tree_put((struct mapping){.start = start, .end = end, .prot = prot, .shared = shared});
  lock_release(&mappings_lock);
}

void mappings_remove(uintptr_t start, uintptr_t end) {
  lock_take(&mappings_lock);
  tree_clear(start, end);
  lock_release(&mappings_lock);
}

void mappings_add_stack(uintptr_t start, uintptr_t end, uint32_t prot) {
  lock_take(&mappings_lock);
  tree_put((struct mapping){.start = start, .end = end, .prot = prot, .grows = true});
  lock_release(&mappings_lock);
}

void mappings_follow_growth(uintptr_t address) {
  const struct mapping *next = tree_from(address);
  if (!next || next->start <= address || !next->grows) return;
  struct rlimit64 limit;
  if (os_failed(os_call4(__NR_prlimit64, 0, RLIMIT_STACK, 0, &limit))) return;
  if (next->end - address > limit.rlim_cur) return;
  struct mapping grown = *next;
  grown.start = ALIGN_DOWN(address, PAGE);
  tree_put(grown);
}

bool mappings_find(uintptr_t address, struct mapping *out) {
  lock_take(&mappings_lock);
  mappings_follow_growth(address);
  const struct mapping *found = tree_from(address);
  bool inside = found && found->start <= address;
  if (inside) *out = *found;
  lock_release(&mappings_lock);
  return inside;
}

bool mappings_next(uintptr_t address, struct mapping *out) {
  lock_take(&mappings_lock);
  const struct mapping *found = tree_from(address);
  if (found) *out = *found;
  lock_release(&mappings_lock);
  return found;
}

void mappings_name(uintptr_t start, uintptr_t end, uint32_t object, uint64_t offset, bool ordered) {
  uintptr_t base = offset - start;
  lock_take(&mappings_lock);
  for (const struct mapping *m; start < end && (m = tree_from(start)) && m->start < end;) {
    struct mapping part = *m;
    part.start = MAX(part.start, start);
    part.end = MIN(part.end, end);
    part.object = object;
    part.object_base = base;
    part.ordered = ordered;
    tree_put(part);
    start = part.end;
  }
  lock_release(&mappings_lock);
}

long mappings_kernel_prot(long prot) {
  if (prot & PROT_EXEC) prot |= PROT_READ;
  return replaying() ? prot & ~(long)PROT_EXEC : prot;
}

size_t mappings_present(uintptr_t address, size_t bytes) {
  enum { USUAL = 1 << 20 };
  struct mapping mapping;
  size_t there = 0;
  if (bytes <= USUAL) return bytes;
  while (there < bytes && mappings_find(address + there, &mapping)) there = mapping.end - address;
  return MIN(bytes, MAX(there, USUAL));
}
