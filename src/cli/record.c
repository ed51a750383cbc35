/* record.c: reprise record: runs a program under the engine and keeps everything that a replay needs. */
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/options.h"
#include "cli/program.h"
#include "cli/record_flight.h"
#include "contract/predictor_names.h"
#include "order/chunk.h"
#include "sphere/manager.h"
#include "sphere/record.h"
#include "travel/flight_front.h"

enum { CHECK_MEMORY = 100000000, EPOCH_MS = 1000, EPOCH_LEAST_MS = 10 };

#define EPISODE_UNSET UINT64_MAX
#define EPOCH_UNSET UINT32_MAX

/* What the options ask for. */
struct wish {
  struct record_options options;
  struct flight_options flight;
  bool caches;          /* no --no-cache */
  bool flies, triggers; /* --flight, and --trigger or --keep, were given */
};

static bool take_order(void *into, const char *value) {
  int order = manager_order_named(value);
  *(uint32_t *)into = (uint32_t)order;
  return order >= 0;
}

static bool take_values(void *into, const char *value) {
  int values = manager_values_named(value);
  *(uint32_t *)into = (uint32_t)values;
  return values >= 0;
}

static bool take_chunk(void *into, const char *value) {
  return take_position(into, value) && *(uint64_t *)into >= CHUNK_SIZE_LEAST;
}

static bool take_epoch(void *into, const char *value) {
  uint64_t number;
  if (!take_position(&number, value) || number >= EPOCH_UNSET || (number && number < EPOCH_LEAST_MS))
    return false;
  *(uint32_t *)into = (uint32_t)number;
  return true;
}

static bool take_check_memory(void *into, const char *value) {
  *(uint64_t *)into = CHECK_MEMORY;
  return !value || (take_position(into, value) && *(uint64_t *)into);
}

static bool take_chaos(void *into, const char *value) {
  struct record_options *options = into;
  options->chaos = true;
  return take_position(&options->seed, value);
}

static bool take_flight(void *into, const char *value) {
  struct wish *wish = into;
  wish->flies = true;
  return flight_parse_window(value, &wish->flight);
}

static bool take_trigger(void *into, const char *value) {
  struct wish *wish = into;
  wish->triggers = true;
  return flight_parse_trigger(value, &wish->flight);
}

static bool take_core(void *into, const char *value) {
  *(const char **)into = value ? value : "";
  return !value || *value;
}

static bool take_keep(void *into, const char *value) {
  struct wish *wish = into;
  uint64_t number;
  wish->triggers = true;
  if (!take_position(&number, value) || !number || number > UINT32_MAX) return false;
  wish->flight.keep = (unsigned)number;
  return true;
}

/* What is told of a mistake in the options together. */
static const char *find_conflict(const struct wish *wish) {
  const struct record_options *options = &wish->options;
  if (options->order == ENGINE_SYNC && options->check_memory)
    return "--check-memory is not supported with --order=sync";
  if (options->values != VALUES_OFF && options->order != ENGINE_DAG)
    return "--values is not supported yet with another order than dag";
  if (wish->flies && options->order != ENGINE_CHUNK && options->order != ENGINE_DAG)
    return "--flight is not supported yet with other orders than chunk and dag";
  if (options->replica && (wish->flies || options->values != VALUES_OFF))
    return "--replica can't be combined with --flight or --values yet";
  if (options->epoch && options->epoch != EPOCH_UNSET &&
      (options->order == ENGINE_CHUNK || options->values != VALUES_OFF))
    return "--epoch is for the orders dag, scalar, arcs and sync, without --values";
  if (options->epoch && options->epoch != EPOCH_UNSET && wish->flies)
    return "--epoch can't be combined with --flight yet";
  if (wish->triggers && !wish->flies) return "--trigger and --keep are for --flight";
  return NULL;
}

static int parse_options(int argc, char **argv, struct wish *wish, const char **without, int *next) {
  struct record_options *to = &wish->options;
  const struct option_row options[] = {
      {"output", 'o', OPTION_WITH_VALUE, take_text, &to->output, NULL},
      {"order", 0, OPTION_WITH_VALUE, take_order, &to->order, "chunk, dag, scalar, arcs or sync"},
      {"max-episode", 0, OPTION_WITH_VALUE, take_position, &to->max_episode, "a number"},
      {"values", 0, OPTION_WITH_VALUE, take_values, &to->values, "off, auto or all"},
      {"without", 0, OPTION_WITH_VALUE, take_text, without, NULL},
      {"chunk", 0, OPTION_WITH_VALUE, take_chunk, &to->chunk, "a number from 1024 on"},
      {"no-cache", 0, OPTION_ALONE, take_false, &wish->caches, NULL},
      {"quiet", 'q', OPTION_ALONE, take_true, &to->quiet, NULL},
      {"replica", 0, OPTION_ALONE, take_true, &to->replica, NULL},
      {"epoch", 0, OPTION_WITH_VALUE, take_epoch, &to->epoch, "a number of milliseconds from 10 on, or 0"},
      {"check-memory", 0, OPTION_MAY_HAVE_VALUE, take_check_memory, &to->check_memory, "a number from 1 on"},
      {"flight", 0, OPTION_WITH_VALUE, take_flight, wish, "a time and a size, as 10s or 500ms,512M"},
      {"trigger", 0, OPTION_WITH_VALUE, take_trigger, wish,
       "signal, exit, exit=N, exit=N-M, end, caught=SIGNAL, memory=SIZE or output=TEXT"},
      {"keep", 0, OPTION_WITH_VALUE, take_keep, wish, "a number from 1 on"},
      {"core", 0, OPTION_MAY_HAVE_VALUE, take_core, &to->core, "the name of a file"},
      {"chaos", 0, OPTION_WITH_VALUE, take_chaos, to, "a number"},
      {0}};
  int status = options_parse(&record_command, options, argc, argv, true, next);
  if (status) return status;
  /* Accesses to open memory come between other threads' episodes as they like: `reprise solve' wants to know exactly what was before what. */
  if (to->max_episode == EPISODE_UNSET) to->max_episode = to->values != VALUES_OFF ? 1 : EPISODE_SIZE;
  const char *conflict = find_conflict(wish);
  bool ends = to->order == ENGINE_SYNC || (to->replica && to->order != ENGINE_CHUNK);
  if (to->epoch == EPOCH_UNSET) to->epoch = ends ? EPOCH_MS : 0;
  return conflict ? bad_usage(&record_command, "%s", conflict) : 0;
}

static int run(int argc, char **argv) {
  static struct engine_config settings = {.magic = ENGINE_CONFIG_MAGIC, .first = 1, .program_fd = -1};
  struct wish wish = {
      .caches = true,
      .options = {.chunk = CHUNK_SIZE, .max_episode = EPISODE_UNSET, .epoch = EPOCH_UNSET},
      .flight = {
          .bytes = 512 << 20, .on_signal = true, .on_status = true, .least = 1, .most = 255, .keep = 4}};
  struct record_options *options = &wish.options;
  struct launch_problem problem;
  const char *without = NULL;
  int next;
  int status = parse_options(argc, argv, &wish, &without, &next);
  if (status) return status;
  settings.keeps_code = wish.caches;
  if (without && launch_predictors(without, &options->without, &problem))
    return bad_usage(&record_command, "%s", problem.text);
  wish.flight.core = options->core;
  if (wish.flies) options->keeper = flight_keeper(&wish.flight);
  settings.trigger_signals = wish.flight.signals;
  snprintf(settings.trigger_text, sizeof settings.trigger_text, "%s", wish.flight.text);
  if (launch_channels(&settings, &problem)) return complain(problem.status, "%s", problem.text);
  if (next == argc) return bad_usage(&record_command, "no program given");
  status = program_find(argv[next], settings.program, sizeof settings.program);
  if (!status && wish.flies && !flight_front(&status)) return status;
  return status ? status : record(options, &settings, argv + next);
}

#define PREDICTOR_LINE(name, what) "                          " #name ": " what "\n"

const struct command record_command = {
    .name = "record",
    .usage =
        "[-q] [-o FOLDER] [--order=chunk|dag|scalar|arcs|sync] [--chunk=N] [--max-episode=N] [--chaos=SEED] "
        "[--epoch=N] [--check-memory[=N]] [--replica] [--values=off|auto|all] [--without=PREDICTOR,…] [--no-cache] "
        "[--flight=TIME[,SIZE] [--trigger=WHEN,…] [--keep=N]] [--core[=FILE]] [--] PROGRAM "
        "[ARGUMENT]…",
    .summary = "run a program and record its execution",
    .help =
        "Runs PROGRAM, found as the shell finds it, and records all that it takes to repeat this very "
        "execution:\n"
        "what system calls returned, signals, values of nondeterministic instructions, and how its threads\n"
        "and processes followed each other. `reprise replay` repeats it.\n"
        "\n"
        "  -o, --output FOLDER   make the recording there (default: PROGRAM-N in the recordings' own place)\n"
        "  -q, --quiet           do not say on a terminal where the recording is\n"
        "  --order=chunk         how threads are ordered: one at a time, in chunks (the default)\n"
        "  --order=dag           in parallel, as a graph of episodes (--order=tokens: with counted "
        "wake-ups)\n"
        "  --order=scalar        in parallel, as episodes with time stamps\n"
        "  --order=arcs          in parallel, as arcs between instructions\n"
        "  --order=sync          in parallel, with an order of synchronisation alone: fast, and exact for programs\n"
        "                        without data races. Replay tells if it was not (status 120)\n"
        "  --chunk=N             at most N instructions in a chunk while others wait (default: 1048576)\n"
        "  --max-episode=N       dag: an episode that others wait for, or that waits, has at most about N\n"
        "                        instructions (default: 512, with --values 1; 0: any number): shorter "
        "ones make for a longer\n"
        "                        log and a faster replay\n"
        "  --chaos=SEED          chunks of random sizes in random order, by SEED: rare interleavings come up "
        "sooner\n"
        "  --check-memory[=N]    log a digest of each process's memory every N instructions (default: "
        "100000000)\n"
        "                        and at its end, for replay to compare. Without this, at its end only, "
        "of as many\n"
        "                        pages as can be looked at in a hundredth of its time: `stat` says how "
        "many\n"
        "  --epoch=N             dag, scalar, arcs, sync: every N milliseconds log digests of the threads' registers and "
        "of\n"
        "                        memory, for replay to compare; 0: never (default: 1000 with sync or "
        "--replica, else 0)\n"
        "  --replica             replay the recording while it is made, on other processors, and say at the end "
        "whether\n"
        "                        the replica did what PROGRAM did, or where it did not first\n"
        "  --values=WHICH        dag: which memory is recorded by what is read of it, and not by who had it: "
        "off (the\n"
        "                        default), auto (what threads hand to and fro) or all (what two threads "
        "touch). Slow\n"
        "                        as yet, and for trials\n"
        "  --without=NAME,…      dag, scalar, arcs: switch predictors off, to measure what they are worth; "
        "the\n"
        "                        recording takes longer, and is as good. They decide:\n"
        PREDICTORS(PREDICTOR_LINE)
        "  --no-cache            neither use nor store translated code (see `reprise help cache`)\n"
        "\n"
        "  --flight=TIME[,SIZE]  chunk, dag: record without end, in memory, and store only the last TIME (as 10s, "
        "500ms), and\n"
        "                        only if PROGRAM ends as --trigger says. At most SIZE bytes of logs are "
        "kept, as 64M\n"
        "                        (default: 512M). Programs that share memory which they write are not "
        "supported yet:\n"
        "                        no checkpoint is made of them\n"
        "  --trigger=WHEN,…      the ends for which the last part is stored: signal (PROGRAM is killed by "
        "one, or aborts),\n"
        "                        exit (its status is not 0), exit=N, exit=N-M, end (any). Default: "
        "signal,exit.\n"
        "                        And what makes a part be stored while PROGRAM goes on, as `reprise trigger' "
        "does:\n"
        "                        caught=SIGNAL (it takes that signal), memory=SIZE (it has more), output=TEXT "
        "(it\n"
        "                        writes this; the last one in its option)\n"
        "  --keep=N              keep the N latest parts that were stored while PROGRAM went on (default: 4)\n"
        "  --core[=FILE]         write a core file as well (see `reprise help core') if a signal ends PROGRAM, or with\n"
        "                        --flight of each part that is stored: as `core' in its recording, or as FILE, in\n"
        "                        the place of an older one; FILE-N while PROGRAM goes on\n"
        "\n"
        "A recording contains all that went into the program: its arguments and environment, what it read, "
        "passwords\n"
        "and keys among it, and copies of the files that it mapped. Give it to nobody who may not have "
        "these.\n"
        "\n"
        "The recordings' own place is $REPRISE_DIR, else $XDG_DATA_HOME/reprise, else "
        "~/.local/share/reprise.\n"
        "\n"
        "On a terminal the last line says where the recording is. If it can't go on, what was recorded until "
        "then\n"
        "stays, as an unfinished recording that can be replayed as far as it goes, and one line says why, "
        "how "
        "far it\n"
        "goes and where it is.\n"
        "\n"
        "A signal that is sent to the recorder goes to PROGRAM. When PROGRAM has ended and has left "
        "processes "
        "behind,\n"
        "Ctrl-C or SIGTERM ends them, and the recording; a second one at once.\n"
        "\n"
        "The exit status is PROGRAM's; 127 if it is not found, 126 if it can't be executed, 122 if it does\n"
        "what can't be recorded, 125 if reprise itself fails, 2 for a mistake in the arguments.",
    .run = run,
};
