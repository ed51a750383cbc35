/* breakpoints.c: breakpoints of all kinds. The editor always names all of a kind, those of lines all of a source: what is there already stays,
 * with its count of hits; what is no longer named goes. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "dap/adapter.h"

/* -- The table --------------------------------------------------------------------------------------------------------------- */

static void breakpoint_free(struct breakpoint *breakpoint) {
  free(breakpoint->source);
  free(breakpoint->place);
  free(breakpoint->condition);
  free(breakpoint->hits);
  free(breakpoint->message);
  free(breakpoint);
}

void breakpoints_free(struct adapter *adapter) {
  while (adapter->breakpoints) {
    struct breakpoint *next = adapter->breakpoints->next;
    breakpoint_free(adapter->breakpoints);
    adapter->breakpoints = next;
  }
}

const struct breakpoint *breakpoint_of_number(const struct adapter *adapter, int64_t number) {
  for (const struct breakpoint *b = adapter->breakpoints; b; b = b->next)
    if (number && b->number == number) return b;
  return NULL;
}

static bool same_text(const char *one, const char *other) {
  return one && other ? !strcmp(one, other) : one == other;
}

static bool in_group(const struct breakpoint *breakpoint, enum breakpoint_kind kind, const char *source) {
  return breakpoint->kind == kind && same_text(breakpoint->source, source);
}

static bool same_wish(const struct breakpoint *one, const struct breakpoint *other) {
  return in_group(one, other->kind, other->source) && !strcmp(one->place, other->place) &&
         !strcmp(one->condition, other->condition) && !strcmp(one->hits, other->hits) &&
         one->access == other->access;
}

/* -- gdb's side -------------------------------------------------------------------------------------------------------------- */

/* How many hits pass without a stop: N and >=N stop at the N-th and all that follow, >N at those after it. -1: the text is none of these. */
static int passed_hits(const char *text) {
  enum { MOST = 1000000000 };
  char *end;
  bool beyond = text[0] == '>' && text[1] != '=';
  if (!*text) return 0;
  text += text[0] == '>' ? 1 + !beyond : 0;
  text += strspn(text, " ");
  long number = strtol(text, &end, 10);
  if (*text < '0' || *text > '9' || end[strspn(end, " ")] || number < 1 || number > MOST) return -1;
  return (int)number - !beyond;
}

static void note_place(struct breakpoint *breakpoint, const struct value *described) {
  const char *address = value_text(described, "addr");
  const struct value *location = value_list(described, "locations");
  breakpoint->verified = !address || strcmp(address, "<PENDING>") != 0;
  breakpoint->line = (int)value_number(location ? location : described, "line", 0);
  free(breakpoint->message);
  breakpoint->message = breakpoint->verified ? NULL : strdup("no code that is loaded so far belongs to it");
}

static void refuse(struct adapter *adapter, struct breakpoint *breakpoint, const char *reason) {
  free(breakpoint->message);
  breakpoint->message = strdup(reason);
  *adapter->error = 0; /* the request itself has not failed */
}

/* A watchpoint takes condition and count when it is there. */
static struct value *insert_watch(struct adapter *adapter, struct breakpoint *breakpoint, int passes) {
  const char *access = breakpoint->access == 'r' ? " -r" : breakpoint->access == 'a' ? " -a" : "";
  struct value *results = ask(adapter, "break-watch%s %s", access, quote(adapter, breakpoint->place));
  const struct value *watch = results ? results->first : NULL;
  int number = (int)value_number(watch, "number", 0);
  if (results && *breakpoint->condition) {
    char *command = NULL;
    if (asprintf(&command, "condition %d %s", number, breakpoint->condition) < 0) abort();
    char *output = console(adapter, command);
    free(command);
    free(output);
    if (!output) {
      value_free(try(adapter, "break-delete %d", number));
      value_free(results);
      return NULL;
    }
  }
  if (results && passes) value_free(try(adapter, "break-after %d %d", number, passes));
  return results;
}

static struct value *insert_code(struct adapter *adapter, const struct breakpoint *breakpoint, int passes) {
  char *options = NULL;
  struct value *results = NULL;
  if (asprintf(&options, "-i %d%s%s", passes, *breakpoint->condition ? " -c " : "",
               *breakpoint->condition ? quote(adapter, breakpoint->condition) : "") < 0)
    abort();
  switch (breakpoint->kind) {
    case BREAK_LINE:
      results = ask(adapter, "break-insert -f %s --source %s --line %s", options,
                    quote(adapter, breakpoint->source), breakpoint->place);
      break;
    case BREAK_FUNCTION:
      results = ask(adapter, "break-insert -f %s --function %s", options, quote(adapter, breakpoint->place));
      break;
    case BREAK_INSTRUCTION:
      results = ask(adapter, "break-insert %s *%s", options, breakpoint->place);
      break;
    default:
      results = ask(adapter, "catch-%s", breakpoint->place);
      break;
  }
  free(options);
  return results;
}

static void insert(struct adapter *adapter, struct breakpoint *breakpoint) {
  int passes = passed_hits(breakpoint->hits);
  if (passes < 0) {
    refuse(adapter, breakpoint, "a count of hits is N, >N or >=N");
    return;
  }
  struct value *results = breakpoint->kind == BREAK_DATA ? insert_watch(adapter, breakpoint, passes)
                                                         : insert_code(adapter, breakpoint, passes);
  if (!results) {
    refuse(adapter, breakpoint, adapter->error);
    return;
  }
  breakpoint->number = (int)value_number(results->first, "number", 0);
  note_place(breakpoint, results->first);
  value_free(results);
}

/* -- Requests ---------------------------------------------------------------------------------------------------------------- */

static void describe(struct json *body, const char *key, const struct breakpoint *breakpoint) {
  json_open_object(body, key);
  json_signed(body, "id", breakpoint->id);
  json_bool(body, "verified", breakpoint->verified);
  json_string(body, "message", breakpoint->message);
  if (breakpoint->line) json_signed(body, "line", breakpoint->line);
  if (breakpoint->kind == BREAK_INSTRUCTION) json_string(body, "instructionReference", breakpoint->place);
  json_close_object(body);
}

/* Takes the wish over. */
static struct breakpoint *keep(struct adapter *adapter, struct breakpoint *wish) {
  struct breakpoint **at = &adapter->breakpoints;
  for (; *at; at = &(*at)->next)
    if (!(*at)->kept && (*at)->number && same_wish(*at, wish)) {
      breakpoint_free(wish);
      (*at)->kept = true;
      return *at;
    }
  *at = wish;
  wish->id = ++adapter->last_breakpoint;
  wish->kept = true;
  insert(adapter, wish);
  return wish;
}

/* Removes those of the group that were not named again. */
static void sweep(struct adapter *adapter, enum breakpoint_kind kind, const char *source) {
  for (struct breakpoint **at = &adapter->breakpoints; *at;) {
    struct breakpoint *breakpoint = *at;
    if (!in_group(breakpoint, kind, source) || breakpoint->kept) {
      breakpoint->kept = false;
      at = &breakpoint->next;
      continue;
    }
    if (breakpoint->number) value_free(try(adapter, "break-delete %d", breakpoint->number));
    *at = breakpoint->next;
    breakpoint_free(breakpoint);
  }
}

/* place is taken over; NULL: what names it is wrong. */
static void set_one(struct adapter *adapter, struct json *body, const struct value *wanted,
                    enum breakpoint_kind kind, const char *source, char *place, char access) {
  const char *condition = value_text(wanted, "condition"), *hits = value_text(wanted, "hitCondition");
  struct breakpoint *wish = calloc(1, sizeof *wish);
  if (!wish || !place) {
    json_open_object(body, NULL);
    json_bool(body, "verified", false);
    json_string(body, "message", "it says no place");
    json_close_object(body);
    free(wish);
    free(place);
    return;
  }
  *wish = (struct breakpoint){.kind = kind,
                              .source = source ? strdup(source) : NULL,
                              .place = place,
                              .condition = strdup(condition ? condition : ""),
                              .hits = strdup(hits ? hits : ""),
                              .access = access};
  describe(body, NULL, keep(adapter, wish));
}

static char *printed(int64_t number) {
  char *text = NULL;
  return number <= 0 || asprintf(&text, "%" PRId64, number) < 0 ? NULL : text;
}

void serve_set_breakpoints(struct adapter *adapter, const struct value *arguments, struct json *body) {
  const char *source = value_text(value_member(arguments, "source"), "path");
  if (!source) {
    adapter_fail(adapter, "source: it has no path");
    return;
  }
  json_open_list(body, "breakpoints");
  for (const struct value *b = value_list(arguments, "breakpoints"); b; b = b->next)
    set_one(adapter, body, b, BREAK_LINE, source, printed(value_number(b, "line", 0)), 0);
  json_close_list(body);
  sweep(adapter, BREAK_LINE, source);
}

void serve_set_function_breakpoints(struct adapter *adapter, const struct value *arguments,
                                    struct json *body) {
  json_open_list(body, "breakpoints");
  for (const struct value *b = value_list(arguments, "breakpoints"); b; b = b->next) {
    const char *name = value_text(b, "name");
    set_one(adapter, body, b, BREAK_FUNCTION, NULL, name && *name ? strdup(name) : NULL, 0);
  }
  json_close_list(body);
  sweep(adapter, BREAK_FUNCTION, NULL);
}

void serve_set_instruction_breakpoints(struct adapter *adapter, const struct value *arguments,
                                       struct json *body) {
  json_open_list(body, "breakpoints");
  for (const struct value *b = value_list(arguments, "breakpoints"); b; b = b->next) {
    uint64_t address;
    char *place = NULL;
    if (read_reference(adapter, b, "instructionReference", &address) &&
        asprintf(&place, "0x%" PRIx64, address + (uint64_t)value_number(b, "offset", 0)) < 0)
      place = NULL;
    *adapter->error = 0;
    set_one(adapter, body, b, BREAK_INSTRUCTION, NULL, place, 0);
  }
  json_close_list(body);
  sweep(adapter, BREAK_INSTRUCTION, NULL);
}

void serve_set_data_breakpoints(struct adapter *adapter, const struct value *arguments, struct json *body) {
  json_open_list(body, "breakpoints");
  for (const struct value *b = value_list(arguments, "breakpoints"); b; b = b->next) {
    const char *data = value_text(b, "dataId"), *access = value_text(b, "accessType");
    char letter = "wra"[!access || !strcmp(access, "write") ? 0 : !strcmp(access, "read") ? 1 : 2];
    set_one(adapter, body, b, BREAK_DATA, NULL, data && *data ? strdup(data) : NULL, letter);
  }
  json_close_list(body);
  sweep(adapter, BREAK_DATA, NULL);
}

void serve_set_exception_breakpoints(struct adapter *adapter, const struct value *arguments,
                                     struct json *body) {
  static const char *const known[] = {"throw", "rethrow", "catch"};
  json_open_list(body, "breakpoints");
  for (const struct value *filter = value_list(arguments, "filters"); filter; filter = filter->next) {
    char *place = NULL;
    for (size_t i = 0; i < sizeof known / sizeof *known && filter->kind == VALUE_TEXT && !place; i++)
      if (!strcmp(known[i], filter->text)) place = strdup(known[i]);
    set_one(adapter, body, NULL, BREAK_EXCEPTION, NULL, place, 0);
  }
  json_close_list(body);
  sweep(adapter, BREAK_EXCEPTION, NULL);
}

/* gdb tells of every hit; the editor wants to know of places. */
void breakpoint_changed(struct adapter *adapter, const struct value *described) {
  struct event event;
  for (struct breakpoint *b = adapter->breakpoints; b; b = b->next) {
    if (!b->number || b->number != value_number(described, "number", 0) || b->kind == BREAK_DATA) continue;
    bool verified = b->verified;
    int line = b->line;
    note_place(b, described);
    if (verified == b->verified && line == b->line) continue;
    struct json *body = event_begin(&event, "breakpoint");
    json_string(body, "reason", "changed");
    describe(body, "breakpoint", b);
    event_send(adapter, &event);
  }
}

/* -- Data -------------------------------------------------------------------------------------------------------------------- */

static bool evaluate_number(struct adapter *adapter, int thread, int level, const char *pattern,
                            const char *expression, int64_t *number) {
  char *whole = NULL;
  if (asprintf(&whole, pattern, expression) < 0) return false;
  struct value *results = try(adapter, "data-evaluate-expression --thread %d --frame %d %s", thread, level,
                              quote(adapter, whole));
  free(whole);
  *number = value_number(results, "value", -1);
  value_free(results);
  return *number >= 0;
}

/* An expression for the bytes themselves, wherever the program is: of the variable's type, if that can be written down. */
static char *fixed_expression(struct adapter *adapter, int thread, int level, const char *expression,
                              int64_t address, int64_t bytes) {
  char *fixed = NULL;
  int64_t same;
  struct value *results =
      try(adapter, "var-create --thread %d --frame %d - * %s", thread, level, quote(adapter, expression));
  const char *type = value_text(results, "type"), *object = value_text(results, "name");
  if (type && asprintf(&fixed, "*(%s *) 0x%" PRIx64, type, (uint64_t)address) < 0) fixed = NULL;
  if (object) value_free(try(adapter, "var-delete %s", object));
  value_free(results);
  if (fixed && evaluate_number(adapter, thread, level, "sizeof (%s)", fixed, &same) && same == bytes)
    return fixed;
  free(fixed);
  return asprintf(&fixed, "*(char (*)[%" PRId64 "]) 0x%" PRIx64, bytes, (uint64_t)address) < 0 ? NULL : fixed;
}

static void offer(struct json *body, const char *fixed, const char *name, int64_t address, int64_t bytes) {
  static const char *const accesses[] = {"write", "read", "readWrite"};
  char description[256];
  snprintf(description, sizeof description, "%.100s (%" PRId64 " byte%s at 0x%" PRIx64 ")", name, bytes,
           bytes == 1 ? "" : "s", (uint64_t)address);
  json_string(body, "dataId", fixed);
  json_string(body, "description", description);
  json_open_list(body, "accessTypes");
  for (size_t i = 0; i < sizeof accesses / sizeof *accesses; i++) json_string(body, NULL, accesses[i]);
  json_close_list(body);
}

void serve_data_breakpoint_info(struct adapter *adapter, const struct value *arguments, struct json *body) {
  enum { BYTES_MOST = 4096 };
  const char *name = value_text(arguments, "name");
  int64_t reference = value_number(arguments, "variablesReference", 0), address, bytes;
  int thread, level;
  if (!name) {
    adapter_fail(adapter, "name: it is missing");
    return;
  }
  char *expression = NULL, *fixed = NULL;
  if (reference) {
    const struct handle *handle = handle_find(adapter, reference);
    if (!handle) return;
    thread = handle->thread;
    level = handle->level;
    expression = child_expression(adapter, handle, name);
  } else if (frame_of(adapter, arguments, &thread, &level)) {
    expression = strdup(name);
  }
  if (*adapter->error) return free(expression);
  bool known = expression &&
               evaluate_number(adapter, thread, level, "(unsigned long) &(%s)", expression, &address) &&
               evaluate_number(adapter, thread, level, "sizeof (%s)", expression, &bytes) && bytes > 0;
  if (known && bytes <= BYTES_MOST)
    fixed = fixed_expression(adapter, thread, level, expression, address, bytes);
  if (fixed) {
    offer(body, fixed, name, address, bytes);
  } else {
    json_written(body, "dataId", "null");
    json_string(body, "description", known ? "it has more than 4096 bytes" : "it has no place in memory");
  }
  free(fixed);
  free(expression);
}
