/* code.h: notices changes of the application's code (codewatch.c).
 *
 * Code that was translated must be noticed when it changes. A page that the application may write is made unwritable while
 * blocks made from it exist; the write then faults, the blocks are dropped and the page is writable again. A page
 * that faults again and again (code and data side by side, a program that patches itself in a loop), or that can
 * change through another mapping, is not watched: its blocks compare their source bytes whenever they are entered. */
#ifndef REPRISE_ENGINE_CODE_H
#define REPRISE_ENGINE_CODE_H

#include "engine/base/arch_host.h"

struct block;
struct source_range;

enum watch {
  WATCH_NOT_CODE,   /* not executable */
  WATCH_OK,         /* can't change without our noticing */
  WATCH_ANNOUNCED,  /* the program will say when it changes */
  WATCH_SELF_CHECK, /* may change at any time */
};
/* Before bytes of a page are translated, under cache_lock. */
enum watch codewatch_begin(uintptr_t page);
/* The translator has read this word of such a page, under cache_lock. Until a change is announced the old and the new code may be executed, but
 * not the old after the new: if the word was another before, drops the blocks of the page. */
void codewatch_read(uintptr_t pc, uint32_t word);
/* True if threads that are recorded in parallel may write instructions of the page while others execute them: their bytes are then read as data are,
 * and a block made from such code takes permission for them at its entry. */
bool code_is_contended(uintptr_t page);
/* A finished block, for all pages of the source ranges that it was made from, under cache_lock. */
void codewatch_register(struct block *block, const struct source_range *ranges, unsigned count);

/* The application's code in [start, end) is gone, changed, or may change from now on: drop what was translated from it,
 * and forget that its pages were watched (their protection is the caller's business). Takes cache_lock. */
void code_changed(uintptr_t start, uintptr_t end);
/* The same under cache_lock. */
void code_changed_locked(uintptr_t start, uintptr_t end);
/* A write fault at address: if the page is watched, makes it writable, drops its blocks and returns true; the access is then to be
 * repeated. False: the fault is the application's own. */
bool codewatch_write_fault(uintptr_t address);
/* Makes every watched page of [start, end) writable, for writes by the engine or the kernel. False: no page near was ever watched. */
bool codewatch_release(uintptr_t start, uintptr_t end);
void codewatch_release_locked(uintptr_t start, uintptr_t end); /* under cache_lock */
/* The same after a write by the engine has faulted, and no page is watched anew before codewatch_let_go: the write is tried once more, and a fault is then
 * the application's. Whether a page was watched says nothing: another thread may have released it since. */
bool codewatch_hold(uintptr_t start, uintptr_t end);
void codewatch_let_go(void);
/* The cache has been flushed: there are no blocks any more. Under cache_lock. */
void code_forget_all(void);

/* True if any page is watched; most programs never have one. */
bool codewatch_any(void);
/* The bytes in [start, end) may be others now; the protection is as it was. Takes cache_lock. */
void code_overwritten(uintptr_t start, uintptr_t end);

/* safe_copy into application memory, watched pages included. */
long copy_to_app(uintptr_t to, const void *from, size_t bytes);
/* safe_swap, likewise. */
long swap_in_app(uintptr_t word, uint32_t expected, uint32_t value);

#endif
