/* lasting.h: the code cache that lasts: blocks of code from files, kept from one process to the next.
 *
 * What is translated from a file that the program can't write is collected, and stored when the process ends (lasting_store.c). Later processes map
 * the stored files (lasting_files.c) and copy blocks from there into their cache instead of translating (lasting_blocks.c).
 *
 * Wrong code never comes from there. A record holds the bytes of the program that its block was made from, and they are compared with the
 * program's memory each time: a file that has changed, or another one, only has no blocks. The digest of a record starts from its maker: this very build
 * of the engine, in this mode, on such a processor. The folder is the user's own, and nobody else may write there (sphere/code_folder.c). */
#ifndef REPRISE_ENGINE_LASTING_H
#define REPRISE_ENGINE_LASTING_H

#include "engine/code/cache.h"
#include "engine/code/code_files.h"
#include "engine/code/lasting_marks.h"

/* Once, before the program starts; with the words in which the kernel describes the processor. */
void lasting_init(const uint64_t words[2]);
/* The settings have changed, and nothing is in the code cache: stored code of the former ones is forgotten. */
void lasting_begin_again(void);

/* Makes the block for pc from its record; NULL: there is none, or no room in the cache. Under cache_lock. */
struct block *lasting_take(uintptr_t pc);

/* A block that was just translated. */
struct lasting_made {
  struct block *block;
  const struct lasting_marks *marks;
  const struct exit *exits;
  unsigned exit_count;
  enum entry_kind entry; /* the checking entry that its code begins with, or ENTRY_DIRECT */
  const struct source_range *ranges;
  unsigned range_count;
};
/* Where the translator is to note its marks; NULL: the block won't be kept. Under cache_lock. */
struct lasting_marks *lasting_begin(const void *start);
/* Collects it, if it can be kept. No other thread may know the block yet: its exits are not linked. */
void lasting_collect(const struct lasting_made *made);
/* True while a translation is made only to be compared with stored code: it is not registered. */
#if defined(REPRISE_STRESS_LASTING)
bool lasting_compares(void);
#else
static inline bool lasting_compares(void) {
  return false;
}
#endif

/* A digest of what tells the file behind the descriptor from others: its size and its beginning. 0: it has none. */
uint64_t lasting_content(int fd, uint64_t size);

/* Stores what was collected: before the process ends, or executes another program. */
void lasting_save(void);
/* From now on this process collects. What was collected before a fork is the parent's to store. */
void lasting_own(void);

#endif
