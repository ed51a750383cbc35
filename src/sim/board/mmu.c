/* mmu.c: Sv39: page tables are walked through the caches of the hart that needs a translation.
 *
 * A page whose accessed bit, or dirty bit at a store, is not set is a page fault: the operating system sets them. */
#include "sim/board/board.h"
#include "sim/machine/space.h"

enum { ENTRY_VALID = 1, ENTRY_READ = 2, ENTRY_WRITE = 4, ENTRY_EXECUTE = 8, ENTRY_USER = 16 };
enum { ENTRY_ACCESSED = 64, ENTRY_DIRTY = 128, LEVELS = 3 };
enum { MODE_SHIFT = 60, MODE_SV39 = 8 };
#define ENTRY_PAGE(entry) (((entry) >> 10 & ((1ull << 44) - 1)) << PAGE_SHIFT)
#define NOT_MAPPED 0

void board_forget(struct hart *hart) {
  struct board_hart *own = board_hart_of(hart);
  memset(own->tlb, 0, sizeof own->tlb);
  port_drop_all(&hart->port, PORT_ALL);
}

static bool is_ram(const struct machine *machine, uint64_t paddr) {
  return paddr >= BOARD_RAM_START && paddr < machine->ram_bytes;
}

/* False: the hart waits for it. */
static bool read_entry(struct hart *hart, uint64_t paddr, uint64_t *entry) {
  struct access access = {
      .vaddr = paddr, .paddr = paddr, .kind = ACCESS_LOAD, .size = 8, .kernel = true, .data = entry};
  if (hart->port.machine->system->access(&hart->port, &access) == ACCESS_DONE) return true;
  hart->port.waiting = true;
  hart->exit = HART_WAIT;
  return false;
}

/* The entry of the page, as one of 4K; NOT_MAPPED, or SPACE_WAIT. */
static uint64_t walk(struct hart *hart, uint64_t vaddr) {
  struct board_hart *own = board_hart_of(hart);
  struct machine *machine = hart->port.machine;
  uint64_t table = (own->translation & ((1ull << 44) - 1)) << PAGE_SHIFT;
  board_of(machine)->walks++;
  for (int level = LEVELS - 1; level >= 0; level--) {
    uint64_t entry, at = table + (vaddr >> (PAGE_SHIFT + 9 * level) & 511) * 8;
    if (!is_ram(machine, at)) return NOT_MAPPED;
    if (!read_entry(hart, at, &entry)) return SPACE_WAIT;
    bool leaf = entry & (ENTRY_READ | ENTRY_EXECUTE);
    if (!(entry & ENTRY_VALID) || (!(entry & ENTRY_READ) && entry & ENTRY_WRITE)) return NOT_MAPPED;
    if (!leaf) {
      table = ENTRY_PAGE(entry);
      continue;
    }
    uint64_t inside = ((1ull << 9 * level) - 1) << PAGE_SHIFT; /* of a large page */
    if (ENTRY_PAGE(entry) & inside) return NOT_MAPPED;
    return entry | (vaddr & inside) >> PAGE_SHIFT << 10;
  }
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
    struct tlb_entry *cached = &own->tlb[page >> PAGE_SHIFT & (TLB_ENTRIES - 1)];
    if (!is_canonical(vaddr)) return SPACE_FAULT;
    if (cached->page != (page | 1) || !permits(own, cached->entry, permission)) {
      uint64_t entry = walk(hart, vaddr);
      if (entry == SPACE_WAIT) return SPACE_WAIT;
      if (entry == NOT_MAPPED || !permits(own, entry, permission)) return SPACE_FAULT;
      *cached = (struct tlb_entry){page | 1, entry};
    }
    paddr = ENTRY_PAGE(cached->entry) | vaddr % PAGE_BYTES;
  }
  if (is_ram(machine, paddr)) return paddr;
  own->bad_address = true;
  return SPACE_FAULT;
}
