/* plain.h: text that comes from a recording, a program's file or whoever named them, made harmless for a terminal (plain.c). */
#ifndef REPRISE_RECORDING_PLAIN_H
#define REPRISE_RECORDING_PLAIN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* The character at `at`, which is in UTF-8: how many bytes it has, and its number. What is no UTF-8 is taken byte by byte. */
size_t plain_next(const char *at, uint32_t *number, bool *well_formed);
/* Whether a terminal shows the character as itself: no control of the terminal, of either set; no end of a line; nothing that turns the
 * direction of what stands beside it. */
bool plain_is_shown(uint32_t number);

/* Puts a question mark in place of every character that is not shown. */
void plain_text(char *text);
/* Writes it so. */
void plain_write(FILE *to, const char *text);

#endif
