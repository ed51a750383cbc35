/* options.c: parses the options of a command by getopt_long(3). See options.h. */
#include "cli/options.h"

#include <errno.h>
#include <getopt.h>
#include <stdlib.h>

enum { ROWS_MOST = 32, FIRST_KEY = 256 };

/* As getopt_long wants them; an option's key is its row's number. */
static void translate(const struct option_row *rows, struct option *to) {
  static const int kinds[] = {no_argument, required_argument, optional_argument};
  int n = 0;
  for (; n < ROWS_MOST && rows[n].name; n++)
    to[n] = (struct option){.name = rows[n].name, .has_arg = kinds[rows[n].value], .val = FIRST_KEY + n};
  to[n] = (struct option){0};
}

/* The short options; each takes what its long one takes. The colon tells a missing value from an unknown option. */
static void letters_of(const struct option_row *rows, bool before_operands, char *to) {
  if (before_operands) *to++ = '+';
  *to++ = ':';
  for (; rows->name; rows++) {
    if (!rows->letter) continue;
    *to++ = rows->letter;
    if (rows->value != OPTION_ALONE) *to++ = ':';
  }
  *to = 0;
}

static const struct option_row *row_of(const struct option_row *rows, int key) {
  if (key >= FIRST_KEY) return &rows[key - FIRST_KEY];
  while (rows->name && rows->letter != key) rows++;
  return rows->name ? rows : NULL;
}

int options_parse(const struct command *command, const struct option_row *rows, int argc, char **argv,
                  bool before_operands, int *next) {
  struct option table[ROWS_MOST + 1];
  char letters[2 * ROWS_MOST + 3];
  int key;
  translate(rows, table);
  letters_of(rows, before_operands, letters);
  optind = 0; /* argv is another than the last time */
  opterr = 0;
  while ((key = getopt_long(argc, argv, letters, table, NULL)) != -1) {
    const struct option_row *row = row_of(rows, key);
    if (key == ':') return bad_usage(command, "%s: its value is missing", argv[optind - 1]);
    if (!row && optopt >= FIRST_KEY)
      return bad_usage(command, "--%s takes no value", rows[optopt - FIRST_KEY].name);
    if (!row && optopt) return bad_usage(command, "-%c: no such option", optopt);
    if (!row) return bad_usage(command, "%s: no such option", argv[optind - 1]);
    if (row->take(row->into, optarg)) continue;
    if (!row->expected) return STATUS_USAGE;
    return bad_usage(command, "--%s=%s: expected %s", row->name, optarg ? optarg : "", row->expected);
  }
  *next = optind;
  return 0;
}

bool take_true(void *into, const char *value) {
  (void)value;
  return *(bool *)into = true;
}

bool take_false(void *into, const char *value) {
  (void)value;
  *(bool *)into = false;
  return true;
}

bool take_text(void *into, const char *value) {
  *(const char **)into = value;
  return true;
}

bool take_position(void *into, const char *value) {
  char *end;
  errno = 0;
  *(uint64_t *)into = strtoull(value, &end, 0);
  return !errno && !*end && *value && *value != '-';
}

bool take_process(void *into, const char *text) {
  int32_t *pid = into;
  char *end;
  long number = strtol(text, &end, 10);
  *pid = (int32_t)number;
  return *text && !*end && number > 0 && number <= INT32_MAX;
}
