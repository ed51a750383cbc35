/* maps.c: reads the text files of /proc, maps above all. See maps.h. */
#include "engine/memory/maps.h"

#include <linux/fcntl.h>
#include <linux/mman.h>

#include "engine/base/lib.h"
#include "engine/base/os.h"

enum { LINE_MAX = 8192 };

bool maps_hex(const char **at, uintptr_t *value) {
  const char *p = *at;
  for (*value = 0;; p++) {
    if (*p >= '0' && *p <= '9')
      *value = *value << 4 | (uintptr_t)(*p - '0');
    else if (*p >= 'a' && *p <= 'f')
      *value = *value << 4 | (uintptr_t)(*p - 'a' + 10);
    else
      break;
  }
  bool any = p > *at;
  *at = p;
  return any;
}

/* "start-end rwxp offset dev inode   name" */
static void parse(struct maps_line *line) {
  const char *p = line->text;
  uintptr_t start, end;
  line->name = "";
  line->header = maps_hex(&p, &start) && *p++ == '-' && maps_hex(&p, &end) && *p == ' ';
  if (!line->header) return;
  line->start = start;
  line->end = end;
  for (int field = 0; field < 4 && *p; field++) {
    while (*p == ' ') p++;
    while (*p && *p != ' ') p++;
  }
  while (*p == ' ') p++;
  line->name = p;
}

struct maps_file maps_file(const struct maps_line *line) {
  struct maps_file file = {0};
  const char *at = line->text;
  uintptr_t number;
  while (*at != ' ') at++;
  at++;
  file.protection =
      (at[0] == 'r' ? PROT_READ : 0) | (at[1] == 'w' ? PROT_WRITE : 0) | (at[2] == 'x' ? PROT_EXEC : 0);
  file.shared = at[3] == 's';
  at += 5;
  maps_hex(&at, &number);
  file.offset = number;
  for (at++; *at && *at != ' ';) at++; /* the device */
  for (at++; *at >= '0' && *at <= '9'; at++) file.inode = file.inode * 10 + (uint64_t)(*at - '0');
  return file;
}

static char *line_end(char *from, char *limit) {
  while (from < limit && *from != '\n') from++;
  return from < limit ? from : NULL;
}

bool maps_visit(const char *path, void (*visit)(const struct maps_line *, void *), void *context) {
  long fd = os_call4(__NR_openat, AT_FDCWD, path, O_RDONLY | O_CLOEXEC, 0);
  if (fd < 0) return false;
  char buffer[LINE_MAX];
  size_t filled = 0;
  struct maps_line line = {0};
  for (;;) {
    long n = os_call3(__NR_read, fd, buffer + filled, sizeof buffer - filled);
    if (n <= 0) break;
    filled += (size_t)n;
    char *next = buffer;
    for (char *end; (end = line_end(next, buffer + filled)); next = end + 1) {
      *end = 0;
      line.text = next;
      line.length = (size_t)(end - next);
      parse(&line);
      visit(&line, context);
    }
    filled -= (size_t)(next - buffer);
    memmove(buffer, next, filled);
    if (filled == sizeof buffer) break; /* no such line exists */
  }
  os_call1(__NR_close, fd);
  return true;
}
