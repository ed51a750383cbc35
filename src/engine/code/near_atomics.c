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

static struct known_page {
  uintptr_t page;   /* plus one; 0: none */
  uint32_t changes; /* of code so far */
  uint64_t atomics[UNITS / 64];
  uint64_t waits[UNITS / 64]; /* loads of loops that wait */
} known[KNOWN_PAGES];

static const struct known_page *known_of(uintptr_t page) {
  uint8_t bytes[PAGE];
  struct known_page *at = &known[page / PAGE % KNOWN_PAGES];
  uint32_t changes = atomic_load(&mappings_code_changes);
  if (at->page == page + 1 && at->changes == changes) return at;
  memset(at, 0, sizeof *at);
  at->page = page + 1;
  at->changes = changes;
  if (!code_is_lasting(page) || safe_copy(bytes, (const void *)page, sizeof bytes)) return at;
  arch_find_atomics(page, bytes, at->atomics);
  find_waiting_loads(page, at->waits);
  return at;
}

static bool is_marked(const uint64_t *units, uintptr_t at) {
  unsigned unit = (unsigned)(at % PAGE / ARCH_ATOMIC_UNIT);
  return units[unit / 64] >> unit % 64 & 1;
}

bool code_is_waiting(uintptr_t pc) {
  return code_is_lasting(pc) && is_marked(known_of(ALIGN_DOWN(pc, PAGE))->waits, pc);
}

bool code_is_near_atomic(uintptr_t pc) {
  uintptr_t to = pc + NEAR;
  if (!code_is_lasting(pc)) return false;
  for (uintptr_t at = ALIGN_DOWN(pc, ARCH_ATOMIC_UNIT) - NEAR; at < to;) {
    const uint64_t *atomics = known_of(ALIGN_DOWN(at, PAGE))->atomics;
    uintptr_t end = MIN(to, ALIGN_DOWN(at, PAGE) + PAGE);
    for (; at < end; at += ARCH_ATOMIC_UNIT)
      if (is_marked(atomics, at)) return true;
  }
  return false;
}
