/* maps.h: reading /proc/…/maps (maps.c). */
#ifndef REPRISE_ENGINE_MAPS_H
#define REPRISE_ENGINE_MAPS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct maps_line {
  const char *text;         /* the whole line without its end */
  size_t length;
  bool header;              /* begins with a range; smaps has other lines after each */
  uintptr_t start, end;     /* of the last header */
  const char *name;         /* behind the inode number, "" if none; of a header only */
};

/* Calls visit for every line of a file in the format of maps or smaps. False when it can't be opened. */
bool maps_visit(const char *path, void (*visit)(const struct maps_line *, void *), void *context);

/* A descriptor open for reading at a copy of /proc/…/maps or smaps without the engine's lines, and with the heap named if own
 * is set. -errno on failure. flags: O_CLOEXEC or 0. */
long maps_filtered(const char *path, bool own, int flags);
/* A descriptor open for reading at a file with the given bytes. */
long maps_file_of(const void *bytes, size_t size, int flags);

#endif
