/* kernels.h: the searches on a graphics processor. The same code is plain C, for the tests and for machines without one: there the lanes of a
 * warp take turns. Nothing is passed from lane to lane but in memory that they share, before JOIN.
 *
 * **Permutations** (LightPlay, section 3.1): each lane makes the order that its number stands for and tries it.
 *
 * **Frontier**: a warp has all states of a slice that can be reached with as many writes, one for each lane: how far the threads are, and memory. Each lane makes the
 * states that follow its own, one for each write that may come next; those that are equal become one; and so on. Reads are made at once wherever they
 * find their values (search.h says why that is right). */
#ifndef REPRISE_SEARCH_GPU_KERNELS_H
#define REPRISE_SEARCH_GPU_KERNELS_H

#include "search/gpu/slices.h"

enum { GPU_LANES = 32, GPU_STAGED = 64 };

#ifdef __CUDACC__
#define KERNEL static __device__ inline
#define EACH_LANE(lane) for (unsigned lane = threadIdx.x, once = 1; once; once = 0)
#define JOIN() __syncwarp()
#define TAKE(counter) atomicAdd(counter, 1u)
#else
#define KERNEL static inline
#define EACH_LANE(lane) for (unsigned lane = 0; lane < GPU_LANES; lane++)
#define JOIN() ((void)0)
#define TAKE(counter) ((*(counter))++)
#endif

/* -- Permutations ------------------------------------------------------------------------------------------------------------ */

/* How many orders there are that keep those of the threads. */
KERNEL uint64_t gpu_orders(const struct gpu_slice *slice) {
  uint64_t orders = 1;
  unsigned made = 0;
  for (unsigned t = 0; t < slice->threads; t++)
    for (unsigned i = 1; i <= (unsigned)(slice->first[t + 1] - slice->first[t]); i++)
      orders = orders * ++made / i;
  return orders;
}

/* The access that comes next in the order with that rank, of so many; both become those of the rest. */
KERNEL unsigned gpu_next(const struct gpu_slice *slice, uint16_t at[GPU_THREADS], unsigned left,
                         uint64_t *rank, uint64_t *orders) {
  unsigned t = 0;
  for (; t + 1 < slice->threads; t++) {
    uint64_t with = *orders * (uint64_t)(slice->first[t + 1] - at[t]) / left;
    if (*rank < with) break;
    *rank -= with;
  }
  *orders = *orders * (uint64_t)(slice->first[t + 1] - at[t]) / left;
  return at[t]++;
}

KERNEL bool gpu_explains(const struct gpu_slice *slice, uint64_t rank, uint64_t orders) {
  uint16_t at[GPU_THREADS], memory[GPU_LOCATIONS];
  for (unsigned t = 0; t < slice->threads; t++) at[t] = slice->first[t];
  for (unsigned i = 0; i < slice->locations; i++) memory[i] = slice->initial[i];
  for (unsigned left = slice->accesses; left; left--) {
    const struct gpu_access *access = &slice->access[gpu_next(slice, at, left, &rank, &orders)];
    if ((access->kind & SEARCH_READ) && memory[access->location] != access->read) return false;
    if (access->kind & SEARCH_WRITE) memory[access->location] = access->written;
  }
  for (unsigned i = 0; slice->has_final && i < slice->locations; i++)
    if (memory[i] != slice->final[i]) return false;
  return true;
}

/* -- The frontier ------------------------------------------------------------------------------------------------------------ */

struct gpu_state {
  uint16_t at[GPU_THREADS], memory[GPU_LOCATIONS];
};

/* Memory that the lanes of a warp share. */
struct gpu_frontier {
  struct gpu_state now[GPU_LANES], next[GPU_STAGED];
  uint32_t names[GPU_STAGED]; /* two states with different names are different */
  uint8_t parent[GPU_STAGED], thread[GPU_STAGED];
  uint8_t place[GPU_STAGED]; /* among the next ones; GPU_LANES: it has none */
  uint32_t count, staged;
  uint32_t gave_up;
  uint32_t end; /* one more than the state that has come to the end */
};

/* For each level and state: parent and thread. */
typedef uint8_t gpu_trace[GPU_LANES][2];

KERNEL bool gpu_possible(const struct gpu_slice *slice, const struct gpu_state *state, unsigned t) {
  const struct gpu_access *access = &slice->access[state->at[t]];
  if ((access->kind & SEARCH_READ) && state->memory[access->location] != access->read) return false;
  for (unsigned other = 0; other < slice->threads; other++)
    if (other != t && state->at[other] < slice->first[other + 1] &&
        slice->access[state->at[other]].ended < access->began)
      return false;
  return true;
}

/* Makes all reads that find their values. */
KERNEL void gpu_read(const struct gpu_slice *slice, struct gpu_state *state) {
  for (bool more = true; more;) {
    more = false;
    for (unsigned t = 0; t < slice->threads; t++)
      while (state->at[t] < slice->first[t + 1] && slice->access[state->at[t]].kind == SEARCH_READ &&
             gpu_possible(slice, state, t)) {
        state->at[t]++;
        more = true;
      }
  }
}

KERNEL void gpu_write(const struct gpu_slice *slice, struct gpu_state *state, unsigned t) {
  const struct gpu_access *access = &slice->access[state->at[t]++];
  state->memory[access->location] = access->written;
  gpu_read(slice, state);
}

KERNEL bool gpu_at_end(const struct gpu_slice *slice, const struct gpu_state *state) {
  for (unsigned t = 0; t < slice->threads; t++)
    if (state->at[t] < slice->first[t + 1]) return false;
  for (unsigned i = 0; slice->has_final && i < slice->locations; i++)
    if (state->memory[i] != slice->final[i]) return false;
  return true;
}

KERNEL uint32_t gpu_name(const struct gpu_slice *slice, const struct gpu_state *state) {
  uint32_t name = 0x811c9dc5u;
  for (unsigned t = 0; t < slice->threads; t++) name = (name ^ state->at[t]) * 0x01000193u;
  for (unsigned i = 0; i < slice->locations; i++) name = (name ^ state->memory[i]) * 0x01000193u;
  return name;
}

KERNEL bool gpu_equal(const struct gpu_slice *slice, const struct gpu_state *a, const struct gpu_state *b) {
  for (unsigned t = 0; t < slice->threads; t++)
    if (a->at[t] != b->at[t]) return false;
  for (unsigned i = 0; i < slice->locations; i++)
    if (a->memory[i] != b->memory[i]) return false;
  return true;
}

/* The states that follow the lane's. */
KERNEL void gpu_expand(const struct gpu_slice *slice, struct gpu_frontier *f, unsigned lane) {
  for (unsigned t = 0; lane < f->count && t < slice->threads; t++) {
    const struct gpu_state *from = &f->now[lane];
    if (from->at[t] == slice->first[t + 1] || !(slice->access[from->at[t]].kind & SEARCH_WRITE)) continue;
    if (!gpu_possible(slice, from, t)) continue;
    uint32_t at = TAKE(&f->staged);
    if (at >= GPU_STAGED) {
      f->gave_up = 1;
      return;
    }
    f->next[at] = *from;
    gpu_write(slice, &f->next[at], t);
    f->names[at] = gpu_name(slice, &f->next[at]);
    f->parent[at] = (uint8_t)lane;
    f->thread[at] = (uint8_t)t;
  }
}

/* By one lane: which of the states stay, and where. */
KERNEL void gpu_choose(const struct gpu_slice *slice, struct gpu_frontier *f, gpu_trace *trace) {
  uint32_t staged = f->staged, count = 0;
  if (staged > GPU_STAGED) staged = GPU_STAGED;
  for (uint32_t i = 0; i < staged; i++) {
    bool known = false;
    for (uint32_t k = 0; k < i && !known; k++)
      known = f->names[k] == f->names[i] && gpu_equal(slice, &f->next[k], &f->next[i]);
    if (!known && count == GPU_LANES) f->gave_up = 1;
    f->place[i] = GPU_LANES;
    if (!known && count < GPU_LANES) f->place[i] = (uint8_t)count++;
    if (f->place[i] == GPU_LANES) continue;
    (*trace)[f->place[i]][0] = f->parent[i];
    (*trace)[f->place[i]][1] = f->thread[i];
  }
  f->count = count;
  f->staged = 0;
}

KERNEL void gpu_find_end(const struct gpu_slice *slice, struct gpu_frontier *f) {
  f->end = 0;
  for (uint32_t i = 0; i < f->count && !f->end; i++)
    if (gpu_at_end(slice, &f->now[i])) f->end = i + 1;
}

/* By one lane: the way to the end, from the end. */
KERNEL void gpu_tell(struct gpu_frontier *f, gpu_trace *trace, uint32_t levels, struct gpu_answer *answer) {
  answer->found = f->end != 0;
  answer->gave_up = f->gave_up;
  answer->rank = 0;
  answer->count = levels;
  uint32_t at = f->end ? f->end - 1 : 0;
  for (uint32_t level = levels; f->end && level; level--) {
    answer->choices[level - 1] = trace[level - 1][at][1];
    at = trace[level - 1][at][0];
  }
}

/* All lanes of a warp; trace has room for as many levels as there are accesses. */
KERNEL void gpu_frontier_search(const struct gpu_slice *slice, struct gpu_frontier *f, gpu_trace *trace,
                                struct gpu_answer *answer) {
  uint32_t level = 0;
  EACH_LANE(lane) {
    if (lane) continue;
    for (unsigned t = 0; t < slice->threads; t++) f->now[0].at[t] = slice->first[t];
    for (unsigned i = 0; i < slice->locations; i++) f->now[0].memory[i] = slice->initial[i];
    gpu_read(slice, &f->now[0]);
    f->count = 1;
    f->staged = f->gave_up = 0;
    gpu_find_end(slice, f);
  }
  JOIN();
  while (f->count && !f->end) {
    EACH_LANE(lane) gpu_expand(slice, f, lane);
    JOIN();
    uint32_t staged = f->staged;
    if (staged > GPU_STAGED) staged = GPU_STAGED;
    JOIN();
    EACH_LANE(lane) {
      if (!lane) gpu_choose(slice, f, &trace[level]);
    }
    JOIN();
    EACH_LANE(lane) {
      for (uint32_t i = lane; i < staged; i += GPU_LANES)
        if (f->place[i] < GPU_LANES) f->now[f->place[i]] = f->next[i];
    }
    JOIN();
    EACH_LANE(lane) {
      if (!lane) gpu_find_end(slice, f);
    }
    level++;
    JOIN();
  }
  EACH_LANE(lane) {
    if (!lane) gpu_tell(f, trace, level, answer);
  }
  JOIN();
}

#endif
