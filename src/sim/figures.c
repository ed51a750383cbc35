/* figures.c: which runs the experiments need. */
#include "sim/figures.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const uint32_t core_counts[] = {4, 8, 16};
static const uint64_t all_episodes[] = {128, 256, 512, 1024, 2048, 4096, 8192, 0},
                      quick_episodes[] = {256, 2048, 8192, 0};

static int by_name(const void *a, const void *b) {
  return strcmp(a, b);
}

static bool find_programs(struct figures *figures) {
  DIR *folder = opendir(figures->request.programs);
  if (!folder) return false;
  for (struct dirent *entry; (entry = readdir(folder)) && figures->program_count < FIGURES_MAX_PROGRAMS;) {
    /* racey is a test, not a workload. */
    if (entry->d_name[0] == '.' || strchr(entry->d_name, '.') || strlen(entry->d_name) >= 40 ||
        !strcmp(entry->d_name, "racey"))
      continue;
    snprintf(figures->programs[figures->program_count++], sizeof *figures->programs, "%s", entry->d_name);
  }
  closedir(folder);
  qsort(figures->programs, figures->program_count, sizeof *figures->programs, by_name);
  return figures->program_count;
}

static void plan_with(struct figures *figures, const char *program, const char *preset, const char *scheme,
                      const char *policy, uint32_t harts, uint64_t episode) {
  struct figures_key key = {.harts = harts, .episode = episode, .scale = figures->scale};
  snprintf(key.program, sizeof key.program, "%s", program);
  snprintf(key.preset, sizeof key.preset, "%s", preset);
  snprintf(key.scheme, sizeof key.scheme, "%s", scheme);
  snprintf(key.policy, sizeof key.policy, "%s", policy);
  figures_plan(figures, &key);
}

static void plan(struct figures *figures, const char *program, const char *preset, const char *scheme,
                 uint32_t harts, uint64_t episode) {
  plan_with(figures, program, preset, scheme, "-", harts, episode);
}

static void plan_program(struct figures *figures, const char *program) {
  const uint64_t *episodes = figures->request.quick ? quick_episodes : all_episodes;
  size_t count = figures->request.quick ? sizeof quick_episodes / 8 : sizeof all_episodes / 8;
  /* Karma figure 8, and the overheads of recording. */
  for (size_t i = 0; i < sizeof core_counts / sizeof *core_counts; i++) {
    plan(figures, program, "karma", "none", core_counts[i], 0);
    plan(figures, program, "karma", "dag", core_counts[i], 256);
    plan(figures, program, "karma", "scalar", core_counts[i], 256);
  }
  /* Karma figures 9 and 10. */
  for (size_t i = 0; i < count; i++) {
    plan(figures, program, "karma", "dag", 16, episodes[i]);
    plan(figures, program, "karma", "scalar", 16, episodes[i]);
  }
  /* FDR figures 4 and 5. */
  plan(figures, program, "fdr", "none", 4, 0);
  plan(figures, program, "fdr", "arcs", 4, 0);
  /* CapoOne: what is done with a chunk when an interrupt comes; twice as many threads as processors. */
  static const char *const policies[] = {"finish", "commit", "squash"};
  plan_with(figures, program, "karma", "none", "base", 4, 0);
  for (int i = 0; i < 3; i++) plan_with(figures, program, "karma", "chunk", policies[i], 4, 0);
}

int figures_make(const struct figures_request *request) {
  static struct figures figures;
  figures.request = *request;
  figures.scale = request->quick ? 2 : 12;
  if (!find_programs(&figures)) {
    fprintf(stderr,
            "reprise: %s: no workloads there (make test-programs builds them, with a compiler for riscv64)\n",
            request->programs);
    return 2;
  }
  if (mkdir(request->folder, 0777) && access(request->folder, W_OK)) {
    fprintf(stderr, "reprise: %s: can't be written to\n", request->folder);
    return 2;
  }
  for (uint32_t i = 0; i < figures.program_count; i++) plan_program(&figures, figures.programs[i]);
  int status = figures_execute(&figures);
  return status ? status : figures_write(&figures);
}
