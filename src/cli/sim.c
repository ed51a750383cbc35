/* sim.c: reprise sim: programs on the simulated multiprocessor. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <sys/resource.h>
#include <unistd.h>

#include "cli/cli.h"
#include "cli/options.h"
#include "sim/figures/figures.h"
#include "sim/boot.h"
#include "sim/run.h"
#include "sphere/installed.h"

struct options {
  struct sim_request request;
  struct sim_program programs[SIM_MAX_PROGRAMS];
  const char *folder;   /* -o of the part that is being read */
  bool from_checkpoint; /* … and this option */
  bool statistics, json;
  const char *initrd, *append, *disk; /* boot: initial file system, the kernel's arguments, its disk */
  const char *replay, *typed;         /* a recording to repeat, what is typed at the console */
};

/* -- Options ------------------------------------------------------------------------------------------------------------ */

/* What is wrong with a parameter of the machine is told by the machine itself, so these rows expect nothing in particular. */
static bool set(struct options *options, const char *name, const char *value) {
  const char *error = config_set(&options->request.config, name, value);
  return !error || !bad_usage(&sim_command, "--%s: `%s` %s", name, value, error);
}

static bool take_setting(void *into, const char *setting) {
  struct options *options = into;
  char name[64];
  const char *value = strchr(setting, '=');
  if (!value || (size_t)(value - setting) >= sizeof name)
    return !bad_usage(&sim_command, "%s: not of the form NAME=VALUE", setting);
  snprintf(name, sizeof name, "%.*s", (int)(value - setting), setting);
  const char *error = config_set(&options->request.config, name, value + 1);
  return !error || !bad_usage(&sim_command, "%s: %s", setting, error);
}

static bool take_harts(void *into, const char *value) {
  return set(into, "harts", value);
}

static bool take_seed(void *into, const char *value) {
  return set(into, "seed", value);
}

static bool take_config(void *into, const char *value) {
  struct options *options = into;
  const char *error = config_read(&options->request.config, value);
  return !error || !complain(STATUS_USAGE, "%s", error);
}

static bool take_preset(void *into, const char *value) {
  struct options *options = into;
  return config_preset(&options->request.config, value);
}

static bool take_scheme(void *into, const char *value) {
  *(const char **)into = value;
  return sim_find_scheme(value);
}

static bool take_json(void *into, const char *value) {
  struct options *options = into;
  (void)value;
  return options->statistics = options->json = true;
}

/* The options of run, record, replay and boot, with `own` behind them, which only one of these has. */
static int parse(struct options *options, const struct option_row *own, int argc, char **argv, int *next) {
  struct sim_request *request = &options->request;
  struct option_row rows[24] = {
      {"harts", 0, OPTION_WITH_VALUE, take_harts, options, NULL},
      {"seed", 0, OPTION_WITH_VALUE, take_seed, options, NULL},
      {"set", 0, OPTION_WITH_VALUE, take_setting, options, NULL},
      {"preset", 0, OPTION_WITH_VALUE, take_preset, options, "default, karma or fdr"},
      {"config", 0, OPTION_WITH_VALUE, take_config, options, NULL},
      {"flat", 0, OPTION_ALONE, take_true, &request->config.flat, NULL},
      {"tso", 0, OPTION_ALONE, take_true, &request->config.tso, NULL},
      {"scheme", 0, OPTION_WITH_VALUE, take_scheme, &request->scheme, "tokens, dag, scalar, arcs or chunk"},
      {"max-episode", 0, OPTION_WITH_VALUE, take_position, &request->max_episode, "a number"},
      {"output", 'o', OPTION_WITH_VALUE, take_text, &options->folder, NULL},
      {"stats", 0, OPTION_ALONE, take_true, &options->statistics, NULL},
      {"json", 0, OPTION_ALONE, take_json, options, NULL}};
  size_t n = 0;
  while (rows[n].name) n++;
  for (; own->name; own++) rows[n++] = *own;
  return options_parse(&sim_command, rows, argc, argv, true, next);
}

/* -- Parts: what is done with one program --------------------------------------------------------------------------------- */

static bool find_mode(const char *word, enum sphere_mode *mode) {
  static const char *const words[] = {
      [SPHERE_PLAIN] = "run", [SPHERE_RECORD] = "record", [SPHERE_REPLAY] = "replay"};
  for (int i = 0; i < 3; i++)
    if (!strcmp(words[i], word)) {
      *mode = (enum sphere_mode)i;
      return true;
    }
  return false;
}

/* One part, argc words long: a mode, options, and a program with its arguments or a recording. */
static int take_part(struct options *options, int argc, char **argv) {
  const struct option_row own[] = {
      {"from-checkpoint", 0, OPTION_ALONE, take_true, &options->from_checkpoint, NULL},
      {"trace", 0, OPTION_WITH_VALUE, take_text, &options->request.trace, NULL},
      {0}};
  enum sphere_mode mode;
  int i;
  if (argc < 1 || !find_mode(argv[0], &mode))
    return bad_usage(&sim_command, "%s: not run, record, replay or figures", argc < 1 ? "nothing" : argv[0]);
  options->folder = NULL;
  options->from_checkpoint = false;
  int status = parse(options, own, argc, argv, &i);
  if (status) return status;
  if (i == argc)
    return bad_usage(&sim_command, mode == SPHERE_REPLAY ? "no recording given" : "no program given");
  if (mode == SPHERE_REPLAY && i + 1 < argc)
    return bad_usage(&sim_command, "%s: too many arguments", argv[i + 1]);
  if (options->folder && mode != SPHERE_RECORD) return bad_usage(&sim_command, "-o: only for record");
  if (options->from_checkpoint && mode != SPHERE_REPLAY)
    return bad_usage(&sim_command, "--from-checkpoint: only for replay");
  struct sim_program *program = &options->programs[options->request.count++];
  *program = mode == SPHERE_REPLAY ? (struct sim_program){mode, argv[i], NULL, options->from_checkpoint}
                                   : (struct sim_program){mode, options->folder, argv + i, false};
  return 0;
}

static int take_parts(struct options *options, int argc, char **argv) {
  int status = 0;
  for (int start = 1; start < argc && !status;) {
    int end = start;
    while (end < argc && strcmp(argv[end], ":::")) end++;
    if (options->request.count == SIM_MAX_PROGRAMS)
      return bad_usage(&sim_command, "at most %d programs", SIM_MAX_PROGRAMS);
    argv[end] = NULL; /* each program's arguments end */
    status = take_part(options, end - start, argv + start);
    start = end + 1;
  }
  return status;
}

static bool has(const struct options *options, enum sphere_mode mode) {
  for (uint32_t i = 0; i < options->request.count; i++)
    if (options->programs[i].mode == mode) return true;
  return false;
}

static int check(const struct options *options) {
  const char *impossible = config_check(&options->request.config);
  if (impossible) return bad_usage(&sim_command, "%s", impossible);
  if (options->request.config.flat && has(options, SPHERE_RECORD))
    return bad_usage(&sim_command, "--flat: recording needs caches");
  bool chunks = options->request.scheme && !strcmp(options->request.scheme, "chunk");
  if (options->request.config.tso && chunks && has(options, SPHERE_RECORD))
    return bad_usage(&sim_command, "--tso: not with chunks, which have no store buffers");
  return 0;
}

/* -- figures ---------------------------------------------------------------------------------------------------------------- */

static bool take_seeds(void *into, const char *value) {
  uint64_t number;
  if (!take_position(&number, value) || !number || number > 64) return false;
  *(uint32_t *)into = (uint32_t)number;
  return true;
}

static int figures(int argc, char **argv) {
  char path[INSTALLED_PATH_MAX];
  long cores = sysconf(_SC_NPROCESSORS_ONLN);
  struct figures_request request = {.folder = "figures", .jobs = cores > 0 ? (uint32_t)cores : 1, .seeds = 5};
  const struct option_row rows[] = {{"quick", 0, OPTION_ALONE, take_true, &request.quick, NULL},
                                    {"print-jobs", 0, OPTION_ALONE, take_true, &request.print_jobs, NULL},
                                    {"collect", 0, OPTION_ALONE, take_true, &request.collect, NULL},
                                    {"output", 'o', OPTION_WITH_VALUE, take_text, &request.folder, NULL},
                                    {"manifest", 0, OPTION_WITH_VALUE, take_text, &request.manifest, NULL},
                                    {"job", 0, OPTION_WITH_VALUE, take_text, &request.job, NULL},
                                    {"seeds", 0, OPTION_WITH_VALUE, take_seeds, &request.seeds, "1 to 64"},
                                    {"programs", 0, OPTION_WITH_VALUE, take_text, &request.programs, NULL},
                                    {0}};
  int next, status = options_parse(&sim_command, rows, argc, argv, false, &next);
  if (status) return status;
  if (next < argc) return bad_usage(&sim_command, "figures: %s: too many arguments", argv[next]);
  if (!request.programs) {
    if (!installed_find("tests/sim/workloads", "workloads", path))
      return bad_usage(&sim_command,
                       "figures: no workloads beside this command: name a folder with --programs");
    request.programs = path;
  }
  return figures_make(&request);
}

/* The most that the simulator itself has had, the simulated programs' memory included. */
static double host_memory(void) {
  struct rusage usage;
  getrusage(RUSAGE_SELF, &usage);
  return (double)usage.ru_maxrss * 1024;
}

static double host_seconds(void) {
  struct timespec t;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static void add_host(struct statistics *statistics, double seconds) {
  statistics_add(statistics, "seconds", seconds);
  statistics_add(statistics, "mips", statistics_get(statistics, "instructions") / seconds / 1e6);
  statistics_add(statistics, "host_memory", host_memory());
}

/* -- boot -------------------------------------------------------------------------------------------------------------------- */

static int check_boot(const struct options *options, bool has_kernel) {
  const struct sim_config *config = &options->request.config;
  const char *impossible = config_check(config);
  bool records = options->folder, watched = records || options->replay;
  if (impossible) return bad_usage(&sim_command, "%s", impossible);
  if (options->replay ? has_kernel || records : !has_kernel)
    return bad_usage(&sim_command, "boot: one kernel is needed, or --replay and a recording");
  if (!sim_boot_fits(config)) return bad_usage(&sim_command, "boot: ram: at least 16M, in steps of 2M");
  if (records && config->flat) return bad_usage(&sim_command, "--flat: recording needs caches");
  if (watched && config->tso)
    return bad_usage(&sim_command, "boot: recording under total store order is not supported");
  if (options->request.scheme && !strcmp(options->request.scheme, "chunk"))
    return bad_usage(&sim_command, "boot: recording in chunks is not supported");
  return 0;
}

static int boot(struct options *options, int argc, char **argv) {
  static struct statistics statistics;
  char error[1024];
  const struct option_row own[] = {{"initrd", 0, OPTION_WITH_VALUE, take_text, &options->initrd, NULL},
                                   {"append", 0, OPTION_WITH_VALUE, take_text, &options->append, NULL},
                                   {"type", 0, OPTION_WITH_VALUE, take_text, &options->typed, NULL},
                                   {"disk", 0, OPTION_WITH_VALUE, take_text, &options->disk, NULL},
                                   {"replay", 0, OPTION_WITH_VALUE, take_text, &options->replay, NULL},
                                   {0}};
  int i, status = parse(options, own, argc, argv, &i);
  if (!status && i + 1 < argc) return bad_usage(&sim_command, "%s: too many arguments", argv[i + 1]);
  if (!status) status = check_boot(options, i < argc);
  if (status) return status;
  struct sim_boot request = {
      .config = options->request.config,
      .mode = options->replay   ? SPHERE_REPLAY
              : options->folder ? SPHERE_RECORD
                                : SPHERE_PLAIN,
      .scheme = options->request.scheme ? options->request.scheme : "tokens",
      .folder = options->replay ? options->replay : options->folder,
      .kernel = argv[i],
      .initrd = options->initrd,
      .typed = options->typed,
      .disk = options->disk,
      .arguments = options->append ? options->append : "console=hvc0 earlycon=sbi",
      .max_episode = options->request.max_episode,
  };
  double start = host_seconds();
  status = sim_boot(&request, &statistics, error);
  add_host(&statistics, host_seconds() - start);
  if (options->statistics) statistics_print(&statistics, stderr, options->json);
  return error[0] ? complain(status, "%s", error) : status;
}

static int run(int argc, char **argv) {
  static struct options options;
  static struct sim_outcome outcome;
  options.request.programs = options.programs;
  config_preset(&options.request.config, "default");
  if (argc < 2) return bad_usage(&sim_command, "run, record, replay or figures?");
  if (!strcmp(argv[1], "figures")) return figures(argc - 1, argv + 1);
  if (!strcmp(argv[1], "boot")) return boot(&options, argc - 1, argv + 1);
  int status = take_parts(&options, argc, argv);
  if (!status) status = check(&options);
  if (status) return status;
  fflush(NULL);
  double start = host_seconds();
  sim_run(&options.request, &outcome);
  double seconds = host_seconds() - start;
  add_host(&outcome.statistics, seconds);
  if (options.statistics) statistics_print(&outcome.statistics, stderr, options.json);
  if (outcome.breaks_off && !outcome.error[0])
    complain(0, "the recording breaks off here: its recorder was killed, or gave up");
  return outcome.error[0] ? complain(outcome.status, "%s", outcome.error) : outcome.status;
}

const struct command sim_command = {
    .name = "sim",
    .usage =
        "run|record|replay [OPTION]… [--] PROGRAM [ARGUMENT]… | RECORDING [::: …]\n"
        "       reprise sim boot [OPTION]… [--initrd FILE] [--append ARGUMENTS] [--type FILE]\n"
        "                        [--disk FILE] KERNEL | "
        "--replay RECORDING\n"
        "       reprise sim figures [--quick] [-o FOLDER] [--programs FOLDER|--manifest FILE] [--seeds N]\n"
        "                           [--print-jobs|--collect|--job RUN]",
    .summary = "run, record and replay RISC-V programs on a simulated multiprocessor",
    .help =
        "Runs a static RV64GC Linux program on a simulated multicore machine with caches and a directory\n"
        "protocol; records how its threads interleave, as recording hardware would; replays a recording,\n"
        "on the same or on another machine, and compares what it comes to. A simulation is a function of "
        "the\n"
        "program, the options and the seed. With ::: between them, several programs run on the same\n"
        "processors at the same time, each recorded, replayed or just run.\n"
        "\n"
        "Options:\n"
        "  --harts N          so many processors (default 4)\n"
        "  --seed N           perturbs the latencies of messages\n"
        "  --preset NAME      the machine of a paper: karma (its table 1), fdr (its table 3), or default\n"
        "  --config FILE      lines `name = value`\n"
        "  --set NAME=VALUE   one of them: harts, seed, ram, protocol (mesi, mosi), tso, store-buffer,\n"
        "                     l1-size, l1-ways, l1-cycles, l2-size, l2-ways, l2-banks, l2-cycles,\n"
        "                     memory-cycles, hop-cycles, torus, perturb-cycles, hold-cycles, slice-cycles,\n"
        "                     call-cycles, switch-cycles, disk-cycles, checkpoint-cycles (FDR's logs),\n"
        "                     interrupts (of chunks: squash, commit, finish), counted-predecessors; clock,\n"
        "                     link-rate, memory-rate, bank-cycles, misses, race-log and other limits and\n"
        "                     latencies (docs/simulator.md); sizes take K, M or G\n"
        "  --flat             no caches: every access takes one cycle\n"
        "  --tso              store buffers: total store order instead of sequential consistency\n"
        "  --scheme NAME      how the order is recorded: tokens (Karma's hardware; the default), dag\n"
        "                     (Karma with named episodes), scalar (Rerun), arcs (FDR), chunk (DeLorean)\n"
        "  --max-episode N    episodes end after so many memory references, chunks after so many "
        "instructions\n"
        "  -o, --output FOLDER\n"
        "                     of the recording; else one is made where `reprise ls` finds it\n"
        "  --from-checkpoint  replay of arcs: from the oldest checkpoint kept (record with\n"
        "                     --set checkpoint-cycles=N)\n"
        "  --stats, --json    statistics on standard error at the end\n"
        "  --trace FILE       record: the episodes as trace events, which Perfetto and browsers show\n"
        "\n"
        "`reprise sim boot` runs an operating system, as a RISC-V Linux image, in supervisor mode with Sv39, "
        "until\n"
        "it powers the machine off; its firmware (SBI 0.3) is the simulator, its console and its serial "
        "port\n"
        "standard output, what is typed there the file of --type, its disk the file of --disk.\n"
        "With -o FOLDER it is recorded, each hart as a thread; --replay FOLDER repeats that, with any "
        "caches.\n"
        "\n"
        "`reprise sim figures` runs the experiments of the papers on a set of programs and writes tables "
        "(text and\n"
        "CSV) and plots (SVG) to FOLDER (default: figures). Runs that are there already are not made again.\n"
        "Each is made with several seeds; numbers have 95% intervals. --manifest names the user's programs;\n"
        "--print-jobs prints a command for each run, --collect takes the rows that those print.\n"
        "\n"
        "The exit status is the first program's, 128 and its signal if one ended it; 120 if a replay does "
        "not\n"
        "do what the recording did, 121 if the recording is damaged, 122 if a program does what the\n"
        "simulator's kernel does not support, 126 if it is no static RV64 program, 125 if the simulator "
        "fails.",
    .run = run,
};
