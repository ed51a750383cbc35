/* sim.c: reprise sim: a program on the simulated multiprocessor. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "cli/cli.h"
#include "sim/run.h"

struct options {
  struct sim_config config;
  bool statistics, json;
};

static int read_setting(struct options *options, const char *setting) {
  char name[64];
  const char *value = strchr(setting, '=');
  if (!value || (size_t)(value - setting) >= sizeof name)
    return bad_usage(&sim_command, "%s: not of the form NAME=VALUE", setting);
  snprintf(name, sizeof name, "%.*s", (int)(value - setting), setting);
  const char *error = config_set(&options->config, name, value + 1);
  return error ? bad_usage(&sim_command, "%s: %s", setting, error) : 0;
}

static int set(struct options *options, const char *name, const char *value) {
  const char *error = config_set(&options->config, name, value);
  return error ? bad_usage(&sim_command, "--%s: `%s` %s", name, value, error) : 0;
}

/* An option with a value. */
static int take_value(struct options *options, const char *name, const char *value) {
  if (!strcmp(name, "--harts") || !strcmp(name, "--seed")) return set(options, name + 2, value);
  if (!strcmp(name, "--set")) return read_setting(options, value);
  if (!strcmp(name, "--preset"))
    return config_preset(&options->config, value)
               ? 0
               : bad_usage(&sim_command, "%s: no such preset (default, karma, fdr)", value);
  const char *error = config_read(&options->config, value);
  return error ? complain(STATUS_USAGE, "%s", error) : 0;
}

static bool wants_value(const char *name) {
  static const char *const names[] = {"--harts", "--seed", "--set", "--preset", "--config"};
  for (size_t i = 0; i < sizeof names / sizeof *names; i++)
    if (!strcmp(names[i], name)) return true;
  return false;
}

static int parse(struct options *options, int argc, char **argv, int *next) {
  int i = 2, status = 0;
  for (; i < argc && argv[i][0] == '-' && !status; i++) {
    if (!strcmp(argv[i], "--")) {
      i++;
      break;
    }
    if (!strcmp(argv[i], "--flat"))
      options->config.flat = true;
    else if (!strcmp(argv[i], "--tso"))
      options->config.tso = true;
    else if (!strcmp(argv[i], "--stats"))
      options->statistics = true;
    else if (!strcmp(argv[i], "--json"))
      options->statistics = options->json = true;
    else if (!wants_value(argv[i]))
      return bad_usage(&sim_command, "%s: no such option", argv[i]);
    else if (i + 1 == argc)
      return bad_usage(&sim_command, "%s: needs a value", argv[i]);
    else {
      status = take_value(options, argv[i], argv[i + 1]);
      i++;
    }
  }
  *next = i;
  return status;
}

static double host_seconds(void) {
  struct timespec t;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static int run(int argc, char **argv) {
  struct options options = {0};
  struct sim_outcome outcome;
  int next = argc;
  config_preset(&options.config, "default");
  if (argc < 2) return bad_usage(&sim_command, "run, record, replay or figures?");
  if (!strcmp(argv[1], "record") || !strcmp(argv[1], "replay") || !strcmp(argv[1], "figures"))
    return complain(STATUS_UNSUPPORTED, "sim %s is not supported yet", argv[1]);
  if (strcmp(argv[1], "run"))
    return bad_usage(&sim_command, "%s: not run, record, replay or figures", argv[1]);
  int status = parse(&options, argc, argv, &next);
  if (status) return status;
  if (next == argc) return bad_usage(&sim_command, "no program given");
  const char *impossible = config_check(&options.config);
  if (impossible) return bad_usage(&sim_command, "%s", impossible);
  struct sim_program program = {SPHERE_PLAIN, NULL, argv + next};
  double start = host_seconds();
  fflush(NULL);
  sim_run(&options.config, &program, 1, &outcome);
  if (options.statistics) sim_print(stderr, &options.config, &outcome, host_seconds() - start, options.json);
  return outcome.error[0] ? complain(outcome.status, "%s", outcome.error) : outcome.status;
}

const struct command sim_command = {
    .name = "sim",
    .usage = "run [OPTION]… [--] PROGRAM [ARGUMENT]…",
    .summary = "run a RISC-V program on a simulated multiprocessor",
    .help =
        "Runs a static RV64GC Linux program on a simulated multicore machine with caches and a directory\n"
        "protocol. The simulation is a function of the program, the options and the seed.\n"
        "\n"
        "Options:\n"
        "  --harts N          so many processors (default 4)\n"
        "  --seed N           perturbs the latencies of messages\n"
        "  --preset NAME      the machine of a paper: karma (its table 1), fdr (its table 3), or default\n"
        "  --config FILE      lines `name = value`\n"
        "  --set NAME=VALUE   one of them: harts, seed, ram, protocol (mesi, mosi), tso, store-buffer,\n"
        "                     l1-size, l1-ways, l1-cycles, l2-size, l2-ways, l2-banks, l2-cycles,\n"
        "                     memory-cycles, hop-cycles, torus, perturb-cycles, hold-cycles, slice-cycles,\n"
        "                     call-cycles, switch-cycles, disk-cycles; sizes take K, M or G\n"
        "  --flat             no caches: every access takes one cycle\n"
        "  --tso              store buffers: total store order instead of sequential consistency\n"
        "  --stats, --json    statistics on standard error at the end\n"
        "\n"
        "The exit status is the program's, 128 and its signal if one ended it; 122 if it does what the\n"
        "simulator's kernel does not support, 126 if it is no static RV64 program, 125 if the simulator "
        "fails.",
    .run = run,
};
