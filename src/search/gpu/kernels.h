/* kernels.h: the searches on a graphics processor. The same code is plain C, for the tests and for machines without one: there the lanes of a
 * group take turns. Nothing is passed from lane to lane but in memory that they share, before JOIN.
 *
 * **Permutations** (LightPlay, section 3.1): each lane takes the orders that begin with some accesses of its own, and tries them all; where a read
 * finds another value, the orders that go on from there are passed over.
 *
 * **Frontier**: a group of lanes has all states of a slice that can be reached with as many writes: how far the threads are, and memory. It makes the
 * states that follow, one for each write that may come next; those that are equal become one; and so on. Reads are made at once wherever they
 * find their values, and a write that destroys a value which is still needed, and not written again, is passed over (search.h says why that is right). */
#ifndef REPRISE_SEARCH_GPU_KERNELS_H
#define REPRISE_SEARCH_GPU_KERNELS_H

#include "search/gpu/slices.h"

#ifdef __CUDACC__
#define KERNEL static __device__ inline
#define KERNEL_AND_HOST static __host__ __device__ inline
#define LANES blockDim.x
#define EACH_LANE(lane) for (unsigned lane = threadIdx.x, once = 1; once; once = 0)
#define JOIN() __syncthreads()
#define TAKE(counter) atomicAdd(counter, 1u)
#define CLAIM(slot, value) atomicCAS(slot, 0u, value)
#else
enum { LANES = 32 };
#define KERNEL static inline
#define KERNEL_AND_HOST static inline
#define EACH_LANE(lane) for (unsigned lane = 0; lane < LANES; lane++)
#define JOIN() ((void)0)
#define TAKE(counter) ((*(counter))++)
#define CLAIM(slot, value) gpu_claim(slot, value)
static inline uint32_t gpu_claim(uint32_t *slot, uint32_t value) {
  uint32_t old = *slot;
  if (!old) *slot = value;
  return old;
}
#endif

/* -- Permutations ------------------------------------------------------------------------------------------------------------ */

/* A slice as small as that, in memory that lanes share. */
struct gpu_small_access {
  uint8_t read, written, location, kind;
};
struct gpu_small {
  uint8_t first[GPU_THREADS + 1], threads, accesses, locations, has_final;
  uint8_t initial[GPU_LOCATIONS], final[GPU_LOCATIONS];
  struct gpu_small_access access[GPU_PERMUTED];
};

/* The part of one lane of so many. */
KERNEL void gpu_shrink(const struct gpu_slice *slice, struct gpu_small *to, unsigned lane, unsigned lanes) {
  if (!lane) {
    to->threads = (uint8_t)slice->threads;
    to->accesses = (uint8_t)slice->accesses;
    to->locations = (uint8_t)slice->locations;
    to->has_final = (uint8_t)slice->has_final;
    for (unsigned t = 0; t <= slice->threads; t++) to->first[t] = (uint8_t)slice->first[t];
  }
  for (unsigned i = lane; i < slice->locations; i += lanes) {
    to->initial[i] = (uint8_t)slice->initial[i];
    to->final[i] = (uint8_t)slice->final[i];
  }
  for (unsigned i = lane; i < slice->accesses; i += lanes) {
    const struct gpu_access *from = &slice->access[i];
    struct gpu_small_access access = {(uint8_t)from->read, (uint8_t)from->written, from->location,
                                      from->kind};
    to->access[i] = access;
  }
}

/* Memory of the lanes of a warp, byte by byte side by side: its locations, then what the accesses made so far have overwritten. */
enum { GPU_WARP = 32, GPU_PERMUTE_BYTES = (GPU_LOCATIONS + GPU_PERMUTED) * GPU_WARP };

/* One lane's way through the orders. */
struct gpu_way {
  const struct gpu_small *slice;
  uint8_t *memory;  /* at every GPU_WARPth byte */
  uint64_t at;      /* accesses made of each thread: eight bits each */
  uint64_t choices; /* the threads of those made: three bits each */
  unsigned depth;   /* how many there are */
  uint32_t steps;   /* that may still be made */
};

KERNEL bool gpu_forth(struct gpu_way *way, unsigned t) {
  const struct gpu_small *slice = way->slice;
  unsigned index = slice->first[t] + (unsigned)(way->at >> 8 * t & 0xff);
  if (index == slice->first[t + 1]) return false;
  struct gpu_small_access access = slice->access[index];
  uint8_t *word = &way->memory[access.location * GPU_WARP], old = *word;
  if ((access.kind & SEARCH_READ) && old != access.read) return false;
  way->memory[(GPU_LOCATIONS + way->depth++) * GPU_WARP] = old;
  if (access.kind & SEARCH_WRITE) *word = access.written;
  way->at += (uint64_t)1 << 8 * t;
  way->choices = way->choices << 3 | t;
  return true;
}

/* Returns the thread whose access was taken back. */
KERNEL unsigned gpu_back(struct gpu_way *way) {
  unsigned t = way->choices & 7;
  way->choices >>= 3;
  way->at -= (uint64_t)1 << 8 * t;
  struct gpu_small_access access =
      way->slice->access[way->slice->first[t] + (unsigned)(way->at >> 8 * t & 0xff)];
  way->memory[access.location * GPU_WARP] = way->memory[(GPU_LOCATIONS + --way->depth) * GPU_WARP];
  return t;
}

KERNEL bool gpu_is_final(const struct gpu_way *way) {
  for (unsigned i = 0; way->slice->has_final && i < way->slice->locations; i++)
    if (way->memory[i * GPU_WARP] != way->slice->final[i]) return false;
  return true;
}

/* The threads of the first `length` accesses are the digits of `beginning`. True: one of the orders that begin so explains the values; the way is at its end.
 * False and no steps left: there may be one. */
KERNEL bool gpu_permute(struct gpu_way *way, uint32_t beginning, unsigned length) {
  unsigned threads = way->slice->threads, t = 0;
  way->at = way->choices = 0;
  way->depth = 0;
  for (unsigned i = 0; i < way->slice->locations; i++) way->memory[i * GPU_WARP] = way->slice->initial[i];
  for (unsigned i = 0; i < length; i++, beginning /= threads)
    if (!gpu_forth(way, beginning % threads)) return false;
  for (;;) {
    if (way->depth == way->slice->accesses && gpu_is_final(way)) return true;
    if (!way->steps) return false;
    way->steps--;
    while (t < threads && !gpu_forth(way, t)) t++;
    if (t < threads) {
      t = 0;
    } else if (way->depth == length) {
      return false;
    } else {
      t = gpu_back(way) + 1;
    }
  }
}

/* How many accesses orders begin with, for there to be some beginnings for each of so many lanes. */
KERNEL unsigned gpu_beginnings(const struct gpu_slice *slice, uint32_t lanes, uint32_t *count) {
  unsigned length = 0;
  *count = 1;
  while (length < slice->accesses && slice->threads > 1 && *count < 8 * lanes) {
    *count *= slice->threads;
    length++;
  }
  return length;
}

/* -- The frontier ------------------------------------------------------------------------------------------------------------ */

/* A state: how far each thread is, then the number of the value in each word. */
typedef uint16_t gpu_state;

/* One more than the last access of a thread that reads the value, and the same of writes; 0: there is none. */
struct gpu_reach {
  uint16_t reads[GPU_THREADS], writes[GPU_THREADS];
};

/* What the lanes share. */
struct gpu_shared {
  uint32_t count, staged, placed;
  uint32_t gave_up;
  uint32_t end; /* one more than the state that has come to the end */
};

struct gpu_frontier {
  const struct gpu_slice *slice;
  struct gpu_shared *shared;
  struct gpu_reach *reach; /* of each value */
  gpu_state *now, *next;   /* `room` states, twice as many */
  uint32_t *names;         /* of the next ones: two states with different names are different */
  uint16_t *origin;        /* of the next ones: the state before, and the thread */
  uint32_t *slots;         /* four times `room`: the next ones, one more than their number, by name */
  uint16_t *trace;         /* for each level and state: where it comes from */
  uint32_t room, stride;
};

/* Of a state, in parts of 16 bits: an odd number of 32 bits, so that the same part of different states lies in different banks. */
KERNEL_AND_HOST uint32_t gpu_stride(uint32_t threads, uint32_t locations) {
  return ((threads + locations + 1) / 2 | 1) * 2;
}

enum {
  GPU_ROOM_OVERHEAD = 2 * 4 + 2 * 2 + 4 * 4
}; /* bytes for each of the states there is room for, beside the states themselves */

/* Puts the parts into memory of room * (3 * 2 * stride + GPU_ROOM_OVERHEAD) bytes, of which the slots are zero. */
KERNEL void gpu_lay_out(struct gpu_frontier *f, uint32_t *memory, uint32_t room, uint32_t stride) {
  f->room = room;
  f->stride = stride;
  f->slots = memory;
  f->names = f->slots + 4 * room;
  f->now = (gpu_state *)(f->names + 2 * room);
  f->next = f->now + room * stride;
  f->origin = f->next + 2 * room * stride;
}

KERNEL const struct gpu_access *gpu_head(const struct gpu_slice *slice, const gpu_state *state, unsigned t) {
  return state[t] < slice->first[t + 1] ? &slice->access[state[t]] : (const struct gpu_access *)NULL;
}

/* The least ticket behind an access that comes next: none may be made that began later. */
KERNEL unsigned gpu_horizon(const struct gpu_slice *slice, const gpu_state *state) {
  unsigned least = UINT16_MAX;
  for (unsigned t = 0; t < slice->threads; t++) {
    const struct gpu_access *access = gpu_head(slice, state, t);
    if (access && access->ended < least) least = access->ended;
  }
  return least;
}

KERNEL bool gpu_possible(const struct gpu_slice *slice, const gpu_state *state,
                         const struct gpu_access *access, unsigned horizon) {
  if ((access->kind & SEARCH_READ) && state[slice->threads + access->location] != access->read) return false;
  return access->began <= horizon;
}

/* Makes all reads that find their values. made: where they are put, or NULL; returns how many there were. */
KERNEL unsigned gpu_read(const struct gpu_slice *slice, gpu_state *state, uint32_t *made) {
  unsigned count = 0, idle = 0, horizon = gpu_horizon(slice, state);
  for (unsigned t = 0; idle < slice->threads; t = t + 1 < slice->threads ? t + 1 : 0) {
    const struct gpu_access *access = gpu_head(slice, state, t);
    idle++;
    while (access && access->kind == SEARCH_READ && gpu_possible(slice, state, access, horizon)) {
      if (made) made[count] = state[t];
      count++;
      state[t]++;
      idle = 0;
      if (access->ended == horizon) horizon = gpu_horizon(slice, state);
      access = gpu_head(slice, state, t);
    }
  }
  return count;
}

KERNEL void gpu_write(const struct gpu_slice *slice, gpu_state *state, unsigned t) {
  const struct gpu_access *access = &slice->access[state[t]++];
  state[slice->threads + access->location] = access->written;
}

/* Whether a thread has an access before `reach` left; of one thread, the next access does not count. */
KERNEL bool gpu_is_left(const struct gpu_slice *slice, const gpu_state *state, const uint16_t *reach,
                        unsigned but) {
  bool left = false;
  for (unsigned t = 0; t < slice->threads; t++) left |= reach[t] > state[t] + (t == but);
  return left;
}

/* As strands_reader in solve.c. */
KERNEL bool gpu_strands(const struct gpu_frontier *f, const gpu_state *state, const struct gpu_access *access,
                        unsigned t) {
  const struct gpu_slice *slice = f->slice;
  uint16_t there = state[slice->threads + access->location];
  const struct gpu_reach *reach = &f->reach[there];
  bool itself = (access->kind & SEARCH_READ) && access->read == there;
  bool needed = slice->has_final && slice->final[access->location] == there;
  needed |= gpu_is_left(slice, state, reach->reads, itself ? t : GPU_THREADS);
  return needed && !gpu_is_left(slice, state, reach->writes, GPU_THREADS);
}

KERNEL bool gpu_at_end(const struct gpu_slice *slice, const gpu_state *state) {
  for (unsigned t = 0; t < slice->threads; t++)
    if (state[t] < slice->first[t + 1]) return false;
  for (unsigned i = 0; slice->has_final && i < slice->locations; i++)
    if (state[slice->threads + i] != slice->final[i]) return false;
  return true;
}

/* The lane's part of the table: that of one thread, or none. */
KERNEL void gpu_find_reach(const struct gpu_frontier *f, unsigned lane) {
  const struct gpu_slice *slice = f->slice;
  if (lane >= slice->threads) return;
  for (unsigned i = slice->first[lane]; i < slice->first[lane + 1]; i++) {
    const struct gpu_access *access = &slice->access[i];
    if (access->kind & SEARCH_READ) f->reach[access->read].reads[lane] = (uint16_t)(i + 1);
    if (access->kind & SEARCH_WRITE) f->reach[access->written].writes[lane] = (uint16_t)(i + 1);
  }
}

KERNEL void gpu_copy(const struct gpu_frontier *f, gpu_state *to, const gpu_state *from) {
  uint32_t *into = (uint32_t *)to;
  const uint32_t *words = (const uint32_t *)from;
  for (uint32_t i = 0; i < f->stride / 2; i++) into[i] = words[i];
}

KERNEL uint32_t gpu_name(const struct gpu_frontier *f, const gpu_state *state) {
  const uint32_t *words = (const uint32_t *)state;
  uint32_t name = 0x811c9dc5u;
  for (uint32_t i = 0; i < f->stride / 2; i++) name = (name ^ words[i]) * 0x9e3779b1u + (name >> 15);
  return name ^ name >> 16;
}

KERNEL bool gpu_equal(const struct gpu_frontier *f, const gpu_state *a, const gpu_state *b) {
  const uint32_t *x = (const uint32_t *)a, *y = (const uint32_t *)b;
  bool equal = true;
  for (uint32_t i = 0; i < f->stride / 2; i++) equal &= x[i] == y[i];
  return equal;
}

/* The state that follows a state when thread t writes; if it may. */
KERNEL void gpu_stage(struct gpu_frontier *f, uint32_t parent, unsigned t) {
  const struct gpu_slice *slice = f->slice;
  const gpu_state *from = f->now + parent * f->stride;
  const struct gpu_access *access = gpu_head(slice, from, t);
  if (!access || !(access->kind & SEARCH_WRITE)) return;
  if (!gpu_possible(slice, from, access, gpu_horizon(slice, from)) || gpu_strands(f, from, access, t)) return;
  uint32_t at = TAKE(&f->shared->staged);
  if (at >= 2 * f->room) {
    f->shared->gave_up = 1;
    return;
  }
  gpu_state *to = f->next + at * f->stride;
  gpu_copy(f, to, from);
  gpu_write(slice, to, t);
  gpu_read(slice, to, (uint32_t *)NULL);
  f->names[at] = gpu_name(f, to);
  f->origin[at] = (uint16_t)(parent * GPU_THREADS + t);
}

/* Whether the staged state is the first one of those that are equal: that which takes the slot. */
KERNEL bool gpu_is_first(struct gpu_frontier *f, uint32_t staged) {
  uint32_t mask = 4 * f->room - 1, slot = f->names[staged] & mask;
  for (;; slot = (slot + 1) & mask) {
    uint32_t other = CLAIM(&f->slots[slot], staged + 1);
    if (!other) return true;
    if (f->names[other - 1] == f->names[staged] &&
        gpu_equal(f, f->next + (other - 1) * f->stride, f->next + staged * f->stride))
      return false;
  }
}

KERNEL void gpu_place(struct gpu_frontier *f, uint32_t staged, uint32_t level) {
  uint32_t at = TAKE(&f->shared->placed);
  const gpu_state *state = f->next + staged * f->stride;
  if (at >= f->room) {
    f->shared->gave_up = 1;
    return;
  }
  gpu_copy(f, f->now + at * f->stride, state);
  f->trace[level * f->room + at] = f->origin[staged];
  if (gpu_at_end(f->slice, state)) f->shared->end = at + 1;
}

/* By one lane: the way to the end, from the end. */
KERNEL void gpu_tell(const struct gpu_frontier *f, uint32_t levels, struct gpu_answer *answer) {
  answer->found = f->shared->end != 0;
  answer->gave_up = f->shared->gave_up;
  answer->order = 0;
  answer->count = levels;
  uint32_t at = f->shared->end - 1;
  for (uint32_t level = levels; f->shared->end && level; level--) {
    uint16_t origin = f->trace[(level - 1) * f->room + at];
    answer->choices[level - 1] = (uint8_t)(origin % GPU_THREADS);
    at = origin / GPU_THREADS;
  }
}

KERNEL void gpu_begin(struct gpu_frontier *f) {
  const struct gpu_slice *slice = f->slice;
  for (unsigned i = 0; i < f->stride; i++) f->now[i] = 0;
  for (unsigned t = 0; t < slice->threads; t++) f->now[t] = slice->first[t];
  for (unsigned i = 0; i < slice->locations; i++) f->now[slice->threads + i] = slice->initial[i];
  gpu_read(slice, f->now, (uint32_t *)NULL);
  struct gpu_shared shared = {1, 0, 0, 0, gpu_at_end(slice, f->now)};
  *f->shared = shared;
}

/* All lanes of a group. The trace has room for as many levels as there are accesses. */
KERNEL void gpu_frontier_search(struct gpu_frontier *f, struct gpu_answer *answer) {
  const struct gpu_reach none = {{0}, {0}};
  uint32_t level = 0, threads = f->slice->threads;
  EACH_LANE(lane) {
    for (uint32_t i = lane; i < f->slice->numbers; i += LANES) f->reach[i] = none;
    if (!lane) gpu_begin(f);
  }
  JOIN();
  EACH_LANE(lane) gpu_find_reach(f, lane);
  JOIN();
  for (uint32_t count = 1; count && !f->shared->end; level++) {
    EACH_LANE(lane) {
      for (uint32_t i = lane; i < count * threads; i += LANES) gpu_stage(f, i / threads, i % threads);
    }
    JOIN();
    uint32_t staged = f->shared->staged < 2 * f->room ? f->shared->staged : 2 * f->room;
    EACH_LANE(lane) {
      for (uint32_t i = lane; i < staged; i += LANES)
        if (gpu_is_first(f, i)) gpu_place(f, i, level);
    }
    JOIN();
    count = f->shared->placed < f->room ? f->shared->placed : f->room;
    JOIN();
    EACH_LANE(lane) {
      for (uint32_t i = lane; i < 4 * f->room; i += LANES) f->slots[i] = 0;
      if (!lane) f->shared->staged = f->shared->placed = 0;
    }
    JOIN();
  }
  EACH_LANE(lane) {
    if (!lane) gpu_tell(f, level, answer);
  }
  JOIN();
}

#endif
