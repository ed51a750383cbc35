/* programs.c: which programs the figures are made of: a folder of workloads, or a manifest.
 *
 * A manifest has a line for each program: a name, a colon, and its command; {threads} and {scale} in it become numbers; `< FILE` at its end is
 * its standard input. Words are separated by blanks; names of files are relative to the manifest. Empty lines and those that begin with # say nothing. */
#include <dirent.h>
#include <stdlib.h>
#include <string.h>

#include "sim/machine/check.h"
#include "sim/figures/figures.h"

static bool complain(const struct figures *figures, int line, const char *what) {
  fprintf(stderr, "reprise: %s:%d: %s\n", figures->request.manifest, line, what);
  return false;
}

/* A file's name as the manifest has it, seen from here. */
static char *beside(const char *manifest, const char *name) {
  const char *slash = strrchr(manifest, '/');
  char path[FIGURES_PATH];
  bool relative = name[0] != '/' && slash;
  snprintf(path, sizeof path, "%.*s%s", relative ? (int)(slash - manifest + 1) : 0, manifest, name);
  char *copy = strdup(path);
  CHECK(copy, "out of memory");
  return copy;
}

static bool take_word(struct figures_program *program, uint32_t *count, char *word) {
  if (*count == FIGURES_MAX_WORDS) return false;
  CHECK(program->word[(*count)++] = word, "out of memory");
  return true;
}

static bool take_line(struct figures *figures, char *line, int number) {
  char *save, *name = strtok_r(line, " \t\r\n", &save), *word;
  if (!name || *name == '#') return true;
  size_t length = strlen(name);
  if (length < 2 || name[length - 1] != ':' || strchr(name, ','))
    return complain(figures, number, "not of the form NAME: COMMAND");
  if (length > sizeof figures->programs->name) return complain(figures, number, "the name is too long");
  if (figures->program_count == FIGURES_MAX_PROGRAMS) return complain(figures, number, "too many programs");
  struct figures_program *program = &figures->programs[figures->program_count++];
  snprintf(program->name, sizeof program->name, "%.*s", (int)length - 1, name);
  uint32_t count = 0;
  while ((word = strtok_r(NULL, " \t\r\n", &save))) {
    if (!strcmp(word, "<")) {
      word = strtok_r(NULL, " \t\r\n", &save);
      if (!word || strtok_r(NULL, " \t\r\n", &save))
        return complain(figures, number, "< needs one file, at the end");
      program->input = beside(figures->request.manifest, word);
      break;
    }
    if (!take_word(program, &count, count ? strdup(word) : beside(figures->request.manifest, word)))
      return complain(figures, number, "too many words");
  }
  return count || complain(figures, number, "no command");
}

static bool read_manifest(struct figures *figures) {
  char line[FIGURES_PATH];
  FILE *file = fopen(figures->request.manifest, "re");
  bool good = true;
  if (!file) return fprintf(stderr, "reprise: %s: can't be opened\n", figures->request.manifest), false;
  for (int number = 1; good && fgets(line, sizeof line, file); number++)
    good = take_line(figures, line, number);
  fclose(file);
  if (good && !figures->program_count)
    return fprintf(stderr, "reprise: %s: no programs there\n", figures->request.manifest), false;
  return good;
}

static int by_name(const void *a, const void *b) {
  return strcmp(((const struct figures_program *)a)->name, ((const struct figures_program *)b)->name);
}

/* A workload is PROGRAM THREADS SCALE. racey is a test, not a workload. */
static void add_workload(struct figures *figures, const char *name) {
  if (name[0] == '.' || strchr(name, '.') || strlen(name) >= sizeof figures->programs->name ||
      !strcmp(name, "racey") || figures->program_count == FIGURES_MAX_PROGRAMS)
    return;
  struct figures_program *program = &figures->programs[figures->program_count++];
  char path[FIGURES_PATH];
  uint32_t count = 0;
  snprintf(program->name, sizeof program->name, "%s", name);
  snprintf(path, sizeof path, "%s/%s", figures->request.programs, name);
  take_word(program, &count, strdup(path));
  take_word(program, &count, strdup("{threads}"));
  take_word(program, &count, strdup("{scale}"));
}

bool figures_find_programs(struct figures *figures) {
  if (figures->request.manifest) return read_manifest(figures);
  DIR *folder = opendir(figures->request.programs);
  for (struct dirent *entry; folder && (entry = readdir(folder));) add_workload(figures, entry->d_name);
  if (folder) closedir(folder);
  qsort(figures->programs, figures->program_count, sizeof *figures->programs, by_name);
  if (figures->program_count) return true;
  fprintf(stderr,
          "reprise: %s: no workloads there (make test-programs builds them, with a compiler for riscv64)\n",
          figures->request.programs);
  return false;
}

void figures_free_programs(struct figures *figures) {
  for (uint32_t i = 0; i < figures->program_count; i++) {
    for (char **word = figures->programs[i].word; *word; word++) free(*word);
    free(figures->programs[i].input);
  }
}
