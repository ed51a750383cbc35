/* target.c: threads, registers and memory where the replay stands. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "debug/session.h"

bool target_is_detached(const struct session *session, int32_t pid) {
  for (uint32_t i = 0; i < session->detached_count; i++)
    if (session->detached[i] == pid) return true;
  return false;
}

void target_detach(struct session *session, int32_t pid, bool ended) {
  if (session->detached_count == DEBUG_DETACHED || target_is_detached(session, pid)) return;
  session->ended[session->detached_count] = ended;
  session->detached[session->detached_count++] = pid;
  session_changed(session);
}

static int place_of_ended(const struct session *session, int32_t pid) {
  for (uint32_t i = 0; i < session->detached_count; i++)
    if (session->detached[i] == pid && session->ended[i]) return (int)i;
  return -1;
}

bool target_has_ended(const struct session *session, int32_t pid) {
  return place_of_ended(session, pid) >= 0;
}

void target_is_born(struct session *session, int32_t pid) {
  int i = place_of_ended(session, pid);
  if (i < 0) return;
  session->detached[i] = session->detached[--session->detached_count];
  session->ended[i] = session->ended[session->detached_count];
  session_changed(session);
}

const struct debug_thread *target_thread(const struct session *session, uint32_t slot) {
  return &session->run.region->debug.threads[slot];
}

const uint8_t *target_registers(const struct session *session, uint32_t slot) {
  const uint8_t *diverted = diversion_registers(session, slot);
  return diverted ? diverted : target_thread(session, slot)->registers;
}

/* The thread that has stopped at its very end is still there. */
static bool lives(const struct session *session, uint32_t slot) {
  const struct region *region = session->run.region;
  const struct rthread *rthread = &region->slots[slot];
  const struct debug_thread *thread = &region->debug.threads[slot];
  uint32_t name = rthread->number + 1;
  if (atomic_load(&rthread->state) != SLOT_LIVE || thread->known != name || !thread->tid) return false;
  if (target_is_detached(session, thread->pid)) return false;
  return slot == region->debug.stop.runner || atomic_load(&thread->leaves) != name;
}

int target_next(const struct session *session, uint32_t slot) {
  if (!session->run.region) return -1;
  for (; slot < region_slots(session->run.region); slot++)
    if (lives(session, slot)) return (int)slot;
  return -1;
}

int target_find(const struct session *session, int32_t pid, int32_t tid) {
  for (int slot = -1; (slot = target_next(session, (uint32_t)(slot + 1))) >= 0;) {
    const struct debug_thread *thread = target_thread(session, (uint32_t)slot);
    if ((!pid || thread->pid == pid) && (!tid || thread->tid == tid)) return slot;
  }
  return -1;
}

/* By the id of the thread: the first thread of the process, whose id is the process's, may be gone. */
int target_open(const struct session *session, uint32_t slot, const char *name) {
  char path[96];
  int id = diversion_has(session, slot) ? session->diversion.pid : session->run.region->slots[slot].tid;
  snprintf(path, sizeof path, "/proc/%d/%s", id, name);
  return open(path, O_RDONLY | O_CLOEXEC);
}

size_t target_allowed(uint64_t address, size_t bytes) {
  if (address >> 63 || (address >= ENGINE_BASE && address < ENGINE_END)) return 0;
  if (address < ENGINE_BASE && bytes > ENGINE_BASE - address) return ENGINE_BASE - address;
  return bytes;
}

size_t target_read(const struct session *session, uint32_t slot, uint64_t address, void *to, size_t bytes) {
  if (!session->run.region) return 0;
  int fd = target_open(session, slot, "mem");
  size_t done = 0, most = target_allowed(address, bytes);
  while (fd >= 0 && done < most) {
    ssize_t n = pread(fd, (char *)to + done, most - done, (off_t)(address + done));
    if (n <= 0) break;
    done += (size_t)n;
  }
  if (fd >= 0) close(fd);
  return done;
}

void target_name(const struct session *session, uint32_t slot, char name[16]) {
  const char *program = recording_get(session->reader, "program", 0),
             *last = program ? strrchr(program, '/') : NULL, *own = target_thread(session, slot)->name;
  if (!*own && program) own = last ? last + 1 : program;
  snprintf(name, 16, "%.15s", own);
}

char *target_proc_file(const struct session *session, uint32_t slot, const char *name, size_t *bytes) {
  int fd = target_open(session, slot, name);
  size_t room = 1 << 16;
  char *text = fd >= 0 ? malloc(room) : NULL;
  ssize_t n = 0;
  *bytes = 0;
  while (text && (n = read(fd, text + *bytes, room - *bytes)) > 0) {
    *bytes += (size_t)n;
    if (*bytes < room) continue;
    char *larger = realloc(text, room *= 2);
    if (!larger) free(text);
    text = larger;
  }
  if (fd >= 0) close(fd);
  return text;
}
