/* gdb_target.c: the line by which gdb connects to a recording. */
#include "debug/gdb_target.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* For a shell: in single quotes, and those of the text outside of them. False: it does not fit. */
static bool add_quoted(char *line, size_t room, const char *text) {
  size_t at = strlen(line);
  if (at + 2 >= room) return false;
  line[at++] = '\'';
  for (; *text; text++) {
    if (at + 6 >= room) return false;
    if (*text == '\'') {
      memcpy(line + at, "'\\''", 4);
      at += 4;
    } else {
      line[at++] = *text;
    }
  }
  line[at++] = '\'';
  line[at] = 0;
  return true;
}

bool gdb_target(char line[GDB_TARGET], const char *path, const char *at, bool confined) {
  const size_t room = GDB_TARGET;
  char own[RECORDING_PATH_MAX], option[512];
  ssize_t n = readlink("/proc/self/exe", own, sizeof own - 1);
  if (n <= 0) return false;
  own[n] = 0;
  snprintf(line, room, "target remote | ");
  if (!add_quoted(line, room, own)) return false;
  strncat(line, confined ? " gdbserver " : " gdbserver --unconfined ", room - strlen(line) - 1);
  if (at && snprintf(option, sizeof option, "--at=%s", at) >= (int)sizeof option) return false;
  if (at && !add_quoted(line, room, option)) return false;
  strncat(line, " -- ", room - strlen(line) - 1);
  return add_quoted(line, room, path);
}
