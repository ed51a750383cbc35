/* maps.c: /proc/…/maps as the engine reads it, and as the application may see it. See maps.h. */
#include "engine/maps.h"

#include <linux/fcntl.h>
#include <linux/memfd.h>

#include "engine/engine.h"
#include "engine/lib.h"
#include "engine/mappings.h"
#include "engine/os.h"

enum { LINE_MAX = 8192, NAME_COLUMN = 73 };

static bool hex(const char **at, uintptr_t *value) {
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
  line->header = hex(&p, &start) && *p++ == '-' && hex(&p, &end) && *p == ' ';
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

/* -- The application's view ------------------------------------------------------------------------------------------ */

struct filter {
  int fd;
  uintptr_t heap_start, heap_end;
  bool with_statistics;          /* smaps: what follows a header belongs to all of its range */
  bool hiding;                   /* in the lines of a hidden range */
  size_t filled;
  char buffer[LINE_MAX];
};

static void flush(struct filter *filter) {
  os_call3(__NR_write, filter->fd, filter->buffer, filter->filled);
  filter->filled = 0;
}

static void put(struct filter *filter, const char *text, size_t length) {
  if (filter->filled + length > sizeof filter->buffer) flush(filter);
  length = MIN(length, sizeof filter->buffer);
  memcpy(filter->buffer + filter->filled, text, length);
  filter->filled += length;
}

/* The line with another range and the heap's name or none. */
static void put_anonymous(struct filter *filter, const struct maps_line *line, uintptr_t start, uintptr_t end, bool heap) {
  if (start >= end) return;
  char text[128];
  size_t n = format(text, sizeof text, "%08lx-%08lx%s", start, end, strchr(line->text, ' '));
  if (heap) {
    while (n < NAME_COLUMN) text[n++] = ' ';
    n += format(text + n, sizeof text - n, "[heap]");
  }
  text[n++] = '\n';
  put(filter, text, n);
}

/* The kernel joins the heap with the anonymous pages before it, which it would not do with its own: cut it off. */
static void put_heap(struct filter *filter, const struct maps_line *line) {
  uintptr_t from = filter->with_statistics ? line->start : MAX(line->start, filter->heap_start);
  put_anonymous(filter, line, line->start, from, false);
  put_anonymous(filter, line, from, line->end, true);
}

static void filter_line(const struct maps_line *line, void *context) {
  struct filter *filter = context;
  if (line->header) filter->hiding = line->start >= ENGINE_BASE && line->end <= ENGINE_END;
  if (filter->hiding) return;
  bool heap = line->header && !line->name[0] && line->length < 80 && line->start < filter->heap_end &&
              line->end > filter->heap_start;
  if (heap) {
    put_heap(filter, line);
    return;
  }
  put(filter, line->text, line->length);
  put(filter, "\n", 1);
}

/* Opens the memory file again without the right to write, under the same number. */
static long read_only(int fd, int flags) {
  char self[32];
  format(self, sizeof self, "/proc/self/fd/%d", fd);
  long again = os_call4(__NR_openat, AT_FDCWD, self, O_RDONLY | O_CLOEXEC, 0);
  if (again >= 0) {
    long moved = os_call3(__NR_dup3, again, fd, flags & O_CLOEXEC);
    os_call1(__NR_close, again);
    if (moved >= 0) return fd;
    again = moved;
  }
  os_call1(__NR_close, fd);
  return again;
}

long maps_filtered(const char *path, bool own, int flags) {
  struct filter filter = {.fd = (int)os_call2(__NR_memfd_create, "maps", MFD_CLOEXEC)};
  if (filter.fd < 0) return filter.fd;
  if (own) heap_range(&filter.heap_start, &filter.heap_end);
  filter.with_statistics = strrchr(path, '/')[1] == 's';
  filter.heap_end = ALIGN_UP(filter.heap_end, PAGE);
  if (!maps_visit(path, filter_line, &filter)) {
    os_call1(__NR_close, filter.fd);
    return -EACCES;
  }
  flush(&filter);
  return read_only(filter.fd, flags);
}

long maps_file_of(const void *bytes, size_t size, int flags) {
  long fd = os_call2(__NR_memfd_create, "auxv", MFD_CLOEXEC);
  if (fd < 0) return fd;
  os_call3(__NR_write, fd, bytes, size);
  return read_only((int)fd, flags);
}
