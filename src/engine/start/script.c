/* script.c: how the first line of a script is cut into interpreter and argument. See script.h.
 *
 * As in the kernel: one argument at most, everything up to the end of the line with blanks trimmed; a line longer than the
 * buffer is accepted only if the interpreter's name surely ended before it. */
#include "engine/start/script.h"

#include <linux/errno.h>
#include <stdbool.h>

#include "engine/base/lib.h"

static bool is_blank(char c) {
  return c == ' ' || c == '\t';
}

int script_cut(struct script_line *line) {
  char *text = line->text, *last = text + SCRIPT_LINE - 1;
  if (text[0] != '#' || text[1] != '!') return 0;
  char *end = text + 2;
  while (end <= last && *end != '\n') end++;
  if (end > last) {
    char *name = text + 2;
    while (name <= last && is_blank(*name)) name++;
    char *stop = name;
    while (stop <= last && *stop && !is_blank(*stop)) stop++;
    if (stop > last) return -ENOEXEC;
    end = last;
  }
  while (end > text + 2 && is_blank(end[-1])) end--;
  char *name = text + 2;
  while (name < end && is_blank(*name)) name++;
  if (name >= end) return -ENOEXEC;
  *end = 0;
  char *separator = name;
  while (*separator && !is_blank(*separator)) separator++;
  line->interpreter = name;
  line->argument = NULL;
  if (*separator) {
    *separator++ = 0;
    while (is_blank(*separator)) separator++;
    if (*separator) line->argument = separator;
  }
  return *name ? 1 : -ENOEXEC;
}
