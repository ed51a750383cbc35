/* script.h: the first line of a script, "#! interpreter [argument]" (script.c). */
#ifndef REPRISE_ENGINE_SCRIPT_H
#define REPRISE_ENGINE_SCRIPT_H

enum { SCRIPT_LINE = 256 }; /* what the kernel reads of a file to know its kind */

struct script_line {
  char text[SCRIPT_LINE];
  char *interpreter, *argument; /* into text; argument is NULL if there is none */
};

/* Cuts a line that was read from the start of a file (rest zero). 1: a script; 0: not one; -ENOEXEC: a bad one. */
int script_cut(struct script_line *line);

#endif
