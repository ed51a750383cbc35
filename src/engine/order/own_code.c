/* own_code.c: see own_code.h.
 *
 * Blocks are known by bits 6 to 31 of their address. So all views of an object are the same blocks if they lie a multiple of
 * 4 GiB apart: a further view is put there, unless the program wants it elsewhere. Such an object, as long as no other process has
 * it mapped, is ordinary memory: a thread that writes an instruction through one view requests it from the thread that executes it through the other.
 *
 * A fork makes it memory that processes share; once all such children are gone to other programs it is the process's own again. For any other
 * process it counts as a file that does not change (`unordered` in region.h), so a process that maps or writes it all the same is noticed. */
#include "engine/order/own_code.h"

#include <linux/mman.h>

#include "engine/base/lib.h"
#include "engine/code/code.h"
#include "engine/order/permissions.h"
#include "engine/order/shared.h"
#include "engine/region/object_table.h"

enum { APART_SHIFT = 32, TRIES = 64, COPIES_MAX = 16 };

static uint32_t copies[COPIES_MAX]; /* processes forked with such memory in place … */
static unsigned copy_count;         /* … COPIES_MAX + 1: too many to keep track of … */
static int32_t copies_of;           /* … by the process of this id */

static int32_t own_id(void) {
  return (int32_t)os_call0(__NR_getpid);
}

static uint32_t number_of(const struct region_object *object) {
  return (uint32_t)(object - region->objects) + 1;
}

static bool next_view(const struct region_object *object, uintptr_t at, struct mapping *view) {
  while (mappings_next(at, view)) {
    if (view->object == number_of(object)) return true;
    at = view->end;
  }
  return false;
}

/* -- Where views lie ---------------------------------------------------------------------------------------------------- */

static bool agree(const struct mapping *a, const struct mapping *b) {
  return (uint32_t)a->object_base == (uint32_t)b->object_base;
}

/* True if the object is executed, and all its views are the same blocks. */
static bool is_own_code(const struct region_object *object) {
  struct mapping first, view;
  bool executed = false;
  if (!next_view(object, 0, &first)) return false;
  for (uintptr_t at = 0; next_view(object, at, &view); at = view.end) {
    if (!view.shared || !agree(&first, &view)) return false;
    executed |= view.prot & PROT_EXEC;
  }
  return executed;
}

static bool is_free(uintptr_t at, size_t bytes) {
  struct mapping next;
  if (at < 1UL << APART_SHIFT || mappings_in_engine(at, bytes)) return false;
  return !mappings_next(at, &next) || next.start >= at + bytes;
}

uintptr_t own_code_place(const struct call *call) {
  const long *a = call->args;
  struct mapping view;
  if (call->nr != __NR_mmap || a[0] || !(a[3] & MAP_SHARED) || a[3] & (MAP_ANONYMOUS | MAP_FIXED)) return 0;
  const struct region_object *object = objects_find((int)a[4]);
  if (!object || !next_view(object, 0, &view) || !((view.prot | (uint32_t)a[2]) & PROT_EXEC)) return 0;
  uintptr_t beside = (uintptr_t)a[5] - view.object_base;
  for (uintptr_t i = 1; i <= TRIES; i++) {
    uintptr_t at = beside - (i << APART_SHIFT);
    if (at < beside && is_free(at, ALIGN_UP((size_t)a[1], PAGE))) return at;
  }
  return 0;
}

/* -- Its process ---------------------------------------------------------------------------------------------------------- */

/* True if all children forked with such memory have gone to other programs, or have ended. */
static bool copies_are_gone(void) {
  if (copies_of != own_id()) copy_count = 0;
  if (copy_count > COPIES_MAX) return false;
  for (uint32_t i = 0; copy_count && i < region_slots(region); i++) {
    const struct rthread *slot = &region->slots[i];
    if (atomic_load(&slot->state) != SLOT_LIVE || slot->programs) continue;
    for (unsigned k = 0; k < copy_count; k++)
      if (slot->process == copies[k]) return false;
  }
  copy_count = 0;
  return true;
}

static void set_ordered(const struct region_object *object, bool ordered) {
  struct mapping view;
  for (uintptr_t at = 0; next_view(object, at, &view); at = view.end) {
    if (view.ordered == ordered) continue;
    mappings_name(view.start, view.end, view.object, view.start + view.object_base, ordered);
    if (view.prot & PROT_EXEC) code_changed(view.start, view.end); /* it was executed in another way */
  }
}

bool own_code_take(struct region_object *object) {
  int32_t own = own_id(), reader = atomic_load(&object->unordered);
  if (atomic_load(&object->stored) != own || (reader && reader != own)) return false;
  if (!is_own_code(object) || !copies_are_gone()) return false;
  atomic_store(&object->unordered, own);
  atomic_thread_fence(memory_order_seq_cst); /* the next process that maps it sees this, or is seen here */
  if (atomic_load(&object->stored) != own) return false;
  shared_take_all(arch_self()); /* after all threads that had it before */
  object->copied = false;
  set_ordered(object, false);
  return true;
}

bool own_code_copied(struct region_object *object) {
  if (atomic_load(&object->stored) != own_id() || !is_own_code(object)) return false;
  object->copied = true;
  atomic_store(&object->unordered, 0);
  return true;
}

void own_code_forked(uint32_t process) {
  if (copies_of != own_id()) copy_count = 0;
  copies_of = own_id();
  if (copy_count < COPIES_MAX) copies[copy_count] = process;
  if (copy_count <= COPIES_MAX) copy_count++;
}

void own_code_refresh(void) {
  struct mapping next;
  if (!copy_count || !copies_are_gone()) return;
  for (uintptr_t at = 0; mappings_next(at, &next); at = next.end)
    if (next.ordered && next.object <= REGION_OBJECTS && region->objects[next.object - 1].copied)
      own_code_take(&region->objects[next.object - 1]);
}

void own_code_moved(void) {
  struct mapping next;
  for (uintptr_t at = 0; mappings_next(at, &next); at = next.end) {
    if (!next.object || next.ordered || next.object > REGION_OBJECTS) continue;
    struct region_object *object = &region->objects[next.object - 1];
    if (atomic_load(&object->stored) != own_id() || is_own_code(object)) continue;
    set_ordered(object, true);
    atomic_store(&object->unordered, 0);
  }
}
