/* heap.c: brk(2) for the application.
 *
 * The kernel's own heap of this process begins behind the engine, so the application's is made of ordinary anonymous
 * pages at the place where the kernel would have put it. */
#include <linux/mman.h>

#include "engine/base/lib.h"
#include "engine/base/mapping_tree.h"
#include "engine/code/code.h"
#include "engine/memory/limits.h"
#include "engine/memory/mappings.h"

static struct {
  uintptr_t start, end;
  size_t data_bytes;
} heap;

void heap_init(uintptr_t start, size_t data_bytes) {
  heap.start = heap.end = start;
  heap.data_bytes = data_bytes;
}

void heap_range(uintptr_t *start, uintptr_t *end) {
  *start = heap.start;
  *end = heap.end;
}

static bool within_limit(uintptr_t end) {
  uint64_t limit = limits_data();
  return end - heap.start <= limit && heap.data_bytes <= limit - (end - heap.start);
}

/* The kernel leaves a page free between the heap and what follows it. */
static bool room(uintptr_t from, uintptr_t to) {
  if (to + PAGE < from || mappings_in_engine(from, to + PAGE - from)) return false;
  const struct mapping *next = tree_from(from);
  return !next || next->start >= to + PAGE;
}

static bool grow(uintptr_t from, uintptr_t to) {
  if (!room(from, to) || !limits_allow(to - from, to - from)) return false;
  uint32_t prot = PROT_READ | PROT_WRITE | (mappings_read_implies_exec ? PROT_EXEC : 0);
  long flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE | mlock_flags();
  long at = os_call6(__NR_mmap, from, to - from, mappings_kernel_prot(prot), flags, -1, 0);
  if (os_failed(at)) return false;
  /* Also for a kernel that takes MAP_FIXED_NOREPLACE as a hint. */
  if (!mlock_made((uintptr_t)at, to - from) || (uintptr_t)at != from) {
    os_call2(__NR_munmap, at, to - from);
    return false;
  }
  tree_put((struct mapping){.start = from, .end = to, .prot = prot});
  return true;
}

uintptr_t heap_brk(uintptr_t end) {
  lock_take(&mappings_lock);
  uintptr_t old_page = ALIGN_UP(heap.end, PAGE), new_page = ALIGN_UP(end, PAGE);
  bool code = false;
  if (end >= heap.start && new_page >= end && within_limit(end)) {
    if (new_page < old_page) {
      os_call2(__NR_munmap, new_page, old_page - new_page);
      code = tree_executable(new_page, old_page);
      tree_clear(new_page, old_page);
      heap.end = end;
    } else if (new_page == old_page || grow(old_page, new_page)) {
      heap.end = end;
    }
  }
  uintptr_t now = heap.end;
  lock_release(&mappings_lock);
  if (code) code_changed(new_page, old_page);
  return now;
}
