/* codewatch.c: keeps track of pages with translated code, and drops the blocks when a page is written. See code.h. */
#include "engine/code/code.h"

#include <linux/mman.h>

#include "engine/base/arena.h"
#include "engine/base/counters.h"
#include "engine/base/log.h"
#include "engine/base/mapping_book.h"
#include "engine/code/block_memory.h"
#include "engine/code/cache.h"
#include "engine/code/code_files.h"
#include "engine/region/debug.h"

/* After so many faults on a page its blocks check themselves at entry instead. */
enum { FAULTS_MAX = 4, PAGE_HASH = 4096 };

/* A block made (in part) from a page; in block memory. */
struct member {
  struct block *block;
  struct member *next;
};

struct code_page {
  uintptr_t page;
  uint32_t prot; /* what the application asked for, while watched */
  uint16_t faults;
  bool watched;    /* we have taken the write permission away */
  uint32_t *words; /* that were translated, or 0, where changes are announced */
  struct member *members;
  struct code_page *next;
};

static struct code_page *pages[PAGE_HASH];
static size_t page_count;

static _Atomic size_t watched_count;
/* All pages that ever were watched lie in here: calls ask about memory elsewhere all the time. */
static _Atomic uintptr_t lowest = ~0UL, highest;

bool codewatch_any(void) {
  return watched_count != 0;
}

static void set_watched(struct code_page *p, bool watched) {
  watched_count += (size_t)watched - (size_t)p->watched;
  p->watched = watched;
  if (p->page < lowest) lowest = p->page;
  if (p->page > highest) highest = p->page;
}

static struct code_page **bucket_of(uintptr_t page) {
  return &pages[(page / PAGE) % PAGE_HASH];
}

static struct code_page *find(uintptr_t page) {
  struct code_page *p = *bucket_of(page);
  while (p && p->page != page) p = p->next;
  return p;
}

static struct code_page *find_or_add(uintptr_t page) {
  struct code_page *p = find(page);
  if (p) return p;
  p = arena_alloc(sizeof *p);
  p->page = page;
  struct code_page **bucket = bucket_of(page);
  p->next = *bucket;
  *bucket = p;
  page_count++;
  return p;
}

/* True if written code must take effect at once. Where programs announce changes, both the old and the new code may be executed until
 * then; but a replay makes other blocks, at other times, and must execute the same code. */
static bool changes_at_once(void) {
  return ARCH_COHERENT_CODE || in_sphere();
}

enum watch codewatch_begin(uintptr_t page) {
  struct mapping mapping;
  if (!mappings_find(page, &mapping) || !(mapping.prot & PROT_EXEC)) return WATCH_NOT_CODE;
  if (mapping.shared || (mapping.file && mapping.file->written)) return WATCH_SELF_CHECK;
  if (!(mapping.prot & PROT_WRITE)) return WATCH_OK;
  if (!changes_at_once()) return WATCH_ANNOUNCED;
  struct code_page *p = find_or_add(page);
  if (p->faults >= FAULTS_MAX) return WATCH_SELF_CHECK;
  if (!p->watched) {
    p->prot = mapping.prot;
    set_watched(p, true);
    os_call3(__NR_mprotect, page, PAGE, mappings_kernel_prot(mapping.prot & ~(uint32_t)PROT_WRITE));
  }
  return WATCH_OK;
}

bool code_is_contended(uintptr_t page) {
  struct mapping mapping;
  if (!permissions_on() || sync_on() || !mappings_find(page, &mapping) || mapping.ordered) return false;
  return mapping.prot & PROT_EXEC && (mapping.prot & PROT_WRITE || (mapping.shared && mapping.object));
}

void codewatch_register(struct block *block, const struct source_range *ranges, unsigned count) {
  for (unsigned i = 0; i < count; i++) {
    uintptr_t end = ALIGN_UP(ranges[i].end, PAGE);
    for (uintptr_t page = ALIGN_DOWN(ranges[i].start, PAGE); page < end; page += PAGE) {
      struct code_page *p = find_or_add(page);
      if (p->members && p->members->block == block) continue;
      struct member *member = block_memory_take(sizeof *member);
      member->block = block;
      member->next = p->members;
      p->members = member;
    }
  }
}

/* -- Changes ----------------------------------------------------------------------------------------------------- */

static void drop_members(struct code_page *p) {
  for (struct member *m; (m = p->members);) {
    p->members = m->next;
    if (!m->block->dead) {
      cache_drop_block(m->block);
      COUNT(invalidations);
    }
  }
}

void codewatch_read(uintptr_t pc, uint32_t word) {
  struct code_page *p = find_or_add(ALIGN_DOWN(pc, PAGE));
  if (!p->words) p->words = arena_alloc(PAGE);
  uint32_t *before = &p->words[pc % PAGE / sizeof word];
  if (*before && *before != word) drop_members(p);
  *before = word;
}

static void release(struct code_page *p) {
  if (!p->watched) return;
  set_watched(p, false);
  os_call3(__NR_mprotect, p->page, PAGE, mappings_kernel_prot(p->prot));
}

/* Calls visit for every known page of [start, end), by whichever way is shorter. */
static void for_each_page(uintptr_t start, uintptr_t end, void (*visit)(struct code_page *)) {
  start = ALIGN_DOWN(start, PAGE);
  if ((end - start) / PAGE < page_count) {
    for (uintptr_t page = start; page < end && page >= start; page += PAGE) { /* may end at the very top */
      struct code_page *p = find(page);
      if (p) visit(p);
    }
    return;
  }
  for (size_t i = 0; i < PAGE_HASH; i++)
    for (struct code_page *p = pages[i]; p; p = p->next)
      if (p->page >= start && p->page < end) visit(p);
}

static void forget(struct code_page *p) {
  set_watched(p, false);
  drop_members(p);
}

void code_changed_locked(uintptr_t start, uintptr_t end) {
  LOG(code, "changed %lx-%lx", start, end);
  for_each_page(start, end, forget);
}

void code_changed(uintptr_t start, uintptr_t end) {
  lock_take(&cache_lock);
  code_changed_locked(start, end);
  lock_release(&cache_lock);
}

bool codewatch_write_fault(uintptr_t address) {
  lock_take(&cache_lock);
  struct code_page *p = find(ALIGN_DOWN(address, PAGE));
  bool ours = p && p->watched;
  if (ours) {
    COUNT(write_faults);
    LOG(code, "write to watched page %lx", p->page);
    if (p->faults < FAULTS_MAX) p->faults++;
    release(p);
    drop_members(p);
  }
  lock_release(&cache_lock);
  if (ours) return true;
  /* Another thread may have released the page between our fault and now: then the mapping allows the write. */
  struct mapping mapping;
  return p && mappings_find(address, &mapping) && mapping.prot & PROT_WRITE && mapping.prot & PROT_EXEC;
}

static void release_and_drop(struct code_page *p) {
  if (!p->watched) return;
  release(p);
  drop_members(p);
}

static void give_up(struct code_page *p) {
  release(p);
  drop_members(p);
}

void code_overwritten(uintptr_t start, uintptr_t end) {
  lock_take(&cache_lock);
  for_each_page(start, end, give_up);
  lock_release(&cache_lock);
}

void code_forget_all(void) {
  for (size_t i = 0; i < PAGE_HASH; i++)
    for (struct code_page *p = pages[i]; p; p = p->next) {
      release(p);
      if (p->words) arena_free(p->words, PAGE);
      p->words = NULL;
      p->members = NULL;
    }
}

void codewatch_release_locked(uintptr_t start, uintptr_t end) {
  for_each_page(start, end, release_and_drop);
}

bool codewatch_hold(uintptr_t start, uintptr_t end) {
  if (end <= lowest || start >= highest + PAGE) return false;
  lock_take(&cache_lock);
  codewatch_release_locked(start, end);
  return true;
}

void codewatch_let_go(void) {
  lock_release(&cache_lock);
}

bool codewatch_release(uintptr_t start, uintptr_t end) {
  bool any = codewatch_hold(start, end);
  if (any) codewatch_let_go();
  return any;
}

long copy_to_app(uintptr_t to, const void *from, size_t bytes) {
  long result = safe_copy((void *)to, from, bytes);
  if (result && codewatch_hold(to, to + bytes)) {
    result = safe_copy((void *)to, from, bytes);
    codewatch_let_go();
  }
  if (debugged() && !result) debug_wrote(arch_self(), to, bytes);
  return result;
}

long swap_in_app(uintptr_t word, uint32_t expected, uint32_t value) {
  long seen = safe_swap((uint32_t *)word, expected, value);
  if (seen < 0 && codewatch_hold(word, word + sizeof value)) {
    seen = safe_swap((uint32_t *)word, expected, value);
    codewatch_let_go();
  }
  return seen;
}
