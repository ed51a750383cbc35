/* memory_pieces.c: memory calls whose outcome depends on how the kernel has cut a range. See memory_pieces.h.
 *
 * The kernel keeps a range in pieces that differ in something: a lock, a file, an advice. In replay there may be fewer, since nothing is
 * locked, or more, since each mapping of a file opens it again. So a recording has the number of bytes that a call processed before it failed, and replay
 * moves a range that was one piece in the recording piece by piece. */
#include "engine/memory/memory_pieces.h"

#include <linux/mman.h>

#include "engine/base/lib.h"
#include "engine/base/os.h"
#include "engine/memory/maps.h"

bool advice_changes_memory(long advice) {
  enum { DONTNEED_LOCKED = 24, GUARD_INSTALL = 102, GUARD_REMOVE = 103 }; /* newer than the headers */
  switch (advice) {
    case MADV_DONTNEED:
    case MADV_FREE:
    case MADV_REMOVE:
    case MADV_DONTFORK:
    case MADV_DOFORK:
    case MADV_WIPEONFORK:
    case MADV_KEEPONFORK:
    case DONTNEED_LOCKED:
    case GUARD_INSTALL:
    case GUARD_REMOVE:
      return true;
    default:
      return false;
  }
}

/* The kernel passes over missing pages, too. */
size_t pieces_advised(uintptr_t start, size_t length, long advice) {
  size_t done = 0;
  for (; done < length; done += PAGE) {
    long result = os_call3(__NR_madvise, start + done, PAGE, advice);
    if (result && result != -ENOMEM) break;
  }
  return done;
}

/* The first border between two pieces after an address. */
struct border {
  uintptr_t after, at;
};

static void note_border(const struct maps_line *line, void *context) {
  struct border *border = context;
  if (line->header && line->start <= border->after && border->after < line->end) border->at = line->end;
}

/* The end of the piece that holds the address; 0 if there is none. */
static uintptr_t piece_end(uintptr_t address) {
  struct border border = {.after = address};
  return maps_visit("/proc/thread-self/maps", note_border, &border) ? border.at : 0;
}

long pieces_move(uintptr_t from, size_t old_length, size_t new_length, long flags, uintptr_t to) {
  uintptr_t end = from + MIN(old_length, new_length);
  if (new_length < old_length) os_call2(__NR_munmap, end, old_length - new_length);
  for (uintptr_t at = from, next; at < end; at = next) {
    next = MIN(piece_end(at), end);
    if (next <= at) return -EFAULT;
    size_t part = next - at, more = next == end && new_length > old_length ? new_length - old_length : 0;
    if (to == from && !more) continue;
    long result = to == from ? os_call4(__NR_mremap, at, part, part + more, 0)
                             : os_call5(__NR_mremap, at, part, part + more,
                                        flags | MREMAP_FIXED | MREMAP_MAYMOVE, to + (at - from));
    if (os_failed(result)) return result;
  }
  return (long)to;
}
