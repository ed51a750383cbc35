/* near_atomics.c: finds the code near atomics, page by page. A relaxed load of the program is an ordinary load, and the code of locks has many
 * of them beside its atomics: the order `sync` watches those (order/sync.h). */
#include "engine/code/near_atomics.h"

#include <linux/mman.h>

#include "engine/base/arch_host.h"
#include "engine/base/lib.h"
#include "engine/base/mapping_book.h"

enum {
  NEAR = 2048,       /* bytes */
  KNOWN_PAGES = 256, /* whose atomics are remembered */
  UNITS = PAGE / ARCH_ATOMIC_UNIT
};

bool code_is_lasting(uintptr_t pc) {
  struct mapping mapping;
  return mappings_find(pc, &mapping) && mapping.prot & PROT_EXEC && !(mapping.prot & PROT_WRITE) &&
         !mapping.shared;
}

static struct {
  uintptr_t page;   /* plus one; 0: none */
  uint32_t changes; /* of code so far */
  uint64_t atomics[UNITS / 64];
} known[KNOWN_PAGES];

static const uint64_t *atomics_of(uintptr_t page) {
  uint8_t bytes[PAGE];
  unsigned at = page / PAGE % KNOWN_PAGES;
  uint32_t changes = atomic_load(&mappings_code_changes);
  if (known[at].page == page + 1 && known[at].changes == changes) return known[at].atomics;
  known[at].page = page + 1;
  known[at].changes = changes;
  memset(known[at].atomics, 0, sizeof known[at].atomics);
  if (code_is_lasting(page) && !safe_copy(bytes, (const void *)page, sizeof bytes))
    arch_find_atomics(page, bytes, known[at].atomics);
  return known[at].atomics;
}

bool code_is_near_atomic(uintptr_t pc) {
  uintptr_t to = pc + NEAR;
  if (!code_is_lasting(pc)) return false;
  for (uintptr_t at = ALIGN_DOWN(pc, ARCH_ATOMIC_UNIT) - NEAR; at < to;) {
    const uint64_t *atomics = atomics_of(ALIGN_DOWN(at, PAGE));
    uintptr_t end = MIN(to, ALIGN_DOWN(at, PAGE) + PAGE);
    for (; at < end; at += ARCH_ATOMIC_UNIT) {
      unsigned unit = (unsigned)(at % PAGE / ARCH_ATOMIC_UNIT);
      if (atomics[unit / 64] >> unit % 64 & 1) return true;
    }
  }
  return false;
}
