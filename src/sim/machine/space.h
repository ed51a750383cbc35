/* space.h: simulated address spaces: regions, page tables, physical pages.
 *
 * Virtual addresses have 38 bits, as Sv39 gives them to user programs. A region says what may be mapped; a page is mapped when it is first touched. */
#ifndef REPRISE_SIM_SPACE_H
#define REPRISE_SIM_SPACE_H

#include <stdbool.h>
#include <stdint.h>

struct machine;

enum page_flags { PAGE_READ = 1, PAGE_WRITE = 2, PAGE_EXECUTE = 4, PAGE_PRESENT = 8, PAGE_SHARED = 16 };
#define SPACE_FAULT UINT64_MAX
#define SPACE_WAIT (UINT64_MAX - 1)
#define SPACE_END (1ull << 38)

struct region {
  uint64_t start, end; /* whole pages */
  unsigned flags;      /* PAGE_READ | PAGE_WRITE | PAGE_EXECUTE | PAGE_SHARED */
  struct region *next; /* the next higher one */
};

struct page_level {
  void *entry[512];
};

struct space {
  struct machine *machine;
  struct page_level *top; /* three levels; the lowest holds page entries: physical address | flags */
  struct region *regions;
  uint64_t brk_start, brk;
  uint64_t mapping_top; /* mappings are placed below this */
  uint32_t users;       /* processes (vfork) */
  uint64_t pages;       /* present */
};

struct space *space_new(struct machine *machine);
void space_release(struct space *space);
/* The physical address, or SPACE_FAULT when the page is not there or does not permit this. */
uint64_t space_translate(const struct space *space, uint64_t vaddr, unsigned permission);
/* Maps the page of a permitted access; false if it is not permitted, or physical memory is used up. */
bool space_touch(struct space *space, uint64_t vaddr, unsigned permission);
/* A free range of so many bytes below mapping_top; 0 if there is none. */
uint64_t space_find(const struct space *space, uint64_t bytes);
/* Replaces what is in the range by a region of zeros. False: no memory. */
bool space_map(struct space *space, uint64_t start, uint64_t bytes, unsigned flags);
void space_unmap(struct space *space, uint64_t start, uint64_t bytes);
/* False: part of the range is not mapped. */
bool space_protect(struct space *space, uint64_t start, uint64_t bytes, unsigned flags);
/* Zeros from now on (MADV_DONTNEED); shared pages stay as they are. */
void space_discard(struct space *space, uint64_t start, uint64_t bytes);
bool space_is_mapped(const struct space *space, uint64_t start, uint64_t bytes);
unsigned space_flags(const struct space *space, uint64_t vaddr); /* of the region there; 0 if there is none */
bool space_is_free(const struct space *space, uint64_t start, uint64_t bytes);
/* Moves pages as they are to another place in the space. */
bool space_move(struct space *space, uint64_t from, uint64_t to, uint64_t bytes);
/* Calls back for every page that is present, from low to high addresses. */
void space_each_page(const struct space *space, void (*call)(void *context, uint64_t vaddr, uint64_t entry),
                     void *context);
/* For a fork: regions as they are, shared pages the same. The others are added one by one with space_add_page, which gives the host's bytes
   of a fresh page, or NULL without memory. */
struct space *space_fork(const struct space *parent);
/* Another space's page, or a segment's, becomes a page of this one too. */
bool space_share_page(struct space *space, uint64_t vaddr, uint64_t page, unsigned flags);
uint8_t *space_add_page(struct space *space, uint64_t vaddr, unsigned flags);
/* The kernel's own access before a program runs: bytes into pages, which are mapped whatever their protection. */
bool space_write(struct space *space, uint64_t vaddr, const void *bytes, uint64_t count);

#endif
