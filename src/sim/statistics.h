/* statistics.h: what a simulation counted: one list, printed as text or JSON. */
#ifndef REPRISE_SIM_STATISTICS_H
#define REPRISE_SIM_STATISTICS_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

struct machine;

enum { STATISTICS_MAX = 128 };

struct statistics {
  uint32_t count;
  struct {
    char name[40]; /* with _ for blanks */
    double value;
  } row[STATISTICS_MAX];
};

void statistics_add(struct statistics *statistics, const char *name, double value);
double statistics_get(const struct statistics *statistics, const char *name); /* 0 if there is none */
/* What the machine's parts have counted. */
void statistics_collect(struct statistics *statistics, const struct machine *machine);
void statistics_print(const struct statistics *statistics, FILE *to, bool json);

#endif
