/* shared.c: see shared.h.
 *
 * A hash table of the region has the slots of each block's last writer and of its readers since: two blocks in
 * one entry cost a superfluous edge and do no harm. An edge from a slot starts at its last access to any such memory, which is
 * over, so no thread waits for it for long.
 *
 * Code in such memory is executed an instruction at a time, each with its bytes read in turn as well (dispatch.c). */
#include "engine/order/shared.h"

#include <linux/mman.h>

#include "engine/base/lib.h"
#include "engine/base/mapping_tree.h"
#include "engine/code/code.h"
#include "engine/memory/limits.h"
#include "engine/order/baton.h"
#include "engine/order/open_blocks.h"
#include "engine/order/own_code.h"
#include "engine/order/permissions.h"
#include "engine/order/shared_undo.h"
#include "engine/region/journal.h"
#include "engine/region/endings.h"
#include "order/sets.h"

enum { BLOCK_SHIFT = 6, MARKS = PERMISSION_BLOCKS * 64UL / PAGE, RANGES_MOST = 4096 };

static uint8_t marks[MARKS];                            /* by page, as blocks are numbered */
static struct range { uintptr_t start, end; } * marked; /* the ranges marked now */
static unsigned marked_count;
static uint32_t changes; /* of the marks */

/* -- Which memory it is --------------------------------------------------------------------------------------------- */

/* Marks pages from start up to end; MARKS pages have all numbers, so more are not needed. */
static void mark(uintptr_t start, uintptr_t end, bool set) {
  uintptr_t pages = MIN((end - start) / PAGE, MARKS);
  for (uintptr_t i = 0; i < pages; i++) {
    uintptr_t page = (start / PAGE + i) % MARKS;
    if (marks[page] == set) continue;
    marks[page] = set;
    permissions_mark((uint32_t)(page * (PAGE >> BLOCK_SHIFT)), PAGE >> BLOCK_SHIFT, set);
  }
}

static uint32_t number_of(const struct region_object *object) {
  return (uint32_t)(object - region->objects) + 1;
}

/* Files come first. */
static struct region_object *file_of(const struct mapping *mapping) {
  return mapping->object <= REGION_OBJECTS ? &region->objects[mapping->object - 1] : NULL;
}

static int32_t own_id(void) {
  return (int32_t)os_call0(__NR_getpid);
}

/* The end of the marked pages of a mapping. */
static uintptr_t marked_end(const struct mapping *mapping) {
  const struct region_object *file = file_of(mapping);
  if (!file || atomic_load(&file->partly) != own_id()) return mapping->end;
  uint64_t reach = ALIGN_UP(file->reach, PAGE), first = mapping->start + mapping->object_base;
  return first >= reach ? mapping->start : MIN(mapping->end, mapping->start + (reach - first));
}

static bool has_changed(void) {
  struct mapping next;
  unsigned count = 0;
  for (uintptr_t at = 0; mappings_next(at, &next); at = next.end) {
    if (!next.ordered) continue;
    if (count >= marked_count || marked[count].start != next.start || marked[count].end != marked_end(&next))
      return true;
    count++;
  }
  return count != marked_count;
}

static void map_ranges(void) {
  long at = os_call6(__NR_mmap, SHARED_RANGES, RANGES_MOST * sizeof *marked, PROT_READ | PROT_WRITE,
                     MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED | MAP_NORESERVE, -1, 0);
  if (os_failed(at)) fail_to_map("the list of shared memory", at);
  marked = (struct range *)at;
}

static void refresh(void) {
  struct mapping next;
  if (!has_changed()) return;
  if (sync_on())
    sphere_fail(
        OUTCOME_UNSUPPORTED,
        "memory that processes share, or that has several names, can't be recorded yet with --order=sync");
  if (!marked) map_ranges();
  changes++;
  for (unsigned i = 0; i < marked_count; i++) mark(marked[i].start, marked[i].end, false);
  marked_count = 0;
  for (uintptr_t at = 0; mappings_next(at, &next); at = next.end) {
    if (!next.ordered) continue;
    if (marked_count == RANGES_MOST)
      sphere_fail(OUTCOME_UNSUPPORTED, "more than %d mappings of shared memory can't be recorded",
                  RANGES_MOST);
    uintptr_t end = marked_end(&next);
    if (!next.shared) open_expect_closed(next.start, end - next.start);
    marked[marked_count++] = (struct range){next.start, end};
    mark(next.start, end, true);
    if (next.prot & PROT_EXEC)
      code_changed(next.start, next.end); /* it was executed in another way until now */
  }
}

static void order(const struct mapping *mapping) {
  mappings_name(mapping->start, mapping->end, mapping->object, mapping->start + mapping->object_base, true);
}

/* -- Processes that have a file mapped: one by its id, several by -1 */

static bool is_gone(int32_t pid) {
  return !pid || (pid > 0 && os_call2(__NR_kill, pid, 0) == -ESRCH);
}

static void add_user(_Atomic int32_t *users) {
  int32_t seen = atomic_load(users), own = own_id();
  atomic_store(users, seen == own || is_gone(seen) ? own : -1);
  atomic_thread_fence(
      memory_order_seq_cst); /* a process that reports a change of the file sees this, or is seen here */
}

static bool has_others(_Atomic int32_t *users) {
  int32_t seen = atomic_load(users);
  return seen != own_id() && !is_gone(seen);
}

static bool is_stored(const struct region_object *object) {
  return object->copied || !is_gone(atomic_load(&object->stored));
}

static void order_all(const struct region_object *object) {
  struct mapping next;
  for (uintptr_t at = 0; mappings_next(at, &next); at = next.end)
    if (next.object == number_of(object) && !next.ordered) order(&next);
}

void shared_changes(struct region_object *object, bool by_mapping) {
  atomic_thread_fence(memory_order_seq_cst);
  if (has_others(&object->unordered))
    sphere_fail(OUTCOME_UNSUPPORTED,
                "a file that changes while another process has it mapped to read it can be recorded with "
                "--order=chunk only");
  if (!by_mapping) return; /* the stage will do */
  order_all(object);
  atomic_store(&object->unordered, 0);
}

/* If a file is mapped far beyond its end, as databases do that will grow, only its present pages are marked: beyond them there is nothing to
 * access, and marks for gigabytes would hit the numbers of all other memory as well. When calls of this process make the file grow, the marks follow;
 * calls of other processes that do so are refused. */
static void take_partly(struct region_object *object, uint64_t end, uint64_t size) {
  enum { FAR = 256 << 20 };
  int32_t whose = atomic_load(&object->partly);
  bool own = whose == own_id();
  if (!own && (!is_gone(whose) || end < FAR || end - FAR < size)) return;
  object->reach = own ? MAX(object->reach, size) : size;
  atomic_store(&object->partly, own_id());
}

void shared_resized(struct region_object *object, uint64_t size) {
  int32_t whose = permissions_on() ? atomic_load(&object->partly) : 0;
  if (is_gone(whose) || size <= object->reach) return;
  if (whose != own_id())
    sphere_fail(
        OUTCOME_UNSUPPORTED,
        "a file that grows while another process has it mapped far beyond its end can be recorded with "
        "--order=chunk only");
  object->reach = size;
  refresh();
}

void shared_mapped(uintptr_t at, size_t bytes, struct region_object *object, uint64_t offset,
                   struct shared_kind kind) {
  if (!object) {
    mappings_name(at, at + bytes, REGION_OBJECTS + 1 + atomic_fetch_add(&region->shared.anonymous, 1), offset,
                  false);
    return;
  }
  mappings_name(at, at + bytes, number_of(object), offset, false);
  add_user(kind.stores ? &object->stored : &object->unordered);
  take_partly(object, offset + bytes, kind.size);
  if (kind.stores || is_stored(object) || (kind.shared && object->changes)) {
    if (!own_code_take(object)) shared_changes(object, true);
    refresh();
  }
}

void shared_inherit(void) {
  struct mapping next;
  for (uintptr_t at = 0; mappings_next(at, &next); at = next.end) {
    if (!next.object) continue;
    struct region_object *file = file_of(&next);
    bool own = file && own_code_copied(file);
    if (file && atomic_load(&file->partly) == own_id()) atomic_store(&file->partly, 0);
    if (next.ordered) {
      if (file && !own && atomic_load(&file->stored)) atomic_store(&file->stored, -1);
    } else if (file && !file->changes) {
      atomic_store(&file->unordered, -1);
    } else {
      order(&next);
    }
  }
  refresh();
}

void shared_refresh(void) {
  if (!marked_count) return;
  own_code_refresh();
  refresh();
}

uint32_t shared_marks(void) {
  return changes;
}

bool shared_is_marked(uintptr_t address) {
  return marks[address / PAGE % MARKS];
}

bool shared_reaches(uintptr_t address, size_t bytes) {
  if (!marked_count || !bytes) return false;
  uintptr_t pages = MIN((address % PAGE + bytes - 1) / PAGE + 1, MARKS);
  for (uintptr_t i = 0; i < pages; i++)
    if (shared_is_marked(address + i * PAGE)) return true;
  return false;
}

bool code_is_shared(uintptr_t pc, size_t bytes) {
  return permissions_on() && shared_reaches(pc, bytes);
}

size_t shared_run(uintptr_t address, size_t limit, bool *shared, struct mapping *mapping) {
  *shared = shared_is_marked(address) && mappings_find(address, mapping) && mapping->ordered;
  if (*shared) return MIN(limit, mapping->end - address);
  size_t length = PAGE - address % PAGE;
  struct mapping next;
  while (length < limit &&
         !(shared_is_marked(address + length) && mappings_find(address + length, &next) && next.ordered))
    length += PAGE;
  return MIN(limit, length);
}

/* -- The lock ---------------------------------------------------------------------------------------------------------- */

/* Takes the lock over from a thread that was killed with it. */
static void sleep_for_lock(uint32_t me) {
  struct region_shared *shared = &region->shared;
  for (;;) {
    uint32_t holder = 0;
    if (atomic_compare_exchange_strong(&shared->holder, &holder, me)) return;
    region_wait(&shared->holder, holder);
    if (atomic_load(&shared->holder) != holder || rthread_is_alive(&region->slots[holder - 1])) continue;
    if (!atomic_compare_exchange_strong(&shared->holder, &holder, me)) continue;
    undo_find_dead();
    shared->clock[holder - 1] = permissions_close(holder - 1);
    return;
  }
}

static void unlock(void) {
  struct region_shared *shared = &region->shared;
  atomic_store(&shared->holder, 0);
  if (atomic_load(&shared->waiters)) region_wake(&shared->holder, 1);
}

/* The holder waits for no other thread until it unlocks, so a thread need not serve requests while it waits for the lock. */
static void lock(unsigned slot) {
  enum { SPINS = 300 };
  struct region_shared *shared = &region->shared;
  bool locked = false;
  for (unsigned i = 0; i < SPINS && !locked; i++) {
    uint32_t nobody = 0;
    locked = !atomic_load_explicit(&shared->holder, memory_order_relaxed) &&
             atomic_compare_exchange_strong(&shared->holder, &nobody, slot + 1);
    if (!locked) arch_relax();
  }
  if (!locked) {
    atomic_fetch_add(&shared->waiters, 1);
    sleep_for_lock(slot + 1);
    atomic_fetch_sub(&shared->waiters, 1);
  }
  if (!shared->doomed[slot]) return;
  unlock();
  region_wait_for_death();
}

bool shared_holds(const struct thread *thread) {
  return atomic_load_explicit(&region->shared.holder, memory_order_relaxed) == slot_of(thread->rthread) + 1;
}

static void hold(struct thread *thread) {
  if (!shared_holds(thread)) lock(slot_of(thread->rthread));
}

void shared_leave(struct thread *thread) {
  struct region_shared *shared = &region->shared;
  unsigned me = slot_of(thread->rthread);
  if (!shared_holds(thread)) return;
  shared->clock[me] = permissions_clock(thread);
  record_position(thread);
  undo_forget();
  unlock();
}

void shared_doom(struct thread *thread, int32_t pid) {
  hold(thread);
  for (uint32_t i = 0; i < region_slots(region); i++)
    if (atomic_load(&region->slots[i].state) == SLOT_LIVE && region->slots[i].pid == pid)
      region->shared.doomed[i] = true;
}

void shared_bury(struct thread *thread, unsigned slot) {
  if (!shared_holds(thread) && (atomic_load(&region->shared.holder) == slot + 1 || undo_is_of(slot))) {
    lock(slot_of(thread->rthread));
    unlock();
  }
  shared_forget(slot);
}

void shared_forget(unsigned slot) {
  region->shared.doomed[slot] = false;
}

/* -- Edges --------------------------------------------------------------------------------------------------------------- */

static struct region_block *place_of(uint32_t object, uint64_t block) {
  uint64_t hash = (block + ((uint64_t)object << 40)) * 0x9e3779b97f4a7c15;
  return &region->shared.blocks[hash >> 48];
}
_Static_assert(SHARED_BLOCKS == 1 << 16, "as many as the hash tells apart");

static void add(struct order_set *sources, uint16_t slot) {
  if (slot) set_add(sources, slot - 1U);
}

/* A read is ordered after the last write, a write also after all reads since then. A reader for which there is no room counts as a writer. */
static void touch(struct region_block *block, uint16_t own, bool write, struct order_set *sources) {
  add(sources, block->writer);
  for (unsigned i = 0; !write && i < COUNT_OF(block->readers); i++) {
    if (block->writer == own || block->readers[i] == own) return;
    if (block->readers[i]) continue;
    block->readers[i] = own;
    return;
  }
  for (unsigned i = 0; i < COUNT_OF(block->readers); i++) add(sources, block->readers[i]);
  *block = (struct region_block){.writer = own};
}

static void follow(struct thread *thread, struct order_set *sources) {
  unsigned me = slot_of(thread->rthread);
  set_remove(sources, me);
  for (unsigned slot = 0; (slot = set_next(sources, slot)) < ORDER_SLOTS; slot++)
    permissions_follow(thread, slot, region->shared.clock[slot]);
}

/* Adds an edge from the thread that last changed a file by a call. */
static void follow_change(unsigned me, struct order_set *sources) {
  struct region_shared *shared = &region->shared;
  if (shared->seen[me] == shared->changes) return;
  add(sources, shared->changer);
  shared->seen[me] = shared->changes;
}

void shared_take(struct thread *thread, const struct mapping *mapping, uintptr_t address, size_t bytes,
                 bool write) {
  unsigned me = slot_of(thread->rthread);
  struct order_set sources;
  set_clear(&sources);
  uint64_t first = (address + mapping->object_base) >> BLOCK_SHIFT,
           last = (address + bytes - 1 + mapping->object_base) >> BLOCK_SHIFT;
  hold(thread);
  undo_apply(mapping, address, bytes);
  region->shared.touched[me] = true;
  follow_change(me, &sources);
  for (uint64_t b = first; b <= last; b++)
    touch(place_of(mapping->object, b), (uint16_t)(me + 1), write, &sources);
  follow(thread, &sources);
  if (write) undo_keep(thread, mapping, address, bytes);
}

void shared_take_all(struct thread *thread) {
  struct region_shared *shared = &region->shared;
  unsigned me = slot_of(thread->rthread);
  struct order_set sources;
  set_clear(&sources);
  hold(thread);
  undo_expect_none();
  follow_change(me, &sources);
  for (unsigned slot = 0; slot < region_slots(region); slot++)
    if (shared->touched[slot]) set_add(&sources, slot);
  shared->touched[me] = true;
  shared->changer = (uint16_t)(me + 1);
  shared->seen[me] = ++shared->changes;
  follow(thread, &sources);
  undo_keep_nothing(thread);
}
