/* variables.c: variables and expressions, as gdb's variable objects: their children are looked at when the editor opens them. */
#include <stdlib.h>
#include <string.h>

#include "dap/adapter.h"

enum { CHILDREN_MOST = 1000 }; /* at a time, unless the editor says how many */

static bool is_indexed(const char *type) {
  size_t n = type ? strlen(type) : 0;
  return n && type[n - 1] == ']';
}

/* What a variable object shows; name NULL: it is the result of an expression. object is taken over if it has children: owned, if nothing else
 * deletes it. */
static void describe(struct adapter *adapter, struct json *body, const struct handle *frame,
                     const struct value *variable, const char *name, const char *path, bool owned) {
  const char *object = value_text(variable, "name"), *value = value_text(variable, "value"),
             *type = value_text(variable, "type");
  int64_t children = value_number(variable, "numchild", 0);
  bool opens = object && (children > 0 || value_number(variable, "dynamic", 0));
  if (name) json_string(body, "name", name);
  json_string(body, name ? "value" : "result", value ? value : "");
  json_string(body, "type", type);
  if (name) json_string(body, "evaluateName", path);
  if (value && !strncmp(value, "0x", 2)) {
    char *digits = strndup(value, 2 + strspn(value + 2, "0123456789abcdef"));
    json_string(body, "memoryReference", digits);
    free(digits);
  }
  int64_t reference = 0;
  if (opens || owned)
    reference = handle_new(adapter, (struct handle){HANDLE_OBJECT, frame->thread, frame->level,
                                                    object ? strdup(object) : NULL, owned && object});
  json_signed(body, "variablesReference", opens ? reference : 0);
  if (opens && is_indexed(type)) json_signed(body, "indexedVariables", children);
}

/* -- Names of a frame -------------------------------------------------------------------------------------------------------- */

/* gdb does not tell why there is no such variable; the expression alone does. */
static struct value *create(struct adapter *adapter, int thread, int level, const char *expression) {
  struct value *variable =
      try(adapter, "var-create --thread %d --frame %d - * %s", thread, level, quote(adapter, expression));
  if (variable || *adapter->error) return variable;
  value_free(ask(adapter, "data-evaluate-expression --thread %d --frame %d %s", thread, level,
                 quote(adapter, expression)));
  adapter_fail(adapter, "there is no such variable");
  return NULL;
}

static void list_names(struct adapter *adapter, const struct handle *frame, struct json *body) {
  struct value *results =
      ask(adapter, "stack-list-variables --thread %d --frame %d --no-values", frame->thread, frame->level);
  for (const struct value *v = value_list(results, "variables"); v; v = v->next) {
    const char *name = value_text(v, "name");
    struct value *variable = name ? create(adapter, frame->thread, frame->level, name) : NULL;
    if (!name) continue;
    json_open_object(body, NULL);
    if (variable) {
      describe(adapter, body, frame, variable, name, name, true);
    } else {
      json_string(body, "name", name);
      json_string(body, "value", adapter->error);
      json_signed(body, "variablesReference", 0);
      *adapter->error = 0; /* the others may be there */
    }
    json_close_object(body);
    value_free(variable);
  }
  value_free(results);
}

static const char *name_at(const struct value *names, int64_t index) {
  for (; names && index > 0; index--) names = names->next;
  return names && index == 0 && names->kind == VALUE_TEXT ? names->text : "";
}

static void list_registers(struct adapter *adapter, const struct handle *frame, struct json *body) {
  struct value *names = ask(adapter, "data-list-register-names"),
               *values = ask(adapter, "data-list-register-values --thread %d --frame %d --skip-unavailable x",
                             frame->thread, frame->level);
  for (const struct value *v = value_list(values, "register-values"); v; v = v->next) {
    const char *name = name_at(value_list(names, "register-names"), value_number(v, "number", -1));
    if (!*name) continue;
    json_open_object(body, NULL);
    json_string(body, "name", name);
    json_string(body, "value", value_text(v, "value"));
    json_signed(body, "variablesReference", 0);
    json_close_object(body);
  }
  value_free(names);
  value_free(values);
}

/* -- Children ---------------------------------------------------------------------------------------------------------------- */

/* gdb puts the members of a C++ class below "public", "private" and "protected", which have no type. */
static bool is_access(const struct value *child) {
  const char *name = value_text(child, "exp");
  if (!name || value_text(child, "type")) return false;
  return !strcmp(name, "public") || !strcmp(name, "private") || !strcmp(name, "protected");
}

static char *path_of(struct adapter *adapter, const char *object) {
  struct value *results = try(adapter, "var-info-path-expression %s", object);
  const char *path = value_text(results, "path_expr");
  char *copy = path && *path ? strdup(path) : NULL;
  value_free(results);
  return copy;
}

static void describe_child(struct adapter *adapter, const struct handle *frame, const struct value *child,
                           const char *name, struct json *body) {
  char *path = path_of(adapter, value_text(child, "name"));
  json_open_object(body, NULL);
  describe(adapter, body, frame, child, name, path, false);
  json_close_object(body);
  free(path);
}

static void list_children(struct adapter *adapter, const struct handle *handle, int64_t start, int64_t count,
                          struct json *body) {
  struct value *results = ask(adapter, "var-list-children --all-values %s %lld %lld", handle->object,
                              (long long)start, (long long)start + (long long)count);
  const char *hint = value_text(results, "displayhint");
  bool is_map = hint && !strcmp(hint, "map");
  for (const struct value *child = value_list(results, "children"); child; child = child->next) {
    const char *name = value_text(child, "exp");
    if (!value_text(child, "name") || !name) continue;
    if (is_access(child)) {
      struct handle members = *handle;
      members.object = (char *)(uintptr_t)value_text(child, "name");
      list_children(adapter, &members, 0, CHILDREN_MOST, body);
    } else if (is_map && child->next) {
      const char *key = value_text(child, "value"); /* keys and values follow each other */
      child = child->next;
      describe_child(adapter, handle, child, key ? key : name, body);
    } else {
      describe_child(adapter, handle, child, name, body);
    }
  }
  if (value_number(results, "has_more", 0) && count == CHILDREN_MOST) {
    json_open_object(body, NULL);
    json_string(body, "name", "…");
    json_string(body, "value", "there are more");
    json_signed(body, "variablesReference", 0);
    json_close_object(body);
  }
  value_free(results);
}

void serve_variables(struct adapter *adapter, const struct value *arguments, struct json *body) {
  int64_t start = value_number(arguments, "start", 0), count = value_number(arguments, "count", 0);
  const struct handle *found = handle_find(adapter, value_number(arguments, "variablesReference", 0));
  if (!found) return;
  if (start < 0 || start > INT32_MAX || count < 0) {
    adapter_fail(adapter, "there are no such variables");
    return;
  }
  struct handle handle = *found; /* new ones may move it */
  json_open_list(body, "variables");
  if (handle.kind == HANDLE_REGISTERS)
    list_registers(adapter, &handle, body);
  else if (handle.kind == HANDLE_OBJECT)
    list_children(adapter, &handle, start, !count || count > CHILDREN_MOST ? CHILDREN_MOST : count, body);
  else
    list_names(adapter, &handle, body);
  json_close_list(body);
}

static char *find_path(struct adapter *adapter, const char *object, const char *name) {
  char *path = NULL;
  struct value *results = try(adapter, "var-list-children %s 0 %d", object, CHILDREN_MOST);
  for (const struct value *child = value_list(results, "children"); child && !path; child = child->next) {
    const char *own = value_text(child, "exp"), *below = value_text(child, "name");
    if (below && is_access(child))
      path = find_path(adapter, below, name);
    else if (below && own && !strcmp(own, name))
      path = path_of(adapter, below);
  }
  value_free(results);
  return path;
}

char *child_expression(struct adapter *adapter, const struct handle *handle, const char *name) {
  if (handle->kind == HANDLE_OBJECT) {
    char *object = handle->object ? strdup(handle->object) : NULL;
    char *path = object ? find_path(adapter, object, name) : NULL;
    free(object);
    return path;
  }
  return handle->kind == HANDLE_VARIABLES ? strdup(name) : NULL;
}

/* -- Expressions ------------------------------------------------------------------------------------------------------------- */

/* It stays selected, as in gdb itself: a command may move the replay to where this frame is not. */
static void select_frame(struct adapter *adapter, int thread, int level) {
  value_free(try(adapter, "thread-select %d", thread));
  value_free(try(adapter, "stack-select-frame %d", level));
}

/* True if it is a command of gdb's; what it has written is the result. */
static bool run_command(struct adapter *adapter, const char *text, struct json *body) {
  char *output = console(adapter, text);
  if (!output) {
    if (strncmp(adapter->error, "Undefined command", 17)) return true; /* it is one, and has failed */
    *adapter->error = 0;
    return false;
  }
  size_t n = strlen(output);
  if (n && output[n - 1] == '\n') output[n - 1] = 0;
  json_string(body, "result", output);
  json_signed(body, "variablesReference", 0);
  free(output);
  return true;
}

void serve_evaluate(struct adapter *adapter, const struct value *arguments, struct json *body) {
  const char *expression = value_text(arguments, "expression"), *context = value_text(arguments, "context");
  int thread, level;
  if (!expression) {
    adapter_fail(adapter, "expression: it is missing");
    return;
  }
  if (!frame_of(adapter, arguments, &thread, &level)) return;
  if (context && !strcmp(context, "repl")) {
    select_frame(adapter, thread, level);
    if (run_command(adapter, expression, body)) return;
  }
  struct value *variable = create(adapter, thread, level, expression);
  struct handle frame = {.kind = HANDLE_FRAME, .thread = thread, .level = level};
  if (variable) describe(adapter, body, &frame, variable, NULL, NULL, true);
  value_free(variable);
}

/* The last word of what is typed, in gdb's opinion. */
void serve_completions(struct adapter *adapter, const struct value *arguments, struct json *body) {
  const char *text = value_text(arguments, "text");
  struct value *results = ask(adapter, "complete %s", quote(adapter, text ? text : ""));
  json_open_list(body, "targets");
  for (const struct value *match = value_list(results, "matches"); match; match = match->next) {
    if (match->kind != VALUE_TEXT) continue;
    json_open_object(body, NULL);
    json_string(body, "label", match->text);
    json_signed(body, "start", 0);
    json_signed(body, "length", (int64_t)strlen(text ? text : ""));
    json_close_object(body);
  }
  json_close_list(body);
  value_free(results);
}
