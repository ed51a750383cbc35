/* gdb_target.h: the line by which gdb connects to a recording (gdb_target.c). */
#ifndef REPRISE_DEBUG_GDB_TARGET_H
#define REPRISE_DEBUG_GDB_TARGET_H

#include <stdbool.h>

#include "recording/recording.h"

enum { GDB_TARGET = 2 * RECORDING_PATH_MAX + 4096 };

/* Writes "target remote | REPRISE gdbserver [--at=…] RECORDING"; at may be NULL. False: the names do not fit. */
bool gdb_target(char line[GDB_TARGET], const char *path, const char *at, bool confined);

#endif
