/* figures_tables.c: the papers' figures from the runs: a table in figures.txt, the same as CSV, and a plot. Where a paper gives a number, it stands beside ours. */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "sim/figures.h"

static const uint32_t core_counts[] = {4, 8, 16};
static const uint64_t episodes[] = {128, 256, 512, 1024, 2048, 4096, 8192, 0};
enum { CORES = 3, EPISODES = 8 };

/* A table under construction: text and CSV side by side. */
struct table {
  FILE *text, *csv;
  bool first; /* in its line */
};

static bool begin_table(struct table *table, FILE *text, const struct figures *figures, const char *name,
                        const char *title, const char *paper) {
  char path[FIGURES_PATH];
  snprintf(path, sizeof path, "%s/%s.csv", figures->request.folder, name);
  *table = (struct table){text, fopen(path, "w"), true};
  fprintf(text, "%s\n", title);
  if (paper) fprintf(text, "  the paper: %s\n", paper);
  fputc('\n', text);
  return table->csv;
}

static void cell(struct table *table, const char *pattern, ...) {
  char text[128];
  va_list arguments;
  va_start(arguments, pattern);
  vsnprintf(text, sizeof text, pattern, arguments);
  va_end(arguments);
  fprintf(table->text, table->first ? "  %-12s" : " %12s", text);
  fprintf(table->csv, "%s%s", table->first ? "" : ",", text);
  table->first = false;
}

static void end_line(struct table *table) {
  fputc('\n', table->text);
  fputc('\n', table->csv);
  table->first = true;
}

static void number(struct table *table, double value) {
  if (value < 0)
    cell(table, "-");
  else
    cell(table, "%.3f", value);
}

static void end_table(struct table *table) {
  fputc('\n', table->text);
  fclose(table->csv);
}

static void draw(const struct figures *figures, const struct plot *plot, const char *name) {
  char path[FIGURES_PATH];
  snprintf(path, sizeof path, "%s/%s.svg", figures->request.folder, name);
  plot_write(plot, path);
}

static double ratio(double a, double b) {
  return a > 0 && b > 0 ? a / b : -1;
}

/* The least and the most of a value over the programs, for what is said below a table. */
struct range {
  double least, most;
  uint32_t count;
};

static void widen(struct range *range, double value) {
  if (value < 0) return;
  if (!range->count || value < range->least) range->least = value;
  if (!range->count || value > range->most) range->most = value;
  range->count++;
}

/* -- Karma --------------------------------------------------------------------------------------------------------------------------------------- */

struct trio {
  const struct figures_run *base, *rerun, *karma;
};

static bool find_trio(const struct figures *f, const char *program, uint32_t harts, struct trio *trio) {
  trio->base = figures_find(f, program, "karma", "none", "-", harts, 0);
  trio->rerun = figures_find(f, program, "karma", "scalar", "-", harts, 256);
  trio->karma = figures_find(f, program, "karma", "dag", "-", harts, 256);
  return trio->base && trio->rerun && trio->karma;
}

/* Against running alone, both replays are slower here than in the paper. */
static void why_slower(const struct figures *f, FILE *text) {
  struct range speed = {0}, length = {0};
  struct trio t;
  for (uint32_t i = 0; i < f->program_count; i++) {
    const struct figures_run *run = figures_find(f, f->programs[i], "karma", "dag", "-", 16, 0);
    if (run) widen(&length, ratio(run->instructions, run->episodes));
    if (find_trio(f, f->programs[i], 16, &t)) widen(&speed, ratio(t.base->cycles, t.karma->replay_cycles));
  }
  if (!length.count || !speed.count) return;
  fprintf(
      text,
      "  At 16 cores Karma's replay has %.2f to %.2f of the speed of running, where the paper has 0.72 to "
      "0.81: our programs\n"
      "  are small and share more. Even without a limit their episodes have only %.0f to %.0f instructions, "
      "so that a replay\n"
      "  waits for messages more often; it is closest to the paper's where episodes are longest. Rerun's "
      "replay is idealised,\n"
      "  as in the paper: all are told at once, for nothing.\n",
      speed.least, speed.most, length.least, length.most);
}

static void karma_replay_speed(const struct figures *f, FILE *text) {
  struct table table;
  struct trio t;
  uint32_t slower = 0, all = 0;
  if (!begin_table(&table, text, f, "karma-figure-8",
                   "Karma, figure 8: speed of replay over running without recording; episodes of at most 256 "
                   "references",
                   "Karma's replay is 1.4 to 7.1 times as fast as Rerun's; at 16 cores 19% to 28% slower "
                   "than running"))
    return;
  cell(&table, "program"), cell(&table, "cores"), cell(&table, "rerun"), cell(&table, "karma"),
      cell(&table, "karma/rerun"), end_line(&table);
  for (int c = 0; c < CORES; c++) {
    static struct plot plot;
    char name[40], title[120];
    plot = (struct plot){.title = title,
                         .x_label = "",
                         .y_label = "speed, base = 1",
                         .columns = 3,
                         .column_name = {"base", "Rerun replay", "Karma replay"}};
    snprintf(title, sizeof title, "Speed of replay, %u cores", core_counts[c]);
    for (uint32_t i = 0; i < f->program_count; i++) {
      if (!find_trio(f, f->programs[i], core_counts[c], &t)) continue;
      double rerun = ratio(t.base->cycles, t.rerun->replay_cycles),
             karma = ratio(t.base->cycles, t.karma->replay_cycles);
      cell(&table, "%s", f->programs[i]), cell(&table, "%u", core_counts[c]);
      number(&table, rerun), number(&table, karma), number(&table, ratio(karma, rerun)), end_line(&table);
      slower += karma < rerun;
      all++;
      plot.row_name[plot.rows] = f->programs[i];
      plot.value[plot.rows][0] = 1, plot.value[plot.rows][1] = rerun, plot.value[plot.rows++][2] = karma;
    }
    snprintf(name, sizeof name, "karma-figure-8-%u", core_counts[c]);
    draw(f, &plot, name);
  }
  fprintf(text, "\n  Karma's replay is the slower one in %u of %u cases.\n", slower, all);
  why_slower(f, text);
  end_table(&table);
}

static void karma_overheads(const struct figures *f, FILE *text) {
  struct table table;
  struct trio t;
  if (!begin_table(&table, text, f, "karma-recording",
                   "Karma, section 6.1: recording over running without: cycles, and bytes on the network",
                   "cycles below 1.01 (1.10 for one program at 16 cores); traffic about 1.10 for Rerun, 2% "
                   "more for Karma"))
    return;
  cell(&table, "program"), cell(&table, "cores"), cell(&table, "rerun-time"), cell(&table, "karma-time"),
      cell(&table, "rerun-bytes"), cell(&table, "karma-bytes"), end_line(&table);
  for (int c = 0; c < CORES; c++)
    for (uint32_t i = 0; i < f->program_count; i++) {
      if (!find_trio(f, f->programs[i], core_counts[c], &t)) continue;
      cell(&table, "%s", f->programs[i]), cell(&table, "%u", core_counts[c]);
      number(&table, ratio(t.rerun->cycles, t.base->cycles)),
          number(&table, ratio(t.karma->cycles, t.base->cycles));
      number(&table, ratio(t.rerun->message_bytes, t.base->message_bytes)),
          number(&table, ratio(t.karma->message_bytes, t.base->message_bytes));
      end_line(&table);
    }
  end_table(&table);
}

static double per_kilo(const struct figures_run *run, double bytes) {
  return run->instructions > 0 ? bytes * 1000 / run->instructions : -1;
}

static void episode_name(uint64_t episode, char out[24]) {
  if (episode)
    snprintf(out, 24, "%lu", (unsigned long)episode);
  else
    snprintf(out, 24, "unbounded");
}

/* A larger limit changes little here. */
static void why_flat(const struct figures *f, FILE *text) {
  struct range smaller = {0}, slower = {0};
  for (uint32_t i = 0; i < f->program_count; i++) {
    const struct figures_run *a = figures_find(f, f->programs[i], "karma", "dag", "-", 16, 256),
                             *b = figures_find(f, f->programs[i], "karma", "dag", "-", 16, 2048);
    if (!a || !b || a->order_bytes < b->order_bytes) continue;
    widen(&smaller, 100 - 100 * ratio(b->order_bytes, a->order_bytes));
    widen(&slower, 100 * ratio(b->replay_cycles, a->replay_cycles) - 100);
  }
  if (!smaller.count) return;
  fprintf(text,
          "\n  Ours differs in degree: from 256 to 2048 references the log gets %.0f%% to %.0f%% smaller and "
          "replay %.0f%% to %.0f%% slower.\n"
          "  Where threads share much, another thread's access ends most episodes before they have 256 "
          "references, and the limit\n"
          "  does not matter; where they share little (lu, warehouse, web) it does, as in the paper.\n",
          smaller.least, smaller.most, slower.least > 0 ? slower.least : 0, slower.most);
}

static void karma_trade(const struct figures *f, FILE *text) {
  struct table table;
  static struct plot plot;
  static char names[EPISODES][24];
  if (!begin_table(
          &table, text, f, "karma-figure-9",
          "Karma, figure 9: log size against replay speed (over recording), 16 cores",
          "from 256 to 2048 references the log gets 47% to 71% smaller and replay 21% to 87% slower"))
    return;
  plot = (struct plot){.title = "Log size and speed of replay",
                       .x_label = "bytes of order log per thousand instructions",
                       .y_label = "speed of replay, recording = 1",
                       .lines = true,
                       .columns = EPISODES};
  cell(&table, "program"), cell(&table, "episode"), cell(&table, "bytes/kinsn"), cell(&table, "compressed"),
      cell(&table, "speed"), end_line(&table);
  for (int e = 0; e < EPISODES; e++) {
    episode_name(episodes[e], names[e]);
    plot.column_name[e] = names[e];
  }
  for (uint32_t i = 0; i < f->program_count; i++) {
    plot.row_name[plot.rows] = f->programs[i];
    for (int e = 0; e < EPISODES; e++) {
      const struct figures_run *run = figures_find(f, f->programs[i], "karma", "dag", "-", 16, episodes[e]);
      plot.value[plot.rows][e] = -1;
      if (!run) continue;
      plot.x[plot.rows][e] = per_kilo(run, run->order_bytes);
      plot.value[plot.rows][e] = ratio(run->cycles, run->replay_cycles);
      cell(&table, "%s", f->programs[i]), cell(&table, "%s", names[e]), number(&table, plot.x[plot.rows][e]);
      number(&table, per_kilo(run, run->order_packed)), number(&table, plot.value[plot.rows][e]),
          end_line(&table);
    }
    plot.rows++;
  }
  draw(f, &plot, "karma-figure-9");
  why_flat(f, text);
  end_table(&table);
}

/* Karma's over Rerun's, by one of their values. */
static void karma_against_rerun(const struct figures *f, FILE *text, const char *name, const char *title,
                                const char *paper, bool by_episodes) {
  struct table table;
  static struct plot plot;
  static char names[EPISODES][24];
  if (!begin_table(&table, text, f, name, title, paper)) return;
  plot = (struct plot){.title = title, .x_label = "", .y_label = "Rerun = 1"};
  cell(&table, "program");
  for (int e = 0; e < EPISODES; e++) {
    episode_name(episodes[e], names[e]);
    cell(&table, "%s", names[e]);
    plot.column_name[plot.columns++] = names[e];
  }
  end_line(&table);
  for (uint32_t i = 0; i < f->program_count; i++) {
    cell(&table, "%s", f->programs[i]);
    plot.row_name[plot.rows] = f->programs[i];
    for (int e = 0; e < EPISODES; e++) {
      const struct figures_run *karma = figures_find(f, f->programs[i], "karma", "dag", "-", 16, episodes[e]);
      const struct figures_run *rerun =
          figures_find(f, f->programs[i], "karma", "scalar", "-", 16, episodes[e]);
      double value = !karma || !rerun ? -1
                     : by_episodes    ? ratio(karma->episodes, rerun->episodes)
                                      : ratio(karma->order_bytes, rerun->order_bytes);
      plot.value[plot.rows][e] = value;
      number(&table, value);
    }
    plot.rows++;
    end_line(&table);
  }
  draw(f, &plot, name);
  end_table(&table);
}

static void karma_log_sizes(const struct figures *f, FILE *text) {
  karma_against_rerun(f, text, "karma-figure-10",
                      "Karma, figure 10: Karma's log over Rerun's, uncompressed, 16 cores",
                      "0.90 to 1.17 at 256 references, 0.65 to 0.92 at 2048, 0.57 to 0.83 at 8192", false);
  fprintf(text,
          "  Ours differs: numbers are of variable length here, and a timestamp that differs little from the "
          "last takes a byte,\n"
          "  while each edge of the graph names its thread. With records of one size, as hardware has them, "
          "logs are as their\n"
          "  episodes:\n\n");
  karma_against_rerun(f, text, "karma-figure-10-episodes", "The same by the number of episodes", NULL, true);
  fprintf(text,
          "  Above 1 are programs whose threads wait for each other at barriers, above all: an edge from a "
          "later episode ends Karma's\n"
          "  episode, lest it close a circle, where Rerun's takes a later timestamp and goes on.\n\n");
}

/* -- FDR ------------------------------------------------------------------------------------------------------------------------------------------- */

/* Logs in which there is nothing. */
static void why_empty(const struct plot *plot, FILE *text) {
  double sum[6] = {0};
  for (uint32_t r = 0; r < plot->rows; r++)
    for (int c = 0; c < 6; c++) sum[c] += plot->value[r][c];
  fprintf(text,
          "\n  Intervals between checkpoints are shorter than the paper's third of a second, so more blocks "
          "have a first update in one.\n");
  if (sum[0] < sum[1] / 100)
    fprintf(text,
            "  Ours differs in the memory checkpoint log: the data of these programs fit into the caches and "
            "are seldom written back.\n");
  if (sum[3] == 0) fprintf(text, "  None of these programs reads from the disk: there is no DMA.\n");
}

static void fdr(const struct figures *f, FILE *text) {
  struct table table;
  static struct plot plot;
  enum { TIMER_BYTES = 6 }; /* FDR table 3 */
  if (!begin_table(&table, text, f, "fdr-figures-4-5",
                   "FDR, figures 4 and 5: run time with recording over without; log growth in bytes per "
                   "thousand instructions, by kind (4 processors)",
                   "run time below 1.02; checkpoints dominate the log, then races"))
    return;
  plot = (struct plot){
      .title = "FDR's logs",
      .x_label = "",
      .y_label = "bytes per thousand instructions",
      .columns = 6,
      .column_name = {"memory checkpoint", "cache checkpoint", "memory race", "DMA", "input", "interrupt"}};
  cell(&table, "program"), cell(&table, "time");
  for (uint32_t c = 0; c < 6; c++) cell(&table, "%s", plot.column_name[c]);
  end_line(&table);
  for (uint32_t i = 0; i < f->program_count; i++) {
    const struct figures_run *base = figures_find(f, f->programs[i], "fdr", "none", "-", 4, 0),
                             *run = figures_find(f, f->programs[i], "fdr", "arcs", "-", 4, 0);
    if (!base || !run) continue;
    double parts[6] = {run->memory_checkpoint, run->cache_checkpoint, run->order_bytes, run->dma_bytes,
                       run->input_bytes,
                       /* A recorder of the whole machine logs the timer's interrupts, too. */
                       run->interrupt_bytes + run->interrupts * TIMER_BYTES};
    cell(&table, "%s", f->programs[i]);
    number(&table, ratio(run->cycles, base->cycles));
    for (int c = 0; c < 6; c++) number(&table, plot.value[plot.rows][c] = per_kilo(run, parts[c]));
    plot.row_name[plot.rows++] = f->programs[i];
    end_line(&table);
  }
  draw(f, &plot, "fdr-figure-5");
  why_empty(&plot, text);
  end_table(&table);
}

/* -- CapoOne ----------------------------------------------------------------------------------------------------------------------------------- */

static void capo(const struct figures *f, FILE *text) {
  struct table table;
  static const char *const policies[] = {"finish", "commit", "squash"};
  if (!begin_table(
          &table, text, f, "capo-interrupts",
          "CapoOne: chunks when an interrupt comes (4 cores, 8 threads): time over running without chunks, "
          "cycles that an interrupt waited, "
          "instructions squashed per thousand, order log in bytes per thousand instructions, replay time",
          "no numbers; section 4.1: finish keeps an interrupt waiting for a chunk's rest, commit logs the "
          "sizes of "
          "chunks cut short, squash wastes work"))
    return;
  cell(&table, "program"), cell(&table, "policy"), cell(&table, "time"), cell(&table, "wait"),
      cell(&table, "squashed"), cell(&table, "log"), cell(&table, "replay"), end_line(&table);
  for (uint32_t i = 0; i < f->program_count; i++)
    for (int p = 0; p < 3; p++) {
      const struct figures_run *base = figures_find(f, f->programs[i], "karma", "none", "base", 4, 0);
      const struct figures_run *run = figures_find(f, f->programs[i], "karma", "chunk", policies[p], 4, 0);
      if (!base || !run) continue;
      cell(&table, "%s", f->programs[i]), cell(&table, "%s", policies[p]),
          number(&table, ratio(run->cycles, base->cycles));
      number(&table, run->interrupts > 0 ? run->interrupt_cycles / run->interrupts : 0),
          number(&table, per_kilo(run, run->squashed));
      number(&table, per_kilo(run, run->order_bytes)),
          number(&table, ratio(run->replay_cycles, base->cycles)), end_line(&table);
    }
  end_table(&table);
}

int figures_write(const struct figures *figures) {
  char path[FIGURES_PATH];
  snprintf(path, sizeof path, "%s/figures.txt", figures->request.folder);
  FILE *text = fopen(path, "w+");
  if (!text) return fprintf(stderr, "reprise: %s: can't be written\n", path), 2;
  karma_replay_speed(figures, text);
  karma_overheads(figures, text);
  karma_trade(figures, text);
  karma_log_sizes(figures, text);
  fdr(figures, text);
  capo(figures, text);
  bool written = !fflush(text) && !ferror(text);
  rewind(text);
  for (int c; (c = getc(text)) != EOF;) putchar(c);
  fclose(text);
  return written ? 0 : (fprintf(stderr, "reprise: %s: can't be written\n", path), 125);
}
