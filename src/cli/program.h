/* program.h: finding the program that the user has named (program.c). */
#ifndef REPRISE_CLI_PROGRAM_H
#define REPRISE_CLI_PROGRAM_H

#include <stddef.h>

/* Looks name up in PATH unless it holds a slash, and checks that it is a file that may be executed and read. 0 with the path
 * in out, or an exit status after having said what is wrong. */
int program_find(const char *name, char *out, size_t size);

#endif
