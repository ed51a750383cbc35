/* maps.h: reading the text files of /proc line by line, maps above all (maps.c). */
#ifndef REPRISE_ENGINE_MAPS_H
#define REPRISE_ENGINE_MAPS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct maps_line {
  const char *text; /* the whole line without its end */
  size_t length;
  bool header;          /* begins with a range: a line of maps; smaps has other lines after each */
  uintptr_t start, end; /* of the last header */
  const char *name;     /* behind the inode number, "" if none; of a header only */
};

/* The fields of a header besides the range: "start-end rwxp offset device inode name". */
struct maps_file {
  int protection;
  bool shared;
  uint64_t offset, inode;
};
struct maps_file maps_file(const struct maps_line *line);

/* Calls visit for every line of a file. False when it can't be opened. */
bool maps_visit(const char *path, void (*visit)(const struct maps_line *, void *), void *context);

/* Reads a hexadecimal number and goes past it; false if there is none. */
bool maps_hex(const char **at, uintptr_t *value);

#endif
