/* runs.c: carries the runs out, each in a process of its own, as many at a time as there are cores, and stores their rows.
 *
 * On other machines a run is a job: --print-jobs prints a command for each, which prints the run's row; --collect takes the rows. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "recording/recording.h"
#include "sim/figures/figures.h"
#include "sim/run.h"

/* -- Rows ----------------------------------------------------------------------------------------------------------------------------------- */

static const char header[] = "program,preset,scheme,variant,harts,scale,max_episode,seed"
#define X(name) "," #name
    FIGURES_VALUES(X)
#undef X
        "\n";

static bool same_key(const struct figures_key *a, const struct figures_key *b) {
  return !strcmp(a->program, b->program) && !strcmp(a->preset, b->preset) && !strcmp(a->scheme, b->scheme) &&
         !strcmp(a->variant, b->variant) && a->harts == b->harts && a->scale == b->scale &&
         a->episode == b->episode && a->seed == b->seed;
}

static struct figures_key key_of(const struct figures *figures, const char *program,
                                 const struct figures_pick *pick, uint32_t seed) {
  struct figures_key key = {
      .harts = pick->harts, .episode = pick->episode, .scale = figures->scale, .seed = seed};
  snprintf(key.program, sizeof key.program, "%s", program);
  snprintf(key.preset, sizeof key.preset, "%s", pick->preset);
  snprintf(key.scheme, sizeof key.scheme, "%s", pick->scheme);
  snprintf(key.variant, sizeof key.variant, "%s", pick->variant);
  return key;
}

static struct figures_run *run_of(const struct figures *figures, const struct figures_key *key) {
  for (uint32_t i = 0; i < figures->count; i++)
    if (same_key(&figures->runs[i].key, key)) return &figures->runs[i];
  return NULL;
}

void figures_plan(struct figures *figures, const char *program, const struct figures_pick *pick) {
  for (uint32_t seed = 1; seed <= figures->request.seeds; seed++) {
    struct figures_key key = key_of(figures, program, pick, seed);
    if (figures->count < FIGURES_MAX_RUNS && !run_of(figures, &key))
      figures->runs[figures->count++].key = key;
  }
}

const struct figures_run *figures_find(const struct figures *figures, const char *program,
                                       const struct figures_pick *pick, uint32_t seed) {
  struct figures_key key = key_of(figures, program, pick, seed);
  const struct figures_run *run = run_of(figures, &key);
  return run && run->done ? run : NULL;
}

static void print_key(FILE *to, const struct figures_key *key) {
  fprintf(to, "%s,%s,%s,%s,%u,%u,%lu,%u", key->program, key->preset, key->scheme, key->variant, key->harts,
          key->scale, (unsigned long)key->episode, key->seed);
}

/* How many characters the key has, 0 if these are none. */
static int parse_key(const char *text, struct figures_key *key) {
  unsigned long episode;
  int used = 0;
  if (sscanf(text, "%39[^,],%11[^,],%11[^,],%11[^,],%u,%u,%lu,%u%n", key->program, key->preset, key->scheme,
             key->variant, &key->harts, &key->scale, &episode, &key->seed, &used) < 8)
    return 0;
  key->episode = episode;
  return used;
}

static void print_row(FILE *to, const struct figures_run *run) {
  print_key(to, &run->key);
#define X(name) fprintf(to, ",%.0f", run->name);
  FIGURES_VALUES(X)
#undef X
  fputc('\n', to);
}

static bool parse_row(const char *line, struct figures_run *run) {
  int used = parse_key(line, &run->key);
  if (!used) return false;
  line += used;
#define X(name)                                                    \
  if (sscanf(line, ",%lf%n", &run->name, &used) < 1) return false; \
  line += used;
  FIGURES_VALUES(X)
#undef X
  return !strcmp(line, "\n");
}

/* A row that is there counts; one that was cut off in the middle of writing is run again. True: it was one that is wanted. */
static bool take_row(struct figures *figures, const char *line) {
  struct figures_run run = {.done = true};
  if (!parse_row(line, &run)) return false;
  struct figures_run *wanted = run_of(figures, &run.key);
  if (wanted) *wanted = run;
  return wanted;
}

/* -- One run -------------------------------------------------------------------------------------------------------------------------------- */

/* FDR table 3 has a checkpoint every third of a second, of runs of a second: our runs are shorter, and so are the intervals. Our programs' data are
   smaller, too, and so are the caches, a sixteenth of the table's. */
enum { FDR_INTERVAL = 4000000, FDR_CACHE = 256 << 10 };

static bool apply_variant(struct sim_config *config, const char *variant) {
  if (!strcmp(variant, "-") || !strcmp(variant, "base")) return true;
  if (!strcmp(variant, "counted")) return config->counted_preds = true;
  if (!strcmp(variant, "tso")) return config->tso = true;
  if (!strcmp(variant, "l1x2")) return config->l1_bytes *= 2;
  if (!strcmp(variant, "l2x2")) return config->l2_bytes *= 2;
  if (!strcmp(variant, "memory/2")) return config->memory_cycles /= 2;
  return !config_set(config, "interrupts", variant);
}

static bool machine_for(const struct figures_key *key, struct sim_config *config) {
  if (!config_preset(config, key->preset)) return false;
  bool karma = !strcmp(key->preset, "karma");
  config->harts = key->harts;
  if (!karma) {
    config->l1_bytes = FDR_CACHE;
    config->l2_banks = key->harts;
    config->checkpoint_cycles = FDR_INTERVAL;
  }
  /* Karma section 5: 1 MB of L2 and a bank for each core. Threads that wait in the kernel change places for nothing: a replay does not wait
     there, and must not be the faster for it. */
  if (karma) {
    config->l2_bytes = (uint64_t)key->harts << 20;
    config->l2_banks = key->harts;
    config->switch_cycles = 0;
  }
  /* Interrupts matter where threads take turns: CapoOne has more threads than processors. */
  if (!strcmp(key->scheme, "chunk") || !strcmp(key->variant, "base")) config->slice_cycles = 20000;
  return apply_variant(config, key->variant);
}

static bool simulate(const struct figures_key *key, const struct sim_program *program,
                     struct sim_outcome *outcome) {
  struct sim_request request = {
      .scheme = key->scheme, .max_episode = key->episode, .programs = program, .count = 1};
  if (!machine_for(key, &request.config)) return false;
  /* A replay is on another machine in its latencies. */
  request.config.seed = program->mode == SPHERE_REPLAY ? key->seed + 1000 : key->seed;
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
  run->hardware_bytes = statistics_get(s, "race_hardware_bytes");
  run->stall_cycles = statistics_get(s, "race_stall_cycles") +
                      statistics_get(s, "cache_checkpoint_stall_cycles") +
                      statistics_get(s, "memory_checkpoint_stall_cycles") +
                      statistics_get(s, "input_stall_cycles") + statistics_get(s, "dma_stall_cycles");
  run->episodes = statistics_get(s, "episodes");
  run->ends_cycle = statistics_get(s, "ends_cycle");
  run->ends_second = statistics_get(s, "ends_second");
  run->ends_conflict = statistics_get(s, "ends_conflict");
  run->ends_size = statistics_get(s, "ends_size");
  run->ends_other = statistics_get(s, "ends_full") + statistics_get(s, "ends_leave");
  run->edges = statistics_get(s, "edges");
  run->arcs = statistics_get(s, "arcs");
  run->input_bytes = statistics_get(s, "input_log_bytes");
  run->input_packed = statistics_get(s, "input_log_bytes_compressed");
  run->interrupts = statistics_get(s, "timer_interrupts");
  run->interrupt_cycles = statistics_get(s, "interrupt_cycles");
  run->squashed = statistics_get(s, "squashed_instructions");
  run->dma_bytes = statistics_get(s, "dma_log_bytes");
  run->dma_packed = statistics_get(s, "dma_log_bytes_compressed");
  run->interrupt_bytes = statistics_get(s, "interrupt_hardware_bytes");
  run->memory_checkpoint = statistics_get(s, "memory_checkpoint_bytes");
  run->cache_checkpoint = statistics_get(s, "cache_checkpoint_bytes");
  run->memory_checkpoint_packed = statistics_get(s, "memory_checkpoint_compressed");
  run->cache_checkpoint_packed = statistics_get(s, "cache_checkpoint_compressed");
  run->clock = statistics_get(s, "clock_mhz");
}

static const struct figures_program *program_of(const struct figures *figures, const char *name) {
  for (uint32_t i = 0; i < figures->program_count; i++)
    if (!strcmp(figures->programs[i].name, name)) return &figures->programs[i];
  return NULL;
}

/* The word with numbers in the place of {threads} and {scale}. */
static void expand(const char *word, uint32_t threads, uint32_t scale, char out[FIGURES_PATH]) {
  size_t n = 0;
  while (*word && n < FIGURES_PATH - 16) {
    bool is_threads = !strncmp(word, "{threads}", 9), is_scale = !strncmp(word, "{scale}", 7);
    if (is_threads || is_scale) {
      n += (size_t)snprintf(out + n, FIGURES_PATH - n, "%u", is_threads ? threads : scale);
      word += is_threads ? 9 : 7;
    } else {
      out[n++] = *word++;
    }
  }
  out[n] = 0;
}

static bool carry_out(const struct figures *figures, struct figures_run *run, const char *folder) {
  static struct sim_outcome outcome;
  static char words[FIGURES_MAX_WORDS][FIGURES_PATH];
  char *argv[FIGURES_MAX_WORDS + 1] = {NULL};
  const struct figures_key *key = &run->key;
  const struct figures_program *named = program_of(figures, key->program);
  struct recording_error error;
  if (!named) return false;
  bool turns = !strcmp(key->preset, "fdr") || !strcmp(key->variant, "base") || !strcmp(key->scheme, "chunk");
  for (int i = 0; named->word[i]; i++) {
    expand(named->word[i], turns ? key->harts * 2 : key->harts, key->scale, words[i]);
    argv[i] = words[i];
  }
  int input = open(named->input ? named->input : "/dev/null", O_RDONLY);
  if (input < 0 || dup2(input, 0)) {
    fprintf(stderr, "reprise: %s: can't be read\n", named->input);
    return false;
  }
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

/* Discards the output of the programs. */
static void hide_output(void) {
  int null = open("/dev/null", O_RDWR);
  dup2(null, 1);
}

/* -- Jobs ------------------------------------------------------------------------------------------------------------------------------------- */

static void print_quoted(const char *text) {
  putchar('\'');
  for (; *text; text++)
    if (*text == '\'')
      fputs("'\\''", stdout);
    else
      putchar(*text);
  putchar('\'');
}

int figures_print_jobs(const struct figures *figures) {
  const struct figures_request *request = &figures->request;
  char path[FIGURES_PATH];
  ssize_t n = readlink("/proc/self/exe", path, sizeof path - 1);
  if (n < 0) return fprintf(stderr, "reprise: /proc/self/exe: can't be read\n"), 125;
  path[n] = 0;
  for (uint32_t i = 0; i < figures->count; i++) {
    print_quoted(path);
    printf(" sim figures%s --seeds %u %s ", request->quick ? " --quick" : "", request->seeds,
           request->manifest ? "--manifest" : "--programs");
    print_quoted(request->manifest ? request->manifest : request->programs);
    printf(" --job ");
    print_key(stdout, &figures->runs[i].key);
    putchar('\n');
  }
  return fflush(stdout) ? 125 : 0;
}

int figures_one_job(struct figures *figures) {
  struct figures_key key = {0};
  struct figures_run *run = NULL;
  int used = parse_key(figures->request.job, &key);
  if (used && !figures->request.job[used]) run = run_of(figures, &key);
  if (!run) return fprintf(stderr, "reprise: %s: no such run\n", figures->request.job), 2;
  char folder[FIGURES_PATH];
  const char *temporary = getenv("TMPDIR");
  snprintf(folder, sizeof folder, "%s/reprise-figures-%d", temporary ? temporary : "/tmp", (int)getpid());
  int kept = fcntl(1, F_DUPFD_CLOEXEC, 3);
  FILE *out = kept < 0 ? NULL : fdopen(kept, "w");
  hide_output();
  if (!out || !carry_out(figures, run, folder)) return 125;
  print_row(out, run);
  return fclose(out) ? 125 : 0;
}

/* -- All of them -------------------------------------------------------------------------------------------------------------------------------- */

struct child {
  pid_t pid;
  int pipe;
};

/* Discards the output of the programs; the row comes through a pipe. */
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
  char folder[FIGURES_PATH];
  snprintf(folder, sizeof folder, "%s/recording-%d", figures->request.folder, (int)getpid());
  hide_output();
  bool good = carry_out(figures, run, folder);
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
    fprintf(stderr, ": %s, %u cores, %s, seed %u", key->program, key->harts, key->scheme, key->seed);
  else
    fputc('\n', stderr);
}

/* Rows that were made elsewhere, in any order; headers among them are skipped. */
static int collect(struct figures *figures, FILE *rows) {
  char line[1024];
  uint32_t taken = 0, missing = 0;
  while (fgets(line, sizeof line, stdin)) {
    struct figures_run before = {0};
    if (!parse_row(line, &before)) continue;
    const struct figures_run *known = run_of(figures, &before.key);
    if (known && known->done) continue;
    if (!take_row(figures, line)) continue;
    fputs(line, rows);
    taken++;
  }
  for (uint32_t i = 0; i < figures->count; i++) missing += !figures->runs[i].done;
  fprintf(stderr, "reprise: %u rows taken, %u of %u are missing\n", taken, missing, figures->count);
  return fclose(rows) ? 125 : missing ? 1 : 0;
}

int figures_execute(struct figures *figures) {
  struct child children[64];
  uint32_t next = 0, running = 0, done = 0, most = figures->request.jobs > 64 ? 64 : figures->request.jobs;
  bool good = true;
  FILE *rows = open_rows(figures);
  if (!rows) return fprintf(stderr, "reprise: %s: can't be written to\n", figures->request.folder), 2;
  if (figures->request.collect) return collect(figures, rows);
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
