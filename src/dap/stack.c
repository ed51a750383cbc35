/* stack.c: threads, frames and scopes; and the numbers that the editor gets for frames and variables. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "dap/adapter.h"

/* -- Numbers ----------------------------------------------------------------------------------------------------------------- */

int64_t handle_new(struct adapter *adapter, struct handle handle) {
  if (adapter->handle_count == adapter->handle_room) {
    size_t room = adapter->handle_room ? 2 * adapter->handle_room : 64;
    struct handle *larger = realloc(adapter->handles, room * sizeof *larger);
    if (!larger) abort();
    adapter->handles = larger;
    adapter->handle_room = room;
  }
  adapter->handles[adapter->handle_count++] = handle;
  return adapter->handle_base + (int64_t)adapter->handle_count;
}

const struct handle *handle_find(struct adapter *adapter, int64_t number) {
  int64_t index = number - adapter->handle_base - 1;
  if (index >= 0 && index < (int64_t)adapter->handle_count) return &adapter->handles[index];
  adapter_fail(adapter, "what the number %lld stood for is no longer there", (long long)number);
  return NULL;
}

/* Numbers are not used again, so that one from before a stop is found out. */
void handles_clear(struct adapter *adapter) {
  for (size_t i = 0; i < adapter->handle_count; i++) {
    struct handle *handle = &adapter->handles[i];
    if (handle->owned && adapter->gdb) value_free(try(adapter, "var-delete %s", handle->object));
    free(handle->object);
  }
  adapter->handle_base += (int64_t)adapter->handle_count;
  adapter->handle_count = 0;
}

bool frame_of(struct adapter *adapter, const struct value *arguments, int *thread, int *level) {
  *thread = adapter->thread;
  *level = 0;
  int64_t number = value_number(arguments, "frameId", 0);
  if (!number) return true;
  const struct handle *handle = handle_find(adapter, number);
  if (!handle) return false;
  *thread = handle->thread;
  *level = handle->level;
  return true;
}

/* -- Threads ----------------------------------------------------------------------------------------------------------------- */

static void describe_thread(struct json *body, const struct value *thread) {
  const char *name = value_text(thread, "name"), *target = value_text(thread, "target-id"),
             *details = value_text(thread, "details");
  char line[256];
  snprintf(line, sizeof line, "%s%s%s%s%s",
           name     ? name
           : target ? target
                    : "",
           name && target ? ", " : "", name && target ? target : "", details ? ", " : "",
           details ? details : "");
  json_open_object(body, NULL);
  json_signed(body, "id", value_number(thread, "id", 0));
  json_string(body, "name", line);
  json_close_object(body);
}

static char *list_threads(struct adapter *adapter) {
  char *text = NULL;
  size_t count = 0;
  struct value *results = ask(adapter, "thread-info");
  FILE *to = results ? open_memstream(&text, &count) : NULL;
  if (!to) return value_free(results), NULL;
  struct json list = {to, false};
  for (const struct value *thread = value_list(results, "threads"); thread; thread = thread->next)
    describe_thread(&list, thread);
  fclose(to);
  value_free(results);
  return text;
}

void note_threads(struct adapter *adapter) {
  if (!adapter->threads) adapter->threads = list_threads(adapter);
}

/* While the replay runs, as they were. */
void serve_threads(struct adapter *adapter, const struct value *arguments, struct json *body) {
  (void)arguments;
  if (!adapter->runs) {
    char *listed = list_threads(adapter);
    if (!listed) return;
    free(adapter->threads);
    adapter->threads = listed;
  }
  json_open_list(body, "threads");
  if (adapter->threads && *adapter->threads) json_written(body, NULL, adapter->threads);
  json_close_list(body);
}

/* -- Frames ------------------------------------------------------------------------------------------------------------------ */

static void describe_source(struct json *body, const struct value *frame) {
  const char *path = value_text(frame, "fullname"), *file = value_text(frame, "file");
  if (!path) path = file;
  if (!path) return;
  const char *slash = strrchr(path, '/');
  json_open_object(body, "source");
  json_string(body, "name", slash ? slash + 1 : path);
  json_string(body, "path", path);
  if (access(path, R_OK))
    json_string(body, "presentationHint", "deemphasize"); /* it is not on this machine */
  json_close_object(body);
}

static void describe_frame(struct adapter *adapter, struct json *body, const struct value *frame,
                           int thread) {
  const char *function = value_text(frame, "func"), *address = value_text(frame, "addr");
  struct handle handle = {
      .kind = HANDLE_FRAME, .thread = thread, .level = (int)value_number(frame, "level", 0)};
  json_open_object(body, NULL);
  json_signed(body, "id", handle_new(adapter, handle));
  json_string(body, "name", function ? function : address ? address : "??");
  describe_source(body, frame);
  json_signed(body, "line", value_number(frame, "line", 0));
  json_signed(body, "column", 0);
  json_string(body, "instructionPointerReference", address);
  if (!value_text(frame, "line")) json_string(body, "presentationHint", "subtle");
  json_close_object(body);
}

void serve_stack_trace(struct adapter *adapter, const struct value *arguments, struct json *body) {
  enum { FRAMES_MOST = 1000, DEPTH_MOST = 100000 };
  int64_t thread = value_number(arguments, "threadId", 0), first = value_number(arguments, "startFrame", 0),
          count = value_number(arguments, "levels", 0);
  if (thread <= 0 || thread > INT32_MAX || first < 0 || first > DEPTH_MOST || count < 0) {
    adapter_fail(adapter, "there is no such thread or frame");
    return;
  }
  if (!count || count > FRAMES_MOST) count = FRAMES_MOST;
  struct value *depth = try(adapter, "stack-info-depth --thread %d %d", (int)thread, DEPTH_MOST);
  int64_t total = value_number(depth, "depth", -1);
  value_free(depth);
  struct value *results = NULL;
  if (total < 0 || first < total) {
    results = ask(adapter, "stack-list-frames --thread %d %d %d", (int)thread, (int)first,
                  (int)(first + count - 1));
    if (!results) return;
  }
  json_open_list(body, "stackFrames");
  for (const struct value *frame = value_list(results, "stack"); frame; frame = frame->next)
    describe_frame(adapter, body, frame, (int)thread);
  json_close_list(body);
  if (total >= 0) json_signed(body, "totalFrames", total);
  value_free(results);
}

/* -- Scopes ------------------------------------------------------------------------------------------------------------------ */

static void describe_scope(struct adapter *adapter, struct json *body, const struct handle *frame,
                           struct handle scope, const char *name, const char *hint) {
  scope.thread = frame->thread;
  scope.level = frame->level;
  json_open_object(body, NULL);
  json_string(body, "name", name);
  json_string(body, "presentationHint", hint);
  json_signed(body, "variablesReference", handle_new(adapter, scope));
  json_bool(body, "expensive", scope.kind == HANDLE_REGISTERS);
  json_close_object(body);
}

void serve_scopes(struct adapter *adapter, const struct value *arguments, struct json *body) {
  const struct handle *found = handle_find(adapter, value_number(arguments, "frameId", 0));
  if (!found) return;
  struct handle frame = *found; /* new ones may move it */
  json_open_list(body, "scopes");
  describe_scope(adapter, body, &frame, (struct handle){.kind = HANDLE_VARIABLES}, "Locals", "locals");
  describe_scope(adapter, body, &frame, (struct handle){.kind = HANDLE_REGISTERS}, "Registers", "registers");
  json_close_list(body);
}
