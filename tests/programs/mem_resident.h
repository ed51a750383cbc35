/* What of a range is in memory, and how much of the process is locked there. */
#ifndef MEM_RESIDENT_H
#define MEM_RESIDENT_H

#include "sys_helpers.h"
#include <sys/mman.h>

enum { P = 4096 };

static inline int resident(char *base, int pages) {
  unsigned char vector[64];
  int count = 0;
  CHECK(mincore(base, (size_t)pages * P, vector) == 0);
  for (int i = 0; i < pages; i++) count += vector[i] & 1;
  return count;
}

static inline long locked_kb(void) {
  char line[256];
  long kb = -1;
  FILE *status = fopen("/proc/self/status", "r");
  CHECK(status);
  while (fgets(line, sizeof line, status)) sscanf(line, "VmLck: %ld", &kb);
  fclose(status);
  return kb;
}

#endif
