/* edited.c: copies of /proc files without the engine in them. See edited.h. */
#include "engine/view/edited.h"

#include <linux/fcntl.h>

#include "engine/base/file_state.h"
#include "engine/base/lib.h"
#include "engine/memory/layout.h"
#include "engine/memory/mappings.h"
#include "engine/memory/maps.h"
#include "engine/signals/signal_state.h"

/* A copy in the making. */
struct copy {
  int fd;
  size_t filled;
  char buffer[8192];
};

static long begin(struct copy *copy) {
  copy->fd = (int)scratch_file("proc");
  copy->filled = 0;
  return copy->fd;
}

static void flush(struct copy *copy) {
  os_call3(__NR_write, copy->fd, copy->buffer, copy->filled);
  copy->filled = 0;
}

static void put(struct copy *copy, const char *text, size_t length) {
  if (copy->filled + length > sizeof copy->buffer) flush(copy);
  length = MIN(length, sizeof copy->buffer);
  memcpy(copy->buffer + copy->filled, text, length);
  copy->filled += length;
}

/* Opens the memory file again without the right to write, under the same number. */
static long finish(struct copy *copy, int flags) {
  flush(copy);
  char self[32];
  format(self, sizeof self, "/proc/self/fd/%d", copy->fd);
  long again = os_call4(__NR_openat, AT_FDCWD, self, O_RDONLY | O_CLOEXEC, 0);
  if (again >= 0) {
    long moved = os_call3(__NR_dup3, again, copy->fd, flags & O_CLOEXEC);
    os_call1(__NR_close, again);
    if (moved >= 0) return copy->fd;
    again = moved;
  }
  os_call1(__NR_close, copy->fd);
  return again;
}

static long abandon(struct copy *copy) {
  os_call1(__NR_close, copy->fd);
  return -EACCES;
}

/* -- maps and smaps ------------------------------------------------------------------------------------------------- */

enum { NAME_COLUMN = 73 };

struct filter {
  struct copy copy;
  uintptr_t heap_start, heap_end;
  bool with_statistics; /* smaps: what follows a header belongs to all of its range */
  bool hiding;          /* in the lines of a hidden range */
};

/* The line with another range and the heap's name or none. */
static void put_anonymous(struct filter *filter, const struct maps_line *line, uintptr_t start, uintptr_t end,
                          bool heap) {
  if (start >= end) return;
  char text[128];
  size_t n = format(text, sizeof text, "%08lx-%08lx%s", start, end, strchr(line->text, ' '));
  if (heap) {
    while (n < NAME_COLUMN) text[n++] = ' ';
    n += format(text + n, sizeof text - n, "[heap]");
  }
  text[n++] = '\n';
  put(&filter->copy, text, n);
}

/* The kernel joins our heap with the anonymous pages before it, which it would not do with its own heap: cut it off. */
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
  put(&filter->copy, line->text, line->length);
  put(&filter->copy, "\n", 1);
}

long edited_maps(const char *path, bool own, int flags) {
  struct filter filter;
  long result = begin(&filter.copy);
  if (result < 0) return result;
  filter.heap_start = filter.heap_end = 0;
  if (own) heap_range(&filter.heap_start, &filter.heap_end);
  filter.heap_end = ALIGN_UP(filter.heap_end, PAGE);
  filter.with_statistics = strrchr(path, '/')[1] == 's';
  filter.hiding = false;
  return maps_visit(path, filter_line, &filter) ? finish(&filter.copy, flags) : abandon(&filter.copy);
}

/* -- auxv and status --------------------------------------------------------------------------------------------------- */

long edited_auxv(int flags) {
  struct copy copy;
  long result = begin(&copy);
  if (result < 0) return result;
  size_t bytes;
  const void *auxv = layout_auxv(&bytes);
  put(&copy, auxv, bytes);
  return finish(&copy, flags);
}

struct status_edit {
  struct copy copy;
  uint64_t caught, ignored; /* by the application */
  uint64_t blocked;         /* synchronous signals, which the kernel is never told to block */
};

static void edit_status_line(const struct maps_line *line, void *context) {
  struct status_edit *edit = context;
  bool blocked = !strncmp(line->text, "SigBlk:", 7), ignored = !strncmp(line->text, "SigIgn:", 7);
  if (blocked || ignored || !strncmp(line->text, "SigCgt:", 7)) {
    uint64_t value = ignored ? edit->ignored : edit->caught;
    const char *digits = line->text + 8;
    if (blocked && maps_hex(&digits, &value)) value |= edit->blocked;
    char text[32];
    put(&edit->copy, line->text, 8);
    put(&edit->copy, text, format(text, sizeof text, "%016lx\n", value));
    return;
  }
  put(&edit->copy, line->text, line->length);
  put(&edit->copy, "\n", 1);
}

static uint64_t blocked_by(const struct thread *caller, int whose) {
  if (!whose || whose == caller->tid) return caller->signals.mask & SYNCHRONOUS;
  uint64_t mask = 0;
  lock_take(&threads_lock);
  for (const struct thread *t = threads; t; t = t->next)
    if (t->tid == whose) mask = t->signals.mask & SYNCHRONOUS;
  lock_release(&threads_lock);
  return mask;
}

long edited_status(const char *path, const struct thread *thread, int whose, int flags) {
  struct status_edit edit;
  long result = begin(&edit.copy);
  if (result < 0) return result;
  edit.caught = edit.ignored = 0;
  const struct signal_actions *actions = thread->process->actions;
  for (int signo = 1; signo <= SIGNAL_COUNT; signo++) {
    uintptr_t handler = actions->of[signo].handler;
    if (handler == HANDLER_IGNORE) edit.ignored |= SIGNAL_BIT(signo);
    if (handler > HANDLER_IGNORE) edit.caught |= SIGNAL_BIT(signo);
  }
  edit.blocked = blocked_by(thread, whose);
  return maps_visit(path, edit_status_line, &edit) ? finish(&edit.copy, flags) : abandon(&edit.copy);
}
