/* tables.c: the papers' figures from the runs: a table in figures.txt, the same as CSV, and a plot. Where a paper gives a number, it stands beside ours.
 *
 * A number is a mean over the seeds with its 95% interval. Where something is compared with running without it, and 1 lies in the interval, the
 * table says none. */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "sim/figures/figures.h"

static const uint32_t core_counts[] = {4, 8, 16};
static const uint64_t episodes[] = {128, 256, 512, 1024, 2048, 4096, 8192, 0};
enum { CORES = 3, EPISODES = 8 };

/* -- Tables ---------------------------------------------------------------------------------------------------------------------------------------- */

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
  fprintf(table->text, table->first ? "  %-12s" : " %16s", text);
  fprintf(table->csv, "%s%s", table->first ? "" : ",", text);
  table->first = false;
}

static void cells(struct table *table, const char *const *names, int count) {
  for (int i = 0; i < count; i++) cell(table, "%s", names[i]);
}

static void end_line(struct table *table) {
  fputc('\n', table->text);
  fputc('\n', table->csv);
  table->first = true;
}

static void number(struct table *table, struct estimate value) {
  if (!value.count)
    cell(table, "-");
  else
    cell(table, "%.3f+-%.3f", value.mean, value.half);
}

/* Against 1: what does not differ from it says so. */
static void overhead(struct table *table, struct estimate value) {
  if (value.count && estimate_is(&value, 1))
    cell(table, "none(+-%.3f)", value.half);
  else
    number(table, value);
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

static double shown(struct estimate value) {
  return value.count ? value.mean : -1;
}

static void episode_name(uint64_t episode, char out[24]) {
  if (episode)
    snprintf(out, 24, "%lu", (unsigned long)episode);
  else
    snprintf(out, 24, "unbounded");
}

/* -- Karma ------------------------------------------------------------------------------------------------------------------------------------- */

static struct figures_pick karma_pick(const char *scheme, const char *variant, uint32_t harts,
                                      uint64_t episode) {
  return (struct figures_pick){"karma", scheme, variant, harts, strcmp(scheme, "none") ? episode : 0};
}

/* The same program without recording, over its replay. */
static struct estimate replay_speed(const struct figures *f, const char *program, const char *scheme,
                                    const char *variant, uint32_t harts) {
  return figures_ratio(f, program, MEASURE(karma_pick("none", variant, harts, 0), cycles),
                       MEASURE(karma_pick(scheme, variant, harts, 256), replay_cycles));
}

static struct estimate karma_over_rerun(const struct figures *f, const char *program, const char *variant,
                                        uint32_t harts) {
  return figures_ratio(f, program, MEASURE(karma_pick("scalar", variant, harts, 256), replay_cycles),
                       MEASURE(karma_pick("tokens", variant, harts, 256), replay_cycles));
}

static void karma_replay_speed(const struct figures *f, FILE *text) {
  static const char *const names[] = {"program", "cores", "rerun", "karma", "karma/rerun"};
  struct table table;
  if (!begin_table(&table, text, f, "karma-figure-8",
                   "Karma, figure 8: speed of replay over running without recording; episodes of at most 256 "
                   "references",
                   "Karma's replay is 1.4 to 7.1 times as fast as Rerun's; at 16 cores 19% to 28% slower "
                   "than running"))
    return;
  cells(&table, names, 5), end_line(&table);
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
      const char *program = f->programs[i].name;
      struct estimate rerun = replay_speed(f, program, "scalar", "-", core_counts[c]),
                      karma = replay_speed(f, program, "tokens", "-", core_counts[c]);
      cell(&table, "%s", program), cell(&table, "%u", core_counts[c]);
      number(&table, rerun), number(&table, karma);
      overhead(&table, karma_over_rerun(f, program, "-", core_counts[c])), end_line(&table);
      plot.row_name[plot.rows] = program;
      plot.value[plot.rows][0] = 1, plot.value[plot.rows][1] = shown(rerun);
      plot.value[plot.rows++][2] = shown(karma);
    }
    snprintf(name, sizeof name, "karma-figure-8-%u", core_counts[c]);
    draw(f, &plot, name);
  }
  end_table(&table);
}

static void karma_overheads(const struct figures *f, FILE *text) {
  static const char *const names[] = {"program",     "cores",       "rerun-time",       "karma-time",
                                      "rerun-bytes", "karma-bytes", "karma/rerun-bytes"};
  struct table table;
  if (!begin_table(&table, text, f, "karma-recording",
                   "Karma, section 6.1: recording over running without: cycles, and bytes on the network",
                   "cycles below 1.01 (1.10 for one program at 16 cores); traffic about 1.10 for Rerun, 2% "
                   "more for Karma"))
    return;
  cells(&table, names, 7), end_line(&table);
  for (int c = 0; c < CORES; c++)
    for (uint32_t i = 0; i < f->program_count; i++) {
      const char *program = f->programs[i].name;
      struct figures_pick none = karma_pick("none", "-", core_counts[c], 0),
                          rerun = karma_pick("scalar", "-", core_counts[c], 256),
                          karma = karma_pick("tokens", "-", core_counts[c], 256);
      cell(&table, "%s", program), cell(&table, "%u", core_counts[c]);
      overhead(&table, figures_ratio(f, program, MEASURE(rerun, cycles), MEASURE(none, cycles)));
      overhead(&table, figures_ratio(f, program, MEASURE(karma, cycles), MEASURE(none, cycles)));
      overhead(&table,
               figures_ratio(f, program, MEASURE(rerun, message_bytes), MEASURE(none, message_bytes)));
      overhead(&table,
               figures_ratio(f, program, MEASURE(karma, message_bytes), MEASURE(none, message_bytes)));
      overhead(&table,
               figures_ratio(f, program, MEASURE(karma, message_bytes), MEASURE(rerun, message_bytes)));
      end_line(&table);
    }
  end_table(&table);
}

static void karma_trade(const struct figures *f, FILE *text) {
  static const char *const columns[] = {"program", "episode", "bytes/insn", "speed"};
  struct table table;
  static struct plot plot;
  static char names[EPISODES][24];
  if (!begin_table(
          &table, text, f, "karma-figure-9",
          "Karma, figure 9: log size (bytes of the hardware's records for each instruction) against replay "
          "speed (over recording), 16 cores",
          "from 256 to 2048 references the log gets 47% to 71% smaller and replay 21% to 87% slower"))
    return;
  plot = (struct plot){.title = "Log size and speed of replay",
                       .x_label = "bytes of order log per thousand instructions",
                       .y_label = "speed of replay, recording = 1",
                       .lines = true,
                       .columns = EPISODES};
  cells(&table, columns, 4), end_line(&table);
  for (int e = 0; e < EPISODES; e++) {
    episode_name(episodes[e], names[e]);
    plot.column_name[e] = names[e];
  }
  for (uint32_t i = 0; i < f->program_count; i++) {
    const char *program = f->programs[i].name;
    plot.row_name[plot.rows] = program;
    for (int e = 0; e < EPISODES; e++) {
      struct figures_pick pick = karma_pick("tokens", "-", 16, episodes[e]);
      struct estimate size = figures_ratio(f, program, MEASURE(pick, hardware_bytes),
                                           MEASURE(pick, instructions)),
                      speed = figures_ratio(f, program, MEASURE(pick, cycles), MEASURE(pick, replay_cycles));
      plot.value[plot.rows][e] = shown(speed);
      plot.x[plot.rows][e] = size.mean * 1000;
      if (!size.count) continue;
      cell(&table, "%s", program), cell(&table, "%s", names[e]), number(&table, size), number(&table, speed);
      end_line(&table);
    }
    plot.rows++;
  }
  draw(f, &plot, "karma-figure-9");
  end_table(&table);
}

static void karma_log_sizes(const struct figures *f, FILE *text, const char *name, const char *variant,
                            const char *title) {
  struct table table;
  static struct plot plot;
  static char names[EPISODES][24];
  if (!begin_table(&table, text, f, name, title,
                   "0.90 to 1.17 at 256 references, 0.65 to 0.92 at 2048, 0.57 to 0.83 at 8192"))
    return;
  plot = (struct plot){.title = title, .x_label = "", .y_label = "Rerun = 1"};
  cell(&table, "program");
  for (int e = 0; e < EPISODES; e++) {
    episode_name(episodes[e], names[e]);
    cell(&table, "%s", names[e]);
    plot.column_name[plot.columns++] = names[e];
  }
  end_line(&table);
  for (uint32_t i = 0; i < f->program_count; i++) {
    const char *program = f->programs[i].name;
    cell(&table, "%s", program);
    plot.row_name[plot.rows] = program;
    for (int e = 0; e < EPISODES; e++) {
      struct estimate value =
          figures_ratio(f, program, MEASURE(karma_pick("tokens", variant, 16, episodes[e]), hardware_bytes),
                        MEASURE(karma_pick("scalar", "-", 16, episodes[e]), hardware_bytes));
      plot.value[plot.rows][e] = shown(value);
      overhead(&table, value);
    }
    plot.rows++;
    end_line(&table);
  }
  draw(f, &plot, name);
  end_table(&table);
}

/* Why episodes end, in parts of all. */
static void karma_ends(const struct figures *f, FILE *text) {
  static const char *const names[] = {"program", "variant", "episode", "cycle",
                                      "second",  "parked",  "size",    "other"};
  static const char *const variants[] = {"-", "counted"};
  struct table table;
  if (!begin_table(&table, text, f, "karma-ends",
                   "Karma, section 4.4: why episodes end, in parts of all (16 cores): an edge from a later "
                   "episode, a second edge from a core, another "
                   "thread needs the block of one that waits, the full size, the thread left its core or has "
                   "too many predecessors",
                   NULL))
    return;
  cells(&table, names, 8), end_line(&table);
  for (uint32_t i = 0; i < f->program_count; i++)
    for (int v = 0; v < 2; v++)
      for (int e = 0; e < EPISODES; e++) {
        const char *program = f->programs[i].name;
        struct figures_pick pick = karma_pick("tokens", variants[v], 16, episodes[e]);
        char name[24];
        if (!figures_find(f, program, &pick, 1)) continue;
        episode_name(episodes[e], name);
        cell(&table, "%s", program), cell(&table, "%s", variants[v]), cell(&table, "%s", name);
        number(&table, figures_ratio(f, program, MEASURE(pick, ends_cycle), MEASURE(pick, episodes)));
        number(&table, figures_ratio(f, program, MEASURE(pick, ends_second), MEASURE(pick, episodes)));
        number(&table, figures_ratio(f, program, MEASURE(pick, ends_conflict), MEASURE(pick, episodes)));
        number(&table, figures_ratio(f, program, MEASURE(pick, ends_size), MEASURE(pick, episodes)));
        number(&table, figures_ratio(f, program, MEASURE(pick, ends_other), MEASURE(pick, episodes)));
        end_line(&table);
      }
  end_table(&table);
}

static void karma_sensitivity(const struct figures *f, FILE *text) {
  static const char *const names[] = {"program", "machine", "karma", "karma/rerun", "karma-time"};
  static const char *const variants[] = {"-", "l1x2", "l2x2", "memory/2", "tso"};
  struct table table;
  if (!begin_table(&table, text, f, "karma-sensitivity",
                   "Karma, sections 6.1 and 4.7: 16 cores with L1 caches or the L2 twice as large, memory "
                   "twice as fast, total store order: speed of replay "
                   "over running, over Rerun's, and recording over running",
                   "the results hold (no numbers)"))
    return;
  cells(&table, names, 5), end_line(&table);
  for (uint32_t i = 0; i < f->program_count; i++)
    for (int v = 0; v < 5; v++) {
      const char *program = f->programs[i].name;
      cell(&table, "%s", program), cell(&table, "%s", v ? variants[v] : "table-1");
      number(&table, replay_speed(f, program, "tokens", variants[v], 16));
      overhead(&table, karma_over_rerun(f, program, variants[v], 16));
      overhead(&table, figures_ratio(f, program, MEASURE(karma_pick("tokens", variants[v], 16, 256), cycles),
                                     MEASURE(karma_pick("none", variants[v], 16, 0), cycles)));
      end_line(&table);
    }
  end_table(&table);
}

/* -- FDR ------------------------------------------------------------------------------------------------------------------------------------------- */

/* Bytes a second and processor, in millions: bytes over cycles, times the clock. */
static struct estimate growth(const struct figures *f, const char *program, struct figures_pick pick,
                              size_t field) {
  struct estimate e = figures_ratio(f, program, (struct measure){pick, field}, MEASURE(pick, cycles));
  const struct figures_run *run = figures_find(f, program, &pick, 1);
  double factor = run ? run->clock / pick.harts : 0;
  return (struct estimate){e.mean * factor, e.half * factor, e.count};
}

static void fdr(const struct figures *f, FILE *text, uint32_t processors) {
  static const char *const kinds[] = {"memory", "cache", "race", "DMA", "input", "interrupt"};
#define FIELD(name) offsetof(struct figures_run, name)
  static const size_t raw[] = {FIELD(memory_checkpoint), FIELD(cache_checkpoint), FIELD(hardware_bytes),
                               FIELD(dma_bytes),         FIELD(input_bytes),      FIELD(interrupt_bytes)};
  static const size_t packed[] = {FIELD(memory_checkpoint_packed),
                                  FIELD(cache_checkpoint_packed),
                                  FIELD(order_packed),
                                  FIELD(dma_packed),
                                  FIELD(input_packed),
                                  FIELD(interrupt_bytes)};
#undef FIELD
  struct table table;
  static struct plot plot;
  char name[40];
  snprintf(name, sizeof name, "fdr-figures-4-5-%u", processors);
  if (!begin_table(&table, text, f, name,
                   processors == 4 ? "FDR, figures 4 and 5: run time with recording over without; part of "
                                     "the arcs that is logged; log growth in MB a second "
                                     "and processor, by kind, raw and compressed (4 processors)"
                                   : "FDR, section 8: the same with 16 processors",
                   processors == 4 ? "run time below 1.02; checkpoints dominate the log, then races; at most "
                                     "25 MB a second and processor, compressed"
                                   : "operates well (no numbers)"))
    return;
  plot = (struct plot){
      .title = "FDR's logs", .x_label = "", .y_label = "MB a second and processor", .columns = 6};
  cell(&table, "program"), cell(&table, "time"), cell(&table, "arcs-logged");
  for (uint32_t c = 0; c < 6; c++) cell(&table, "%s", plot.column_name[c] = kinds[c]);
  for (uint32_t c = 0; c < 6; c++) cell(&table, "%s-packed", kinds[c]);
  end_line(&table);
  for (uint32_t i = 0; i < f->program_count; i++) {
    const char *program = f->programs[i].name;
    struct figures_pick base = {"fdr", "none", "-", processors, 0}, run = {"fdr", "arcs", "-", processors, 0};
    cell(&table, "%s", program);
    overhead(&table, figures_ratio(f, program, MEASURE(run, cycles), MEASURE(base, cycles)));
    number(&table, figures_ratio(f, program, MEASURE(run, arcs), MEASURE(run, edges)));
    for (int c = 0; c < 6; c++) {
      struct estimate value = growth(f, program, run, raw[c]);
      plot.value[plot.rows][c] = shown(value);
      number(&table, value);
    }
    for (int c = 0; c < 6; c++) number(&table, growth(f, program, run, packed[c]));
    plot.row_name[plot.rows++] = program;
    end_line(&table);
  }
  snprintf(name, sizeof name, "fdr-figure-5-%u", processors);
  draw(f, &plot, name);
  end_table(&table);
}

/* -- CapoOne ----------------------------------------------------------------------------------------------------------------------------------- */

static void capo(const struct figures *f, FILE *text) {
  static const char *const names[] = {"program", "policy", "time", "wait", "squashed", "log", "replay"};
  static const char *const policies[] = {"finish", "commit", "squash"};
  struct table table;
  if (!begin_table(
          &table, text, f, "capo-interrupts",
          "CapoOne: chunks when an interrupt comes (4 cores, 8 threads): time over running without chunks, "
          "cycles that an interrupt waited, instructions squashed of those executed, order log in bytes for "
          "each instruction, replay time",
          "no numbers; section 4.1: finish keeps an interrupt waiting for a chunk's rest, commit logs the "
          "sizes of chunks cut short, squash wastes work"))
    return;
  cells(&table, names, 7), end_line(&table);
  for (uint32_t i = 0; i < f->program_count; i++)
    for (int p = 0; p < 3; p++) {
      const char *program = f->programs[i].name;
      struct figures_pick base = karma_pick("none", "base", 4, 0),
                          run = karma_pick("chunk", policies[p], 4, 0);
      cell(&table, "%s", program), cell(&table, "%s", policies[p]);
      overhead(&table, figures_ratio(f, program, MEASURE(run, cycles), MEASURE(base, cycles)));
      number(&table, figures_ratio(f, program, MEASURE(run, interrupt_cycles), MEASURE(run, interrupts)));
      number(&table, figures_ratio(f, program, MEASURE(run, squashed), MEASURE(run, instructions)));
      number(&table, figures_ratio(f, program, MEASURE(run, order_bytes), MEASURE(run, instructions)));
      overhead(&table, figures_ratio(f, program, MEASURE(run, replay_cycles), MEASURE(base, cycles)));
      end_line(&table);
    }
  end_table(&table);
}

static int write_page(const struct figures *figures) {
  char path[FIGURES_PATH];
  snprintf(path, sizeof path, "%s/fidelity.md", figures->request.folder);
  FILE *page = fopen(path, "w");
  bool good = page && figures_fidelity(figures, page);
  if (page && fclose(page)) good = false;
  return good ? 0 : (fprintf(stderr, "reprise: %s: can't be written\n", path), 2);
}

int figures_write(const struct figures *figures) {
  char path[FIGURES_PATH];
  snprintf(path, sizeof path, "%s/figures.txt", figures->request.folder);
  FILE *text = fopen(path, "w+");
  if (!text) return fprintf(stderr, "reprise: %s: can't be written\n", path), 2;
  fprintf(text, "Means of %u seeds, with 95%% intervals; none: a difference that is inside the interval.\n\n",
          figures->request.seeds);
  karma_replay_speed(figures, text);
  karma_overheads(figures, text);
  karma_trade(figures, text);
  karma_log_sizes(
      figures, text, "karma-figure-10", "-",
      "Karma, figure 10: Karma's log over Rerun's, uncompressed, in the hardware's records, 16 cores");
  karma_log_sizes(
      figures, text, "karma-figure-10-counted", "counted",
      "The same with predecessors that are counted: a second edge from a core does not end the episode");
  karma_ends(figures, text);
  karma_sensitivity(figures, text);
  fdr(figures, text, 4);
  fdr(figures, text, 16);
  capo(figures, text);
  bool written = !fflush(text) && !ferror(text);
  rewind(text);
  for (int c; (c = getc(text)) != EOF;) putchar(c);
  fclose(text);
  if (!written) {
    fprintf(stderr, "reprise: %s: can't be written\n", path);
    return 125;
  }
  int status = write_page(figures);
  return fflush(stdout) ? 125 : status;
}
