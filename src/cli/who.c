/* who.c: `reprise who`: the last write of an address. */
#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/options.h"
#include "inspect/json.h"
#include "cli/recordings.h"
#include "cli/thread_view.h"
#include "debug/session.h"
#include "recording/plain.h"

enum { NOT_WRITTEN = 1 };

struct question {
  struct debug_watch watch;
  const char *at;
  bool as_json, confined;
};

/* ADDRESS[,BYTES], as in C: decimal, 0x…; false: it is no such thing. */
static bool parse_memory(const char *text, struct debug_watch *watch) {
  char *end;
  if (*text < '0' || *text > '9') return false;
  errno = 0;
  watch->address = strtoull(text, &end, 0);
  watch->bytes = 1;
  if (*end == ',' && end[1] >= '0' && end[1] <= '9') watch->bytes = strtoull(end + 1, &end, 0);
  bool wraps = watch->address + watch->bytes < watch->address;
  return !*end && !errno && watch->bytes && watch->bytes <= DEBUG_WATCH_BYTES && !wraps;
}

/* The moment of a write by the kernel is an event of the thread, which has an odd number; one within no call is the entry of a handler. */
static const char *kernel_part(const struct session *session, const struct thread_view *view) {
  if (!(session->stop.moment.event & 1)) return NULL;
  return view->call ? view->call : "entry of a signal handler";
}

static void print(const struct session *session) {
  struct thread_view view = thread_view(session, session->stop.slot);
  const char *kernel = kernel_part(session, &view);
  char moment[MOMENT_TEXT];
  moment_print(&session->stop.moment, moment);
  printf("at %s, thread %" PRIu32 " (process %d, id %d, ", moment, view.thread, view.pid, view.tid);
  plain_write(stdout, view.name);
  printf("): %s%s", kernel ? kernel : "", kernel ? " at " : "");
  code_place_print(&view.place, stdout);
  putchar('\n');
}

static void print_json(const struct session *session, const struct question *question, bool written) {
  struct json json = json_begin(stdout);
  char moment[MOMENT_TEXT];
  json_address(&json, "address", question->watch.address);
  json_number(&json, "bytes", question->watch.bytes);
  json_bool(&json, "written", written);
  if (written) {
    struct thread_view view = thread_view(session, session->stop.slot);
    moment_print(&session->stop.moment, moment);
    json_string(&json, "moment", moment);
    json_string(&json, "by", kernel_part(session, &view));
    thread_view_json(&view, &json);
  }
  json_end(&json);
}

/* Of the process that has the turn, unless another was named. */
static int answer(struct session *session, struct question *question) {
  int status = session_verdict(session);
  if (status) return status;
  if (!question->watch.pid)
    question->watch.pid = target_thread(session, session->stop.slot)->pid;
  else if (target_find(session, question->watch.pid, 0) < 0)
    return complain(STATUS_FAILED, "there is no process %d at that moment", question->watch.pid);
  enum travel result = travel_to_last_write(session, &question->watch);
  bool written = result == TRAVEL_STOPPED;
  if (!written && result != TRAVEL_BEGIN)
    return complain(STATUS_FAILED, "the replay has ended before it was there");
  if (question->as_json)
    print_json(session, question, written);
  else if (written)
    print(session);
  else
    puts("it was not written before");
  return written ? 0 : NOT_WRITTEN;
}

static int run(int argc, char **argv) {
  static char path[RECORDING_PATH_MAX];
  static struct session session;
  struct question question = {.watch.access = DEBUG_WRITES, .at = "end", .confined = CAN_CONFINE};
  const struct option_row options[] = {
      {"at", 0, OPTION_WITH_VALUE, take_text, &question.at, NULL},
      {"process", 0, OPTION_WITH_VALUE, take_process, &question.watch.pid, "the recorded id of a process"},
      {"json", 0, OPTION_ALONE, take_true, &question.as_json, NULL},
      {"unconfined", 0, OPTION_ALONE, take_false, &question.confined, NULL},
      {0}};
  int next;
  int status = options_parse(&who_command, options, argc, argv, false, &next);
  if (status) return status;
  if (next == argc) return bad_usage(&who_command, "no address given");
  if (!parse_memory(argv[next], &question.watch))
    return bad_usage(&who_command, "%s: not an address, and at most %d bytes", argv[next], DEBUG_WATCH_BYTES);
  status = find_recording(&who_command, argc, argv, next + 1, path);
  if (status) return status;
  session.confined = question.confined;
  session.apart = -1;
  status = session_open(&session, path, question.at);
  if (status) return status;
  status = answer(&session, &question);
  session_close(&session);
  return status;
}

const struct command who_command = {
    .name = "who",
    .usage = "[--at=PLACE] [--process=PID] [--json] [--unconfined] ADDRESS[,BYTES] [RECORDING|latest]",
    .summary = "tell who wrote an address last",
    .help =
        "Replays RECORDING to PLACE, its end if none is given, and tells the last write of the memory at "
        "ADDRESS before\n"
        "that: the moment, the thread, and the instruction with its function and line. Writes that change "
        "nothing count,\n"
        "and so does what a system call has written: it is named then. To find the write before that one, "
        "ask again with\n"
        "--at= and the moment that was told.\n"
        "\n"
        "ADDRESS and BYTES are decimal, or hexadecimal with 0x; one byte unless BYTES says otherwise, 4096 "
        "at most.\n"
        "\n"
        "  --at=PLACE      as in `reprise debug'\n"
        "  --process=PID   in the memory of the process with this recorded id; otherwise in that of the one "
        "that has\n"
        "                  the turn at PLACE\n"
        "  --json          as one JSON object\n"
        "  --unconfined    as in `reprise replay'\n"
        "\n"
        "The exit status is 0, or 1 if it was not written before; 121 if the recording is damaged, 125 if "
        "there is no such\n"
        "moment or reprise itself fails, 2 for a mistake in the arguments.",
    .run = run,
};
