/* target.c: threads, registers and memory where the replay stands. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "debug/session.h"

static uint32_t place_of_chosen(const struct session *session, int32_t pid) {
  uint32_t i = 0;
  while (i < session->chosen_count && session->chosen[i] != pid) i++;
  return i;
}

bool target_shows(const struct session *session, int32_t pid) {
  return !session->has_chosen || place_of_chosen(session, pid) < session->chosen_count;
}

void target_show(struct session *session, int32_t pid) {
  session->has_chosen = true;
  if (place_of_chosen(session, pid) == session->chosen_count && session->chosen_count < DEBUG_CHOSEN)
    session->chosen[session->chosen_count++] = pid;
  session_changed(session);
}

void target_hide(struct session *session, int32_t pid) {
  uint32_t i = place_of_chosen(session, pid);
  if (i == session->chosen_count) return;
  session->chosen[i] = session->chosen[--session->chosen_count];
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
  return slot == region->debug.stop.runner || atomic_load(&thread->leaves) != name;
}

int target_next_of_all(const struct session *session, uint32_t slot) {
  if (!session->run.region) return -1;
  for (; slot < region_slots(session->run.region); slot++)
    if (lives(session, slot)) return (int)slot;
  return -1;
}

int target_next(const struct session *session, uint32_t slot) {
  int next = target_next_of_all(session, slot);
  while (next >= 0 && !target_shows(session, target_thread(session, (uint32_t)next)->pid))
    next = target_next_of_all(session, (uint32_t)next + 1);
  return next;
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
