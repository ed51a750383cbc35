/* gpu.c: the searches of a graphics processor, compiled as plain C, against the one of search/solve.c.
 *
 *     gpu [SEED]
 *
 * Of small slices all permutations are tried: there is one that explains the values exactly where search_solve() finds an order. Of these and of larger ones the frontier
 * is searched: an order it finds explains the values, and where it finds none, and had room for all states, there is none. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "search/gpu/kernels.h"
#include "search/wrong.h"

enum { SLICES = 3000, LARGE = 40, SMALL_MOST = 9, WORDS = 6 };

enum search_wrong search_wrong;

static uint64_t random_state = 1;
static uint64_t next(void) { /* splitmix64 */
  uint64_t z = random_state += 0x9e3779b97f4a7c15;
  z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
  z = (z ^ z >> 27) * 0x94d049bb133111eb;
  return z ^ z >> 31;
}

static struct search_access accesses[GPU_ACCESSES];
static uint32_t counts[GPU_THREADS], order[GPU_ACCESSES];
static uint64_t initial[WORDS], final[WORDS];
static struct search_slice slice = {
    .counts = counts, .accesses = accesses, .initial = initial, .final = final, .locations = WORDS};
static struct gpu_slice packed;
static struct gpu_answer answer;

enum { ROOM = 64, STRIDE_MOST = GPU_THREADS + GPU_LOCATIONS + 2 };
static uint32_t frontier_memory[ROOM * (3 * STRIDE_MOST + GPU_ROOM_OVERHEAD)];
static uint16_t trace[GPU_ACCESSES * ROOM];
static struct gpu_reach reach[GPU_NUMBERS];
static struct gpu_small small;
static uint8_t permute_memory[GPU_PERMUTE_BYTES];

/* Executed at random, with tickets; and, if it is to be spoilt, with one read of something else. */
static void make_slice(unsigned threads, uint32_t size, bool unique, bool spoilt) {
  uint32_t at[GPU_THREADS] = {0}, first[GPU_THREADS + 1] = {0};
  bool ready[GPU_THREADS] = {0};
  uint64_t ticket = 0;
  memset(accesses, 0, sizeof accesses);
  memset(final, 0, sizeof final);
  memset(counts, 0, sizeof counts);
  slice.threads = threads;
  for (uint32_t i = 0; i < size; i++) counts[next() % threads]++;
  for (unsigned t = 0; t < threads; t++) first[t + 1] = first[t] + counts[t];
  for (uint32_t done = 0; done < size;) {
    unsigned t = (unsigned)(next() % threads);
    struct search_access *access = &accesses[first[t] + at[t]];
    if (at[t] == counts[t]) continue;
    if ((ready[t] = !ready[t])) {
      *access = (struct search_access){.location = (uint32_t)(next() % WORDS),
                                       .kind = (uint8_t)(1 + next() % 3),
                                       .mask = UINT64_MAX,
                                       .written = unique ? done * 8 + t + 1 : next() % 3,
                                       .began = ++ticket,
                                       .ended = UINT64_MAX};
      if (at[t]) access[-1].ended = ticket;
      continue;
    }
    access->read = access->kind & SEARCH_READ ? final[access->location] : 0;
    if (access->kind & SEARCH_WRITE)
      final[access->location] = access->written;
    else
      access->written = 0;
    at[t]++;
    done++;
  }
  if (spoilt) accesses[next() % size].read = next() % 3;
  for (uint32_t i = 0; i < size; i++)
    if (!(accesses[i].kind & SEARCH_READ)) accesses[i].read = 0;
}

static void forget_tickets(void) {
  for (uint32_t i = 0; i < search_size(&slice); i++) accesses[i].began = 0, accesses[i].ended = UINT64_MAX;
}

static bool solves(void) {
  struct search_answer found = {.order = order};
  return search_solve(&slice, &(struct search_options){0}, &found) == SEARCH_FOUND;
}

static const char *try_permutations(void) {
  forget_tickets();
  if (!gpu_pack(&slice, &packed)) return "the slice can't be packed";
  uint32_t beginnings;
  unsigned length = gpu_beginnings(&packed, 2, &beginnings);
  struct gpu_way way = {.slice = &small, .memory = permute_memory + 5, .steps = UINT32_MAX};
  gpu_shrink(&packed, &small, 0, 1);
  memset(&answer, 0, sizeof answer);
  for (uint32_t i = 0; i < beginnings && !answer.found; i++)
    if (gpu_permute(&way, i, length)) answer.found = 1, answer.order = way.choices;
  bool found = answer.found;
  if (found != solves()) return "permutations and search do not agree";
  return found && !gpu_unfold(&slice, &packed, GPU_PERMUTATIONS, &answer, order)
             ? "a permutation explains nothing"
             : NULL;
}

static const char *try_frontier(void) {
  if (!gpu_pack(&slice, &packed)) return "the slice can't be packed";
  struct gpu_shared shared = {0};
  struct gpu_frontier frontier = {.slice = &packed, .shared = &shared, .reach = reach, .trace = trace};
  memset(frontier_memory, 0, sizeof frontier_memory);
  gpu_lay_out(&frontier, frontier_memory, ROOM, gpu_stride(packed.threads, packed.locations));
  gpu_frontier_search(&frontier, &answer);
  if (answer.found)
    return gpu_unfold(&slice, &packed, GPU_FRONTIER, &answer, order)
               ? NULL
               : "the frontier's order explains nothing";
  return !answer.gave_up && solves() ? "the frontier overlooked an order" : NULL;
}

int main(int argc, char **argv) {
  uint64_t seed = argc > 1 ? strtoull(argv[1], NULL, 0) : 1;
  unsigned failed = 0, passed = 0, found = 0, large = 0;
  for (unsigned i = 0; i < SLICES && !failed; i++) {
    random_state = seed + i;
    make_slice(2 + (unsigned)(next() % 3), 2 + (uint32_t)(next() % (SMALL_MOST - 1)), next() % 2, next() % 2);
    const char *wrong = try_frontier();
    found += answer.found;
    if (!wrong) wrong = try_permutations();
    if (wrong) printf("slice %llu: %s\n", (unsigned long long)(seed + i), wrong), failed++;
    passed++;
  }
  for (unsigned i = 0; i < LARGE && !failed; i++) {
    random_state = seed + i;
    make_slice(4, GPU_ACCESSES, true, false);
    const char *wrong = try_frontier();
    large += answer.found;
    if (wrong) printf("large slice %llu: %s\n", (unsigned long long)(seed + i), wrong), failed++;
    passed++;
  }
  if (found < SLICES / 4 || found == SLICES || large < LARGE / 2)
    printf("too few of a kind: %u, %u\n", found, large), failed++;
  printf("%u small slices with an order, %u of %u large ones\n", found, large, LARGE);
  printf("%u passed, %u failed\n", passed, failed);
  return failed != 0;
}
