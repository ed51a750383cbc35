/* breaks.c: the tables of breakpoints and watchpoints. */
#include <string.h>

#include "debug/session.h"

/* Where the break is, or would be, by address and process. */
static uint32_t place_of(const struct session *session, uint64_t address, int32_t pid) {
  uint32_t i = 0;
  while (i < session->break_count &&
         (session->breaks[i].address < address ||
          (session->breaks[i].address == address && session->breaks[i].pid < pid)))
    i++;
  return i;
}

static bool is_there(const struct session *session, uint32_t i, uint64_t address, int32_t pid) {
  return i < session->break_count && session->breaks[i].address == address && session->breaks[i].pid == pid;
}

/* If there are too many, those that are of no use any more go. */
static void add_seam(struct session *session, uint64_t address) {
  uint32_t i = 0;
  while (i < session->seam_count && session->seams[i] < address) i++;
  if (i < session->seam_count && session->seams[i] == address) return;
  session->generation++;
  if (session->seam_count < DEBUG_BREAKS) {
    memmove(&session->seams[i + 1], &session->seams[i], (session->seam_count++ - i) * sizeof *session->seams);
    session->seams[i] = address;
    return;
  }
  session->seam_count = 0;
  for (i = 0; i < session->break_count; i++)
    if (!i || session->breaks[i].address != session->breaks[i - 1].address)
      session->seams[session->seam_count++] = session->breaks[i].address;
}

bool breaks_add(struct session *session, uint64_t address, int32_t pid) {
  uint32_t i = place_of(session, address, pid);
  if (is_there(session, i, address, pid)) return true;
  if (session->break_count == DEBUG_BREAKS) return false;
  struct debug_break *at = &session->breaks[i];
  memmove(at + 1, at, (session->break_count++ - i) * sizeof *at);
  *at = (struct debug_break){address, pid};
  add_seam(session, address);
  session_changed(session);
  return true;
}

void breaks_remove(struct session *session, uint64_t address, int32_t pid) {
  uint32_t i = place_of(session, address, pid);
  if (!is_there(session, i, address, pid)) return;
  struct debug_break *at = &session->breaks[i];
  memmove(at, at + 1, (--session->break_count - i) * sizeof *at);
  session_changed(session);
}

static bool is_same(const struct debug_watch *a, const struct debug_watch *b) {
  return a->address == b->address && a->bytes == b->bytes && a->pid == b->pid && a->access == b->access;
}

static void add_guard(struct session *session, const struct debug_watch *watch) {
  for (uint32_t i = 0; i < session->guard_count; i++)
    if (is_same(&session->guards[i], watch)) return;
  session->generation++;
  if (session->guard_count < DEBUG_WATCHES) {
    session->guards[session->guard_count++] = *watch;
    return;
  }
  memcpy(session->guards, session->watches, sizeof session->guards);
  session->guard_count = session->watch_count;
}

bool watches_add(struct session *session, const struct debug_watch *watch) {
  for (uint32_t i = 0; i < session->watch_count; i++)
    if (is_same(&session->watches[i], watch)) return true;
  bool wraps = watch->address + watch->bytes < watch->address;
  if (session->watch_count == DEBUG_WATCHES || !watch->bytes || watch->bytes > DEBUG_WATCH_BYTES || wraps)
    return false;
  session->watches[session->watch_count++] = *watch;
  add_guard(session, watch);
  session_changed(session);
  return true;
}

void watches_remove(struct session *session, const struct debug_watch *watch) {
  for (uint32_t i = 0; i < session->watch_count; i++)
    if (is_same(&session->watches[i], watch)) {
      session->watches[i] = session->watches[--session->watch_count];
      session_changed(session);
      return;
    }
}
