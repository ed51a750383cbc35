/*
 * The check of the test programs: always on, names its line, ends the program with status 99.
 */
#ifndef CHECK_H
#define CHECK_H

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* Ends the program with status 99 when `cond` does not hold, naming the line and errno on stderr. */
#define CHECK(cond) ((cond) ? (void)0 : check_failed(__FILE__, __LINE__, #cond))

__attribute__((noreturn)) static inline void check_failed(const char *file, int line, const char *what) {
  dprintf(2, "%s:%d: CHECK(%s) failed, errno %s\n", file, line, what, strerrorname_np(errno));
  _exit(99);
}

#endif
