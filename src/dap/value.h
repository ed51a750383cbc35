/* value.h: trees of values, read from JSON (json_read.c) and from gdb's machine interface (mi.c). */
#ifndef REPRISE_DAP_VALUE_H
#define REPRISE_DAP_VALUE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { VALUE_DEPTH = 64 }; /* deeper trees are refused */

enum value_kind { VALUE_NULL, VALUE_FALSE, VALUE_TRUE, VALUE_NUMBER, VALUE_TEXT, VALUE_LIST, VALUE_OBJECT };

struct value {
  enum value_kind kind;
  char *name;          /* in an object, or NULL */
  char *text;          /* of a VALUE_TEXT */
  double number;       /* of a VALUE_NUMBER */
  struct value *first; /* of a list or an object */
  struct value *next;  /* beside it */
};

/* NULL: there is no memory. */
struct value *value_new(enum value_kind kind);
void value_free(struct value *value);

/* The member of that name, or NULL; value may be NULL. */
const struct value *value_member(const struct value *value, const char *name);
/* The first element of the list of that name, or NULL. */
const struct value *value_list(const struct value *value, const char *name);
/* NULL: it is not there, or no text. */
const char *value_text(const struct value *value, const char *name);
/* Of a number, or of a text that is one, as gdb has them. */
int64_t value_number(const struct value *value, const char *name, int64_t otherwise);
bool value_truth(const struct value *value, const char *name, bool otherwise);

/* A text of JSON, count bytes with a zero behind them; NULL: it is none. */
struct value *json_read(const char *text, size_t count);

/* The character in UTF-8: how many bytes of to were written, 4 at most. */
size_t utf8_put(char *to, uint32_t character);

#endif
