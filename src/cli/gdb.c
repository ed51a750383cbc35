/* gdb.c: what the commands that start gdb share. */
#include "cli/gdb.h"

#include <errno.h>
#include <string.h>

#include "cli/cli.h"

int complain_gdb(const char *gdb, int error) {
  return complain(error == ENOENT ? STATUS_NOT_FOUND : STATUS_NOT_EXECUTABLE, "%s: %s", gdb,
                  error == ENOENT ? "not found: the debugger has to be installed" : strerror(error));
}
