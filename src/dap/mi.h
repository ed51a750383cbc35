/* mi.h: lines of gdb's machine interface (mi.c). */
#ifndef REPRISE_DAP_MI_H
#define REPRISE_DAP_MI_H

#include "dap/value.h"

struct mi_record {
  /* '^': a result; '*', '=', '+': news; '~', '@', '&': text of gdb's console, of the program, of gdb's log; 0: none, as the prompt. */
  char kind;
  uint64_t token;         /* of a result: its command's */
  char *text;             /* a result's or news' class ("done", "stopped"); what a stream holds */
  struct value *results;  /* of a result or news: an object */
  struct mi_record *next; /* in a queue */
};

/* Takes one line, without its end. NULL: it is none of the interface's, or there is no memory. */
struct mi_record *mi_read(const char *line);
void mi_free(struct mi_record *record);

/* The text as an argument of a command, in quotes; allocated. */
char *mi_quoted(const char *text);

#endif
