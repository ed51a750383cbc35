/* search.c: how long the search for an order takes.
 *
 *     search [SLICES]
 *
 * Random slices that were really executed, with tickets, of 2 to 8 threads and up to 4,096 accesses, of which a half write and an eighth
 * exchange, to 4 to 64 words with few values or a new one by every write. A line for each kind:
 *   search threads=T accesses=N words=W values=V solved=… of=… median_us=… worst_us=… states=… constraints=… constrain_us=…
 * constraints: those of the order found, per access. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "search/search.h"

enum { MOST = 4096, THREADS_MOST = 8, WORDS_MOST = 64, STATES = 1000000 };

struct kind {
  unsigned threads, accesses, words, values; /* values: of each word; 0: every write has one of its own */
};

static struct search_access accesses[MOST];
static uint32_t counts[THREADS_MOST], order[MOST];
static uint64_t initial[WORDS_MOST], final[WORDS_MOST], random_state = 1;
static struct search_constraint constraints[MOST * THREADS_MOST];

static uint64_t next(void) {
  uint64_t z = random_state += 0x9e3779b97f4a7c15;
  z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
  z = (z ^ z >> 27) * 0x94d049bb133111eb;
  return z ^ z >> 31;
}

static double now(void) {
  struct timespec time;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return (double)time.tv_sec * 1e6 + (double)time.tv_nsec / 1e3;
}

static void choose(const struct kind *kind, struct search_access *access, uint64_t serial) {
  unsigned dice = (unsigned)(next() % 8);
  access->kind = dice < 1 ? SEARCH_EXCHANGE : dice < 5 ? SEARCH_WRITE : SEARCH_READ;
  access->location = (uint32_t)(next() % kind->words);
  access->mask = UINT64_MAX;
  access->written = kind->values ? next() % kind->values : serial + 1;
}

/* Each thread takes a ticket before an access; the scheduler goes from thread to thread at random. */
static void make_slice(const struct kind *kind) {
  uint32_t first[THREADS_MOST], at[THREADS_MOST] = {0};
  bool ready[THREADS_MOST] = {0};
  uint64_t ticket = 0;
  memset(accesses, 0, sizeof accesses);
  memset(final, 0, sizeof final);
  for (unsigned t = 0; t < kind->threads; t++) {
    first[t] = kind->accesses * t / kind->threads;
    counts[t] = kind->accesses * (t + 1) / kind->threads - first[t];
  }
  for (uint32_t done = 0; done < kind->accesses;) {
    unsigned t = (unsigned)(next() % kind->threads);
    if (at[t] == counts[t]) continue;
    struct search_access *access = &accesses[first[t] + at[t]];
    if (!ready[t]) {
      choose(kind, access, done * 8 + t);
      access->began = ++ticket;
      access->ended = UINT64_MAX;
      if (at[t]) access[-1].ended = ticket;
    } else {
      access->read = access->kind & SEARCH_READ ? final[access->location] : 0;
      if (access->kind & SEARCH_WRITE) final[access->location] = access->written;
      at[t]++;
      done++;
    }
    ready[t] = !ready[t];
  }
}

static int compare(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return x < y ? -1 : x > y;
}

static void measure(const struct kind *kind, unsigned slices) {
  double *times = malloc(slices * sizeof *times), constrain = 0;
  uint64_t states = 0, constrained = 0;
  unsigned solved = 0;
  for (unsigned i = 0; i < slices; i++) {
    make_slice(kind);
    struct search_slice slice = {kind->threads, counts, accesses, kind->words, initial, final};
    struct search_answer answer = {.order = order};
    double start = now();
    enum search_result result = search_solve(&slice, &(struct search_options){.states = STATES}, &answer);
    times[i] = now() - start;
    states += answer.states;
    if (result != SEARCH_FOUND) continue;
    if (!search_is_explained(&slice, order)) abort();
    solved++;
    start = now();
    constrained += search_constraints(&slice, order, constraints, MOST * THREADS_MOST);
    constrain += now() - start;
  }
  qsort(times, slices, sizeof *times, compare);
  printf(
      "search threads=%u accesses=%u words=%u values=%u solved=%u of=%u median_us=%.0f worst_us=%.0f "
      "states=%llu "
      "constraints=%.3f constrain_us=%.0f\n",
      kind->threads, kind->accesses, kind->words, kind->values, solved, slices, times[slices / 2],
      times[slices - 1], (unsigned long long)(states / slices),
      (double)constrained / (solved ? solved : 1) / kind->accesses, constrain / (solved ? solved : 1));
  free(times);
}

int main(int argc, char **argv) {
  static const struct kind kinds[] = {
      {2, 18, 4, 0},    {4, 18, 4, 0},   {4, 1024, 16, 0}, {2, 4096, 16, 0},
      {4, 4096, 16, 0}, {4, 4096, 4, 4}, {4, 4096, 64, 2}, {8, 4096, 16, 0},
  };
  unsigned slices = argc > 1 ? (unsigned)atoi(argv[1]) : 50;
  for (unsigned i = 0; i < sizeof kinds / sizeof *kinds; i++) measure(&kinds[i], slices ? slices : 1);
  return 0;
}
