/* shared_undo.c: see shared_undo.h.
 *
 * Stores are kept as pieces, none of which goes beyond a page, so that a process has all of a piece mapped or none of it. The thread
 * that finds their keeper dead may not have that memory mapped at all: the pieces stay, as *abandoned*, until a thread is about to access the
 * object. The pieces of the lock's present holder come after them. Later pieces are undone first. To undo a piece twice does no
 * harm, so the thread that does it may be killed, too. */
#include "engine/order/shared_undo.h"

#include "engine/base/lib.h"
#include "engine/code/code.h"
#include "engine/order/permissions.h"
#include "engine/region/endings.h"

static struct region_undo *undo(void) {
  return &region->shared.undo;
}

/* The last known position of the slot's thread; the order log of a killed thread ends there. */
static uint64_t known_position(uint32_t slot) {
  const struct rthread *rthread = &region->slots[slot];
  return MAX(region->directory[slot].recorder.position,
             atomic_load(&rthread->ring.position) + rthread->ticks);
}

/* -- Keeping --------------------------------------------------------------------------------------------------------------- */

static uint32_t bytes_used(const struct region_undo *u) {
  return u->count ? u->pieces[u->count - 1].at + u->pieces[u->count - 1].bytes : 0;
}

void undo_renew(const struct thread *thread) {
  undo()->slot = slot_of(thread->rthread);
  undo()->position = order_position(thread);
}

void undo_keep_nothing(const struct thread *thread) {
  undo_renew(thread);
  undo()->hopeless = true;
}

static bool keep_piece(struct region_undo *u, uint32_t object, uint64_t offset, uintptr_t address,
                       uint32_t bytes) {
  uint32_t at = bytes_used(u), i = u->count;
  if (i == UNDO_PIECES || at + bytes > UNDO_BYTES) return false;
  if (safe_copy(u->bytes + at, (const void *)address, bytes)) return true; /* the store will fault, too */
  u->pieces[i] = (struct undo_piece){.object = object, .bytes = bytes, .at = at, .offset = offset};
  atomic_store_explicit(&u->count, i + 1, memory_order_release);
  return true;
}

void undo_keep(const struct thread *thread, const struct mapping *mapping, uintptr_t address, size_t bytes) {
  struct region_undo *u = undo();
  undo_renew(thread);
  if (!mapping->shared) return; /* the process's own copy */
  while (bytes && !u->hopeless) {
    uint32_t part = (uint32_t)MIN(bytes, PAGE - address % PAGE);
    u->hopeless = !keep_piece(u, mapping->object, address + mapping->object_base, address, part);
    address += part;
    bytes -= part;
  }
}

void undo_forget(void) {
  struct region_undo *u = undo();
  u->hopeless = false;
  atomic_store_explicit(&u->count, u->abandoned, memory_order_release);
}

/* -- Taking back ------------------------------------------------------------------------------------------------------------ */

static _Noreturn void fail(void) {
  sphere_fail(OUTCOME_UNSUPPORTED,
              "a process was killed in the middle of a change of memory or of a file that others share, "
              "which can't be recorded");
}

void undo_find_dead(void) {
  struct region_undo *u = undo();
  if (u->count == u->abandoned && !u->hopeless) return;
  if (known_position(u->slot) > u->position) {
    undo_forget();
    return;
  }
  if (u->hopeless) fail();
  u->abandoned = u->count;
}

bool undo_is_of(unsigned slot) {
  const struct region_undo *u = undo();
  return u->slot == slot && (u->count != u->abandoned || u->hopeless);
}

static void drop_done(struct region_undo *u) {
  while (u->abandoned && !u->pieces[u->abandoned - 1].object) u->abandoned--;
  atomic_store_explicit(&u->count, u->abandoned, memory_order_release);
}

void undo_apply(const struct mapping *mapping, uintptr_t address, size_t bytes) {
  struct region_undo *u = undo();
  uint64_t start = ALIGN_DOWN(address + mapping->object_base, PAGE),
           end = ALIGN_UP(address + mapping->object_base + bytes, PAGE);
  if (!u->abandoned) return;
  for (uint32_t i = u->abandoned; i-- > 0;) {
    struct undo_piece *piece = &u->pieces[i];
    if (piece->object != mapping->object || piece->offset < start || piece->offset >= end) continue;
    uintptr_t to = piece->offset - mapping->object_base;
    if (!mapping->shared || copy_to_app(to, u->bytes + piece->at, piece->bytes)) fail();
    piece->object = 0;
  }
  if (u->count == u->abandoned) drop_done(u);
}

void undo_expect_none(void) {
  if (undo()->abandoned) fail();
}
