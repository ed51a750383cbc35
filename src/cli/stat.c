/* stat.c: reprise stat: the numbers of a recording. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/options.h"
#include "inspect/json.h"
#include "cli/recordings.h"
#include "cli/stat_simulated.h"
#include "recording/plain.h"
#include "input/input.h"
#include "inspect/summary.h"

enum { SHOWN_CALLS = 10 };

/* Facts about a recording. */
struct facts {
  const char *path, *state, *created, *order, *status, *breaks_off, *duration, *architecture, *replica;
  char *command; /* allocated */
  uint64_t images;
};

static int count_image(struct recording_stream_id id, void *context, struct recording_error *error) {
  (void)id, (void)error;
  ++*(uint64_t *)context;
  return RECORDING_OK;
}

static const char *state_name(const struct recording_reader *reader) {
  switch (recording_reader_state(reader)) {
    case RECORDING_COMPLETE:
      return "complete";
    case RECORDING_LIVE:
      return "recording";
    default:
      return "unfinished";
  }
}

static struct facts facts_of(const struct recording_reader *reader) {
  return (struct facts){
      .path = recording_reader_path(reader),
      .state = state_name(reader),
      .command = recording_command_line(reader),
      .created = recording_get(reader, "created", 0),
      .order = recording_get(reader, "order", 0),
      .status = recording_get(reader, "status", 0),
      .breaks_off = recording_get(reader, "breaks-off", 0),
      .duration = recording_get(reader, "duration", 0),
      .architecture = recording_get(reader, "architecture", 0),
      .replica = recording_get(reader, "replica", 0),
  };
}

/* Bytes of log for a thousand instructions. */
static double rate(const struct summary *s, uint64_t bytes) {
  return s->all.instructions ? (double)bytes * 1000 / (double)s->all.instructions : 0;
}

/* The numbers of the calls that were made most often: how many. */
static int frequent_calls(const struct summary *s, unsigned numbers[SHOWN_CALLS]) {
  int count = 0;
  for (unsigned nr = 0; nr < SUMMARY_CALLS; nr++) {
    if (!s->calls[nr]) continue;
    int at = count < SHOWN_CALLS ? count++ : SHOWN_CALLS;
    for (; at > 0 && s->calls[numbers[at - 1]] < s->calls[nr]; at--)
      if (at < SHOWN_CALLS) numbers[at] = numbers[at - 1];
    if (at < SHOWN_CALLS) numbers[at] = nr;
  }
  return count;
}

static const char *call_name(unsigned nr) {
  const struct input_row *row = input_row((long)nr);
  return row ? row->name : "other";
}

/* -- Text --------------------------------------------------------------------------------------------------------------------- */

static void line(const char *name, const char *value) {
  if (!value) return;
  printf("%-14s ", name);
  plain_write(stdout, value);
  putchar('\n');
}

static void number(const char *name, uint64_t value) {
  printf("%-14s %" PRIu64 "\n", name, value);
}

static void log_line(const char *name, uint64_t raw, uint64_t stored) {
  printf("%-14s %" PRIu64 " bytes, %" PRIu64 " on disk\n", name, raw, stored);
}

static void print_threads(const struct summary *s) {
  printf("\n%6s %7s %14s %10s %9s %8s %12s %12s %12s\n", "THREAD", "PROCESS", "INSTRUCTIONS", "CALLS",
         "SIGNALS", "CHUNKS", "COPIED-IN", "LOG", "ON-DISK");
  for (size_t i = 0; i < s->thread_count; i++) {
    const struct thread_summary *t = &s->threads[i];
    if (!t->known) continue;
    printf("%6zu %7" PRIu32 " %14" PRIu64 " %10" PRIu64 " %9" PRIu64 " %8" PRIu64 " %12" PRIu64 " %12" PRIu64
           " %12" PRIu64 "\n",
           i, t->process, t->instructions, t->events[EVENT_SYSCALL], t->events[EVENT_SIGNAL], t->chunks,
           t->copied, t->raw, t->stored);
  }
}

/* How much of memory the recording has digests of, the best first. */
static void print_memory_checks(const struct summary *s) {
  const char *before = "";
  printf("%-14s ", "memory checked");
  for (unsigned sample = 0; sample <= EVENT_SAMPLE_LAST; sample++) {
    if (!s->memory_checks[sample]) continue;
    if (!sample) printf("whole");
    if (sample) printf("%sone page in %lu", before, 1UL << sample);
    printf(", at %" PRIu64 " %s", s->memory_checks[sample],
           s->memory_checks[sample] == 1 ? "place" : "places");
    before = "; ";
  }
  puts(*before ? "" : "never");
}

static void print_text(const struct facts *facts, const struct summary *s) {
  unsigned calls[SHOWN_CALLS];
  line("recording", facts->path);
  line("state", facts->state);
  line("command", facts->command);
  line("created", facts->created);
  line("architecture", facts->architecture);
  line("order", facts->order);
  line("ended", facts->status);
  line("breaks off", facts->breaks_off);
  line("replica", facts->replica);
  if (facts->duration) printf("%-14s %s s\n", "duration", facts->duration);
  number("processes", s->processes);
  number("threads", s->live_threads);
  if (facts->images) number("images", facts->images);
  number("instructions", s->all.instructions);
  number("chunks", s->all.chunks);
  for (uint32_t kind = 1; kind < EVENT_KINDS; kind++)
    if (kind != EVENT_THREAD && kind != EVENT_PROCESS) {
      char name[32];
      snprintf(name, sizeof name, "%ss", kind == EVENT_INSN ? "value" : input_event_name(kind));
      number(name, s->all.events[kind]);
    }
  if (s->epochs) number("epochs", s->epochs);
  print_memory_checks(s);
  number("copied in", s->all.copied);
  log_line("input log", s->all.raw, s->all.stored);
  log_line("order log", s->order_raw, s->order_stored);
  printf("%-14s %.3f bytes per thousand instructions, %.3f on disk\n", "logs",
         rate(s, s->all.raw + s->order_raw), rate(s, s->all.stored + s->order_stored));
  int count = frequent_calls(s, calls);
  for (int i = 0; i < count; i++)
    printf("%-14s %" PRIu64 " %s\n", i ? "" : "most called", s->calls[calls[i]], call_name(calls[i]));
  print_threads(s);
}

/* -- JSON --------------------------------------------------------------------------------------------------------------------- */

static void events_json(struct json *json, const struct thread_summary *t) {
  json_number(json, "instructions", t->instructions);
  json_number(json, "chunks", t->chunks);
  for (uint32_t kind = 1; kind < EVENT_KINDS; kind++)
    json_number(json, input_event_name(kind), t->events[kind]);
  json_number(json, "copied_bytes", t->copied);
  json_number(json, "input_bytes", t->raw);
  json_number(json, "input_stored_bytes", t->stored);
}

static void print_json(const struct facts *facts, const struct summary *s) {
  struct json json = json_begin(stdout);
  json_string(&json, "is", "recording");
  json_string(&json, "path", facts->path);
  json_string(&json, "state", facts->state);
  json_string(&json, "command", facts->command);
  json_string(&json, "created", facts->created);
  json_string(&json, "architecture", facts->architecture);
  json_string(&json, "order", facts->order);
  json_string(&json, "ended", facts->status);
  json_string(&json, "breaks_off", facts->breaks_off);
  json_string(&json, "replica", facts->replica);
  json_string(&json, "duration", facts->duration);
  json_number(&json, "processes", s->processes);
  json_number(&json, "threads", s->live_threads);
  json_number(&json, "images", facts->images);
  json_number(&json, "epochs", s->epochs);
  events_json(&json, &s->all);
  json_number(&json, "order_bytes", s->order_raw);
  json_number(&json, "order_stored_bytes", s->order_stored);
  json_end(&json);
  for (unsigned sample = 0; sample <= EVENT_SAMPLE_LAST; sample++) {
    if (!s->memory_checks[sample]) continue;
    json = json_begin(stdout);
    json_string(&json, "is", "memory_check");
    json_number(&json, "one_page_in", 1UL << sample);
    json_number(&json, "count", s->memory_checks[sample]);
    json_end(&json);
  }
  for (unsigned nr = 0; nr < SUMMARY_CALLS; nr++) {
    if (!s->calls[nr]) continue;
    json = json_begin(stdout);
    json_string(&json, "is", "call");
    json_string(&json, "name", call_name(nr));
    json_number(&json, "count", s->calls[nr]);
    json_end(&json);
  }
  for (size_t i = 0; i < s->thread_count; i++) {
    if (!s->threads[i].known) continue;
    json = json_begin(stdout);
    json_string(&json, "is", "thread");
    json_number(&json, "thread", i);
    json_number(&json, "in_process", s->threads[i].process);
    events_json(&json, &s->threads[i]);
    json_end(&json);
  }
}

/* -- The command -------------------------------------------------------------------------------------------------------------- */

static int print(const char *path, bool json) {
  struct recording_reader *reader;
  struct recording_error error;
  struct summary summary;
  if (recording_open(path, RECORDING_ANY_ARCHITECTURE, &reader, &error)) return complain_recording(&error);
  if (recording_get(reader, "substrate", 0)) return print_simulated(reader, json);
  int status = summary_count(reader, &summary, &error);
  struct facts facts = facts_of(reader);
  if (!status) status = recording_each_image(reader, count_image, &facts.images, &error);
  if (!status) (json ? print_json : print_text)(&facts, &summary);
  free(facts.command);
  summary_free(&summary);
  recording_reader_close(reader);
  return status ? complain_recording(&error) : 0;
}

static int run(int argc, char **argv) {
  char path[RECORDING_PATH_MAX];
  bool json = false;
  const struct option_row options[] = {{"json", 0, OPTION_ALONE, take_true, &json, NULL}, {0}};
  int next;
  int status = options_parse(&stat_command, options, argc, argv, false, &next);
  if (!status) status = find_recording(&stat_command, argc, argv, next, path);
  return status ? status : print(path, json);
}

const struct command stat_command = {
    .name = "stat",
    .usage = "[--json] [--] [RECORDING|latest]",
    .summary = "tell the numbers of a recording",
    .help =
        "Tells how long RECORDING (default: the latest) is, in all and thread by thread: instructions, "
        "system\n"
        "calls, signals and other events, chunks, bytes of its logs before and after compression.\n"
        "\n"
        "  --json   a JSON object a line: the recording, then each system call that was made, then each "
        "thread\n"
        "\n"
        "The exit status is 0; 121 if RECORDING is damaged, of another version or no recording, 2 if there "
        "is\n"
        "none of that name; 125 if reprise itself fails.",
    .run = run,
};
