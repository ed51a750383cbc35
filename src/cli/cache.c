/* cache.c: reprise cache: shows and clears the code cache that lasts. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/cli.h"
#include "recording/plain.h"
#include "sphere/code_folder.h"

/* What the engine names its files: hexadecimal digits and .code, or new-PROCESS-TIME while one is written. */
static bool is_ours(const char *name) {
  static const char digits[] = "0123456789abcdef";
  bool whole = strncmp(name, "new-", 4) != 0;
  if (!whole) name += 4;
  size_t first = strspn(name, digits);
  if (whole) return first && !strcmp(name + first, ".code");
  if (!first || name[first] != '-') return false;
  size_t second = strspn(name + first + 1, digits);
  return second && !name[first + 1 + second];
}

static int failed(const char *what) {
  return complain(STATUS_FAILED, "%s: %s", what, strerror(errno));
}

struct sum {
  unsigned files;
  uint64_t bytes;
};

static int visit(DIR *folder, bool clear, struct sum *sum) {
  struct stat info;
  for (const struct dirent *entry; errno = 0, (entry = readdir(folder));) {
    if (!is_ours(entry->d_name) || fstatat(dirfd(folder), entry->d_name, &info, AT_SYMLINK_NOFOLLOW))
      continue;
    if (clear && unlinkat(dirfd(folder), entry->d_name, 0) && errno != ENOENT) return failed(entry->d_name);
    sum->files++;
    sum->bytes += (uint64_t)info.st_size;
  }
  return errno ? failed("reading the cache") : 0;
}

static int run(int argc, char **argv) {
  bool clear = argc == 2 && !strcmp(argv[1], "--clear");
  if (argc > 1 && !clear) return bad_usage(&cache_command, "%s: no such argument", argv[1]);
  char path[CODE_FOLDER_PATH_MAX];
  if (code_folder_path(path)) {
    puts("switched off");
    return 0;
  }
  struct sum sum = {0};
  int fd = code_folder_open(), status = 0;
  plain_text(path);
  if (fd < 0) return failed(path);
  DIR *folder = fdopendir(fd);
  if (!folder) return failed(path);
  status = visit(folder, clear, &sum);
  closedir(folder);
  if (!status)
    printf("%s%s: %u file%s, %.1f MB\n", clear ? "removed from " : "", path, sum.files,
           sum.files == 1 ? "" : "s", (double)sum.bytes / 1e6);
  return status;
}

const struct command cache_command = {
    .name = "cache",
    .usage = "[--clear]",
    .summary = "show or clear the translated code that is kept between runs",
    .help =
        "Programs start faster when their code was translated before: what `reprise run` and `reprise\n"
        "record` translate from executables and libraries is kept in a folder, and used by later runs,\n"
        "recordings and replays. Shows the folder, and how much lies there.\n"
        "\n"
        "  --clear   remove all of it\n"
        "\n"
        "The folder is $XDG_CACHE_HOME/reprise, or ~/.cache/reprise; REPRISE_CACHE names another one,\n"
        "by a path that begins with /, and REPRISE_CACHE=off switches it off, as `--no-cache`\n"
        "does for one run, recording or replay. It must be your own, and no other user may write there. "
        "What\n"
        "it holds depends on this version of the engine and on the processor; code is used only\n"
        "where the program's memory has the very instructions that it was made from. The oldest\n"
        "files go when there is more than 256 MB. It can be removed at any time.\n"
        "\n"
        "The exit status is 0; 125 if the folder can't be used.",
    .run = run,
};
