/* figures.c: which runs the experiments need. */
#include "sim/figures/figures.h"

#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "sim/machine/check.h"

static const uint32_t core_counts[] = {4, 8, 16};
static const uint64_t all_episodes[] = {128, 256, 512, 1024, 2048, 4096, 8192, 0},
                      quick_episodes[] = {256, 2048, 8192, 0};

static void plan_karma(struct figures *figures, const char *program) {
  const uint64_t *episodes = figures->request.quick ? quick_episodes : all_episodes;
  size_t count = figures->request.quick ? sizeof quick_episodes / 8 : sizeof all_episodes / 8;
  /* Figure 8, and the overheads of recording. */
  for (size_t i = 0; i < sizeof core_counts / sizeof *core_counts; i++) {
    figures_plan(figures, program, &(struct figures_pick){"karma", "none", "-", core_counts[i], 0});
    figures_plan(figures, program, &(struct figures_pick){"karma", "tokens", "-", core_counts[i], 256});
    figures_plan(figures, program, &(struct figures_pick){"karma", "scalar", "-", core_counts[i], 256});
  }
  /* Figures 9 and 10; with predecessors that are counted, too. */
  for (size_t i = 0; i < count; i++) {
    figures_plan(figures, program, &(struct figures_pick){"karma", "tokens", "-", 16, episodes[i]});
    figures_plan(figures, program, &(struct figures_pick){"karma", "tokens", "counted", 16, episodes[i]});
    figures_plan(figures, program, &(struct figures_pick){"karma", "scalar", "-", 16, episodes[i]});
  }
  /* Section 6.1, sensitivity, and section 4.7, TSO. */
  static const char *const variants[] = {"l1x2", "l2x2", "memory/2", "tso"};
  for (int i = 0; i < 4; i++) {
    figures_plan(figures, program, &(struct figures_pick){"karma", "none", variants[i], 16, 0});
    figures_plan(figures, program, &(struct figures_pick){"karma", "tokens", variants[i], 16, 256});
    figures_plan(figures, program, &(struct figures_pick){"karma", "scalar", variants[i], 16, 256});
  }
}

static void plan_fdr(struct figures *figures, const char *program) {
  static const uint32_t processors[] = {4, 16};
  for (int i = 0; i < 2; i++) {
    figures_plan(figures, program, &(struct figures_pick){"fdr", "none", "-", processors[i], 0});
    figures_plan(figures, program, &(struct figures_pick){"fdr", "arcs", "-", processors[i], 0});
  }
}

/* The policies for a chunk that is interrupted; twice as many threads as processors. */
static void plan_capo(struct figures *figures, const char *program) {
  static const char *const policies[] = {"finish", "commit", "squash"};
  figures_plan(figures, program, &(struct figures_pick){"karma", "none", "base", 4, 0});
  for (int i = 0; i < 3; i++)
    figures_plan(figures, program, &(struct figures_pick){"karma", "chunk", policies[i], 4, 0});
}

static int work(struct figures *figures) {
  const struct figures_request *request = &figures->request;
  if (request->print_jobs) return figures_print_jobs(figures);
  if (request->job) return figures_one_job(figures);
  int status = figures_execute(figures);
  return status ? status : figures_write(figures);
}

int figures_make(const struct figures_request *request) {
  static struct figures figures;
  figures.request = *request;
  figures.scale = request->quick ? 1 : 12;
  if (!figures_find_programs(&figures)) return 2;
  bool writes = !request->print_jobs && !request->job;
  if (writes && mkdir(request->folder, 0777) && access(request->folder, W_OK)) {
    fprintf(stderr, "reprise: %s: can't be written to\n", request->folder);
    return 2;
  }
  figures.runs = calloc(FIGURES_MAX_RUNS, sizeof *figures.runs);
  CHECK(figures.runs, "out of memory");
  for (uint32_t i = 0; i < figures.program_count; i++) {
    plan_karma(&figures, figures.programs[i].name);
    plan_fdr(&figures, figures.programs[i].name);
    plan_capo(&figures, figures.programs[i].name);
  }
  int status = work(&figures);
  free(figures.runs);
  figures_free_programs(&figures);
  return status;
}
