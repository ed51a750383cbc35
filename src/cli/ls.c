/* ls.c: reprise ls: lists the recordings. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/cli.h"
#include "cli/options.h"
#include "cli/recordings.h"
#include "recording/plain.h"

struct row {
  char *name, *created, *command; /* allocated */
  const char *state;
  uint64_t bytes;
  bool readable;
};

struct table {
  struct row *rows;
  size_t count;
  bool no_memory;
};

/* -- Rows ---------------------------------------------------------------------------------------------------------- */

static const char *state_word(const struct recording_info *info) {
  if (info->status == RECORDING_OTHER_VERSION) return "version";
  if (info->status == RECORDING_SYSTEM) return "unreadable";
  if (info->status) return "damaged";
  if (info->state == RECORDING_LIVE) return "recording";
  if (info->state == RECORDING_UNFINISHED) return "unfinished";
  return info->packed ? "packed" : "complete";
}

static char *plain_copy(const char *text) {
  char *copy = NULL;
  size_t size;
  FILE *to = open_memstream(&copy, &size);
  if (!to) return NULL;
  plain_write(to, text);
  fclose(to);
  return copy;
}

static int out_of_memory(struct table *table) {
  table->no_memory = true;
  return 1;
}

static int add_row(const struct recording_info *info, void *context) {
  struct table *table = context;
  struct row *rows = realloc(table->rows, (table->count + 1) * sizeof *rows);
  if (!rows) return out_of_memory(table);
  const char *created = info->status ? NULL : recording_get(info->details, "created", 0);
  struct row *row = &rows[table->count++];
  table->rows = rows;
  row->bytes = info->bytes;
  row->readable = !info->status;
  row->name = plain_copy(info->name);
  row->state = state_word(info);
  row->created = plain_copy(created ? created : "");
  row->command = info->status ? plain_copy("") : recording_command_line(info->details);
  return row->name && row->created && row->command ? 0 : out_of_memory(table);
}

/* -- The table ----------------------------------------------------------------------------------------------------- */

/* The oldest first; those of the same second, and those whose time is not known, by name as people count. */
static int compare_rows(const void *a, const void *b) {
  const struct row *x = a, *y = b;
  int order = strcmp(x->created, y->created);
  return order ? order : strverscmp(x->name, y->name);
}

static void size_text(uint64_t bytes, char out[16]) {
  static const char units[] = "BKMGTPE";
  int unit = 0;
  double value = (double)bytes;
  for (; value >= 1000 && units[unit + 1]; unit++) value /= 1024;
  snprintf(out, 16, unit && value < 10 ? "%.1f%c" : "%.0f%c", value, units[unit]);
}

static void print(const struct table *table) {
  size_t width = 4;
  for (size_t i = 0; i < table->count; i++)
    if (strlen(table->rows[i].name) > width) width = strlen(table->rows[i].name);
  if (table->count)
    printf("%-*s  %-10s %6s  %-20s  %s\n", (int)width, "NAME", "STATE", "SIZE", "CREATED", "COMMAND");
  for (size_t i = 0; i < table->count; i++) {
    const struct row *row = &table->rows[i];
    char size[16] = "-";
    if (row->readable) size_text(row->bytes, size);
    printf("%-*s  %-10s %6s  %-20s  %s\n", (int)width, row->name, row->state, size, row->created,
           row->command);
  }
}

static void free_table(struct table *table) {
  for (size_t i = 0; i < table->count; i++) {
    free(table->rows[i].name);
    free(table->rows[i].created);
    free(table->rows[i].command);
  }
  free(table->rows);
}

/* -- The command --------------------------------------------------------------------------------------------------- */

static int list_all(struct table *table) {
  char folder[RECORDING_PATH_MAX];
  struct recording_error error;
  if (recording_home(folder, &error) || (recording_list(folder, add_row, table, &error) && !table->no_memory))
    return complain_recording(&error);
  if (!table->count && isatty(STDERR_FILENO)) complain(0, "no recordings in %s", folder);
  return 0;
}

static int add_readable(const struct recording_info *info, void *context) {
  return info->status ? (int)info->status : add_row(info, context);
}

static int list_one(struct table *table, const char *name) {
  char path[RECORDING_PATH_MAX];
  struct recording_error error;
  if (recording_resolve(name, path, &error)) return complain_recording(&error);
  if (recording_describe(path, add_readable, table, &error) && !table->no_memory)
    return complain_recording(&error);
  return 0;
}

static int run(int argc, char **argv) {
  struct table table = {0};
  const struct option_row options[] = {{0}};
  int next;
  int status = options_parse(&ls_command, options, argc, argv, false, &next);
  if (status) return status;
  if (next == argc) status = list_all(&table);
  for (; next < argc && !table.no_memory; next++) {
    int failed = list_one(&table, argv[next]);
    if (!status) status = failed;
  }
  if (table.no_memory) {
    status = complain(STATUS_FAILED, "no memory for the list");
  } else {
    if (table.count) qsort(table.rows, table.count, sizeof *table.rows, compare_rows);
    print(&table);
  }
  free_table(&table);
  return status;
}

const struct command ls_command = {
    .name = "ls",
    .usage = "[--] [RECORDING]…",
    .summary = "list recordings",
    .help =
        "Lists the recordings of the default place, the oldest first, or only each RECORDING: a path if\n"
        "it holds a slash, else the name of one in the default place or in the current folder.\n"
        "\n"
        "The default place is $REPRISE_DIR, else $XDG_DATA_HOME/reprise, else ~/.local/share/reprise.\n"
        "There, `latest` is a link to the newest.\n"
        "\n"
        "States:\n"
        "  complete     made to its end\n"
        "  packed       the same, in one file\n"
        "  recording    being made at this moment\n"
        "  unfinished   its recorder was killed, or could not go on; it is good until then\n"
        "  damaged      its manifest is not what was written\n"
        "  version      of another version of the format\n"
        "  unreadable   it may not be read\n"
        "\n"
        "The exit status is 0; with RECORDING, 121 if it is damaged, of another version or no recording,\n"
        "2 if there is none of that name; 125 if reprise itself fails.",
    .run = run,
};
