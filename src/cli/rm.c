/* rm.c: reprise rm: removes recordings. */
#include "cli/cli.h"
#include "cli/options.h"
#include "cli/recordings.h"

static int remove_one(const char *name) {
  char path[RECORDING_PATH_MAX];
  struct recording_error error;
  if (recording_resolve(name, path, &error) || recording_remove(path, &error))
    return complain_recording(&error);
  return 0;
}

static int run(int argc, char **argv) {
  const struct option_row options[] = {{0}};
  int next;
  int status = options_parse(&rm_command, options, argc, argv, false, &next);
  if (status) return status;
  if (next == argc) return bad_usage(&rm_command, "no recording given");
  for (; next < argc; next++) { /* one that can't be removed keeps none of the others */
    int failed = remove_one(argv[next]);
    if (!status) status = failed;
  }
  return status;
}

const struct command rm_command = {
    .name = "rm",
    .usage = "[--] RECORDING…",
    .summary = "remove recordings",
    .help =
        "Removes each RECORDING: a path if it holds a slash, else the name of one in the default\n"
        "place (see `reprise help ls`) or in the current folder; `latest` is the newest.\n"
        "\n"
        "Only recordings are removed, damaged ones too: a folder that holds anything else is left\n"
        "as it is, and so is a recording that is being made or read.\n"
        "\n"
        "The exit status is 0; 121 if one is no recording, 2 if there is none of that name,\n"
        "125 if one can't be removed.",
    .run = run,
};
