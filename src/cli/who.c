/* who.c: `reprise who`: the last write of an address. */
#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/json.h"
#include "cli/recordings.h"
#include "debug/session.h"
#include "input/input.h"
#include "recording/plain.h"

#if defined(REPRISE_EMULATED)
enum { CAN_CONFINE = 0 };
#else
enum { CAN_CONFINE = 1 };
#endif

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

static bool parse_process(const char *text, int32_t *pid) {
  char *end;
  long number = strtol(text, &end, 10);
  *pid = (int32_t)number;
  return *text && !*end && number > 0 && number <= INT32_MAX;
}

/* What is told of a write. */
struct answer {
  char moment[MOMENT_TEXT], name[16];
  int32_t pid, tid;
  uint32_t thread;
  const char *call; /* the system call that has written it, or NULL */
  struct code_place place;
};

/* The moment of a write by the kernel is an event of the thread, which has an odd number; one within no call is the entry of a handler. */
static struct answer describe(const struct session *session) {
  uint32_t slot = session->stop.slot;
  const struct debug_thread *thread = target_thread(session, slot);
  struct answer answer = {
      .pid = thread->pid, .tid = thread->tid, .thread = session->run.region->slots[slot].number};
  const struct input_row *row = thread->call > 0 ? input_row((unsigned)thread->call - 1) : NULL;
  if (session->stop.moment.event & 1) answer.call = row ? row->name : "entry of a signal handler";
  moment_print(&session->stop.moment, answer.moment);
  target_name(session, slot, answer.name);
  target_place(session, slot, target_pc(session, slot), &answer.place);
  return answer;
}

static void print(const struct answer *answer) {
  printf("at %s, thread %" PRIu32 " (process %d, id %d, ", answer->moment, answer->thread, answer->pid,
         answer->tid);
  plain_write(stdout, answer->name);
  fputs("): ", stdout);
  if (answer->call) printf("%s at ", answer->call);
  code_place_print(&answer->place, stdout);
  putchar('\n');
}

static void print_json(const struct question *question, const struct answer *answer) {
  struct json json = json_begin(stdout);
  json_address(&json, "address", question->watch.address);
  json_number(&json, "bytes", question->watch.bytes);
  json_bool(&json, "written", answer);
  if (answer) {
    json_string(&json, "moment", answer->moment);
    json_number(&json, "thread", answer->thread);
    json_signed(&json, "process", answer->pid);
    json_signed(&json, "id", answer->tid);
    json_string(&json, "name", answer->name);
    json_string(&json, "by", answer->call);
    json_address(&json, "pc", answer->place.address);
    json_string(&json, "symbol", *answer->place.symbol ? answer->place.symbol : NULL);
    json_string(&json, "file", *answer->place.file ? answer->place.file : NULL);
  }
  json_end(&json);
}

/* Of the process that has the turn, unless another was named. */
static int answer(struct session *session, struct question *question) {
  if (!question->watch.pid)
    question->watch.pid = target_thread(session, session->stop.slot)->pid;
  else if (target_find(session, question->watch.pid, 0) < 0)
    return complain(STATUS_FAILED, "there is no process %d at that moment", question->watch.pid);
  enum travel result = travel_to_last_write(session, &question->watch);
  if (result == TRAVEL_STOPPED) {
    struct answer found = describe(session);
    if (question->as_json)
      print_json(question, &found);
    else
      print(&found);
    return 0;
  }
  if (result != TRAVEL_BEGIN) return complain(STATUS_FAILED, "the replay has ended before it was there");
  if (question->as_json)
    print_json(question, NULL);
  else
    puts("it was not written before");
  return NOT_WRITTEN;
}

/* Whether the argument is an option; *wrong: one with a wrong value. */
static bool take_option(const char *text, struct question *question, bool *wrong) {
  if (!strncmp(text, "--at=", 5))
    question->at = text + 5;
  else if (!strncmp(text, "--process=", 10))
    *wrong = !parse_process(text + 10, &question->watch.pid);
  else if (!strcmp(text, "--json"))
    question->as_json = true;
  else if (!strcmp(text, "--unconfined"))
    question->confined = false;
  else
    return false;
  return true;
}

static int run(int argc, char **argv) {
  static char path[RECORDING_PATH_MAX];
  static struct session session;
  struct recording_error error;
  struct question question = {.watch.access = DEBUG_WRITES, .at = "end", .confined = CAN_CONFINE};
  const char *operands[2] = {NULL};
  int count = 0;
  bool wrong = false, options = true;
  for (int i = 1; i < argc; i++) {
    if (options && !strcmp(argv[i], "--"))
      options = false;
    else if (options && argv[i][0] == '-') {
      if (!take_option(argv[i], &question, &wrong))
        return bad_usage(&who_command, "%s: no such option", argv[i]);
      if (wrong) return bad_usage(&who_command, "%s: no process", argv[i]);
    } else if (count == 2)
      return bad_usage(&who_command, "too many arguments");
    else
      operands[count++] = argv[i];
  }
  if (!count) return bad_usage(&who_command, "no address given");
  if (!parse_memory(operands[0], &question.watch))
    return bad_usage(&who_command, "%s: not an address, and at most %d bytes", operands[0],
                     DEBUG_WATCH_BYTES);
  const char *name = operands[1] && strcmp(operands[1], "latest") ? operands[1] : NULL;
  if (recording_resolve(name, path, &error)) return complain_recording(&error);
  session.confined = question.confined;
  session.apart = -1;
  int status = session_open(&session, path, question.at);
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
