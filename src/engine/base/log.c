/* log.c: prints log lines and counters. See log.h and counters.h. */
#include "engine/base/log.h"

#include "engine/base/counters.h"

struct counters counters;

void log_line(const char *channel, const char *pattern, ...) {
  char line[1024];
  size_t n = format(line, sizeof line, "reprise[%ld] %s: ", os_call0(__NR_gettid), channel);
  va_list args;
  va_start(args, pattern);
  n += vformat(line + n, sizeof line - n - 1, pattern, args);
  va_end(args);
  n = MIN(n, sizeof line - 2);
  line[n++] = '\n';
  os_call3(__NR_write, 2, line, n);
}

void counters_print(int fd) {
#define X(name, text) \
  print(fd, "%12lu  %s\n", atomic_load_explicit(&counters.name, memory_order_relaxed), text);
  COUNTERS(X)
#undef X
}
