/* fidelity.c: the page that holds each number of the papers against ours: fidelity.md.
 *
 * A row is a claim: the runs that give it, program by program, the paper's number, and the condition under which ours agrees. The reason of a
 * deviation is measured, too. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "sim/figures/figures.h"

/* Over the programs: the least and the most of the means, the widest interval, and how many do as the paper does. */
struct spread {
  double least, most, half;
  uint32_t count, agree;
};

typedef struct estimate measure_function(const struct figures *figures, const char *program);

static struct spread spread_of(const struct figures *f, measure_function *measure, double from, double to) {
  struct spread s = {0};
  for (uint32_t i = 0; i < f->program_count; i++) {
    struct estimate e = measure(f, f->programs[i].name);
    if (!e.count) continue;
    if (!s.count || e.mean < s.least) s.least = e.mean;
    if (!s.count || e.mean > s.most) s.most = e.mean;
    if (e.half > s.half) s.half = e.half;
    s.agree += e.mean + e.half >= from && e.mean - e.half <= to;
    s.count++;
  }
  return s;
}

static struct figures_pick karma_pick(const char *scheme, const char *variant, uint32_t harts,
                                      uint64_t episode) {
  return (struct figures_pick){"karma", scheme, variant, harts, episode};
}

#define OVER(function, pick_a, field_a, pick_b, field_b)                                  \
  static struct estimate function(const struct figures *f, const char *program) {         \
    return figures_ratio(f, program, MEASURE(pick_a, field_a), MEASURE(pick_b, field_b)); \
  }
#define NONE(harts) karma_pick("none", "-", harts, 0)
#define TOKENS(harts, episode) karma_pick("tokens", "-", harts, episode)
#define COUNTED(episode) karma_pick("tokens", "counted", 16, episode)
#define SCALAR(harts, episode) karma_pick("scalar", "-", harts, episode)
#define FDR(scheme, harts) ((struct figures_pick){"fdr", scheme, "-", harts, 0})

OVER(faster_4, SCALAR(4, 256), replay_cycles, TOKENS(4, 256), replay_cycles)
OVER(faster_8, SCALAR(8, 256), replay_cycles, TOKENS(8, 256), replay_cycles)
OVER(faster_16, SCALAR(16, 256), replay_cycles, TOKENS(16, 256), replay_cycles)
OVER(slower_16, TOKENS(16, 256), replay_cycles, NONE(16), cycles)
OVER(slower_4, TOKENS(4, 256), replay_cycles, NONE(4), cycles)
OVER(karma_time, TOKENS(16, 256), cycles, NONE(16), cycles)
OVER(rerun_time, SCALAR(16, 256), cycles, NONE(16), cycles)
OVER(rerun_traffic, SCALAR(16, 256), message_bytes, NONE(16), message_bytes)
OVER(karma_traffic, TOKENS(16, 256), message_bytes, SCALAR(16, 256), message_bytes)
OVER(shrinks, TOKENS(16, 2048), hardware_bytes, TOKENS(16, 256), hardware_bytes)
OVER(slows, TOKENS(16, 2048), replay_cycles, TOKENS(16, 256), replay_cycles)
OVER(log_256, TOKENS(16, 256), hardware_bytes, SCALAR(16, 256), hardware_bytes)
OVER(log_2048, TOKENS(16, 2048), hardware_bytes, SCALAR(16, 2048), hardware_bytes)
OVER(log_8192, TOKENS(16, 8192), hardware_bytes, SCALAR(16, 8192), hardware_bytes)
OVER(counted_256, COUNTED(256), hardware_bytes, SCALAR(16, 256), hardware_bytes)
OVER(counted_2048, COUNTED(2048), hardware_bytes, SCALAR(16, 2048), hardware_bytes)
OVER(counted_8192, COUNTED(8192), hardware_bytes, SCALAR(16, 8192), hardware_bytes)
OVER(second_8192, TOKENS(16, 8192), ends_second, TOKENS(16, 8192), episodes)
OVER(parked_8192, COUNTED(8192), ends_conflict, COUNTED(8192), episodes)
OVER(cycle_8192, TOKENS(16, 8192), ends_cycle, TOKENS(16, 8192), episodes)
OVER(size_256, TOKENS(16, 256), ends_size, TOKENS(16, 256), episodes)
OVER(episode_length, SCALAR(16, 0), instructions, SCALAR(16, 0), episodes)
OVER(l1_faster, karma_pick("scalar", "l1x2", 16, 256), replay_cycles, karma_pick("tokens", "l1x2", 16, 256),
     replay_cycles)
OVER(l2_faster, karma_pick("scalar", "l2x2", 16, 256), replay_cycles, karma_pick("tokens", "l2x2", 16, 256),
     replay_cycles)
OVER(memory_faster, karma_pick("scalar", "memory/2", 16, 256), replay_cycles,
     karma_pick("tokens", "memory/2", 16, 256), replay_cycles)
OVER(tso_faster, karma_pick("scalar", "tso", 16, 256), replay_cycles, karma_pick("tokens", "tso", 16, 256),
     replay_cycles)
OVER(fdr_time, FDR("arcs", 4), cycles, FDR("none", 4), cycles)
OVER(fdr_time_16, FDR("arcs", 16), cycles, FDR("none", 16), cycles)
OVER(fdr_stalls, FDR("arcs", 4), stall_cycles, FDR("arcs", 4), cycles)
OVER(fdr_arcs, FDR("arcs", 4), arcs, FDR("arcs", 4), edges)
OVER(squash_wait, karma_pick("chunk", "squash", 4, 0), interrupt_cycles, karma_pick("chunk", "squash", 4, 0),
     interrupts)
OVER(finish_wait, karma_pick("chunk", "finish", 4, 0), interrupt_cycles, karma_pick("chunk", "finish", 4, 0),
     interrupts)
OVER(squash_waste, karma_pick("chunk", "squash", 4, 0), squashed, karma_pick("chunk", "finish", 4, 0),
     squashed)

/* FDR's logs, compressed: all in MB a second and processor, or without checkpoints, or the part of these. */
enum fdr_number { FDR_ALL, FDR_OTHERS, FDR_PART };

static struct estimate fdr_number(const struct figures *f, const char *program, enum fdr_number which) {
  double values[64];
  uint32_t count = 0;
  for (uint32_t seed = 1; seed <= f->request.seeds && count < 64; seed++) {
    struct figures_pick pick = FDR("arcs", 4);
    const struct figures_run *r = figures_find(f, program, &pick, seed);
    if (!r) continue;
    double checkpoints = r->memory_checkpoint_packed + r->cache_checkpoint_packed;
    double others = r->order_packed + r->dma_packed + r->input_packed + r->interrupt_bytes;
    double rate = r->clock / r->cycles / pick.harts;
    values[count++] = which == FDR_PART     ? checkpoints / (checkpoints + others)
                      : which == FDR_OTHERS ? others * rate
                                            : (checkpoints + others) * rate;
  }
  return estimate_of(values, count);
}

static struct estimate checkpoint_part(const struct figures *f, const char *program) {
  return fdr_number(f, program, FDR_PART);
}

static struct estimate fdr_rate(const struct figures *f, const char *program) {
  return fdr_number(f, program, FDR_ALL);
}

static struct estimate fdr_others(const struct figures *f, const char *program) {
  return fdr_number(f, program, FDR_OTHERS);
}

/* A claim, and the reason of a deviation with its measure, which ends the sentence of the reason. */
struct claim {
  const char *where, *what, *paper;
  measure_function *measure;
  double from, to; /* a program does as the paper does if its interval meets this */
  const char *reason;
  measure_function *because; /* the measure of the reason, or NULL */
};

static const double any = INFINITY; /* no limit */

static const struct claim claims[] = {
    {"Karma, figure 8", "speed of Karma's replay over Rerun's, 4 cores", "1.4 to 7.1 (all core counts)",
     faster_4, 1, INFINITY, "Rerun's replay is idealised, as in the paper: with few cores it waits little",
     NULL},
    {"", "8 cores", "", faster_8, 1, INFINITY, "", NULL},
    {"", "16 cores", "", faster_16, 1, INFINITY,
     "a program whose episodes are the shorter ones under Karma sends a message for each; instructions in an "
     "episode without a limit:",
     episode_length},
    {"", "time of Karma's replay over running, 16 cores", "1.19 to 1.28", slower_16, 1, 1.4,
     "our programs are small and share more, so a replay waits for messages more often; instructions in an "
     "episode without a limit:",
     episode_length},
    {"", "4 cores", "less than with 16", slower_4, 0.9, 1.4, "as above", NULL},
    {"Karma, section 6.1", "time of recording over running, Karma, 16 cores",
     "below 1.01; 1.10 for one program", karma_time, 0.95, 1.1,
     "a load waits for the last writer's answer, which a network without a recorder does not send", NULL},
    {"", "Rerun, 16 cores", "below 1.01", rerun_time, 0.95, 1.05, "", NULL},
    {"", "traffic of recording over running, Rerun", "about 1.10", rerun_traffic, 1.0, 1.2, "", NULL},
    {"", "traffic of Karma over Rerun", "about 1.02", karma_traffic, 0.95, 1.1,
     "Rerun's write-backs carry a note to their bank, which Karma's do not", NULL},
    {"Karma, figure 9", "log with 2048 references over 256", "0.29 to 0.53", shrinks, 0, 0.9,
     "where threads share much, others end most episodes before they have 256 references; part that the "
     "limit ends:",
     size_256},
    {"", "time of replay with 2048 over 256", "1.21 to 1.87", slows, 1.0, INFINITY, "as above", NULL},
    {"Karma, figure 10", "Karma's log over Rerun's at 256 references", "0.90 to 1.17", log_256, 0, 1.17,
     "part of episodes that end at a second edge from a core:", second_8192},
    {"", "2048", "0.65 to 0.92", log_2048, 0, 1, "as above", second_8192},
    {"", "8192", "0.57 to 0.83", log_8192, 0, 1,
     "as above; part that ends because an edge might close a cycle:", cycle_8192},
    {"", "with counted predecessors, 256", "(0.90 to 1.17)", counted_256, 0, 1.17,
     "threads that wait end an episode whenever another needs what they had, which a core that goes on "
     "running does not; part of episodes that others end so:",
     parked_8192},
    {"", "2048", "(0.65 to 0.92)", counted_2048, 0, 1, "as above", parked_8192},
    {"", "8192", "(0.57 to 0.83)", counted_8192, 0, 1,
     "as above; a program with barriers repeats many edges, a byte each: part that ended at them before:",
     second_8192},
    {"Karma, section 6.1", "Karma's replay over Rerun's, L1 twice as large", "holds", l1_faster, 1, INFINITY,
     "as in figure 8", NULL},
    {"", "L2 twice as large", "holds", l2_faster, 1, INFINITY, "as in figure 8", NULL},
    {"", "memory twice as fast", "holds", memory_faster, 1, INFINITY, "as in figure 8", NULL},
    {"Karma, section 4.7", "the same under total store order", "possible (no numbers)", tso_faster, 1,
     INFINITY, "as in figure 8", NULL},
    {"FDR, figure 4", "time with recording over without, 4 processors", "below 1.02", fdr_time, 0.95, 1.02,
     "a program that reads from the disk faster than the 10 MB/s at which the DMA log is emptied waits for "
     "it; cycles of stalls for each cycle, all processors:",
     fdr_stalls},
    {"FDR, figure 5", "part of checkpoints in the log, compressed", "most of it", checkpoint_part, 0.5, 1, "",
     NULL},
    {"", "log, MB a second and processor, compressed", "up to 25", fdr_rate, 0, 25,
     "runs and intervals are of a millisecond, not of a third of a second: the checkpoints' part, the first "
     "update of each block that is written at all, comes three hundred times as often; without it:",
     fdr_others},
    {"FDR, section 4", "arcs that are logged, of those seen", "few", fdr_arcs, 0, 0.7, "", NULL},
    {"FDR, section 8", "time with recording over without, 16 processors", "operates well", fdr_time_16, 0.95,
     1.05, "as with 4", NULL},
    {"CapoOne, section 4.1", "cycles that an interrupt waits, squash", "least", squash_wait, 0, 1, "", NULL},
    {"", "finish", "most", finish_wait, 1, INFINITY, "", NULL},
    {"", "work squashed under squash over finish", "above 1", squash_waste, 1, INFINITY,
     "no chunk was squashed under finish, or few", NULL},
};

static void print_range(FILE *page, const struct spread *s) {
  if (s->least == s->most)
    fprintf(page, "%.2f", s->least);
  else
    fprintf(page, "%.2f to %.2f", s->least, s->most);
  fprintf(page, " (±%.2f)", s->half);
}

static void print_claim(const struct figures *f, const struct claim *claim, FILE *page) {
  struct spread s = spread_of(f, claim->measure, claim->from, claim->to);
  fprintf(page, "| %s | %s | %s | ", claim->where, claim->what, claim->paper);
  if (!s.count) {
    fprintf(page, "- | - | |\n");
    return;
  }
  print_range(page, &s);
  fprintf(page, " | %u of %u | ", s.agree, s.count);
  if (s.agree < s.count) {
    fputs(claim->reason, page);
    if (claim->because) {
      struct spread why = spread_of(f, claim->because, 0, any);
      fputc(' ', page);
      print_range(page, &why);
    }
  }
  fprintf(page, " |\n");
}

bool figures_fidelity(const struct figures *f, FILE *page) {
  fprintf(page,
          "# What the papers found, and what comes out here\n\nMade by `reprise sim figures%s --seeds %u` "
          "(%u programs, scale %u): do not edit. For each number of a paper: ours as the least and the most "
          "over the\nprograms, with the widest 95%% interval of a mean over the seeds; in how many programs "
          "the interval meets what the paper says or the direction of\nit; and where it does not, why. The "
          "tables program by program are in `figures.txt`, of the same command.\n\n| paper | number | there "
          "| here | agree | reason of the others |\n|---|---|---|---|---|---|\n",
          f->request.quick ? " --quick" : "", f->request.seeds, f->program_count, f->scale);
  for (size_t i = 0; i < sizeof claims / sizeof *claims; i++) print_claim(f, &claims[i], page);
  return !ferror(page);
}
