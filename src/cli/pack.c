/* pack.c: reprise pack: puts a recording into one file. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/options.h"
#include "cli/recordings.h"

/* NAME.reprise in the current folder, where NAME is the recording's own and not that of a link to it. */
static int default_output(const char *recording, char *out, size_t size) {
  char *real = realpath(recording, NULL);
  const char *slash = real ? strrchr(real, '/') : NULL;
  int n = slash && slash[1] ? snprintf(out, size, "%s.reprise", slash + 1) : -1;
  free(real);
  if (n < 0 || (size_t)n >= size) return bad_usage(&pack_command, "%s: name a file for the pack", recording);
  return 0;
}

static int pack(const char *path, const char *output) {
  struct recording_reader *reader;
  struct recording_error error;
  if (recording_open(path, RECORDING_ANY_ARCHITECTURE, &reader, &error)) return complain_recording(&error);
  int failed = recording_pack(reader, output, &error);
  bool unfinished = recording_reader_state(reader) != RECORDING_COMPLETE;
  recording_reader_close(reader);
  if (failed) return complain_recording(&error);
  if (unfinished) complain(0, "%s: was not closed by its recorder; packed what it holds", path);
  puts(output);
  return 0;
}

static int run(int argc, char **argv) {
  char path[RECORDING_PATH_MAX], output[RECORDING_PATH_MAX];
  struct recording_error error;
  const struct option_row options[] = {{0}};
  int next;
  int status = options_parse(&pack_command, options, argc, argv, false, &next);
  if (status) return status;
  if (argc - next > 2) return bad_usage(&pack_command, "too many arguments");
  if (recording_resolve(next < argc ? argv[next] : NULL, path, &error)) return complain_recording(&error);
  if (next + 1 < argc) return pack(path, argv[next + 1]);
  status = default_output(path, output, sizeof output);
  return status ? status : pack(path, output);
}

const struct command pack_command = {
    .name = "pack",
    .usage = "[--] [RECORDING [FILE]]",
    .summary = "put a recording into one file",
    .help =
        "Writes RECORDING (default: the latest) with everything that belongs to it to FILE (default:\n"
        "its name with .reprise, in the current folder) and prints FILE's name. FILE must not exist.\n"
        "It may be used wherever a recording is asked for. RECORDING stays as it is, and is\n"
        "checked on the way.\n"
        "\n"
        "The exit status is 0; 121 if RECORDING is damaged, of another version or no recording, 2 if there\n"
        "is none of that name or FILE exists, 125 if FILE can't be written.",
    .run = run,
};
