/* adapter.c: takes the editor's requests one by one, and tells it what gdb has news of.
 *
 * A request is answered before the events that it has caused. While the replay runs, requests that change breakpoints are held: a run that can be
 * taken up again is interrupted for them. */
#include "dap/adapter.h"

#include <errno.h>
#include <poll.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "dap/dap.h"
#include "recording/plain.h"

/* -- Messages ---------------------------------------------------------------------------------------------------------------- */

static void put(struct adapter *adapter, const char *bytes, size_t count) {
  while (count && !adapter->gone) {
    ssize_t n = write(adapter->out, bytes, count);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) {
      adapter->gone = true;
      return;
    }
    bytes += n;
    count -= (size_t)n;
  }
}

static void send_message(struct adapter *adapter, const char *text, size_t count) {
  char header[64];
  int n = snprintf(header, sizeof header, "Content-Length: %zu\r\n\r\n", count);
  put(adapter, header, (size_t)n);
  put(adapter, text, count);
}

struct json *event_begin(struct event *event, const char *name) {
  *event = (struct event){0};
  event->to = open_memstream(&event->text, &event->count);
  if (!event->to) abort();
  event->json = json_begin(event->to);
  json_string(&event->json, "type", "event");
  json_string(&event->json, "event", name);
  json_open_object(&event->json, "body");
  return &event->json;
}

void event_send(struct adapter *adapter, struct event *event) {
  json_close_object(&event->json);
  json_signed(&event->json, "seq", ++adapter->sent);
  json_end(&event->json);
  fclose(event->to);
  send_message(adapter, event->text, event->count);
  free(event->text);
}

void tell_output(struct adapter *adapter, const char *category, const char *text) {
  struct event event;
  struct json *body = event_begin(&event, "output");
  json_string(body, "category", category);
  json_string(body, "output", text);
  event_send(adapter, &event);
}

void adapter_fail(struct adapter *adapter, const char *pattern, ...) {
  va_list args;
  va_start(args, pattern);
  if (!*adapter->error) vsnprintf(adapter->error, sizeof adapter->error, pattern, args);
  va_end(args);
}

/* -- Requests ---------------------------------------------------------------------------------------------------------------- */

static const struct handler {
  const char *command;
  serve_function *serve;
  enum {
    ANY_TIME,
    OPEN,
    STOPPED,
    HELD
  } when; /* OPEN: there is a recording; HELD: while the replay runs it waits */
} handlers[] = {
    {"initialize", serve_initialize, ANY_TIME},
    {"launch", serve_launch, ANY_TIME},
    {"attach", serve_attach, ANY_TIME},
    {"disconnect", serve_disconnect, ANY_TIME},
    {"terminate", serve_terminate, ANY_TIME},
    {"configurationDone", serve_configuration_done, OPEN},
    {"pause", serve_pause, OPEN},
    {"threads", serve_threads, OPEN},
    {"exceptionInfo", serve_exception_info, OPEN},
    {"restart", serve_restart, HELD},
    {"setBreakpoints", serve_set_breakpoints, HELD},
    {"setFunctionBreakpoints", serve_set_function_breakpoints, HELD},
    {"setInstructionBreakpoints", serve_set_instruction_breakpoints, HELD},
    {"setDataBreakpoints", serve_set_data_breakpoints, HELD},
    {"setExceptionBreakpoints", serve_set_exception_breakpoints, HELD},
    {"dataBreakpointInfo", serve_data_breakpoint_info, STOPPED},
    {"continue", serve_continue, STOPPED},
    {"next", serve_next, STOPPED},
    {"stepIn", serve_step_in, STOPPED},
    {"stepOut", serve_step_out, STOPPED},
    {"stepBack", serve_step_back, STOPPED},
    {"reverseContinue", serve_reverse_continue, STOPPED},
    {"stackTrace", serve_stack_trace, STOPPED},
    {"scopes", serve_scopes, STOPPED},
    {"variables", serve_variables, STOPPED},
    {"evaluate", serve_evaluate, STOPPED},
    {"completions", serve_completions, OPEN},
    {"readMemory", serve_read_memory, STOPPED},
    {"disassemble", serve_disassemble, STOPPED},
};

static const struct handler *find_handler(const char *command) {
  for (size_t i = 0; command && i < sizeof handlers / sizeof *handlers; i++)
    if (!strcmp(handlers[i].command, command)) return &handlers[i];
  return NULL;
}

static void answer(struct adapter *adapter, const struct value *message, const char *body) {
  char *text = NULL;
  size_t count = 0;
  FILE *to = open_memstream(&text, &count);
  if (!to) abort();
  struct json json = json_begin(to);
  json_string(&json, "type", "response");
  json_signed(&json, "seq", ++adapter->sent);
  json_signed(&json, "request_seq", value_number(message, "seq", 0));
  json_string(&json, "command", value_text(message, "command"));
  json_bool(&json, "success", !*adapter->error);
  if (*adapter->error) {
    json_string(&json, "message", adapter->error);
    json_open_object(&json, "body");
    json_open_object(&json, "error");
    json_number(&json, "id", 1);
    json_string(&json, "format", adapter->error);
    json_bool(&json, "showUser", true);
    json_close_object(&json);
    json_close_object(&json);
  } else {
    json_written(&json, "body", body);
  }
  json_end(&json);
  fclose(to);
  send_message(adapter, text, count);
  free(text);
}

static bool can_serve(struct adapter *adapter, const struct handler *handler) {
  if (handler->when != ANY_TIME && !adapter->connected)
    adapter_fail(adapter, "no recording is open");
  else if (handler->when == STOPPED && adapter->runs)
    adapter_fail(adapter, "the program runs");
  else if (handler->when == STOPPED && adapter->ended)
    adapter_fail(adapter, "the program has ended");
  return !*adapter->error;
}

static void serve_request(struct adapter *adapter, const struct value *message) {
  const char *command = value_text(message, "command");
  const struct handler *handler = find_handler(command);
  char *body = NULL;
  size_t count = 0;
  FILE *to = open_memstream(&body, &count);
  if (!to) abort();
  struct json json = json_begin(to);
  *adapter->error = 0;
  if (!handler)
    adapter_fail(adapter, "%.100s: not supported", command);
  else if (can_serve(adapter, handler))
    handler->serve(adapter, value_member(message, "arguments"), &json);
  json_end(&json);
  fclose(to);
  plain_text(adapter->error);
  answer(adapter, message, body);
  free(body);
}

static void enqueue(struct request **queue, struct request *request) {
  while (*queue) queue = &(*queue)->next;
  *queue = request;
  request->next = NULL;
}

static struct request *dequeue(struct request **queue) {
  struct request *first = *queue;
  if (first) *queue = first->next;
  return first;
}

static void request_free(struct request *request) {
  value_free(request->message);
  free(request);
}

static void hold(struct adapter *adapter, struct request *request) {
  enqueue(&adapter->held, request);
  if (!adapter->continues || adapter->interrupted || adapter->paused) return;
  adapter->interrupted = true;
  gdb_interrupt(adapter);
}

static void take_request(struct adapter *adapter, struct request *request) {
  const struct handler *handler = find_handler(value_text(request->message, "command"));
  if (adapter->runs && handler && handler->when == HELD && adapter->connected) {
    hold(adapter, request);
    return;
  }
  serve_request(adapter, request->message);
  request_free(request);
}

/* -- Both sides -------------------------------------------------------------------------------------------------------------- */

static void take_message(struct adapter *adapter) {
  struct value *message = json_read(adapter->reader.content, adapter->reader.count);
  const char *type = value_text(message, "type"), *command = value_text(message, "command");
  if (!type || strcmp(type, "request") || !command) {
    /* The end of a message is known, whatever it holds: the next one may be better. */
    if (!type || strcmp(type, "response"))
      tell_output(
          adapter, "stderr",
          message ? "reprise: a message that is no request\n" : "reprise: a message that is no JSON\n");
    value_free(message);
    return;
  }
  struct request *request = calloc(1, sizeof *request);
  if (!request) abort();
  request->message = message;
  enqueue(&adapter->requests, request);
  /* Nothing is waited for any more. */
  if (!strcmp(command, "disconnect") || !strcmp(command, "terminate")) {
    adapter->unwanted = true;
    gdb_end(adapter);
  }
}

static void read_editor(struct adapter *adapter) {
  uint8_t bytes[4096];
  ssize_t n = read(adapter->in, bytes, sizeof bytes);
  if (n < 0 && errno == EINTR) return;
  if (n <= 0) adapter->gone = true;
  for (ssize_t i = 0; i < n && !adapter->gone; i++) {
    enum message_news news = message_read(&adapter->reader, bytes[i]);
    if (news == MESSAGE_COMPLETE) take_message(adapter);
    if (news != MESSAGE_WRONG) continue;
    fprintf(stderr, "reprise: the client does not speak the debug adapter protocol: %s\n",
            adapter->reader.mistake);
    adapter->gone = true;
    adapter->status = DAP_NOT_SPOKEN;
  }
}

void adapter_wait(struct adapter *adapter) {
  struct pollfd on[] = {{.fd = adapter->in, .events = POLLIN}, {.fd = adapter->from_gdb, .events = POLLIN}};
  if (poll(on, adapter->gdb ? 2 : 1, -1) <= 0) return;
  pid_t gdb = adapter->gdb;
  if (on[0].revents) read_editor(adapter);
  if (gdb && adapter->gdb && on[1].revents) gdb_read(adapter);
}

/* True if something was done. */
static bool go_on(struct adapter *adapter) {
  struct mi_record *record = adapter->news;
  if (adapter->ready) {
    struct event event;
    adapter->ready = false;
    event_begin(&event, "initialized");
    event_send(adapter, &event);
    return true;
  }
  if (adapter->entered) {
    adapter->entered = false;
    tell_stopped(adapter, "entry", NULL, 0);
    return true;
  }
  if (record) {
    adapter->news = record->next;
    take_news(adapter, record);
    mi_free(record);
    return true;
  }
  struct request *request = !adapter->runs ? dequeue(&adapter->held) : NULL;
  if (!request && !adapter->runs && adapter->interrupted) {
    adapter->interrupted = false;
    *adapter->error = 0;
    if (adapter->continues && !run_on(adapter, adapter->backwards))
      tell_stopped(adapter, "pause", adapter->error, 0);
    return true;
  }
  if (!request) request = dequeue(&adapter->requests);
  if (request) take_request(adapter, request);
  return request;
}

static void tell_gone(struct adapter *adapter) {
  struct event event;
  if (!adapter->unwanted) tell_output(adapter, "stderr", "reprise: gdb has ended\n");
  event_begin(&event, "terminated");
  event_send(adapter, &event);
}

static void free_all(struct adapter *adapter) {
  struct request *request;
  while ((request = dequeue(&adapter->requests)) || (request = dequeue(&adapter->held)))
    request_free(request);
  while (adapter->news) {
    struct mi_record *record = adapter->news;
    adapter->news = record->next;
    mi_free(record);
  }
  for (size_t i = 0; i < sizeof adapter->quoted / sizeof *adapter->quoted; i++) free(adapter->quoted[i]);
  handles_clear(adapter);
  free(adapter->handles);
  breakpoints_free(adapter);
  mi_free(adapter->result);
  message_reader_free(&adapter->reader);
  free(adapter->line);
  free(adapter->at);
  free(adapter->exception);
  free(adapter->threads);
}

int dap_run(int in, int out) {
  static struct adapter adapter;
  adapter = (struct adapter){.in = in, .out = out, .to_gdb = -1, .from_gdb = -1};
  bool had = false;
  while (!adapter.gone && !adapter.over) {
    had |= adapter.connected;
    if (had && !adapter.gdb && !adapter.requests) {
      had = false;
      tell_gone(&adapter);
    }
    if (!go_on(&adapter) && !adapter.over) adapter_wait(&adapter);
  }
  gdb_end(&adapter);
  free_all(&adapter);
  return adapter.status;
}
