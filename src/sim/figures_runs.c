/* figures_runs.c: carries the runs out, each in a process of its own, as many at a time as there are cores, and keeps what they gave. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "recording/recording.h"
#include "sim/figures.h"
#include "sim/run.h"

/* -- Rows ----------------------------------------------------------------------------------------------------------------------------------- */

static const char header[] = "program,preset,scheme,policy,harts,scale,max_episode"
#define X(name) "," #name
    FIGURES_VALUES(X)
#undef X
        "\n";

static bool same_key(const struct figures_key *a, const struct figures_key *b) {
  return !strcmp(a->program, b->program) && !strcmp(a->preset, b->preset) && !strcmp(a->scheme, b->scheme) &&
         !strcmp(a->policy, b->policy) && a->harts == b->harts && a->scale == b->scale &&
         a->episode == b->episode;
}

void figures_plan(struct figures *figures, const struct figures_key *key) {
  for (uint32_t i = 0; i < figures->count; i++)
    if (same_key(&figures->runs[i].key, key)) return;
  if (figures->count < FIGURES_MAX_RUNS) figures->runs[figures->count++].key = *key;
}

const struct figures_run *figures_find(const struct figures *figures, const char *program, const char *preset,
                                       const char *scheme, const char *policy, uint32_t harts,
                                       uint64_t episode) {
  struct figures_key wanted = {.harts = harts, .episode = episode, .scale = figures->scale};
  snprintf(wanted.program, sizeof wanted.program, "%s", program);
  snprintf(wanted.preset, sizeof wanted.preset, "%s", preset);
  snprintf(wanted.scheme, sizeof wanted.scheme, "%s", scheme);
  snprintf(wanted.policy, sizeof wanted.policy, "%s", policy);
  for (uint32_t i = 0; i < figures->count; i++)
    if (figures->runs[i].done && same_key(&figures->runs[i].key, &wanted)) return &figures->runs[i];
  return NULL;
}

static void print_row(FILE *to, const struct figures_run *run) {
  const struct figures_key *key = &run->key;
  fprintf(to, "%s,%s,%s,%s,%u,%u,%lu", key->program, key->preset, key->scheme, key->policy, key->harts,
          key->scale, (unsigned long)key->episode);
#define X(name) fprintf(to, ",%.0f", run->name);
  FIGURES_VALUES(X)
#undef X
  fputc('\n', to);
}

static bool parse_row(const char *line, struct figures_run *run) {
  struct figures_key *key = &run->key;
  unsigned long episode;
  int used = 0;
  if (sscanf(line, "%39[^,],%11[^,],%11[^,],%11[^,],%u,%u,%lu%n", key->program, key->preset, key->scheme,
             key->policy, &key->harts, &key->scale, &episode, &used) < 7)
    return false;
  key->episode = episode;
  line += used;
#define X(name)                                                    \
  if (sscanf(line, ",%lf%n", &run->name, &used) < 1) return false; \
  line += used;
  FIGURES_VALUES(X)
#undef X
  return !strcmp(line, "\n");
}

/* A row that is there counts; one that was cut off in the middle of writing is run again. */
static void take_row(struct figures *figures, const char *line) {
  struct figures_run run = {.done = true};
  if (!parse_row(line, &run)) return;
  for (uint32_t i = 0; i < figures->count; i++)
    if (same_key(&figures->runs[i].key, &run.key)) figures->runs[i] = run;
}

/* -- One run, in a process of its own ----------------------------------------------------------------------------------------------------------- */

static bool machine_for(const struct figures_key *key, struct sim_config *config) {
  if (!config_preset(config, key->preset)) return false;
  config->harts = key->harts;
  /* Karma section 5: 1 MB of L2 and a bank for each core. */
  if (!strcmp(key->preset, "karma")) {
    config->l2_bytes = (uint64_t)key->harts << 20;
    config->l2_banks = key->harts;
  }
  /* FDR table 3 has a checkpoint every 333 million cycles, of runs of a thousand million: our runs are shorter, and so are the intervals. */
  if (!strcmp(key->preset, "fdr") && strcmp(key->scheme, "none")) config->checkpoint_cycles = 300000;
  /* Interrupts matter where threads take turns: CapoOne has more threads than processors. */
  if (!strcmp(key->scheme, "chunk") || !strcmp(key->policy, "base")) config->slice_cycles = 20000;
  if (!strcmp(key->scheme, "chunk")) return !config_set(config, "interrupts", key->policy);
  return true;
}

static bool simulate(const struct figures_key *key, const struct sim_program *program,
                     struct sim_outcome *outcome) {
  struct sim_request request = {
      .scheme = key->scheme, .max_episode = key->episode, .programs = program, .count = 1};
  if (!machine_for(key, &request.config)) return false;
  /* A replay is on another machine in its latencies. */
  request.config.seed = program->mode == SPHERE_REPLAY ? 2 : 1;
  sim_run(&request, outcome);
  if (outcome->error[0]) fprintf(stderr, "reprise: %s: %s\n", key->program, outcome->error);
  return !outcome->error[0];
}

static void fill(struct figures_run *run, const struct statistics *s) {
  run->cycles = statistics_get(s, "cycles");
  run->instructions = statistics_get(s, "instructions");
  run->message_bytes = statistics_get(s, "message_bytes");
  run->order_bytes = statistics_get(s, "order_log_bytes");
  run->order_packed = statistics_get(s, "order_log_bytes_compressed");
  run->episodes = statistics_get(s, "episodes");
  run->input_bytes = statistics_get(s, "input_log_bytes");
  run->interrupts = statistics_get(s, "timer_interrupts");
  run->interrupt_cycles = statistics_get(s, "interrupt_cycles");
  run->squashed = statistics_get(s, "squashed_instructions");
  run->dma_bytes = statistics_get(s, "dma_log_bytes");
  run->interrupt_bytes = statistics_get(s, "interrupt_log_bytes");
  run->memory_checkpoint = statistics_get(s, "memory_checkpoint_bytes");
  run->cache_checkpoint = statistics_get(s, "cache_checkpoint_bytes");
}

static bool carry_out(const struct figures *figures, struct figures_run *run) {
  static struct sim_outcome outcome;
  char path[FIGURES_PATH], folder[FIGURES_PATH], threads[16], scale[16];
  const struct figures_key *key = &run->key;
  struct recording_error error;
  snprintf(path, sizeof path, "%s/%s", figures->request.programs, key->program);
  snprintf(folder, sizeof folder, "%s/recording-%d", figures->request.folder, (int)getpid());
  bool more_threads = strcmp(key->policy, "-");
  snprintf(threads, sizeof threads, "%u", more_threads ? key->harts * 2 : key->harts);
  snprintf(scale, sizeof scale, "%u", key->scale);
  char *argv[] = {path, threads, scale, NULL};
  bool recorded = strcmp(key->scheme, "none");
  struct sim_program program = {recorded ? SPHERE_RECORD : SPHERE_PLAIN, recorded ? folder : NULL, argv,
                                false};
  if (!simulate(key, &program, &outcome)) return false;
  fill(run, &outcome.statistics);
  if (!recorded) return true;
  program = (struct sim_program){SPHERE_REPLAY, folder, NULL, false};
  bool good = simulate(key, &program, &outcome);
  run->replay_cycles = statistics_get(&outcome.statistics, "cycles");
  recording_remove(folder, &error);
  return good;
}

/* -- All of them -------------------------------------------------------------------------------------------------------------------------------- */

struct child {
  pid_t pid;
  int pipe;
};

/* What the programs print is not wanted; the row comes through a pipe. */
static bool begin(const struct figures *figures, struct figures_run *run, struct child *child) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC)) return false;
  fflush(NULL);
  child->pid = fork();
  child->pipe = ends[0];
  if (child->pid) {
    close(ends[1]);
    return child->pid > 0;
  }
  FILE *out = fdopen(ends[1], "w");
  int null = open("/dev/null", O_RDWR);
  dup2(null, 0);
  dup2(null, 1);
  bool good = carry_out(figures, run);
  if (good) print_row(out, run);
  fclose(out);
  _exit(good ? 0 : 1);
}

static bool end(struct figures *figures, const struct child *child, FILE *rows) {
  char line[1024] = "";
  int status;
  FILE *from = fdopen(child->pipe, "r");
  bool got = from && fgets(line, sizeof line, from);
  if (from) fclose(from);
  waitpid(child->pid, &status, 0);
  if (!got || status) return false;
  fputs(line, rows);
  fflush(rows);
  take_row(figures, line);
  return true;
}

static FILE *open_rows(struct figures *figures) {
  char path[FIGURES_PATH], line[1024];
  snprintf(path, sizeof path, "%s/runs.csv", figures->request.folder);
  FILE *rows = fopen(path, "a+");
  if (!rows) return NULL;
  rewind(rows);
  bool any = false, whole = true;
  while (fgets(line, sizeof line, rows)) {
    any = true;
    whole = strchr(line, '\n');
    take_row(figures, line);
  }
  fseek(rows, 0, SEEK_END); /* a stream is not written right after it was read */
  if (!any) fputs(header, rows);
  if (!whole) fputc('\n', rows);
  return rows;
}

static void show(const struct figures *figures, uint32_t done, const struct figures_key *key) {
  if (!isatty(STDERR_FILENO)) return;
  fprintf(stderr, "\r\033[K%u of %u runs", done, figures->count);
  if (key)
    fprintf(stderr, ": %s, %u cores, %s", key->program, key->harts, key->scheme);
  else
    fputc('\n', stderr);
}

int figures_execute(struct figures *figures) {
  struct child children[64];
  uint32_t next = 0, running = 0, done = 0, most = figures->request.jobs > 64 ? 64 : figures->request.jobs;
  bool good = true;
  FILE *rows = open_rows(figures);
  if (!rows) return fprintf(stderr, "reprise: %s: can't be written to\n", figures->request.folder), 2;
  for (uint32_t i = 0; i < figures->count; i++) done += figures->runs[i].done;
  while (good || running) {
    while (next < figures->count && figures->runs[next].done) next++;
    if (good && running < most && next < figures->count) {
      show(figures, done, &figures->runs[next].key);
      good = begin(figures, &figures->runs[next++], &children[running]);
      running += good;
      continue;
    }
    if (!running) break;
    /* The oldest first: runs are of similar length. */
    bool fine = end(figures, &children[0], rows);
    good = good && fine;
    memmove(children, children + 1, --running * sizeof *children);
    done++;
  }
  fclose(rows);
  show(figures, done, NULL);
  return good ? 0 : 125;
}
