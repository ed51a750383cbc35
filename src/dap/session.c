/* session.c: the beginning and the end of a session. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "dap/adapter.h"
#include "debug/session.h"
#include "sphere/installed.h"

/* -- What the adapter can do ------------------------------------------------------------------------------------------------- */

static void tell_filter(struct json *body, const char *filter, const char *label, const char *description) {
  json_open_object(body, NULL);
  json_string(body, "filter", filter);
  json_string(body, "label", label);
  json_string(body, "description", description);
  json_bool(body, "supportsCondition", false);
  json_close_object(body);
}

void serve_initialize(struct adapter *adapter, const struct value *arguments, struct json *body) {
  static const char *const capabilities[] = {
      "supportsConfigurationDoneRequest", "supportsFunctionBreakpoints",
      "supportsConditionalBreakpoints",   "supportsHitConditionalBreakpoints",
      "supportsEvaluateForHovers",        "supportsStepBack",
      "supportsRestartRequest",           "supportsExceptionInfoRequest",
      "supportsDelayedStackTraceLoading", "supportsTerminateRequest",
      "supportsDataBreakpoints",          "supportsReadMemoryRequest",
      "supportsDisassembleRequest",       "supportsSteppingGranularity",
      "supportsInstructionBreakpoints",   "supportsCompletionsRequest",
  };
  (void)adapter;
  (void)arguments;
  for (size_t i = 0; i < sizeof capabilities / sizeof *capabilities; i++)
    json_bool(body, capabilities[i], true);
  json_open_list(body, "exceptionBreakpointFilters");
  tell_filter(body, "throw", "C++: throw", "Stops where an exception is thrown");
  tell_filter(body, "rethrow", "C++: rethrow", "Stops where an exception is thrown again");
  tell_filter(body, "catch", "C++: catch", "Stops where an exception is caught");
  json_close_list(body);
}

void serve_attach(struct adapter *adapter, const struct value *arguments, struct json *body) {
  (void)arguments;
  (void)body;
  adapter_fail(adapter, "attach is not supported: a recording is launched");
}

/* -- Launch ------------------------------------------------------------------------------------------------------------------ */

/* Finds the recording and makes the line by which gdb connects to it: what is wrong with it is told here, in our own words. */
static bool choose_recording(struct adapter *adapter, const struct value *arguments) {
  static char path[RECORDING_PATH_MAX];
  const char *name = value_text(arguments, "recording"), *at = value_text(arguments, "at");
  struct recording_reader *reader;
  struct recording_error error;
  struct place place;
  if (value_member(arguments, "recording") && !name) {
    adapter_fail(adapter, "recording: this is no name");
    return false;
  }
  if ((value_member(arguments, "at") && !at) || (at && !place_parse(at, &place))) {
    adapter_fail(adapter, "at: %.80s: this is no moment", at ? at : "");
    return false;
  }
  if (recording_resolve(name && strcmp(name, "latest") ? name : NULL, path, &error) ||
      recording_open(path, 0, &reader, &error)) {
    adapter_fail(adapter, "%s", error.text);
    return false;
  }
  recording_reader_close(reader);
  free(adapter->at);
  adapter->at = at ? strdup(at) : NULL;
  if (gdb_target(adapter->target, path, at, value_truth(arguments, "confined", true))) return true;
  adapter_fail(adapter, "the names of files are too long");
  return false;
}

/* The server's own line, if it has written one. */
static void explain(struct adapter *adapter, const char *output) {
  const char *own = strstr(output, "reprise: ");
  if (!own) return;
  own += strlen("reprise: ");
  *adapter->error = 0;
  adapter_fail(adapter, "%.*s", (int)strcspn(own, "\n"), own);
}

static bool connect_gdb(struct adapter *adapter) {
  char *text = NULL;
  size_t count = 0;
  adapter->capture = open_memstream(&text, &count);
  if (!adapter->capture) return false;
  struct value *results = ask(adapter, "interpreter-exec console %s", quote(adapter, adapter->target));
  fclose(adapter->capture);
  adapter->capture = NULL;
  if (!results) explain(adapter, text);
  free(text);
  adapter->connected = results;
  adapter->ended = false;
  value_free(results);
  return adapter->connected;
}

static bool run_commands(struct adapter *adapter, const struct value *arguments) {
  for (const struct value *command = value_list(arguments, "commands"); command; command = command->next) {
    char *output = command->kind == VALUE_TEXT ? console(adapter, command->text) : NULL;
    if (!output) {
      adapter_fail(adapter, "commands: one that is no text");
      return false;
    }
    if (*output) tell_output(adapter, "console", output);
    free(output);
  }
  return true;
}

static bool prepare(struct adapter *adapter, const struct value *arguments) {
  static const char *const settings[] = {"gdb-set confirm off", "gdb-set width 0", GDB_PATIENCE_MI,
                                         "enable-pretty-printing"};
  char file[INSTALLED_PATH_MAX], source[INSTALLED_PATH_MAX + 16];
  for (size_t i = 0; i < sizeof settings / sizeof *settings; i++) {
    struct value *results = ask(adapter, "%s", settings[i]);
    if (!results) return false;
    value_free(results);
  }
  if (installed_find("reprise.py", "reprise.py", file)) {
    snprintf(source, sizeof source, "source %s", file);
    char *output = console(adapter, source);
    free(output);
    if (!output) return false;
  }
  return run_commands(adapter, arguments);
}

void serve_launch(struct adapter *adapter, const struct value *arguments, struct json *body) {
  const char *gdb = value_text(arguments, "gdb");
  (void)body;
  if (adapter->gdb) {
    adapter_fail(adapter, "a recording is open already");
    return;
  }
  if (!choose_recording(adapter, arguments)) return;
  int error = gdb_start(adapter, gdb ? gdb : "gdb");
  if (error) {
    adapter_fail(adapter, "%s: %s", gdb ? gdb : "gdb",
                 error == ENOENT ? "not found: the debugger has to be installed" : strerror(error));
    return;
  }
  adapter->stops_first = value_truth(arguments, "stopOnEntry", true);
  adapter->ready = prepare(adapter, arguments) && connect_gdb(adapter);
  if (!adapter->ready) gdb_end(adapter);
}

void serve_configuration_done(struct adapter *adapter, const struct value *arguments, struct json *body) {
  (void)arguments;
  (void)body;
  adapter->configured = true;
  if (adapter->stops_first)
    adapter->entered = true;
  else
    run_on(adapter, false);
}

/* -- Again, and no more ------------------------------------------------------------------------------------------------------ */

void serve_restart(struct adapter *adapter, const struct value *arguments, struct json *body) {
  char line[256];
  (void)arguments;
  (void)body;
  adapter->continues = false;
  if (adapter->ended) {
    connect_gdb(adapter);
    return;
  }
  snprintf(line, sizeof line, "seek %.200s", adapter->at ? adapter->at : "begin");
  free(console(adapter, line));
}

/* The editor is told when gdb has gone; it disconnects then. */
void serve_terminate(struct adapter *adapter, const struct value *arguments, struct json *body) {
  (void)arguments;
  (void)body;
  gdb_end(adapter);
}

void serve_disconnect(struct adapter *adapter, const struct value *arguments, struct json *body) {
  (void)arguments;
  (void)body;
  gdb_end(adapter);
  adapter->over = true;
}
