/* open_blocks.c: which blocks of memory are open. See open_blocks.h. */
#include "engine/order/open_blocks.h"

#include <linux/mman.h>

#include "engine/base/lib.h"
#include "engine/memory/mappings.h"
#include "engine/order/hand_over.h"
#include "engine/order/private_stack.h"
#include "engine/order/shared.h"
#include "engine/region/endings.h"

static struct lock lock; /* the list of open blocks */

/* The state of a block: how often it was requested, and … */
enum { REQUESTS = 0x3f, FORBIDDEN = 0x40, OPEN = 0x80, REQUESTS_AUTO = 8, REQUESTS_ALL = 1 };

#define KNOWN ((_Atomic uint8_t *)OPEN_BASE)

static struct {
  _Atomic uint32_t count;
  _Atomic uint32_t epoch;
  uint32_t blocks[OPEN_BLOCKS];
  _Atomic uint32_t line_count;
  _Atomic uint64_t lines[OPEN_SETS]; /* address + 1, hashed */
} open;

void open_start(void) {
  if (!values_on()) return;
  long at = os_call6(__NR_mmap, OPEN_BASE, OPEN_PART + REGION_SLOTS * OPEN_STRIDE, PROT_READ | PROT_WRITE,
                     MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED | MAP_NORESERVE, -1, 0);
  if (os_failed(at)) fail_to_map("what is recorded by values", at);
}

struct open_thread *open_of(const struct thread *thread) {
  _Static_assert(sizeof(struct open_thread) <= OPEN_STRIDE, "each thread's lies before the next one's");
  _Static_assert(offsetof(struct open_thread, log) == 0, "value_log.c finds it there");
  _Static_assert(offsetof(struct open_thread, telling) == sizeof(struct value_log), "so does telling.c");
  return (struct open_thread *)(OPEN_THREADS + slot_number(thread) * OPEN_STRIDE);
}

/* In replay the map of the slot may be that of a former thread, or of the parent. */
void open_forget(struct thread *thread) {
  if (!values_on()) return;
  if (replaying()) os_call3(__NR_madvise, map_of(thread), SLOT_PERMISSIONS_SIZE, MADV_DONTNEED);
  struct open_thread *own = open_of(thread);
  struct open_words *words = arch_open_words(thread);
  memset(own, 0, sizeof *own);
  *words = (struct open_words){.seen = tells() ? (uintptr_t)telling_blind() : (uintptr_t)&own->seen};
}

/* -- Which blocks are open ------------------------------------------------------------------------------------------------ */

bool open_any(void) {
  return values_on() && atomic_load(&open.count);
}

uint32_t open_epoch(void) {
  return atomic_load(&open.epoch);
}

void open_next_epoch(void) {
  atomic_fetch_add(&open.epoch, 1);
}

bool open_is_open(uint32_t block) {
  return atomic_load(&KNOWN[block % PERMISSION_BLOCKS]) & OPEN;
}

static uint32_t number_of(uintptr_t address) {
  return (uint32_t)address >> BLOCK_SHIFT;
}

/* Blocks from the one of the address on. */
static uint64_t count_of(uintptr_t address, size_t bytes) {
  if (!bytes) return 0;
  return MIN(((address & ((1UL << BLOCK_SHIFT) - 1)) + bytes - 1) / (1UL << BLOCK_SHIFT) + 1,
             (uint64_t)PERMISSION_BLOCKS);
}

bool open_reaches(uintptr_t address, size_t bytes) {
  if (!open_any()) return false;
  uint64_t count = count_of(address, bytes);
  for (uint64_t i = 0; i < count; i++)
    if (open_is_open((uint32_t)(number_of(address) + i))) return true;
  return false;
}

void open_note_request(uint32_t block) {
  _Atomic uint8_t *known = &KNOWN[block % PERMISSION_BLOCKS];
  uint8_t now = atomic_load_explicit(known, memory_order_relaxed);
  if ((now & REQUESTS) < REQUESTS) atomic_compare_exchange_strong(known, &now, now + 1);
}

void open_forbid(uintptr_t address, size_t bytes) {
  uint64_t count = values_on() ? count_of(address, bytes) : 0;
  for (uint64_t i = 0; i < count; i++) {
    _Atomic uint8_t *known = &KNOWN[(number_of(address) + i) % PERMISSION_BLOCKS];
    if (!(atomic_load(known) & FORBIDDEN)) atomic_fetch_or(known, FORBIDDEN);
  }
}

void open_expect_closed(uintptr_t address, size_t bytes) {
  if (open_reaches(address, bytes))
    sphere_fail(OUTCOME_UNSUPPORTED,
                "memory that is recorded by values is used in a way that is not supported yet with --values");
}

/* Code is read by the translator, and memory that processes share has its own way. */
static bool may_open(uintptr_t address) {
  struct mapping mapping;
  if (address >= ENGINE_BASE && address < ENGINE_END) return false;
  if (shared_is_marked(address) || !mappings_find(address, &mapping)) return false;
  return !(mapping.prot & PROT_EXEC) && mapping.prot & PROT_WRITE && !mapping.shared;
}

static bool is_wanted(uint32_t block) {
  uint8_t now = atomic_load(&KNOWN[block]);
  if (now & (OPEN | FORBIDDEN)) return false;
  return (now & REQUESTS) >= (config.values == VALUES_ALL ? REQUESTS_ALL : REQUESTS_AUTO);
}

static void fix_pairs(uint8_t *map, uint32_t block) {
  for (unsigned i = 0; i < 2; i++) {
    uint32_t at = (block - i) % PERMISSION_BLOCKS;
    uint8_t own = map[at] & INLINE;
    map[at] = own | ((own & map[(at + 1) % PERMISSION_BLOCKS]) >> 2) | (map[at] & ~SHOWN);
  }
}

/* The thread has the block for writing, so no other thread has it, and the next thread that gets it sees that it is open. */
static bool open_block(struct thread *thread, uint32_t block) {
  uint8_t *map = map_of(thread);
  lock_take(&lock);
  uint32_t count = atomic_load(&open.count);
  uint8_t known = atomic_load(&KNOWN[block]);
  /* The count comes first: a thread that forbids the block then sees that it is open, or it is not opened. */
  if (count < OPEN_BLOCKS) {
    open.blocks[count] = block;
    atomic_store(&open.count, count + 1);
    while (!(known & FORBIDDEN) && !atomic_compare_exchange_strong(&KNOWN[block], &known, known | OPEN))
      continue;
    if (known & FORBIDDEN) atomic_store(&open.count, count);
  }
  bool opened = count < OPEN_BLOCKS && !(known & FORBIDDEN);
  if (opened) {
    private_stack_drop(thread);
    map[block] = (uint8_t)((map[block] & INLINE) << HIDES);
    fix_pairs(map, block);
  }
  lock_release(&lock);
  return opened;
}

bool open_consider(struct thread *thread, const struct access *accesses, unsigned count) {
  bool opened = false;
  for (unsigned i = 0; i < count; i++) {
    if (!accesses[i].write) continue;
    uint64_t blocks = count_of(accesses[i].address, accesses[i].bytes);
    for (uint64_t b = 0; b < blocks; b++) {
      uint32_t block = (uint32_t)(number_of(accesses[i].address) + b) % PERMISSION_BLOCKS;
      if (!(map_of(thread)[block] & PERMISSION_WRITE) || !is_wanted(block)) continue;
      if (may_open(accesses[i].address + b * (1UL << BLOCK_SHIFT)))
        opened |= open_block(thread, block);
      else
        open_forbid((uintptr_t)block << BLOCK_SHIFT, 1);
    }
  }
  return opened;
}

void open_close_all(void) {
  uint32_t count = atomic_load(&open.count);
  for (uint32_t i = 0; i < count; i++) {
    atomic_fetch_and(&KNOWN[open.blocks[i]], (uint8_t)~OPEN);
    if (!shared_is_marked((uintptr_t)open.blocks[i] << BLOCK_SHIFT))
      permissions_mark(open.blocks[i], 1, false);
  }
  atomic_store(&open.count, 0);
  open_next_epoch();
}

/* -- Lines that were used ------------------------------------------------------------------------------------------------- */

static uint64_t hash_of(uint64_t value) {
  return value * 0x9e3779b97f4a7c15 >> 40;
}

bool open_note_line(uint64_t line) {
  for (uint64_t at = hash_of(line) % OPEN_SETS;; at = (at + 1) % OPEN_SETS) {
    uint64_t there = atomic_load_explicit(&open.lines[at], memory_order_relaxed);
    if (there == line + 1) return true;
    if (there) continue;
    if (atomic_load(&open.line_count) >= OPEN_SETS / 2) return false;
    if (atomic_compare_exchange_strong(&open.lines[at], &there, line + 1))
      return atomic_fetch_add(&open.line_count, 1), true;
    if (there == line + 1) return true;
  }
}

void open_each_line(void (*visit)(void *context, uint64_t line), void *context) {
  for (unsigned i = 0; i < OPEN_SETS; i++)
    if (open.lines[i]) visit(context, open.lines[i] - 1);
}

void open_forget_lines(void) {
  memset((void *)open.lines, 0, sizeof open.lines);
  atomic_store(&open.line_count, 0);
}

/* -- The views in a thread's log --------------------------------------------------------------------------------------------- */

/* Nothing is open for the thread that was before all blocks were closed, and what it saw is forgotten. */
static struct open_thread *up_to_date(struct thread *thread) {
  struct open_thread *own = open_of(thread);
  uint32_t epoch = open_epoch();
  if (own->epoch == epoch) return own;
  if (replaying())
    for (unsigned i = 0; i < OPEN_VIEWS; i++)
      if (own->views[i]) map_of(thread)[own->views[i] - 1] = 0;
  memset(own->views, 0, sizeof own->views);
  values_forget(&own->seen);
  own->epoch = epoch;
  return own;
}

void open_catch_up(struct thread *thread) {
  if (values_on()) up_to_date(thread);
}

/* The place of the block among the thread's views, or the one where it would be. */
static uint32_t *find_view(struct thread *thread, uint32_t block) {
  struct open_thread *own = up_to_date(thread);
  uint64_t at = hash_of(block) % OPEN_VIEWS;
  for (unsigned i = 0; i < OPEN_VIEWS && own->views[at] && own->views[at] != block + 1; i++)
    at = (at + 1) % OPEN_VIEWS;
  return &own->views[at];
}

bool open_is_viewed(struct thread *thread, uint32_t block) {
  return *find_view(thread, block) == block + 1;
}

void open_view(struct thread *thread, uint32_t block) {
  *find_view(thread, block) = block + 1;
}

void open_show(struct thread *thread, uint32_t block) {
  uint8_t *map = map_of(thread);
  map[block] = (uint8_t)((map[block] & ~SHOWN) | PERMISSION_OPEN);
  fix_pairs(map, block);
}

static void permit_page(struct thread *thread, uint32_t block) {
  uint8_t *map = map_of(thread);
  uint32_t first = ALIGN_DOWN(block, PAGE_BLOCKS);
  for (uint32_t b = first; b < first + PAGE_BLOCKS; b++)
    map[b] = open_is_viewed(thread, b) ? PERMISSION_OPEN : INLINE;
  for (uint32_t b = first + PAGE_BLOCKS; b > first; b--) fix_pairs(map, b - 1);
}

void open_permit(struct thread *thread, const struct miss *miss) {
  enum { BESIDE = 2 }; /* a test may be about the block behind as well */
  uint64_t count = count_of(miss->address, miss->bytes) + BESIDE;
  for (uint64_t i = 0; i < count; i += PAGE_BLOCKS / 2)
    permit_page(thread, (uint32_t)(number_of(miss->address) + i) % PERMISSION_BLOCKS);
  permit_page(thread, (uint32_t)(number_of(miss->address) + count - 1) % PERMISSION_BLOCKS);
}
