/* demand.c: values of a slice, numbered and counted. See demand.h. */
#include "search/demand.h"

#include <stdlib.h>

#include "search/states.h"

/* The mask that all accesses of a location have in common, or 0. */
static uint64_t *common_masks(const struct search_slice *slice) {
  uint64_t *masks = calloc(slice->locations + 1, sizeof *masks);
  bool *mixed = calloc(slice->locations + 1, sizeof *mixed);
  if (masks && mixed) {
    for (uint32_t i = 0; i < search_size(slice); i++) {
      const struct search_access *access = &slice->accesses[i];
      if (masks[access->location] && masks[access->location] != access->mask) mixed[access->location] = true;
      masks[access->location] = access->mask;
    }
    for (uint32_t i = 0; i < slice->locations; i++)
      if (mixed[i]) masks[i] = 0;
  } else {
    free(masks);
    masks = NULL;
  }
  free(mixed);
  return masks;
}

/* Values that have a number, found by word and value. */
struct numbering {
  struct {
    uint64_t value;
    uint32_t location, number; /* number: 0 if this is no entry, else one more than it */
  } * entries;
  size_t mask;
  uint32_t count;
};

static uint32_t number_of(struct numbering *numbering, uint32_t location, uint64_t value) {
  size_t at = states_mix(value + location * UINT64_C(0x9e3779b97f4a7c15)) & numbering->mask;
  while (numbering->entries[at].number &&
         (numbering->entries[at].location != location || numbering->entries[at].value != value))
    at = (at + 1) & numbering->mask;
  if (!numbering->entries[at].number) {
    numbering->entries[at].location = location;
    numbering->entries[at].value = value;
    numbering->entries[at].number = ++numbering->count;
  }
  return numbering->entries[at].number - 1;
}

static void number_all(struct demand *demand, const struct search_slice *slice, const uint64_t *masks,
                       struct numbering *numbering) {
  for (uint32_t i = 0; i < slice->locations; i++) {
    demand->initial[i] = masks[i] ? number_of(numbering, i, slice->initial[i] & masks[i]) : DEMAND_NONE;
    if (masks[i] && slice->final)
      demand->counts[number_of(numbering, i, slice->final[i] & masks[i])].needed++;
  }
  for (uint32_t i = 0; i < search_size(slice); i++) {
    const struct search_access *access = &slice->accesses[i];
    demand->reads[i] = demand->writes[i] = DEMAND_NONE;
    if (!masks[access->location]) continue;
    if (access->kind & SEARCH_READ)
      demand->counts[demand->reads[i] = number_of(numbering, access->location, access->read)].needed++;
    if (access->kind & SEARCH_WRITE)
      demand->counts[demand->writes[i] = number_of(numbering, access->location, access->written)].supplied++;
  }
}

bool demand_open(struct demand *demand, const struct search_slice *slice) {
  uint32_t size = search_size(slice);
  size_t most = 2 * (size_t)size + 2 * (size_t)slice->locations + 1;
  struct numbering numbering = {.mask = 1};
  while (numbering.mask < 2 * most) numbering.mask = numbering.mask * 2 + 1;
  numbering.entries = calloc(numbering.mask + 1, sizeof *numbering.entries);
  uint64_t *masks = common_masks(slice);
  demand->reads = malloc((size + 1) * sizeof *demand->reads);
  demand->writes = malloc((size + 1) * sizeof *demand->writes);
  demand->initial = malloc((slice->locations + 1) * sizeof *demand->initial);
  demand->counts = calloc(most, sizeof *demand->counts);
  bool ok =
      numbering.entries && masks && demand->reads && demand->writes && demand->initial && demand->counts;
  if (ok) number_all(demand, slice, masks, &numbering);
  demand->numbers = numbering.count;
  free(masks);
  free(numbering.entries);
  return ok;
}

void demand_close(struct demand *demand) {
  free(demand->counts);
  free(demand->reads);
  free(demand->writes);
  free(demand->initial);
}
