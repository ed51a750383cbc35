/* statistics.h: the counts of a simulation: one list, printed as text or JSON. */
#ifndef REPRISE_SIM_STATISTICS_H
#define REPRISE_SIM_STATISTICS_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

struct distribution;
struct machine;

enum { STATISTICS_MAX = 128, SERIES_MAX = 16, SERIES_LENGTH = 64 };

/* A number for each hart or bank; or a distribution: how many were 0, 1, 2 to 3, 4 to 7, … */
struct series {
  char name[40];
  uint32_t count;
  uint64_t value[SERIES_LENGTH];
};

struct statistics {
  uint32_t count;
  struct {
    char name[40]; /* with _ for blanks */
    double value;
  } row[STATISTICS_MAX];
  uint32_t series_count;
  struct series series[SERIES_MAX];
};

void statistics_add(struct statistics *statistics, const char *name, double value);
/* An empty series, to be filled. */
struct series *statistics_series(struct statistics *statistics, const char *name);
/* A distribution without the places behind its last number. */
void statistics_distribution(struct statistics *statistics, const char *name,
                             const struct distribution *counts);
double statistics_get(const struct statistics *statistics, const char *name); /* 0 if there is none */
/* Adds the counts of harts and caches. */
void statistics_machine(struct statistics *statistics, const struct machine *machine);
/* Adds those of the kernel. */
void statistics_collect(struct statistics *statistics, const struct machine *machine);
void statistics_print(const struct statistics *statistics, FILE *to, bool json);

#endif
