/* gdb.h: what the commands that start gdb share (gdb.c). */
#ifndef REPRISE_CLI_GDB_H
#define REPRISE_CLI_GDB_H

#include <stdbool.h>

#include "recording/recording.h"

enum { GDB_TARGET = 2 * RECORDING_PATH_MAX + 4096 };

/* Writes "target remote | REPRISE gdbserver [--at=…] RECORDING"; at may be NULL. False: the names do not fit. */
bool gdb_target(char line[GDB_TARGET], const char *path, const char *at, bool confined);
/* One line on why gdb could not be started; the exit status. */
int complain_gdb(const char *gdb, int error);

#endif
