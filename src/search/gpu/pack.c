/* pack.c: slices for a graphics processor, and orders from its answers. See slices.h. */
#include <stdlib.h>
#include <string.h>

#include "search/demand.h"
#include "search/gpu/kernels.h"

static int compare(const void *left, const void *right) {
  const uint64_t *a = left, *b = right;
  return *a < *b ? -1 : *a > *b;
}

static uint16_t place_of(const uint64_t *sorted, size_t count, uint64_t value) {
  const uint64_t *found = bsearch(&value, sorted, count, sizeof value, compare);
  return (uint16_t)(found - sorted);
}

/* Tickets become their places among all of them: what comes before what stays the same. */
static bool pack_tickets(const struct search_slice *slice, struct gpu_slice *to) {
  size_t size = to->accesses, count = 0;
  uint64_t *tickets = malloc((2 * size + 1) * sizeof *tickets);
  if (!tickets) return false;
  for (size_t i = 0; i < size; i++) {
    tickets[2 * i] = slice->accesses[i].began;
    tickets[2 * i + 1] = slice->accesses[i].ended;
  }
  qsort(tickets, 2 * size, sizeof *tickets, compare);
  for (size_t i = 0; i < 2 * size; i++)
    if (!count || tickets[count - 1] != tickets[i]) tickets[count++] = tickets[i];
  for (size_t i = 0; i < size; i++) {
    to->access[i].began = place_of(tickets, count, slice->accesses[i].began);
    to->access[i].ended = place_of(tickets, count, slice->accesses[i].ended);
  }
  free(tickets);
  return true;
}

static bool fits(const struct search_slice *slice) {
  return slice->threads <= GPU_THREADS && search_size(slice) <= GPU_ACCESSES &&
         slice->locations <= GPU_LOCATIONS;
}

/* Sets the number of each word's final value; 0xffff where nothing in the slice has that value. */
static void pack_final(const struct search_slice *slice, const struct demand *demand, struct gpu_slice *to) {
  to->has_final = slice->final != NULL;
  for (unsigned x = 0; slice->final && x < slice->locations; x++) {
    uint64_t mask = UINT64_MAX;
    for (unsigned i = 0; i < to->accesses; i++)
      if (slice->accesses[i].location == x) mask = slice->accesses[i].mask;
    to->final[x] = (slice->initial[x] & mask) == (slice->final[x] & mask) ? to->initial[x] : UINT16_MAX;
    for (unsigned i = 0; i < to->accesses; i++)
      if (slice->accesses[i].location == x && slice->accesses[i].kind & SEARCH_WRITE &&
          slice->accesses[i].written == (slice->final[x] & mask))
        to->final[x] = (uint16_t)demand->writes[i];
  }
}

bool gpu_pack(const struct search_slice *slice, struct gpu_slice *to) {
  struct demand demand;
  if (!fits(slice) || !demand_open(&demand, slice)) return false;
  memset(to, 0, sizeof *to);
  to->threads = (uint16_t)slice->threads;
  to->accesses = (uint16_t)search_size(slice);
  to->locations = (uint16_t)slice->locations;
  bool same_sizes = true;
  for (unsigned t = 0; t < slice->threads; t++)
    to->first[t + 1] = (uint16_t)(to->first[t] + slice->counts[t]);
  for (unsigned i = 0; i < to->accesses; i++) {
    const struct search_access *access = &slice->accesses[i];
    same_sizes &= demand.initial[access->location] != DEMAND_NONE;
    to->access[i] = (struct gpu_access){.read = (uint16_t)demand.reads[i],
                                        .written = (uint16_t)demand.writes[i],
                                        .location = (uint8_t)access->location,
                                        .kind = access->kind};
  }
  for (unsigned i = 0; i < slice->locations; i++) to->initial[i] = (uint16_t)demand.initial[i];
  pack_final(slice, &demand, to);
  to->numbers = (uint16_t)demand.numbers;
  demand_close(&demand);
  return same_sizes && pack_tickets(slice, to);
}

static bool unfold_permutation(const struct gpu_slice *packed, uint64_t threads, uint32_t *order) {
  uint16_t at[GPU_THREADS + 1];
  if (packed->accesses > GPU_PERMUTED) return false;
  memcpy(at, packed->first, sizeof at);
  for (unsigned i = packed->accesses; i--;) {
    unsigned t = threads >> 3 * i & 7;
    if (t >= packed->threads || at[t] >= packed->first[t + 1]) return false;
    *order++ = at[t]++;
  }
  return true;
}

static bool unfold_choices(const struct gpu_slice *packed, const struct gpu_answer *answer, uint32_t *order) {
  gpu_state state[GPU_THREADS + GPU_LOCATIONS];
  memcpy(state, packed->first, packed->threads * sizeof *state);
  memcpy(state + packed->threads, packed->initial, packed->locations * sizeof *state);
  uint32_t made = gpu_read(packed, state, order);
  for (uint32_t i = 0; i < answer->count; i++) {
    unsigned t = answer->choices[i];
    if (i >= GPU_ACCESSES || t >= packed->threads || state[t] >= packed->first[t + 1]) return false;
    order[made++] = state[t];
    gpu_write(packed, state, t);
    made += gpu_read(packed, state, order + made);
  }
  return made == packed->accesses;
}

bool gpu_unfold(const struct search_slice *slice, const struct gpu_slice *packed, enum gpu_mode mode,
                const struct gpu_answer *answer, uint32_t *order) {
  if (!answer->found) return false;
  bool whole = mode == GPU_PERMUTATIONS ? unfold_permutation(packed, answer->order, order)
                                        : unfold_choices(packed, answer, order);
  return whole && search_is_explained(slice, order);
}
