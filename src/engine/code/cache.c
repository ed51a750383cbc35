/* cache.c: the code cache: placing blocks, finding them, flushing all of them.
 *
 * Flushing. The cache is emptied as a whole when it is full. The flusher holds cache_lock, raises `flushing` and waits
 * until no thread is in the cache: each is asked to leave at its next safepoint (asked again and again, because a request
 * may be lost to the target's own counter update), and announces it in `in_cache`. Entering is the mirror image: a
 * thread sets its in_cache, then looks at `flushing`; both sides use sequentially consistent accesses, so at least one
 * of them sees the other. Threads blocked in system calls are outside the cache and do not hold a flush up.
 *
 * A thread of a parallel replay enters and leaves at every stop, and waiting for its own stores would take a good part of that time. So in a replay the
 * flusher alone pays: between raising `flushing` and looking at `in_cache` it makes the kernel put a barrier on all other threads. */
#include "engine/code/cache.h"

#include <linux/membarrier.h>
#include <linux/mman.h>

#include "engine/base/counters.h"
#include "engine/base/lib.h"
#include "engine/base/log.h"
#include "engine/base/slots.h"
#include "engine/code/block_memory.h"
#include "engine/code/code.h"
#include "engine/code/code_view.h"
#include "engine/code/lasting.h"
#include "engine/code/paths.h"
#include "engine/code/report.h"
#include "engine/region/rings.h"

enum { CACHE_SIZE = 96 * 1024 * 1024 };
#if defined(REPRISE_STRESS_TINY_CACHE)
enum { CACHE_AT_FIRST = 192 * 1024 };
#else
enum { CACHE_AT_FIRST = CACHE_SIZE };
#endif
#if defined(REPRISE_STRESS_TINY_CACHE) || defined(REPRISE_STRESS_FLUSH)
/* Flushes are equally frequent for some hundred flushes, then rarer and rarer: otherwise a large program would never end, and a program that starts others
 * would not wait so long for them. */
enum { GROWS_AFTER = 250, GROWS_BY = 8 };
#endif
_Static_assert((unsigned long)CACHE_SIZE <= CODE_CACHE_MAX, "the cache must fit its region");

enum { HASH_SIZE = 1 << 18, CODE_INDEX_SHIFT = 12, PRESENT_STEP = 64 * 1024 };

/* From this size on the cache uses huge pages, if the kernel has any: code that is spread so far misses in the processor's TLB
 * most of the time. */
enum { HUGE_PAGE = 2 * 1024 * 1024, HUGE_FROM = 2 * HUGE_PAGE };
_Static_assert(CODE_CACHE_BASE % HUGE_PAGE == 0, "huge pages are aligned");

static void mend(void);
struct lock cache_lock = {.mend = mend};

static struct {
  _Atomic uintptr_t next; /* first free byte */
  uintptr_t present;      /* up to here the kernel was asked for pages */
  size_t room;            /* so much of it may be filled */
  _Atomic uint32_t flushing;
  _Atomic uint32_t epoch; /* number of flushes */
  bool damaged;           /* a process was killed while it changed something here */
  bool barriers;          /* the flusher has barriers put on others */
  bool copied;            /* while the process forks: the child has a copy to take */
  _Atomic(struct block *) hash[HASH_SIZE];
  _Atomic uint64_t narrow[HASH_SIZE / 64]; /* see cache_fell_short */
  _Atomic uint64_t opened[HASH_SIZE / 64]; /* see cache_open */
  _Atomic uint64_t
      shortfalls[1 << 10]; /* how many of late, and since when: the time, in all but the lowest 16 bits */
  struct block *all;       /* every block since the last flush */
  /* Last block that starts in or before each page of the cache, so that an address is found without a search. */
  _Atomic(struct block *) by_code[CACHE_SIZE >> CODE_INDEX_SHIFT];
} cache;

/* Neighbouring code has neighbouring entries: a short program touches little of the table. Blocks that only the dispatcher enters
 * are hashed away from the others. */
enum { PROBE = CACHE_STEP_MAX + 1 };
static unsigned hash_of(uintptr_t pc, unsigned step) {
  return (unsigned)((pc >> 4 ^ pc >> 20 ^ step << 8) & (HASH_SIZE - 1));
}

bool cache_contains(uintptr_t address) {
  return address - CODE_CACHE_BASE < CACHE_SIZE;
}

/* -- Views --------------------------------------------------------------------------------------------------------- */

uintptr_t code_view_distance;

static long map_cache(uintptr_t at, int prot, int flags) {
  return os_call6(__NR_mmap, at, CACHE_SIZE, prot, flags | MAP_ANONYMOUS | MAP_FIXED | MAP_NORESERVE, -1, 0);
}

/* The view in which the memory at CODE_WRITTEN_BASE is executed: mremap doubles a shared mapping whose old size is said to be 0. */
static long map_executed_view(void) {
  long at =
      os_call5(__NR_mremap, CODE_WRITTEN_BASE, 0, CACHE_SIZE, MREMAP_MAYMOVE | MREMAP_FIXED, CODE_CACHE_BASE);
  if (os_failed(at)) return at;
  return os_call3(__NR_mprotect, CODE_CACHE_BASE, CACHE_SIZE, PROT_READ | PROT_EXEC);
}

static void map_views(void) {
  long result = map_cache(CODE_WRITTEN_BASE, PROT_READ | PROT_WRITE, MAP_SHARED);
  if (!os_failed(result)) result = map_executed_view();
  if (os_failed(result)) die(125, "cannot map the code cache twice (error %ld)", -result);
}

static void begin_code(void) {
  cache.next = (uintptr_t)arch_emit_shared((uint8_t *)CODE_CACHE_BASE);
}

static void map_all(void) {
  if (config.confined) {
    map_views();
    code_view_distance = CODE_WRITTEN_BASE - CODE_CACHE_BASE;
  } else {
    long at = map_cache(CODE_CACHE_BASE, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE);
    if (os_failed(at)) fail_to_map("the code cache", at);
    code_view_distance = 0;
  }
  cache.present = CODE_CACHE_BASE;
}

void cache_init(void) {
  bug_report = report_engine_state;
  map_all();
  begin_code();
  cache.room = CACHE_AT_FIRST;
  cache.epoch = 1; /* a new thread has seen none, and starts by laying out its table */
  /* Outside a replay the program may have forbidden the call. */
  long known = replaying() ? os_call2(__NR_membarrier, MEMBARRIER_CMD_QUERY, 0) : 0;
  cache.barriers = known > 0 && known & MEMBARRIER_CMD_PRIVATE_EXPEDITED;
}

/* -- Finding blocks -------------------------------------------------------------------------------------------- */

static struct block *find(uintptr_t pc, unsigned step, bool probe) {
  unsigned place = hash_of(pc, probe ? PROBE : step);
  struct block *block = atomic_load_explicit(&cache.hash[place], memory_order_acquire);
  while (block && (block->pc != pc || block->dead || block->step != step || block->probe != probe))
    block = block->hash_next;
  return block;
}

struct block *cache_lookup(uintptr_t pc) {
  return find(pc, 0, false);
}

struct block *cache_lookup_step(uintptr_t pc, unsigned instructions) {
  return find(pc, instructions, false);
}

struct block *cache_lookup_probe(uintptr_t pc) {
  return find(pc, 0, true);
}

/* The address of the block in the process that is read; block is a copy of it. */
static uintptr_t find_block(cache_read *read, int32_t tid, uintptr_t code, struct block *block) {
  if (!cache_contains(code)) return 0;
  size_t page = (code - CODE_CACHE_BASE) >> CODE_INDEX_SHIFT;
  for (size_t p = page + 1; p-- > 0;) {
    uintptr_t at;
    if (!read(tid, (uintptr_t)&cache.by_code[p], &at, sizeof at)) return 0;
    if (at && !read(tid, at, block, sizeof *block)) return 0;
    /* all_next leads to blocks at lower addresses: they are handed out in ascending order. */
    while (at && block->code > code) {
      at = (uintptr_t)block->all_next;
      if (at && !read(tid, at, block, sizeof *block)) return 0;
    }
    if (at) return code < block->code + block->code_size ? at : 0;
  }
  return 0;
}

static bool read_own(int32_t nobody, uintptr_t from, void *to, size_t bytes) {
  (void)nobody;
  memcpy(to, (const void *)from, bytes);
  return true;
}

struct block *cache_block_at(uintptr_t code) {
  struct block copy;
  return (struct block *)find_block(read_own, 0, code, &copy);
}

/* The last instruction whose code starts at or before the address. */
static bool find_insn(cache_read *read, int32_t tid, const struct block *block, uintptr_t code,
                      struct cache_insn *found) {
  struct insn_map next;
  unsigned i = 0;
  for (; i < block->map_count; i++) {
    if (!read(tid, (uintptr_t)(block->map + i), &next, sizeof next)) return false;
    if (next.code > code - block->code) break;
    found->pc = insn_pc(block, &next);
    found->borrowed = next.borrowed;
    found->number = i;
  }
  return i > 0;
}

bool cache_insn_at(uintptr_t code, struct cache_insn *found) {
  struct block *block = cache_block_at(code);
  found->block = block;
  return block && find_insn(read_own, 0, block, code, found);
}

bool cache_insn_of_other(cache_read *read, int32_t tid, uintptr_t code, struct cache_insn *found) {
  struct block block;
  if (!find_block(read, tid, code, &block)) return false;
  /* In stubs it depends on the stub what is borrowed, and which instruction comes next. */
  if (block.body_size && code >= block.code + block.body_size) return false;
  /* Before the first instruction the block is counted. */
  *found = (struct cache_insn){.pc = block.pc};
  find_insn(read, tid, &block, code, found);
  return true;
}

/* -- Room for code ---------------------------------------------------------------------------------------------- */

/* Pages are asked for several at a time, which is quicker than a fault for each. An older kernel refuses, and has the faults. */
static void make_present(uintptr_t end) {
  if (end <= cache.present) return;
  bool huge = cache.present >= CODE_CACHE_BASE + HUGE_FROM;
  size_t more = MIN((size_t)(huge ? HUGE_PAGE : PRESENT_STEP), CODE_CACHE_BASE + CACHE_SIZE - cache.present);
  void *at = code_written((const void *)cache.present);
  if (huge) os_call3(__NR_madvise, at, more, MADV_HUGEPAGE);
  os_call3(__NR_madvise, at, more, MADV_POPULATE_WRITE);
  cache.present += more;
}

uint8_t *cache_reserve(size_t bytes) {
  uintptr_t at = ALIGN_UP(cache.next, 16);
  if (at + bytes > CODE_CACHE_BASE + cache.room) return NULL;
  make_present(at + bytes);
  return (uint8_t *)at;
}

void cache_commit(uint8_t *end) {
  cache.next = (uintptr_t)end;
}

void cache_register(struct block *block) {
  _Atomic(struct block *) *bucket = &cache.hash[hash_of(block->pc, block->probe ? PROBE : block->step)];
  block->hash_next = *bucket;
  block->all_next = cache.all;
  cache.all = block;
  size_t page = (block->code - CODE_CACHE_BASE) >> CODE_INDEX_SHIFT;
  atomic_store_explicit(&cache.by_code[page], block, memory_order_release);
  atomic_store_explicit(bucket, block, memory_order_release);
  COUNT(blocks);
  LOG(blocks, "%lx: %u instructions, %u bytes at %lx%s", block->pc, block->instructions, block->code_size,
      block->code, block->self_checking ? ", self-checking" : "");
}

/* -- Threads in and out -------------------------------------------------------------------------------------------- */

uint32_t cache_epoch(void) {
  return cache.epoch;
}

/* As long as there is one thread, no other reads in_cache. */
static void announce(struct thread *thread, uint32_t in) {
  if (atomic_load_explicit(&threads_several, memory_order_relaxed) && !cache.barriers)
    atomic_store(&thread->in_cache, in);
  else
    atomic_store_explicit(&thread->in_cache, in, memory_order_release);
  atomic_signal_fence(memory_order_seq_cst);
}

/* Before its first use the kernel requires a registration. */
static void put_barriers(void) {
  if (!cache.barriers || !os_call2(__NR_membarrier, MEMBARRIER_CMD_PRIVATE_EXPEDITED, 0)) return;
  os_call2(__NR_membarrier, MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED, 0);
  long error = os_call2(__NR_membarrier, MEMBARRIER_CMD_PRIVATE_EXPEDITED, 0);
  if (error) die(125, "cannot reach the other threads (error %ld)", -error);
}

bool cache_enter(struct thread *thread) {
  announce(thread, 1);
  if (atomic_load(&cache.flushing)) {
    cache_leave(thread);
    lock_take(&cache_lock); /* the flusher holds it until it is done */
    lock_release(&cache_lock);
    return false;
  }
  uint32_t epoch = atomic_load_explicit(&cache.epoch, memory_order_relaxed);
  if (thread->cache_epoch != epoch) {
    arch_forget_targets(thread);
    thread->cache_epoch = epoch;
  }
  return true;
}

void cache_leave(struct thread *thread) {
  announce(thread, 0);
  if (atomic_load(&cache.flushing)) os_futex_wake(&thread->in_cache, 1);
}

static void wait_until_out(struct thread *thread) {
  struct {
    long seconds, nanoseconds;
  } patience = {0, 1000000};
  /* A thread of a process that shares our memory may have been killed in the cache: the kernel clears its id then. */
  while (atomic_load(&thread->in_cache) && !slot_is_left(thread)) {
    arch_request(thread);
    os_call4(__NR_futex, &thread->in_cache, 128 /* FUTEX_WAIT_PRIVATE */, 1, &patience);
    thread_slept(&thread->in_cache, 1);
  }
}

/* With cache_lock held, which keeps other threads from entering. */
static void call_out(void) {
  atomic_store(&cache.flushing, 1);
  put_barriers();
  lock_take(&threads_lock);
  for (struct thread *t = threads; t; t = t->next) wait_until_out(t);
  lock_release(&threads_lock);
}

void cache_call_out(void) {
  lock_take(&cache_lock);
  call_out();
}

void cache_let_in(void) {
  atomic_store(&cache.flushing, 0);
  lock_release(&cache_lock);
}

/* A thread that is killed in the middle of a flush leaves a state from which the next flush can start. */
static void flush(void) {
  call_out();
  code_forget_all();
  for (size_t i = 0; i < HASH_SIZE; i++) cache.hash[i] = NULL;
  for (size_t i = 0; i < COUNT_OF(cache.by_code); i++) cache.by_code[i] = NULL;
  cache.all = NULL;
  block_memory_drop();
  begin_code();
  cache.epoch++;
  cache.damaged = false;
#if defined(REPRISE_STRESS_TINY_CACHE)
  if (cache.epoch > GROWS_AFTER) cache.room = MIN((size_t)CACHE_SIZE, cache.room + cache.room / GROWS_BY);
#endif
  COUNT(flushes);
  LOG(code, "flushed");
  for (struct thread *t = threads; t; t = t->next)
    for (unsigned i = 0; i < COUNT_OF(t->loop.last_blocks); i++) t->loop.last_blocks[i] = NULL;
  atomic_store(&cache.flushing, 0);
}

void cache_empty(void) {
  lock_take(&cache_lock);
  flush();
  lock_release(&cache_lock);
}

/* Blocks may be half dropped. A thread in the cache can't throw them away, but it does not make any. */
static void mend(void) {
  cache.damaged = true;
  if (atomic_load(&arch_self()->in_cache))
    atomic_store(&cache.flushing, 0);
  else
    flush();
}

static void make(uintptr_t pc, enum entry_kind entry, unsigned step) {
  lock_take(&cache_lock);
  if (cache.damaged) flush();
#if defined(REPRISE_STRESS_FLUSH)
  static unsigned lottery, blanks = 97;
  lottery = lottery * 1103515245 + 12345;
  if ((lottery >> 8) % blanks == 0) {
    flush();
    /* Rarer and rarer, or a loop of more blocks than are made between two flushes would never be all there. */
    blanks += cache.epoch > GROWS_AFTER ? blanks / GROWS_BY : 1;
  }
#endif
  struct block *block = find(pc, step, entry == ENTRY_PROBE);
  bool checked = entry == ENTRY_INDIRECT || entry == ENTRY_RETURN;
  if (!block && entry < ENTRY_KINDS) block = lasting_take(pc);
  bool done = !block ? arch_translate(pc, entry, step) != NULL
                     /* cppcheck-suppress arrayIndexOutOfBounds ; a checked entry is one of two */
                     : !checked || block->entries[entry] || arch_make_entry(block, entry);
  if (!done) {
    flush();
    CHECK(arch_translate(pc, entry, step));
  }
  lock_release(&cache_lock);
}

void cache_translate(uintptr_t pc, enum entry_kind entry) {
  make(pc, entry, 0);
}

void cache_translate_step(uintptr_t pc, unsigned instructions) {
  make(pc, ENTRY_STEP, instructions);
}

/* Takes the block out of its chain at once: code that changes often would make the chains long. A reader that is at the block still finds
 * its way, since the block keeps its successor. */
static void retire(struct block *block) {
  block->dead = true;
  _Atomic(struct block *) *bucket = &cache.hash[hash_of(block->pc, block->probe ? PROBE : block->step)];
  struct block *before = *bucket;
  if (before == block) {
    atomic_store_explicit(bucket, block->hash_next, memory_order_release);
    return;
  }
  while (before->hash_next != block) before = before->hash_next;
  before->hash_next = block->hash_next;
}

/* In this order: a thread that leaves at the patched entry looks for another block. If the lookup still found this one, the thread's exit would be linked to
 * it for ever. */
void cache_drop_block(struct block *block) {
  retire(block);
  arch_kill(block);
}

/* The number of entries after which a block is hot: about as many as pay for noting its path and for another translation. A
 * prime: a loop of 16 rounds, say, must not become hot in its last round, when the path leads out of it. */
#if defined(REPRISE_STRESS_TINY_CACHE) || defined(REPRISE_STRESS_FLUSH)
enum { HOT = 3 };
#else
enum { HOT = 9601 };
#endif

/* Counters are shared by chance; those of neighbours lie in few lines. */
void cache_heat(struct block *block) {
  static _Atomic int32_t heat[1 << 14];
  block->heat = &heat[(block->pc >> 4 ^ block->pc >> 18) % COUNT_OF(heat)];
  block_warm_up(block, HOT);
}

static bool is_loop(uintptr_t pc) {
  const struct block *block = cache_lookup(pc);
  return block && block->loop;
}

void cache_translate_path(struct path *path) {
  lock_take(&cache_lock);
  struct block *old = cache_lookup(path->head);
  if (old && old->heat && old->paths_noted++ < PATHS_NOTED) {
    block_warm_up(old, PATHS_APART);
  } else if (old && old->heat) {
    path_make_likely(path, is_loop);
    if (arch_translate_path(path, old)) retire(old);
  }
  lock_release(&cache_lock);
}

bool cache_note_again(uintptr_t pc) {
  enum { TRIES = 6, LATER = 500 };
  lock_take(&cache_lock);
  struct block *block = cache_lookup(pc);
  bool again = block && block->heat && block->paths_left++ < TRIES;
  if (again) block_warm_up(block, LATER << block->paths_left);
  lock_release(&cache_lock);
  return again;
}

void cache_drop(uintptr_t pc) {
  lock_take(&cache_lock);
  struct block *probe = find(pc, 0, true);
  if (probe) cache_drop_block(probe);
  for (unsigned step = 0; step <= CACHE_STEP_MAX; step++) {
    struct block *block = find(pc, step, false);
    if (block) cache_drop_block(block);
  }
  lock_release(&cache_lock);
}

/* By the address of the block, for its stack, or of the instruction. */
static unsigned narrow_place(uintptr_t pc, bool stack) {
  return (unsigned)((pc ^ pc >> 16 ^ (stack ? HASH_SIZE / 2 : 0)) & (HASH_SIZE - 1));
}

/* Leaving a block costs half a microsecond, narrow checks may cost as much as the rest of its code. Threads do not wait for
 * each other here: a lost or garbled update only causes another guess. */
void cache_fell_short(uintptr_t block_pc, uintptr_t pc, bool stack) {
  enum { TICKS = 512, COUNT_BITS = 16 };
  unsigned place = narrow_place(pc, stack);
  _Atomic uint64_t *note = &cache.shortfalls[place % COUNT_OF(cache.shortfalls)];
  uint64_t now = arch_ticks() << COUNT_BITS, before = atomic_load_explicit(note, memory_order_relaxed);
  uint64_t count = before & ((1 << COUNT_BITS) - 1);
  bool anew = now - (before - count) > (uint64_t)TICKS << COUNT_BITS;
  atomic_store_explicit(note, anew ? now : before + 1, memory_order_relaxed);
  if (anew || count < SHORT_OFTEN) return;
  atomic_store_explicit(note, now, memory_order_relaxed);
  atomic_fetch_or(&cache.narrow[place / 64], 1UL << place % 64);
  cache_drop(block_pc);
}

bool cache_is_narrow(uintptr_t pc, bool stack) {
  unsigned place = narrow_place(pc, stack);
  return atomic_load_explicit(&cache.narrow[place / 64], memory_order_relaxed) >> place % 64 & 1;
}

void cache_begin_again(void) {
  lock_take(&cache_lock);
  map_all();
  flush();
  lock_release(&cache_lock);
}

/* Another instruction with the same place has longer code, which does no harm. */
void cache_open(uintptr_t block_pc, uintptr_t pc) {
  unsigned place = narrow_place(pc, false);
  atomic_fetch_or(&cache.opened[place / 64], 1UL << place % 64);
  cache_drop(block_pc);
  if (pc != block_pc) cache_drop(pc);
}

bool cache_is_opened(uintptr_t pc) {
  unsigned place = narrow_place(pc, false);
  return atomic_load_explicit(&cache.opened[place / 64], memory_order_relaxed) >> place % 64 & 1;
}

/* -- Forks ------------------------------------------------------------------------------------------------------------ */

/* A cache that is mapped twice is shared memory, which a child would share: it gets a copy, made while no thread changes it. */
void cache_before_fork(void) {
  if (!code_view_distance) {
    lock_take(&cache_lock);
    return;
  }
  cache_call_out();
  cache.copied = !os_failed(map_cache(CODE_COPY_BASE, PROT_READ | PROT_WRITE, MAP_SHARED));
  if (!cache.copied) return;
  size_t used = cache.next - CODE_CACHE_BASE;
  os_call3(__NR_madvise, CODE_COPY_BASE, ALIGN_UP(used, PAGE),
           MADV_POPULATE_WRITE); /* or with a fault for each page */
  memcpy((void *)CODE_COPY_BASE, (const void *)CODE_CACHE_BASE, used);
}

static void take_copy(void) {
  long result = os_call5(__NR_mremap, CODE_COPY_BASE, CACHE_SIZE, CACHE_SIZE, MREMAP_MAYMOVE | MREMAP_FIXED,
                         CODE_WRITTEN_BASE);
  if (!os_failed(result)) result = map_executed_view();
  if (os_failed(result)) die(125, "cannot map the code cache twice (error %ld)", -result);
}

void cache_after_fork(bool child) {
  if (!code_view_distance) {
    lock_release(&cache_lock);
    return;
  }
  if (child && cache.copied) {
    take_copy();
  } else if (child) { /* there was no memory for a copy */
    map_views();
    flush();
  } else if (cache.copied) {
    os_call2(__NR_munmap, CODE_COPY_BASE, CACHE_SIZE);
  }
  cache_let_in();
}
