/* pages.h: the simulated machine's physical pages. */
#ifndef REPRISE_SIM_PAGES_H
#define REPRISE_SIM_PAGES_H

#include <stdbool.h>
#include <stdint.h>

struct machine;
struct page_pool;

bool pages_begin(struct machine *machine);
void pages_end(struct machine *machine);
/* A page of zeros with one user, or SPACE_FAULT. */
uint64_t page_take(struct machine *machine);
/* Bytes of physical memory that have been in use, ever. */
uint64_t pages_touched(const struct machine *machine);
uint32_t page_users(const struct machine *machine, uint64_t page); /* how many share it */
void page_share(struct machine *machine, uint64_t page);
void page_release(struct machine *machine, uint64_t page);

#endif
