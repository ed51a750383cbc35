/* engine_name.h: the name under which the engine is executed, for the launcher and for the engine itself.
 *
 * The kernel puts the name of the executed file at the very top of the new stack. The engine is executed by the name
 * of its descriptor, filled up with slashes to the length of the program's name, so that the engine can write the
 * program's name over it and the stack is laid out as natively. Where there is no /proc, execveat(2) on the descriptor
 * has to do, and the name goes elsewhere (stack.c). */
#ifndef REPRISE_CONTRACT_ENGINE_NAME_H
#define REPRISE_CONTRACT_ENGINE_NAME_H

#include <stddef.h>

/* Writes "/proc/self/fd/////N", at least length characters long, to name, which holds size bytes. */
static inline void handover_name(char *name, size_t size, int fd, size_t length) {
  static const char folder[] = "/proc/self/fd/";
  char digits[12];
  size_t count = 0, at = 0;
  do digits[count++] = (char)('0' + fd % 10);
  while (fd /= 10);
  for (; folder[at]; at++) name[at] = folder[at];
  while (at + count < length && at + count + 1 < size) name[at++] = '/';
  while (count) name[at++] = digits[--count];
  name[at] = 0;
}

/* The descriptor that a name made so, or by execveat ("/dev/fd/N"), ends with; -1 if none. */
static inline int handover_descriptor(const char *name) {
  const char *last = name;
  for (const char *p = name; *p; p++)
    if (*p == '/') last = p + 1;
  int fd = *last ? 0 : -1;
  for (; *last; last++) {
    if (*last < '0' || *last > '9' || fd > 0x7ffffff) return -1;
    fd = fd * 10 + (*last - '0');
  }
  return fd;
}

#endif
