/* record.c: reprise record: runs a program under the engine and keeps everything that a replay needs. */
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/program.h"
#include "contract/predictor_names.h"
#include "order/chunk.h"
#include "sphere/manager.h"
#include "sphere/record.h"

enum { CHECK_MEMORY = 100000000 };

/* Takes the value of an option "--name=value" or "--name value"; false if argv[*i] is another option. */
static bool take_option(int argc, char **argv, int *i, const char *name, const char **value) {
  size_t length = strlen(name);
  if (strncmp(argv[*i], name, length)) return false;
  if (argv[*i][length] == '=') {
    *value = argv[*i] + length + 1;
    return true;
  }
  if (argv[*i][length] || *i + 1 >= argc) return false;
  *value = argv[++*i];
  return true;
}

static int parse_number(const char *option, const char *text, uint64_t least, uint64_t *number) {
  char *end;
  errno = 0;
  *number = strtoull(text, &end, 0);
  if (errno || *end || !*text || *text == '-' || *number < least)
    return bad_usage(&record_command, "%s %s: expected a number from %lu on", option, text,
                     (unsigned long)least);
  return 0;
}

static int parse_options(int argc, char **argv, struct record_options *to, int *next) {
  int i = 1;
  for (; i < argc && argv[i][0] == '-'; i++) {
    const char *value;
    int status = 0;
    if (!strcmp(argv[i], "--")) {
      i++;
      break;
    }
    if (take_option(argc, argv, &i, "--output", &value) || take_option(argc, argv, &i, "-o", &value)) {
      to->output = value;
    } else if (take_option(argc, argv, &i, "--order", &value)) {
      int order = manager_order_named(value);
      if (order < 0)
        status = bad_usage(&record_command, "--order=%s: expected chunk, dag, scalar or arcs", value);
      to->order = (uint32_t)order;
    } else if (take_option(argc, argv, &i, "--max-episode", &value)) {
      status = parse_number("--max-episode", value, 0, &to->max_episode);
    } else if (take_option(argc, argv, &i, "--values", &value)) {
      int values = manager_values_named(value);
      if (values < 0) status = bad_usage(&record_command, "--values=%s: expected off, auto or all", value);
      to->values = (uint32_t)values;
    } else if (take_option(argc, argv, &i, "--without", &value)) {
      struct launch_problem problem;
      if (launch_predictors(value, &to->without, &problem))
        status = bad_usage(&record_command, "%s", problem.text);
    } else if (take_option(argc, argv, &i, "--chunk", &value)) {
      status = parse_number("--chunk", value, CHUNK_SIZE_LEAST, &to->chunk);
    } else if (!strcmp(argv[i], "--quiet") || !strcmp(argv[i], "-q")) {
      to->quiet = true;
    } else if (!strcmp(argv[i], "--check-memory")) {
      to->check_memory = CHECK_MEMORY;
    } else if (take_option(argc, argv, &i, "--check-memory", &value)) {
      status = parse_number("--check-memory", value, 1, &to->check_memory);
    } else if (take_option(argc, argv, &i, "--chaos", &value)) {
      to->chaos = true;
      status = parse_number("--chaos", value, 0, &to->seed);
    } else {
      status = bad_usage(&record_command, "%s: no such option, or its value is missing", argv[i]);
    }
    if (status) return status;
  }
  if (to->values != VALUES_OFF && to->order != ENGINE_DAG)
    return bad_usage(&record_command, "--values is not supported yet with another order than dag");
  *next = i;
  return 0;
}

static int run(int argc, char **argv) {
  static struct engine_config settings = {.magic = ENGINE_CONFIG_MAGIC, .first = 1, .program_fd = -1};
  struct record_options options = {.chunk = CHUNK_SIZE, .max_episode = EPISODE_SIZE};
  struct launch_problem problem;
  int next = 0;
  int status = parse_options(argc, argv, &options, &next);
  if (status) return status;
  if (launch_channels(&settings, &problem)) return complain(problem.status, "%s", problem.text);
  if (next == argc) return bad_usage(&record_command, "no program given");
  status = program_find(argv[next], settings.program, sizeof settings.program);
  return status ? status : record(&options, &settings, argv + next);
}

#define PREDICTOR_LINE(name, what) "                          " #name ": " what "\n"

const struct command record_command = {
    .name = "record",
    .usage =
        "[-q] [-o FOLDER] [--order=chunk|dag|scalar|arcs] [--chunk=N] [--max-episode=N] [--chaos=SEED] "
        "[--check-memory[=N]] [--values=off|auto|all] [--without=PREDICTOR,…] [--] PROGRAM "
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
        "  --chunk=N             at most N instructions in a chunk while others wait (default: 1048576)\n"
        "  --max-episode=N       dag: an episode that others wait for, or that waits, has at most about N\n"
        "                        instructions (default: 512; 0: any number): shorter ones make for a "
        "longer\n"
        "                        log and a faster replay\n"
        "  --chaos=SEED          chunks of random sizes in random order, by SEED: rare interleavings come up "
        "sooner\n"
        "  --check-memory[=N]    log a digest of each process's memory every N instructions (default: "
        "100000000)\n"
        "                        and at its end, for replay to compare. Without this, at its end only, "
        "of as many\n"
        "                        pages as can be looked at in a hundredth of its time: `stat` says how "
        "many\n"
        "  --values=WHICH        dag: which memory is recorded by what is read of it, and not by who had it: "
        "off (the\n"
        "                        default), auto (what threads hand to and fro) or all (what two threads "
        "touch). Slow\n"
        "                        as yet, and for trials\n"
        "  --without=NAME,…      dag, scalar, arcs: switch predictors off, to measure what they are worth; "
        "the\n"
        "                        recording takes longer, and is as good. They decide:\n"
        PREDICTORS(PREDICTOR_LINE)
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
