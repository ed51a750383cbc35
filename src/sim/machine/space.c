/* space.c: regions and page tables of a simulated address space. */
#include "sim/machine/space.h"

#include <stdlib.h>
#include <string.h>

#include "sim/machine/machine.h"
#include "sim/machine/pages.h"

struct space *space_new(struct machine *machine) {
  struct space *space = calloc(1, sizeof *space);
  if (!space) return NULL;
  space->machine = machine;
  space->users = 1;
  space->top = calloc(1, sizeof *space->top);
  if (space->top) return space;
  free(space);
  return NULL;
}

/* -- Page tables ------------------------------------------------------------------------------------------------------------ */

static uint32_t level_index(uint64_t vaddr, int level) {
  return vaddr >> (PAGE_SHIFT + 9 * level) & 511;
}

/* Where the entry of a page is, NULL if there is no table for it. */
static uint64_t *find_entry(const struct space *space, uint64_t vaddr) {
  if (vaddr >= SPACE_END) return NULL;
  struct page_level *level = space->top->entry[level_index(vaddr, 2)];
  if (level) level = level->entry[level_index(vaddr, 1)];
  return level ? (uint64_t *)&level->entry[level_index(vaddr, 0)] : NULL;
}

static uint64_t *make_entry(struct space *space, uint64_t vaddr) {
  struct page_level *level = space->top;
  if (vaddr >= SPACE_END) return NULL;
  for (int i = 2; i > 0; i--) {
    void **next = &level->entry[level_index(vaddr, i)];
    if (!*next && !(*next = calloc(1, sizeof *level))) return NULL;
    level = *next;
  }
  return (uint64_t *)&level->entry[level_index(vaddr, 0)];
}

uint64_t space_translate(const struct space *space, uint64_t vaddr, unsigned permission) {
  const uint64_t *entry = find_entry(space, vaddr);
  if (!entry || (*entry & (permission | PAGE_PRESENT)) != (permission | PAGE_PRESENT)) return SPACE_FAULT;
  return (*entry & ~(uint64_t)(PAGE_BYTES - 1)) | (vaddr & (PAGE_BYTES - 1));
}

/* No port may go on using the old translations. */
static void forget_translations(const struct space *space) {
  struct machine *machine = space->machine;
  for (uint32_t i = 0; i < machine->port_count; i++) port_drop_all(machine->ports[i], PORT_ALL);
}

static void drop_page(struct space *space, uint64_t *entry) {
  if (!(*entry & PAGE_PRESENT)) return;
  page_release(space->machine, *entry & ~(uint64_t)(PAGE_BYTES - 1));
  *entry = 0;
  space->pages--;
}

/* Calls back for the entries of a range that have a table. */
static void each_entry(const struct space *space, uint64_t start, uint64_t end,
                       void (*call)(void *context, uint64_t vaddr, uint64_t *entry), void *context) {
  for (uint64_t vaddr = start; vaddr < end;) {
    const struct page_level *middle = space->top->entry[level_index(vaddr, 2)];
    if (!middle) {
      vaddr = ((vaddr >> (PAGE_SHIFT + 18)) + 1) << (PAGE_SHIFT + 18);
      continue;
    }
    struct page_level *low = middle->entry[level_index(vaddr, 1)];
    if (!low) {
      vaddr = ((vaddr >> (PAGE_SHIFT + 9)) + 1) << (PAGE_SHIFT + 9);
      continue;
    }
    call(context, vaddr, (uint64_t *)&low->entry[level_index(vaddr, 0)]);
    vaddr += PAGE_BYTES;
  }
}

static void drop_entry(void *context, uint64_t vaddr, uint64_t *entry) {
  (void)vaddr;
  drop_page(context, entry);
}

static void drop_pages(struct space *space, uint64_t start, uint64_t end) {
  each_entry(space, start, end, drop_entry, space);
  forget_translations(space);
}

uint8_t *space_add_page(struct space *space, uint64_t vaddr, unsigned flags) {
  uint64_t *entry = make_entry(space, vaddr), page;
  if (!entry || (page = page_take(space->machine)) == SPACE_FAULT) return NULL;
  *entry = page | (flags & (PAGE_READ | PAGE_WRITE | PAGE_EXECUTE | PAGE_SHARED)) | PAGE_PRESENT;
  space->pages++;
  return machine_ram(space->machine, page);
}

struct page_walk {
  void (*call)(void *context, uint64_t vaddr, uint64_t entry);
  void *context;
};

static void visit_entry(void *context, uint64_t vaddr, uint64_t *entry) {
  const struct page_walk *walk = context;
  if (*entry & PAGE_PRESENT) walk->call(walk->context, vaddr, *entry);
}

void space_each_page(const struct space *space, void (*call)(void *context, uint64_t vaddr, uint64_t entry),
                     void *context) {
  struct page_walk walk = {call, context};
  each_entry(space, 0, SPACE_END, visit_entry, &walk);
}

/* -- Regions -------------------------------------------------------------------------------------------------------------------- */

static const struct region *find_region(const struct space *space, uint64_t vaddr) {
  const struct region *region = space->regions;
  while (region && region->end <= vaddr) region = region->next;
  return region && region->start <= vaddr ? region : NULL;
}

static struct region *add_region(struct region **link, uint64_t start, uint64_t end, unsigned flags) {
  struct region *region = malloc(sizeof *region);
  if (!region) return NULL;
  *region = (struct region){start, end, flags, *link};
  *link = region;
  return region;
}

/* Makes `at` a border between regions, so that whole regions can be changed. */
static bool cut(struct space *space, uint64_t at) {
  for (struct region *region = space->regions; region; region = region->next)
    if (region->start < at && at < region->end) {
      if (!add_region(&region->next, at, region->end, region->flags)) return false;
      region->end = at;
    }
  return true;
}

static bool remove_regions(struct space *space, uint64_t start, uint64_t end) {
  if (!cut(space, start) || !cut(space, end)) return false;
  for (struct region **link = &space->regions; *link;) {
    struct region *region = *link;
    if (region->start >= start && region->end <= end) {
      *link = region->next;
      free(region);
    } else {
      link = &region->next;
    }
  }
  return true;
}

static bool insert_region(struct space *space, uint64_t start, uint64_t end, unsigned flags) {
  struct region **link = &space->regions;
  while (*link && (*link)->start < start) link = &(*link)->next;
  return add_region(link, start, end, flags);
}

bool space_map(struct space *space, uint64_t start, uint64_t bytes, unsigned flags) {
  space_unmap(space, start, bytes);
  return insert_region(space, start, start + bytes, flags);
}

void space_unmap(struct space *space, uint64_t start, uint64_t bytes) {
  if (space_is_free(space, start, bytes)) return;
  remove_regions(space, start, start + bytes);
  drop_pages(space, start, start + bytes);
}

static void protect_entry(void *context, uint64_t vaddr, uint64_t *entry) {
  (void)vaddr;
  const unsigned *flags = context, all = PAGE_READ | PAGE_WRITE | PAGE_EXECUTE;
  if (*entry & PAGE_PRESENT) *entry = (*entry & ~(uint64_t)all) | *flags;
}

bool space_protect(struct space *space, uint64_t start, uint64_t bytes, unsigned flags) {
  uint64_t end = start + bytes;
  if (!space_is_mapped(space, start, bytes) || !cut(space, start) || !cut(space, end)) return false;
  for (struct region *region = space->regions; region; region = region->next)
    if (region->start >= start && region->end <= end) region->flags = (region->flags & PAGE_SHARED) | flags;
  each_entry(space, start, end, protect_entry, &flags);
  forget_translations(space);
  return true;
}

static void discard_entry(void *context, uint64_t vaddr, uint64_t *entry) {
  if (!(*entry & PAGE_SHARED)) drop_entry(context, vaddr, entry);
}

void space_discard(struct space *space, uint64_t start, uint64_t bytes) {
  each_entry(space, start, start + bytes, discard_entry, space);
  forget_translations(space);
}

bool space_is_mapped(const struct space *space, uint64_t start, uint64_t bytes) {
  uint64_t at = start, end = start + bytes;
  for (const struct region *region = space->regions; region && at < end; region = region->next)
    if (region->start <= at && at < region->end) at = region->end;
  return at >= end;
}

bool space_is_free(const struct space *space, uint64_t start, uint64_t bytes) {
  for (const struct region *region = space->regions; region; region = region->next)
    if (region->start < start + bytes && start < region->end) return false;
  return true;
}

unsigned space_flags(const struct space *space, uint64_t vaddr) {
  const struct region *region = find_region(space, vaddr);
  return region ? region->flags : 0;
}

uint64_t space_find(const struct space *space, uint64_t bytes) {
  /* The highest gap below mapping_top: remember the best while going up. */
  uint64_t best = 0, free_from = 1 << 20;
  for (const struct region *region = space->regions;; region = region->next) {
    uint64_t until = region && region->start < space->mapping_top ? region->start : space->mapping_top;
    if (until > free_from && until - free_from >= bytes) best = until - bytes;
    if (!region || region->start >= space->mapping_top) return best;
    free_from = region->end;
  }
}

bool space_touch(struct space *space, uint64_t vaddr, unsigned permission) {
  const struct region *region = find_region(space, vaddr);
  if (!region || (region->flags & permission) != permission) return false;
  if (space_translate(space, vaddr, 0) != SPACE_FAULT) return true;
  return space_add_page(space, vaddr, region->flags);
}

struct move {
  struct space *space;
  uint64_t offset; /* from → to, modulo 2^64 */
  bool failed;
};

static void move_entry(void *context, uint64_t vaddr, uint64_t *entry) {
  struct move *move = context;
  if (!(*entry & PAGE_PRESENT)) return;
  uint64_t *to = make_entry(move->space, vaddr + move->offset);
  if (!to) {
    move->failed = true;
    return;
  }
  *to = *entry;
  *entry = 0;
}

bool space_move(struct space *space, uint64_t from, uint64_t to, uint64_t bytes) {
  struct move move = {space, to - from, false};
  each_entry(space, from, from + bytes, move_entry, &move);
  forget_translations(space);
  return !move.failed;
}

bool space_write(struct space *space, uint64_t vaddr, const void *bytes, uint64_t count) {
  const uint8_t *from = bytes;
  while (count) {
    uint64_t offset = vaddr % PAGE_BYTES, part = PAGE_BYTES - offset < count ? PAGE_BYTES - offset : count;
    if (space_translate(space, vaddr, 0) == SPACE_FAULT && !space_touch(space, vaddr, 0)) return false;
    memcpy(machine_ram(space->machine, space_translate(space, vaddr, 0)), from, part);
    vaddr += part, from += part, count -= part;
  }
  return true;
}

/* -- Fork and the end --------------------------------------------------------------------------------------------------------- */

bool space_share_page(struct space *space, uint64_t vaddr, uint64_t page, unsigned flags) {
  uint64_t *to = make_entry(space, vaddr);
  if (!to) return false;
  page_share(space->machine, page);
  *to = page | (flags & (PAGE_READ | PAGE_WRITE | PAGE_EXECUTE | PAGE_SHARED)) | PAGE_PRESENT;
  space->pages++;
  return true;
}

static void share_page(void *context, uint64_t vaddr, uint64_t entry) {
  uint64_t page = entry & ~(uint64_t)(PAGE_BYTES - 1);
  if (entry & PAGE_SHARED) space_share_page(context, vaddr, page, (unsigned)(entry - page));
}

/* A shared page must be there before the fork, or each side would make its own. */
static bool touch_shared(struct space *space) {
  for (const struct region *region = space->regions; region; region = region->next)
    if (region->flags & PAGE_SHARED)
      for (uint64_t vaddr = region->start; vaddr < region->end; vaddr += PAGE_BYTES)
        if (!space_touch(space, vaddr, 0)) return false;
  return true;
}

struct space *space_fork(const struct space *parent) {
  struct space *child = space_new(parent->machine);
  if (!child) return NULL;
  if (!touch_shared((struct space *)parent)) goto no_memory;
  struct region **link = &child->regions;
  for (const struct region *region = parent->regions; region; region = region->next) {
    if (!add_region(link, region->start, region->end, region->flags)) goto no_memory;
    link = &(*link)->next;
  }
  child->brk_start = parent->brk_start;
  child->brk = parent->brk;
  child->mapping_top = parent->mapping_top;
  space_each_page(parent, share_page, child);
  return child;
no_memory:
  space_release(child);
  return NULL;
}

void space_release(struct space *space) {
  if (--space->users) return;
  drop_pages(space, 0, SPACE_END);
  remove_regions(space, 0, SPACE_END);
  for (int i = 0; i < 512; i++) {
    struct page_level *middle = space->top->entry[i];
    for (int j = 0; middle && j < 512; j++) free(middle->entry[j]);
    free(middle);
  }
  free(space->top);
  free(space);
}
