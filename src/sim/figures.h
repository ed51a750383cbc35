/* figures.h: the papers' experiments on our own programs: `reprise sim figures`.
 *
 * An experiment is a set of runs; a run is a program on a machine, recorded with a scheme and replayed, or just run. Every run ends as a row of
 * FOLDER/runs.csv; rows that are there already are not run again. From the rows come tables (figures.txt, a CSV file each) and plots (SVG). */
#ifndef REPRISE_SIM_FIGURES_H
#define REPRISE_SIM_FIGURES_H

#include <stdbool.h>
#include <stdint.h>

enum { FIGURES_PATH = 4096, FIGURES_MAX_PROGRAMS = 32, FIGURES_MAX_RUNS = 4096 };

struct figures_request {
  const char *folder;   /* where everything goes */
  const char *programs; /* folder of the workloads */
  bool quick;
  uint32_t jobs; /* at a time */
};

/* What makes a run that run. */
struct figures_key {
  char program[40];
  char preset[12];
  char scheme[12]; /* "none": not recorded */
  char policy[12]; /* of chunks, for interrupts; "-" where it does not matter */
  uint32_t harts, scale;
  uint64_t episode; /* at most so many references; 0: no limit */
};

/* What a run gave, in the order of its row. */
#define FIGURES_VALUES(X)                                      \
  X(cycles)        /* without recording, or while recording */ \
  X(replay_cycles) /* 0 if it was not recorded */              \
  X(instructions)                                              \
  X(message_bytes)                                             \
  X(order_bytes)                                               \
  X(order_packed) /* compressed */                             \
  X(episodes)                                                  \
  X(input_bytes)                                               \
  X(interrupts)                                                \
  X(interrupt_cycles) /* that they waited for chunks */        \
  X(squashed)         /* instructions */                       \
  X(dma_bytes)                                                 \
  X(interrupt_bytes)                                           \
  X(memory_checkpoint)                                         \
  X(cache_checkpoint)

struct figures_run {
  struct figures_key key;
  bool done;
#define X(name) double name;
  FIGURES_VALUES(X)
#undef X
};

struct figures {
  struct figures_request request;
  char programs[FIGURES_MAX_PROGRAMS][40];
  uint32_t program_count, scale;
  struct figures_run runs[FIGURES_MAX_RUNS];
  uint32_t count;
};

/* 0, or an exit status after a line on standard error. */
int figures_make(const struct figures_request *request);

/* figures_runs.c */
void figures_plan(struct figures *figures, const struct figures_key *key);
const struct figures_run *figures_find(const struct figures *figures, const char *program, const char *preset,
                                       const char *scheme, const char *policy, uint32_t harts,
                                       uint64_t episode); /* a finished one, or NULL */
int figures_execute(struct figures *figures);

/* figures_tables.c: the tables and plots of all experiments. */
int figures_write(const struct figures *figures);

/* figures_plot.c: one group of bars per row, one bar per column; or lines through points. */
struct plot {
  const char *title, *x_label, *y_label;
  bool lines; /* else bars */
  uint32_t rows, columns;
  const char *row_name[64], *column_name[16];
  double x[64][16], value[64][16]; /* x: of lines. Values below 0 are missing */
};
bool plot_write(const struct plot *plot, const char *path);

#endif
