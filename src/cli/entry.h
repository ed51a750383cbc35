/* entry.h: one entry of a recording's logs as a line of text or JSON (entry.c). */
#ifndef REPRISE_CLI_ENTRY_H
#define REPRISE_CLI_ENTRY_H

#include <stdio.h>

#include "inspect/logs.h"

/* The entry's kind as users name it: an event's, or "chunk". */
const char *entry_name(const struct log_entry *entry);
/* The program counter at which the entry happened, if the log has it. */
bool entry_pc(const struct log_entry *entry, uint64_t *pc);
/* How a chunk ended. */
const char *entry_reason(uint8_t reason);

/* place: function and line of its pc, or "". file: the path of the entry's file, or NULL. */
void entry_text(FILE *to, const struct log_entry *entry, const char *place, const char *file);
void entry_json(FILE *to, const struct log_entry *entry, const char *place, const char *file);

#endif
