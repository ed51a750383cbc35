/* locations.h: addresses in a recording as users name them: function and source line (locations.c). */
#ifndef REPRISE_INSPECT_LOCATIONS_H
#define REPRISE_INSPECT_LOCATIONS_H

#include "inspect/logs.h"

struct places;

struct places *places_new(struct recording_reader *reader); /* NULL without memory */
void places_free(struct places *places);

/* To be called with every entry, in order. False without memory. */
bool places_follow(struct places *places, const struct log_entry *entry);
/* "function+0x12 (file.c:34) in libx.so", as far as that is known, or "". Valid until the next call. */
const char *places_text(struct places *places, uint32_t thread, uint64_t address);
/* The path that a file of the recording had; NULL if there is no such file. Valid until the next call. */
const char *places_path(struct places *places, uint32_t file);

#endif
