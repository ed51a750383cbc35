/* dump.c: reprise dump: the events of a recording, one a line. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/cli.h"
#include "cli/options.h"
#include "cli/entry.h"
#include "cli/recordings.h"
#include "inspect/locations.h"

struct filter {
  bool json;
  const char *threads;         /* "1,3-5", NULL: all */
  bool kinds[EVENT_KINDS + 1]; /* the last is for chunks */
  bool some_kinds;
  uint64_t from, to; /* positions */
};

/* -- Arguments ---------------------------------------------------------------------------------------------------------------- */

static int kind_number(const char *name, size_t length) {
  for (uint32_t kind = 1; kind <= EVENT_KINDS; kind++) {
    const char *known = kind == EVENT_KINDS ? "chunk" : input_event_name(kind);
    if (strlen(known) == length && !strncmp(known, name, length)) return (int)kind;
  }
  return -1;
}

static bool take_kinds(void *into, const char *text) {
  struct filter *filter = into;
  while (*text) {
    size_t length = strcspn(text, ",");
    int kind = kind_number(text, length);
    if (kind < 0) return false;
    filter->kinds[kind] = filter->some_kinds = true;
    text += length + (text[length] == ',');
  }
  return true;
}

/* One range of such a list: *text moves on behind it. */
static bool next_range(const char **text, unsigned long *from, unsigned long *to) {
  char *end;
  if (**text < '0' || **text > '9') return false;
  *from = *to = strtoul(*text, &end, 10);
  if (*end == '-') {
    if (end[1] < '0' || end[1] > '9') return false;
    *to = strtoul(end + 1, &end, 10);
  }
  if (*end && *end != ',') return false;
  *text = end + (*end == ',');
  return *from <= *to;
}

static bool take_threads(void *into, const char *text) {
  unsigned long from, to;
  *(const char **)into = text;
  for (const char *at = text; at == text || *at;)
    if (!next_range(&at, &from, &to)) return false;
  return true;
}

/* -- Entries ------------------------------------------------------------------------------------------------------------------ */

static bool wants_thread(const struct filter *filter, uint32_t thread) {
  const char *at = filter->threads;
  unsigned long from, to;
  if (!at) return true;
  while (*at && next_range(&at, &from, &to))
    if (thread >= from && thread <= to) return true;
  return false;
}

static bool wants(const struct filter *filter, const struct log_entry *entry) {
  int kind = entry->kind == LOG_CHUNK ? (int)EVENT_KINDS : entry->event.kind;
  return (!filter->some_kinds || filter->kinds[kind]) && entry->position >= filter->from &&
         entry->position <= filter->to && wants_thread(filter, entry->thread);
}

static void show(const struct filter *filter, struct places *places, const struct log_entry *entry) {
  uint64_t pc;
  const char *place = entry_pc(entry, &pc) ? places_text(places, entry->thread, pc) : "";
  const char *file = NULL;
  if (entry->kind == LOG_EVENT && entry->event.kind == EVENT_FILE)
    file = places_path(places, entry->event.file.file);
  if (entry->kind == LOG_EVENT && entry->event.kind == EVENT_CHANGE)
    file = places_path(places, entry->event.change.file);
  (filter->json ? entry_json : entry_text)(stdout, entry, place, file);
}

static int dump(const char *path, const struct filter *filter) {
  struct recording_reader *reader;
  struct recording_error error;
  struct logs *logs;
  struct log_entry entry;
  if (recording_open(path, RECORDING_ANY_ARCHITECTURE, &reader, &error)) return complain_recording(&error);
  if (recording_get(reader, "substrate", 0)) {
    recording_reader_close(reader);
    return complain(STATUS_USAGE,
                    "%s: recorded on the simulated machine: its events are not printed (`reprise stat`, "
                    "`reprise sim replay`)",
                    path);
  }
  int status = logs_open(reader, NULL, NULL, &logs, &error);
  struct places *places = places_new(reader);
  if (!status && places) {
    while (!(status = logs_next(logs, &entry, &error)) && !ferror(stdout)) {
      if (!places_follow(places, &entry)) break;
      if (wants(filter, &entry)) show(filter, places, &entry);
    }
    logs_close(logs);
  }
  places_free(places);
  recording_reader_close(reader);
  if (ferror(stdout)) return STATUS_FAILED; /* which is told in the end */
  if (status == RECORDING_OK) return complain(STATUS_FAILED, "no memory for what was mapped");
  return status == RECORDING_END ? 0 : complain_recording(&error);
}

static int run(int argc, char **argv) {
  struct filter filter = {.to = UINT64_MAX};
  char path[RECORDING_PATH_MAX];
  const struct option_row options[] = {
      {"json", 0, OPTION_ALONE, take_true, &filter.json, NULL},
      {"thread", 0, OPTION_WITH_VALUE, take_threads, &filter.threads, "numbers of threads, like 0,2-4"},
      {"kind", 0, OPTION_WITH_VALUE, take_kinds, &filter, "kinds of events, like syscall,signal"},
      {"from", 0, OPTION_WITH_VALUE, take_position, &filter.from, "a position"},
      {"to", 0, OPTION_WITH_VALUE, take_position, &filter.to, "a position"},
      {0}};
  int next;
  int status = options_parse(&dump_command, options, argc, argv, false, &next);
  if (!status) status = find_recording(&dump_command, argc, argv, next, path);
  return status ? status : dump(path, &filter);
}

const struct command dump_command = {
    .name = "dump",
    .usage = "[--json] [--thread=LIST] [--kind=LIST] [--from=POSITION] [--to=POSITION] [RECORDING|latest]",
    .summary = "print the events of a recording",
    .help =
        "Prints what RECORDING (default: the latest) holds, an event a line, in the order in which it\n"
        "happened: thread, position, kind, and what it was; system calls, signals and checks with the "
        "function\n"
        "and source line where they happened, as far as the recorded files tell.\n"
        "\n"
        "  --json           each line is a JSON object, with all the bytes\n"
        "  --thread=LIST    only these threads, as in 0,2-4\n"
        "  --kind=LIST      only these kinds: syscall, copy-in, signal, instruction, file, thread, process, "
        "exit,\n"
        "                   check, change, chunk\n"
        "  --from=POSITION  only what happened at this position of its thread or later\n"
        "  --to=POSITION    … or earlier\n"
        "\n"
        "The exit status is 0; 121 if RECORDING is damaged, of another version or no recording, 2 if there "
        "is\n"
        "none of that name; 125 if reprise itself fails.",
    .run = run,
};
