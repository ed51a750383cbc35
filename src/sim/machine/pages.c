/* pages.c: physical pages: taken, shared, given back. The lowest page is never used, so no physical address is 0.
 *
 * A page that was given back is used again as late as possible: lines of it may still be in caches or on their way. */
#include "sim/machine/pages.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "sim/machine/machine.h"
#include "sim/machine/space.h"

struct page_pool {
  uint32_t *users; /* per page */
  uint32_t *spare; /* pages that were given back, the first one first, round and round */
  uint64_t first_spare, spares, next, count;
};

/* The host gives zeros, and memory only for what is touched. */
static void *reserve(uint64_t bytes) {
  void *memory =
      mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  return memory == MAP_FAILED ? NULL : memory;
}

bool pages_begin(struct machine *machine) {
  struct page_pool *pool = calloc(1, sizeof *pool);
  machine->pages = pool;
  if (!pool) return false;
  pool->count = machine->ram_bytes / PAGE_BYTES;
  pool->next = 1;
  machine->ram = reserve(machine->ram_bytes);
  pool->users = reserve(pool->count * sizeof *pool->users);
  pool->spare = reserve(pool->count * sizeof *pool->spare);
  return machine->ram && pool->users && pool->spare;
}

void pages_end(struct machine *machine) {
  struct page_pool *pool = machine->pages;
  if (!pool) return;
  if (machine->ram) munmap(machine->ram, machine->ram_bytes);
  if (pool->users) munmap(pool->users, pool->count * sizeof *pool->users);
  if (pool->spare) munmap(pool->spare, pool->count * sizeof *pool->spare);
  free(pool);
}

uint64_t pages_touched(const struct machine *machine) {
  return (machine->pages->next - 1) * PAGE_BYTES;
}

uint64_t page_take(struct machine *machine) {
  struct page_pool *pool = machine->pages;
  uint64_t number;
  if (pool->next < pool->count) {
    number = pool->next++;
  } else {
    bool can_forget = machine->system->forget || !machine->memory;
    if (!pool->spares || !can_forget) return SPACE_FAULT;
    number = pool->spare[pool->first_spare];
    pool->first_spare = (pool->first_spare + 1) % pool->count;
    pool->spares--;
    if (machine->system->forget) machine->system->forget(machine, number * PAGE_BYTES);
    memset(machine_ram(machine, number * PAGE_BYTES), 0, PAGE_BYTES);
  }
  pool->users[number] = 1;
  return number * PAGE_BYTES;
}

uint32_t page_users(const struct machine *machine, uint64_t page) {
  return machine->pages->users[page / PAGE_BYTES];
}

void page_share(struct machine *machine, uint64_t page) {
  machine->pages->users[page / PAGE_BYTES]++;
}

void page_release(struct machine *machine, uint64_t page) {
  struct page_pool *pool = machine->pages;
  if (--pool->users[page / PAGE_BYTES]) return;
  if (machine->system->released) machine->system->released(machine, page);
  madvise(machine_ram(machine, page), PAGE_BYTES, MADV_DONTNEED);
  pool->spare[(pool->first_spare + pool->spares++) % pool->count] = (uint32_t)(page / PAGE_BYTES);
}
