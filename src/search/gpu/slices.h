/* slices.h: slices for a graphics processor, and its answers; both also go over the pipe to reprise-solve-gpu.
 *
 *     request   struct gpu_request, then that many struct gpu_slice
 *     answer    struct gpu_reply, then that many struct gpu_answer
 *
 * and so on until the pipe is closed. Both ends run on the same machine. The processor's answer is a proposal: the requester checks that the order
 * explains the values (gpu_unfold), and searches itself where none was found. */
#ifndef REPRISE_SEARCH_GPU_SLICES_H
#define REPRISE_SEARCH_GPU_SLICES_H

#include "search/search.h"

enum {
  GPU_MAGIC = 0x55504753,
  GPU_THREADS = 8,
  GPU_ACCESSES = 1024,
  GPU_LOCATIONS = 64,
  GPU_PERMUTED = 18, /* accesses of a slice of which all permutations are tried: the paper's limit */
  GPU_NUMBERS =
      2 * GPU_ACCESSES + 2 * GPU_LOCATIONS, /* of values, at most; UINT16_MAX: a value that no access has */
};

enum gpu_mode {
  GPU_PERMUTATIONS, /* LightPlay, section 3: every order, whatever the tickets say */
  GPU_FRONTIER,     /* all states that can be reached with so many writes, level by level */
};

/* Values are numbers, the same for the same value of the same word; tickets, too. */
struct gpu_access {
  uint16_t read, written, began, ended;
  uint8_t location, kind;
};

struct gpu_slice {
  uint16_t threads, accesses, locations, numbers, has_final;
  uint16_t first[GPU_THREADS + 1]; /* of each thread's accesses; then how many there are */
  uint16_t initial[GPU_LOCATIONS], final[GPU_LOCATIONS];
  struct gpu_access access[GPU_ACCESSES];
};

struct gpu_answer {
  uint32_t found;   /* 1: an order explains the values */
  uint32_t gave_up; /* there was no room for all states, or too little time for all orders */
  uint64_t
      order; /* permutations: the threads whose access comes next, three bits each, the last one lowest */
  uint32_t count; /* frontier: of the choices */
  uint8_t choices
      [GPU_ACCESSES]; /* the threads whose write comes next; reads come as soon as they find their values */
};

struct gpu_request {
  uint32_t magic, mode, count, unused;
};

struct gpu_reply {
  uint32_t magic, count;
  uint64_t nanoseconds; /* of the processor, without the way there and back */
};

/* False: the slice is too large, or has accesses of different sizes in one word. */
bool gpu_pack(const struct search_slice *slice, struct gpu_slice *to);
/* The order that an answer stands for: as search_solve() would give it. False: it stands for none that explains the values. */
bool gpu_unfold(const struct search_slice *slice, const struct gpu_slice *packed, enum gpu_mode mode,
                const struct gpu_answer *answer, uint32_t *order);

#endif
