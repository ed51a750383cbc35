/* running.c: forwards, backwards, and why the replay has stopped. */
#include <stdlib.h>
#include <string.h>

#include "dap/adapter.h"

/* -- Going ------------------------------------------------------------------------------------------------------------------- */

static bool resume(struct adapter *adapter, const char *command) {
  handles_clear(adapter);
  note_threads(adapter);
  adapter->told_run = true;
  struct value *results = ask(adapter, "%s", command);
  adapter->told_run = results;
  if (!results) return false;
  value_free(results);
  adapter->paused = false;
  return true;
}

bool run_on(struct adapter *adapter, bool backwards) {
  char command[64];
  snprintf(command, sizeof command, "exec-continue --thread %d%s", adapter->thread,
           backwards ? " --reverse" : "");
  adapter->continues = resume(adapter, command);
  adapter->backwards = backwards;
  return adapter->continues;
}

void serve_continue(struct adapter *adapter, const struct value *arguments, struct json *body) {
  (void)arguments;
  if (run_on(adapter, false)) json_bool(body, "allThreadsContinued", true);
}

void serve_reverse_continue(struct adapter *adapter, const struct value *arguments, struct json *body) {
  (void)arguments;
  (void)body;
  run_on(adapter, true);
}

static void step(struct adapter *adapter, const struct value *arguments, const char *line,
                 const char *instruction, const char *options) {
  char command[128];
  const char *granularity = value_text(arguments, "granularity");
  bool fine = granularity && !strcmp(granularity, "instruction");
  int64_t thread = value_number(arguments, "threadId", 0);
  if (thread <= 0 || thread > INT32_MAX) {
    adapter_fail(adapter, "threadId: there is no such thread");
    return;
  }
  adapter->continues = false;
  snprintf(command, sizeof command, "%s --thread %d --frame 0%s", fine ? instruction : line, (int)thread,
           options);
  resume(adapter, command);
}

void serve_next(struct adapter *adapter, const struct value *arguments, struct json *body) {
  (void)body;
  step(adapter, arguments, "exec-next", "exec-next-instruction", "");
}

void serve_step_in(struct adapter *adapter, const struct value *arguments, struct json *body) {
  (void)body;
  step(adapter, arguments, "exec-step", "exec-step-instruction", "");
}

void serve_step_out(struct adapter *adapter, const struct value *arguments, struct json *body) {
  (void)body;
  step(adapter, arguments, "exec-finish", "exec-finish", "");
}

void serve_step_back(struct adapter *adapter, const struct value *arguments, struct json *body) {
  (void)body;
  step(adapter, arguments, "exec-next", "exec-step-instruction", " --reverse");
}

void serve_pause(struct adapter *adapter, const struct value *arguments, struct json *body) {
  (void)arguments;
  (void)body;
  if (!adapter->runs) return;
  adapter->paused = true;
  if (!adapter->interrupted) gdb_interrupt(adapter);
}

/* -- Stops ------------------------------------------------------------------------------------------------------------------- */

void tell_stopped(struct adapter *adapter, const char *reason, const char *description, int breakpoint) {
  struct event event;
  struct json *body = event_begin(&event, "stopped");
  json_string(body, "reason", reason);
  json_string(body, "description", description);
  json_string(body, "text", adapter->exception);
  if (adapter->thread) json_signed(body, "threadId", adapter->thread);
  json_bool(body, "allThreadsStopped", true);
  if (breakpoint) {
    json_open_list(body, "hitBreakpointIds");
    json_signed(body, NULL, breakpoint);
    json_close_list(body);
  }
  event_send(adapter, &event);
}

static void tell_ended(struct adapter *adapter, const struct value *results) {
  struct event event;
  const char *code = value_text(results, "exit-code"); /* in octal digits */
  adapter->ended = true;
  struct json *body = event_begin(&event, "exited");
  json_signed(body, "exitCode", code ? strtol(code, NULL, 8) : value_text(results, "signal-name") ? -1 : 0);
  event_send(adapter, &event);
  event_begin(&event, "terminated");
  event_send(adapter, &event);
}

/* One process has ended; others may be there. */
static bool anyone_left(struct adapter *adapter) {
  struct value *results = try(adapter, "thread-info");
  const struct value *thread = value_list(results, "threads");
  if (thread) adapter->thread = (int)value_number(thread, "id", 0);
  bool left = thread;
  value_free(results);
  return left;
}

static void tell_breakpoint(struct adapter *adapter, const struct value *results) {
  static const char *const names[] = {[BREAK_LINE] = "breakpoint",
                                      [BREAK_FUNCTION] = "function breakpoint",
                                      [BREAK_INSTRUCTION] = "instruction breakpoint",
                                      [BREAK_DATA] = "data breakpoint",
                                      [BREAK_EXCEPTION] = "exception"};
  const struct breakpoint *hit = breakpoint_of_number(adapter, value_number(results, "bkptno", 0));
  if (hit && hit->kind == BREAK_EXCEPTION && asprintf(&adapter->exception, "C++ %s", hit->place) < 0)
    adapter->exception = NULL;
  tell_stopped(adapter, hit ? names[hit->kind] : "breakpoint", NULL, hit ? hit->id : 0);
}

static void tell_watchpoint(struct adapter *adapter, const struct value *results) {
  static const char *const kinds[] = {"wpt", "hw-rwpt", "hw-awpt"};
  const struct value *watch = NULL, *value = value_member(results, "value");
  for (size_t i = 0; i < sizeof kinds / sizeof *kinds && !watch; i++) watch = value_member(results, kinds[i]);
  const struct breakpoint *hit = breakpoint_of_number(adapter, value_number(watch, "number", 0));
  const char *before = value_text(value, "old"), *after = value_text(value, "new");
  const char *expression = value_text(watch, "exp");
  char description[256];
  if (before && after)
    snprintf(description, sizeof description, "%s: %s, then %s", expression ? expression : "data", before,
             after);
  else
    snprintf(description, sizeof description, "%s was accessed", expression ? expression : "data");
  tell_stopped(adapter, "data breakpoint", description, hit ? hit->id : 0);
}

static void tell_signal(struct adapter *adapter, const struct value *results) {
  const char *name = value_text(results, "signal-name"), *meaning = value_text(results, "signal-meaning");
  if (!name || !strcmp(name, "0") || !strcmp(name, "SIGTRAP")) {
    tell_stopped(adapter, "goto", NULL, 0); /* a command has moved the replay */
  } else if (adapter->paused && !strcmp(name, "SIGINT")) {
    tell_stopped(adapter, "pause", NULL, 0);
  } else {
    adapter->exception = strdup(name);
    tell_stopped(adapter, "exception", meaning, 0);
  }
}

static bool is_interrupt(const struct value *results) {
  const char *name = value_text(results, "signal-name");
  return name && !strcmp(name, "SIGINT");
}

static void take_stop(struct adapter *adapter, const struct value *results) {
  const char *reason = value_text(results, "reason");
  adapter->runs = false;
  adapter->thread = (int)value_number(results, "thread-id", adapter->thread);
  handles_clear(adapter);
  free(adapter->exception);
  adapter->exception = NULL;
  if (!adapter->configured) return;
  if (adapter->interrupted && !adapter->paused && is_interrupt(results)) return; /* it goes on */
  adapter->interrupted = false;
  bool at_edge = adapter->at_edge || (reason && !strcmp(reason, "no-history"));
  adapter->at_edge = false;
  if (at_edge)
    tell_stopped(adapter, "pause", "The recording begins or ends here", 0);
  else if (!reason)
    tell_stopped(adapter, "goto", NULL, 0);
  else if (!strncmp(reason, "exited", 6) && !anyone_left(adapter))
    tell_ended(adapter, results);
  else if (!strcmp(reason, "breakpoint-hit"))
    tell_breakpoint(adapter, results);
  else if (strstr(reason, "watchpoint-trigger"))
    tell_watchpoint(adapter, results);
  else if (!strcmp(reason, "signal-received"))
    tell_signal(adapter, results);
  else if (!strcmp(reason, "end-stepping-range") || !strcmp(reason, "function-finished") ||
           !strcmp(reason, "location-reached"))
    tell_stopped(adapter, "step", NULL, 0);
  else
    tell_stopped(adapter, "breakpoint", reason, 0); /* a catchpoint of the user's */
}

void serve_exception_info(struct adapter *adapter, const struct value *arguments, struct json *body) {
  (void)arguments;
  if (!adapter->exception) {
    adapter_fail(adapter, "the program has not stopped for an exception or a signal");
    return;
  }
  json_string(body, "exceptionId", adapter->exception);
  json_string(body, "breakMode", "always");
}

/* -- News -------------------------------------------------------------------------------------------------------------------- */

static void tell_thread(struct adapter *adapter, const struct value *results, const char *reason) {
  struct event event;
  if (!adapter->configured) return;
  struct json *body = event_begin(&event, "thread");
  json_string(body, "reason", reason);
  json_signed(body, "threadId", value_number(results, "id", 0));
  event_send(adapter, &event);
}

/* By a command of the console; of its own requests the editor knows. */
static void take_run(struct adapter *adapter) {
  struct event event;
  adapter->runs = true;
  if (!adapter->configured || adapter->told_run) return;
  adapter->told_run = true;
  adapter->continues = false;
  struct json *body = event_begin(&event, "continued");
  json_signed(body, "threadId", adapter->thread);
  json_bool(body, "allThreadsContinued", true);
  event_send(adapter, &event);
}

void take_news(struct adapter *adapter, const struct mi_record *record) {
  if (!strcmp(record->text, "stopped")) {
    adapter->told_run = false;
    take_stop(adapter, record->results);
  } else if (!strcmp(record->text, "running")) {
    take_run(adapter);
  } else if (!strcmp(record->text, "thread-created")) {
    tell_thread(adapter, record->results, "started");
  } else if (!strcmp(record->text, "thread-exited")) {
    tell_thread(adapter, record->results, "exited");
  } else if (!strcmp(record->text, "breakpoint-modified")) {
    breakpoint_changed(adapter, value_member(record->results, "bkpt"));
  }
}
