/* gdb_target.h: the line by which gdb connects to a recording (gdb_target.c). */
#ifndef REPRISE_DEBUG_GDB_TARGET_H
#define REPRISE_DEBUG_GDB_TARGET_H

#include <stdbool.h>

#include "recording/recording.h"

enum { GDB_TARGET = 2 * RECORDING_PATH_MAX + 4096 };

/* A setting of gdb's, to be made before that: it gives up when its first packets are not answered, and the replay may take long to come to a place. */
#define GDB_PATIENCE "set remotetimeout 86400"
#define GDB_PATIENCE_MI "gdb-" GDB_PATIENCE

/* Writes "target remote | REPRISE gdbserver [--at=…] RECORDING"; at may be NULL. False: the names do not fit. */
bool gdb_target(char line[GDB_TARGET], const char *path, const char *at, bool confined);

#endif
