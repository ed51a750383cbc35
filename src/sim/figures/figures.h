/* figures.h: the papers' experiments on our own programs, or on the user's: `reprise sim figures`.
 *
 * An experiment is a set of runs; a run is a program on a machine, recorded with a scheme and replayed, or just run. Every run is made with several seeds, each
 * of which ends as a row of FOLDER/runs.csv; rows that are there already are not made again. From the rows come tables (figures.txt, a CSV
 * file each), plots (SVG), and a page that compares the papers' results with ours (fidelity.md). Numbers are means over the seeds with
 * 95% intervals, as FDR's are (its section 7). */
#ifndef REPRISE_SIM_FIGURES_H
#define REPRISE_SIM_FIGURES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

enum { FIGURES_PATH = 4096, FIGURES_MAX_PROGRAMS = 32, FIGURES_MAX_WORDS = 24, FIGURES_MAX_RUNS = 65536 };

struct figures_request {
  const char *folder;   /* where everything goes */
  const char *programs; /* folder of the workloads; NULL: of a manifest */
  const char *manifest; /* of the user's programs, or NULL */
  const char *job;      /* make this run alone, and print its row; NULL: all of them */
  bool quick;
  bool print_jobs; /* say how each run would be made, and make none */
  bool collect;    /* take rows from standard input, and make no run */
  uint32_t jobs;   /* at a time */
  uint32_t seeds;
};

/* All that identifies a run, except its seed. */
struct figures_pick {
  const char *preset, *scheme; /* scheme "none": not recorded */
  const char *variant;         /* of the machine or the recorder: figures_runs.c; "-": none */
  uint32_t harts;
  uint64_t episode; /* at most so many references; 0: no limit */
};

struct figures_key {
  char program[40];
  char preset[12], scheme[12], variant[12];
  uint32_t harts, scale, seed;
  uint64_t episode;
};

/* The numbers of a run, in the order of its row. */
#define FIGURES_VALUES(X)                                             \
  X(cycles)        /* without recording, or while recording */        \
  X(replay_cycles) /* 0 if it was not recorded */                     \
  X(instructions)                                                     \
  X(message_bytes)                                                    \
  X(order_bytes)                                                      \
  X(order_packed)   /* compressed */                                  \
  X(hardware_bytes) /* of the order, in the hardware's own records */ \
  X(stall_cycles)   /* for log buffers that were full */              \
  X(episodes)                                                         \
  X(ends_cycle)                                                       \
  X(ends_second)                                                      \
  X(ends_conflict)                                                    \
  X(ends_size)                                                        \
  X(ends_other)                                                       \
  X(edges)                                                            \
  X(arcs)                                                             \
  X(input_bytes)                                                      \
  X(input_packed)                                                     \
  X(interrupts)                                                       \
  X(interrupt_cycles) /* that they waited for chunks */               \
  X(squashed)         /* instructions */                              \
  X(dma_bytes)                                                        \
  X(dma_packed)                                                       \
  X(interrupt_bytes)                                                  \
  X(memory_checkpoint)                                                \
  X(cache_checkpoint)                                                 \
  X(memory_checkpoint_packed)                                         \
  X(cache_checkpoint_packed)                                          \
  X(clock) /* MHz */

struct figures_run {
  struct figures_key key;
  bool done;
#define X(name) double name;
  FIGURES_VALUES(X)
#undef X
};

/* A program, and the words of its command: {threads} and {scale} stand for numbers. */
struct figures_program {
  char name[40];
  char *word[FIGURES_MAX_WORDS + 1];
  char *input; /* its standard input, or NULL */
};

struct figures {
  struct figures_request request;
  struct figures_program programs[FIGURES_MAX_PROGRAMS];
  uint32_t program_count, scale;
  struct figures_run *runs;
  uint32_t count;
};

/* 0, or an exit status after a line on standard error. */
int figures_make(const struct figures_request *request);

/* figures_programs.c: the workloads of a folder, or what a manifest says. False after a line on standard error. */
bool figures_find_programs(struct figures *figures);
void figures_free_programs(struct figures *figures);

/* figures_runs.c */
void figures_plan(struct figures *figures, const char *program, const struct figures_pick *pick);
const struct figures_run *figures_find(const struct figures *figures, const char *program,
                                       const struct figures_pick *pick,
                                       uint32_t seed); /* a finished one, or NULL */
int figures_execute(struct figures *figures);
int figures_print_jobs(const struct figures *figures);
int figures_one_job(struct figures *figures);

/* -- figures_estimates.c: means over the seeds -------------------------------------------------------------------------- */

struct estimate {
  double mean, half; /* the 95% interval is mean - half … mean + half */
  uint32_t count;    /* seeds; 0: there is nothing */
};

/* One of a run's values. */
struct measure {
  struct figures_pick pick;
  size_t field; /* offset in struct figures_run */
};
#define MEASURE(pick, name) ((struct measure){pick, offsetof(struct figures_run, name)})

struct estimate estimate_of(const double *values, uint32_t count);
/* a / b, seed by seed. */
struct estimate figures_ratio(const struct figures *figures, const char *program, struct measure a,
                              struct measure b);
/* The interval has the value in it: what was measured does not differ from it. */
bool estimate_is(const struct estimate *estimate, double value);

/* figures_tables.c: the tables and plots of all experiments. */
int figures_write(const struct figures *figures);
/* figures_fidelity.c: the page of what the papers say and what came out. */
bool figures_fidelity(const struct figures *figures, FILE *page);

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
