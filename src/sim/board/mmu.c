/* mmu.c: Sv39: page tables are walked through the caches of the hart that needs a translation.
 *
 * A page whose accessed bit, or dirty bit at a store, is not set is a page fault: the operating system sets them. */
#include <stdlib.h>

#include "sim/board/devices.h"
#include "sim/machine/check.h"
#include "sim/machine/space.h"

enum { ENTRY_VALID = 1, ENTRY_READ = 2, ENTRY_WRITE = 4, ENTRY_EXECUTE = 8, ENTRY_USER = 16 };
enum { ENTRY_ACCESSED = 64, ENTRY_DIRTY = 128, LEVELS = 3 };
enum { MODE_SHIFT = 60, MODE_SV39 = 8 };
#define ENTRY_PAGE(entry) (((entry) >> 10 & ((1ull << 44) - 1)) << PAGE_SHIFT)
#define NOT_MAPPED 0

/* -- Translations that are known ---------------------------------------------------------------------------------------------- */

enum { LEAST_ROOM = 64 };

static struct tlb_entry *find(const struct tlb *tlb, uint64_t page) {
  uint32_t at = (uint32_t)((page >> PAGE_SHIFT) * 0x9e3779b1u);
  for (;; at++) {
    struct tlb_entry *entry = &tlb->entries[at & (tlb->room - 1)];
    if (!entry->page || entry->page == (page | 1)) return entry;
  }
}

static void grow(struct tlb *tlb) {
  struct tlb old = *tlb;
  tlb->room = old.room ? old.room * 2 : LEAST_ROOM;
  tlb->entries = calloc(tlb->room, sizeof *tlb->entries);
  CHECK(tlb->entries, "out of memory");
  for (uint32_t n = 0; n < old.room; n++)
    if (old.entries[n].page) *find(tlb, old.entries[n].page & ~1ull) = old.entries[n];
  free(old.entries);
}

static void remember(struct tlb *tlb, uint64_t page, uint64_t entry) {
  if (2 * tlb->count >= tlb->room) grow(tlb);
  struct tlb_entry *place = find(tlb, page);
  tlb->count += !place->page;
  *place = (struct tlb_entry){page | 1, entry};
}

void board_forget(struct hart *hart) {
  struct board_hart *own = board_hart_of(hart);
  if (own->tlb.count) memset(own->tlb.entries, 0, own->tlb.room * sizeof *own->tlb.entries);
  own->tlb.count = 0;
  own->walk.active = false;
  port_drop_all(&hart->port, PORT_ALL);
}

/* -- Walks -------------------------------------------------------------------------------------------------------------------- */

/* An entry of a page table is an access of the hart's with a position of its own. False: the hart waits for it, or has to stop behind it. */
static bool read_entry(struct hart *hart, uint64_t paddr, uint64_t *entry) {
  struct access access = {
      .vaddr = paddr, .paddr = paddr, .kind = ACCESS_LOAD, .size = 8, .kernel = true, .data = entry};
  if (hart->port.machine->system->access(&hart->port, &access) == ACCESS_DONE) {
    hart->port.position++;
    return true;
  }
  hart->port.waiting = true;
  hart->exit = HART_WAIT;
  return false;
}

static bool must_stop(struct hart *hart) {
  if (hart->port.position < hart->port.stop && hart->port.position < hart->kernel_stop) return false;
  hart->exit = HART_STOP;
  return true;
}

/* The entry of the page, as one of 4K; NOT_MAPPED, or SPACE_WAIT if it is to be gone on with later. */
static uint64_t walk(struct hart *hart, uint64_t page) {
  struct board_hart *own = board_hart_of(hart);
  struct machine *machine = hart->port.machine;
  struct walk *walk = &own->walk;
  if (!walk->active || walk->page != page) {
    uint64_t table = (own->translation & ((1ull << 44) - 1)) << PAGE_SHIFT;
    *walk = (struct walk){true, LEVELS - 1, page, table};
    board_of(machine)->walks++;
  }
  for (;;) {
    uint64_t entry, at = walk->table + (page >> (PAGE_SHIFT + 9 * walk->level) & 511) * 8;
    uint64_t inside = ((1ull << 9 * walk->level) - 1) << PAGE_SHIFT; /* of a large page */
    if (!board_is_ram(machine, at)) break;
    if (must_stop(hart) || !read_entry(hart, at, &entry)) return SPACE_WAIT;
    if (!(entry & ENTRY_VALID) || (!(entry & ENTRY_READ) && entry & ENTRY_WRITE)) break;
    if (entry & (ENTRY_READ | ENTRY_EXECUTE)) {
      walk->active = false;
      return ENTRY_PAGE(entry) & inside ? NOT_MAPPED : entry | (page & inside) >> PAGE_SHIFT << 10;
    }
    if (!walk->level) break;
    walk->table = ENTRY_PAGE(entry);
    walk->level--;
  }
  walk->active = false;
  return NOT_MAPPED;
}

static bool permits(const struct board_hart *own, uint64_t entry, unsigned permission) {
  bool user = entry & ENTRY_USER, fetch = permission == PAGE_EXECUTE;
  if (own->privilege == USER && !user) return false;
  if (own->privilege == SUPERVISOR && user && (fetch || !(own->status & STATUS_SUM))) return false;
  if (!(entry & ENTRY_ACCESSED)) return false;
  if (fetch) return entry & ENTRY_EXECUTE;
  if (permission == PAGE_WRITE) return entry & ENTRY_WRITE && entry & ENTRY_DIRTY;
  return entry & ENTRY_READ || (own->status & STATUS_MXR && entry & ENTRY_EXECUTE);
}

static bool is_canonical(uint64_t vaddr) {
  return (uint64_t)((int64_t)(vaddr << 25) >> 25) == vaddr;
}

uint64_t board_translate(struct hart *hart, uint64_t vaddr, unsigned permission) {
  struct board_hart *own = board_hart_of(hart);
  const struct machine *machine = hart->port.machine;
  uint64_t paddr = vaddr;
  own->bad_address = false;
  if (own->translation >> MODE_SHIFT == MODE_SV39) {
    uint64_t page = vaddr & ~(uint64_t)(PAGE_BYTES - 1);
    if (!is_canonical(vaddr)) return SPACE_FAULT;
    if (!own->tlb.room) grow(&own->tlb);
    const struct tlb_entry *known = find(&own->tlb, page);
    uint64_t entry = known->entry;
    if (!known->page || !permits(own, entry, permission)) {
      entry = walk(hart, page);
      if (entry == SPACE_WAIT) return SPACE_WAIT;
      if (entry == NOT_MAPPED || !permits(own, entry, permission)) return SPACE_FAULT;
      remember(&own->tlb, page, entry);
      if (must_stop(hart)) return SPACE_WAIT;
    }
    paddr = ENTRY_PAGE(entry) | vaddr % PAGE_BYTES;
  }
  if (board_is_ram(machine, paddr) || (permission != PAGE_EXECUTE && devices_have(machine, paddr)))
    return paddr;
  own->bad_address = true;
  return SPACE_FAULT;
}
