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

#include "slices.h"

enum { STATES = 1000000 };

static struct made_slice made;
static uint32_t order[SLICE_MOST];
static struct search_constraint constraints[SLICE_MOST * SLICE_THREADS];

static int compare(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return x < y ? -1 : x > y;
}

static void measure(const struct slice_kind *kind, unsigned slices) {
  double *times = malloc(slices * sizeof *times), constrain = 0;
  uint64_t states = 0, constrained = 0;
  unsigned solved = 0;
  for (unsigned i = 0; i < slices; i++) {
    slice_make(kind, &made);
    struct search_slice slice = made.slice;
    struct search_answer answer = {.order = order};
    double start = slice_time(false);
    enum search_result result = search_solve(&slice, &(struct search_options){.states = STATES}, &answer);
    times[i] = slice_time(false) - start;
    states += answer.states;
    if (result != SEARCH_FOUND) continue;
    if (!search_is_explained(&slice, order)) abort();
    solved++;
    start = slice_time(false);
    constrained += search_constraints(&slice, order, constraints, SLICE_MOST * SLICE_THREADS);
    constrain += slice_time(false) - start;
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
  static const struct slice_kind kinds[] = {
      {2, 18, 4, 0},    {4, 18, 4, 0},   {4, 1024, 16, 0}, {2, 4096, 16, 0},
      {4, 4096, 16, 0}, {4, 4096, 4, 4}, {4, 4096, 64, 2}, {8, 4096, 16, 0},
  };
  unsigned slices = argc > 1 ? (unsigned)atoi(argv[1]) : 50;
  for (unsigned i = 0; i < sizeof kinds / sizeof *kinds; i++) measure(&kinds[i], slices ? slices : 1);
  return 0;
}
