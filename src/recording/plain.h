/* plain.h: makes text from a recording or a program's file, and their names, harmless for a terminal (plain.c). */
#ifndef REPRISE_RECORDING_PLAIN_H
#define REPRISE_RECORDING_PLAIN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* The UTF-8 character at `at`: how many bytes it has, and its number. Bytes that are no UTF-8 are taken one by one. */
size_t plain_next(const char *at, uint32_t *number, bool *well_formed);
/* True if a terminal shows the character as itself: no control of the terminal, of either set; no end of a line; nothing that turns the
 * direction of the text beside it. */
bool plain_is_shown(uint32_t number);

/* Puts a question mark in place of every character that is not shown. */
void plain_text(char *text);
/* Writes it so. */
void plain_write(FILE *to, const char *text);

#endif
