/* adapter.h: the debug adapter (adapter.c): requests of an editor become commands of gdb, whose news become events for the editor. */
#ifndef REPRISE_DAP_ADAPTER_H
#define REPRISE_DAP_ADAPTER_H

#include <stdio.h>
#include <sys/types.h>

#include "dap/messages.h"
#include "dap/mi.h"
#include "dap/value.h"
#include "debug/gdb_target.h"
#include "inspect/json.h"

struct request {
  struct value *message;
  struct request *next;
};

/* A breakpoint that the editor has set, whatever its kind. */
enum breakpoint_kind { BREAK_LINE, BREAK_FUNCTION, BREAK_INSTRUCTION, BREAK_DATA, BREAK_EXCEPTION };

struct breakpoint {
  enum breakpoint_kind kind;
  char *source;    /* of a line */
  char *place;     /* a line's number, a function, an address, an expression, a filter */
  char *condition; /* "": none */
  char *hits;      /* "": all of them */
  char access;     /* of data: 'r', 'w', 'a' */
  int id;          /* for the editor */
  int number;      /* gdb's; 0: it could not be set */
  bool verified, kept;
  int line; /* where it is, 0: not known */
  char *message;
  struct breakpoint *next;
};

/* What a number that the editor was given stands for, until the replay moves. */
struct handle {
  enum { HANDLE_FRAME, HANDLE_VARIABLES, HANDLE_REGISTERS, HANDLE_OBJECT } kind;
  int thread, level;
  char *object; /* gdb's name of a variable object */
  bool owned;   /* it was made for this handle, and has to be deleted */
};

struct adapter {
  /* The editor. */
  int in, out;
  struct message_reader reader;
  struct request *requests, *held; /* held: until the replay stops */
  bool gone;                       /* it has closed its side, or speaks something else */
  bool over;
  int64_t sent; /* number of the last message */
  int status;

  /* gdb. */
  pid_t gdb;
  int to_gdb, from_gdb;
  char *line; /* that is being read */
  size_t line_count, line_room;
  uint64_t token;
  struct mi_record *result, *news;
  FILE *capture;   /* console output that belongs to a command */
  char *quoted[8]; /* arguments of the next command */
  unsigned quotes;

  /* The session. */
  char target[GDB_TARGET];
  char *at;                 /* where it begins; NULL: at the beginning */
  bool connected;           /* gdb has a replay */
  bool configured;          /* the editor has set its breakpoints: it is told of stops */
  bool ready;               /* it has to be told that it may set them */
  bool entered;             /* it has to be told of the stop at the beginning */
  bool unwanted;            /* the session is over by the editor's wish */
  bool stops_first;         /* at the place where it begins */
  bool runs, paused, ended; /* paused: the editor has asked for a stop; ended: the program has */
  bool at_edge;             /* the recording begins or ends here */
  bool told_run;            /* the editor knows that it runs */
  bool continues;           /* what runs can be interrupted and taken up again … */
  bool backwards;           /* … in this direction */
  bool interrupted;         /* for requests that are held */
  int thread;               /* the one that has stopped */
  char *exception;          /* the signal or exception of the last stop */
  char *threads;            /* the last answer to the request of that name */
  char error[512];          /* why the request has failed; empty: it has not */
  struct breakpoint *breakpoints;
  int last_breakpoint;
  struct handle *handles;
  size_t handle_count, handle_room;
  int64_t handle_base; /* the number of the first one, less one */
};

/* -- adapter.c: requests and events ---------------------------------------------------------------------------------------- */

/* The request being served fails with this one line. */
void adapter_fail(struct adapter *adapter, const char *pattern, ...) __attribute__((format(printf, 2, 3)));

/* An event: its body is written between the two. */
struct event {
  char *text;
  size_t count;
  FILE *to;
  struct json json;
};
struct json *event_begin(struct event *event, const char *name);
void event_send(struct adapter *adapter, struct event *event);

/* Text for the editor's console. */
void tell_output(struct adapter *adapter, const char *category, const char *text);

/* Reads what has arrived from either side, and waits for it if need be. */
void adapter_wait(struct adapter *adapter);

/* -- gdb.c: the debugger ----------------------------------------------------------------------------------------------------- */

/* 0, or an error number. */
int gdb_start(struct adapter *adapter, const char *program);
void gdb_end(struct adapter *adapter);
/* Stops what runs; gdb reads no commands then. */
void gdb_interrupt(const struct adapter *adapter);
/* Reads what gdb has written. */
void gdb_read(struct adapter *adapter);

/* The text as an argument; it lives as long as the next command. */
const char *quote(struct adapter *adapter, const char *text);
/* Gives a command of the machine interface, without its dash; the results are the caller's, to be freed. NULL: gdb refuses it, and the request has
 * failed with gdb's words. */
struct value *ask(struct adapter *adapter, const char *pattern, ...) __attribute__((format(printf, 2, 3)));
/* The same where a refusal is none of the request's. */
struct value *try(struct adapter *adapter, const char *pattern, ...) __attribute__((format(printf, 2, 3)));
/* A command of gdb's console. Its output, allocated; NULL: refused. */
char *console(struct adapter *adapter, const char *command);

/* -- What is asked for: each serves a request and writes the body of its answer ---------------------------------------------- */

typedef void serve_function(struct adapter *adapter, const struct value *arguments, struct json *body);

/* session.c */
serve_function serve_initialize, serve_launch, serve_attach, serve_configuration_done, serve_restart,
    serve_terminate, serve_disconnect;
/* breakpoints.c */
serve_function serve_set_breakpoints, serve_set_function_breakpoints, serve_set_instruction_breakpoints,
    serve_set_data_breakpoints, serve_data_breakpoint_info, serve_set_exception_breakpoints;
/* running.c */
serve_function serve_continue, serve_next, serve_step_in, serve_step_out, serve_step_back,
    serve_reverse_continue, serve_pause, serve_exception_info;
/* stack.c */
serve_function serve_threads, serve_stack_trace, serve_scopes;
/* variables.c */
serve_function serve_variables, serve_evaluate, serve_completions;
/* memory.c */
serve_function serve_read_memory, serve_disassemble;

/* -- Shared by them ---------------------------------------------------------------------------------------------------------- */

/* running.c: news of gdb, and what follows a stop. */
void take_news(struct adapter *adapter, const struct mi_record *record);
void tell_stopped(struct adapter *adapter, const char *reason, const char *description, int breakpoint);
/* Runs on, forwards or backwards; until the next stop it can be interrupted and taken up again. False: the request has failed. */
bool run_on(struct adapter *adapter, bool backwards);

/* breakpoints.c */
void breakpoint_changed(struct adapter *adapter, const struct value *described);
const struct breakpoint *breakpoint_of_number(const struct adapter *adapter, int64_t number);
void breakpoints_free(struct adapter *adapter);

/* stack.c: the threads, for the time when the replay runs, if they were never asked for. */
void note_threads(struct adapter *adapter);
/* Numbers for the editor. */
int64_t handle_new(struct adapter *adapter, struct handle handle);
/* NULL, and the request has failed: the number stands for nothing, or for something else. */
const struct handle *handle_find(struct adapter *adapter, int64_t number);
void handles_clear(struct adapter *adapter);
/* The frame that the request names, or the first one of the thread that has stopped. False: it has failed. */
bool frame_of(struct adapter *adapter, const struct value *arguments, int *thread, int *level);

/* memory.c: a reference is an address in digits. False: it is none, and the request has failed. */
bool read_reference(struct adapter *adapter, const struct value *arguments, const char *name,
                    uint64_t *address);

/* variables.c: an expression that denotes the child of that name of what the handle stands for, allocated, or NULL. */
char *child_expression(struct adapter *adapter, const struct handle *handle, const char *name);

#endif
