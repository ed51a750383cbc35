/* gdb.h: what the commands that start gdb share (gdb.c). */
#ifndef REPRISE_CLI_GDB_H
#define REPRISE_CLI_GDB_H

/* One line on why gdb could not be started; the exit status. */
int complain_gdb(const char *gdb, int error);

#endif
