/* slices.h: random slices for the benchmarks of the search: executions of random accesses by threads that take tickets, a half of which write and an eighth
   exchange. */
#ifndef REPRISE_BENCH_SLICES_H
#define REPRISE_BENCH_SLICES_H

#include <string.h>
#include <time.h>

#include "search/search.h"

enum { SLICE_MOST = 4096, SLICE_THREADS = 8, SLICE_WORDS = 64 };

struct slice_kind {
  unsigned threads, accesses, words, values; /* values: of each word; 0: every write has one of its own */
};

/* A slice and what it points to. */
struct made_slice {
  struct search_slice slice;
  struct search_access accesses[SLICE_MOST];
  uint32_t counts[SLICE_THREADS];
  uint64_t initial[SLICE_WORDS], final[SLICE_WORDS];
};

static uint64_t slice_random = 1;

static inline uint64_t slice_next(void) {
  uint64_t z = slice_random += 0x9e3779b97f4a7c15;
  z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
  z = (z ^ z >> 27) * 0x94d049bb133111eb;
  return z ^ z >> 31;
}

static inline void slice_choose(const struct slice_kind *kind, struct search_access *access,
                                uint64_t serial) {
  unsigned dice = (unsigned)(slice_next() % 8);
  access->kind = dice < 1 ? SEARCH_EXCHANGE : dice < 5 ? SEARCH_WRITE : SEARCH_READ;
  access->location = (uint32_t)(slice_next() % kind->words);
  access->mask = UINT64_MAX;
  if (access->kind & SEARCH_WRITE) access->written = kind->values ? slice_next() % kind->values : serial + 1;
}

/* Each thread takes a ticket before an access; the scheduler goes from thread to thread at random. */
static inline void slice_make(const struct slice_kind *kind, struct made_slice *made) {
  uint32_t first[SLICE_THREADS], at[SLICE_THREADS] = {0};
  bool ready[SLICE_THREADS] = {0};
  uint64_t ticket = 0;
  memset(made->accesses, 0, kind->accesses * sizeof *made->accesses);
  memset(made->initial, 0, sizeof made->initial);
  memset(made->final, 0, sizeof made->final);
  made->slice = (struct search_slice){kind->threads, made->counts,  made->accesses,
                                      kind->words,   made->initial, made->final};
  for (unsigned t = 0; t < kind->threads; t++) {
    first[t] = kind->accesses * t / kind->threads;
    made->counts[t] = kind->accesses * (t + 1) / kind->threads - first[t];
  }
  for (uint32_t done = 0; done < kind->accesses;) {
    unsigned t = (unsigned)(slice_next() % kind->threads);
    if (at[t] == made->counts[t]) continue;
    struct search_access *access = &made->accesses[first[t] + at[t]];
    if (!ready[t]) {
      slice_choose(kind, access, done * 8 + t);
      access->began = ++ticket;
      access->ended = UINT64_MAX;
      if (at[t]) access[-1].ended = ticket;
    } else {
      access->read = access->kind & SEARCH_READ ? made->final[access->location] : 0;
      if (access->kind & SEARCH_WRITE) made->final[access->location] = access->written;
      at[t]++;
      done++;
    }
    ready[t] = !ready[t];
  }
}

/* Microseconds that this thread has had a processor; or of the clock on the wall. */
static inline double slice_time(bool wall) {
  struct timespec time;
  clock_gettime(wall ? CLOCK_MONOTONIC : CLOCK_THREAD_CPUTIME_ID, &time);
  return (double)time.tv_sec * 1e6 + (double)time.tv_nsec / 1e3;
}

#endif
