/* options.h: the options of a command as a table (options.c). */
#ifndef REPRISE_CLI_OPTIONS_H
#define REPRISE_CLI_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>

#include "cli/cli.h"

enum option_value { OPTION_ALONE, OPTION_WITH_VALUE, OPTION_MAY_HAVE_VALUE };

/* Puts the value, NULL if there is none, into `into`. False: it is no such value. */
typedef bool option_taker(void *into, const char *value);

struct option_row {
  const char *name; /* without its dashes; NULL ends a table */
  char letter;      /* its short name, or 0 */
  enum option_value value;
  option_taker *take;
  void *into;
  const char *
      expected; /* the values it takes, for the message about another one; NULL: `take` has told what is wrong */
};

/* The next operand: argv[*next]. An option may come behind operands, unless a command runs its first operand, which has options of its
 * own (before_operands). Returns 0, or STATUS_USAGE after one line. */
int options_parse(const struct command *command, const struct option_row *rows, int argc, char **argv,
                  bool before_operands, int *next);

option_taker take_true;     /* bool: true */
option_taker take_false;    /* bool: false */
option_taker take_text;     /* const char * */
option_taker take_position; /* uint64_t: a number in C's notation */
option_taker take_process;  /* int32_t: the id of a process */

#endif
