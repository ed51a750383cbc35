/* processes.c: which processes the client knows.
 *
 * A client knows the process that it met first, and those whose births it was told and that it has not let go. Nothing that happens in other processes concerns it; gdb 13
 * takes a process that it was not told of for one of another machine. So what lived when the session began in the middle of the recording is told
 * like births, when the replay goes on for the first time. */
#include <stdlib.h>
#include <string.h>

#include "debug/server.h"

/* -- Lists of recorded ids --------------------------------------------------------------------------------------------------- */

static bool ids_have(const struct process_ids *ids, int32_t pid) {
  for (uint32_t i = 0; i < ids->count; i++)
    if (ids->list[i] == pid) return true;
  return false;
}

static void ids_add(struct process_ids *ids, int32_t pid) {
  if (ids->count < DEBUG_CHOSEN && !ids_have(ids, pid)) ids->list[ids->count++] = pid;
}

static void ids_remove(struct process_ids *ids, int32_t pid) {
  for (uint32_t i = 0; i < ids->count; i++)
    if (ids->list[i] == pid) ids->list[i--] = ids->list[--ids->count];
}

/* -- Births and ends --------------------------------------------------------------------------------------------------------- */

static uint32_t slot_of_oldest(const struct session *session) {
  const struct rthread *slots = session->run.region->slots;
  uint32_t oldest = session->stop.slot;
  for (int slot = -1; (slot = target_next_of_all(session, (uint32_t)(slot + 1))) >= 0;)
    if (slots[slot].number < slots[oldest].number) oldest = (uint32_t)slot;
  return oldest;
}

/* At the beginning any process may have the turn; what the user knows is the one that the others come from. */
void processes_begin(struct server *server) {
  struct session *session = &server->session;
  bool at_begin = session->stop.reason == DEBUG_BEGINS;
  uint32_t first = at_begin ? slot_of_oldest(session) : session->stop.slot;
  int32_t shown = target_thread(session, first)->pid;
  for (int slot = -1; (slot = target_next_of_all(session, (uint32_t)(slot + 1))) >= 0;) {
    int32_t pid = target_thread(session, (uint32_t)slot)->pid;
    if (pid != shown) ids_add(&server->untold, pid);
  }
  target_show(session, shown);
}

void processes_born(struct server *server, int32_t pid) {
  ids_remove(&server->let_go, pid);
  ids_remove(&server->untold, pid);
  target_show(&server->session, pid);
}

void processes_let_go(struct server *server, int32_t pid) {
  ids_add(&server->let_go, pid);
  target_hide(&server->session, pid);
}

void processes_tell_gone(struct server *server, const char *how, int status, int32_t pid) {
  reply_text(&server->reply, "%s%02x", how, status & 0xff);
  if (!server->multiprocess) return;
  reply_text(&server->reply, ";process:%x", pid);
  target_hide(&server->session, pid);
}

bool processes_have_others(const struct server *server, int32_t pid) {
  const struct session *session = &server->session;
  for (int slot = -1; (slot = target_next(session, (uint32_t)(slot + 1))) >= 0;)
    if (target_thread(session, (uint32_t)slot)->pid != pid) return true;
  return false;
}

bool processes_tell_lost(struct server *server) {
  struct session *session = &server->session;
  if (!server->leapt || !processes_have_others(server, 0)) return false;
  for (uint32_t i = 0; i < session->chosen_count; i++) {
    if (target_find(session, session->chosen[i], 0) >= 0) continue;
    reply_clear(&server->reply);
    processes_tell_gone(server, "W", 0, session->chosen[i]);
    return true;
  }
  return false;
}

bool processes_live(const struct server *server) {
  return target_next(&server->session, 0) >= 0;
}

uint32_t processes_oldest(const struct server *server) {
  const struct session *session = &server->session;
  uint32_t oldest = UINT32_MAX;
  for (int slot = -1; (slot = target_next(session, (uint32_t)(slot + 1))) >= 0;)
    if (session->run.region->slots[slot].number < oldest) oldest = session->run.region->slots[slot].number;
  return oldest;
}

enum travel processes_return(struct server *server, enum travel result, uint32_t oldest) {
  if (result != TRAVEL_BEGIN || processes_live(server) || oldest == UINT32_MAX) return result;
  result = travel_to_position(&server->session, oldest, 0);
  return result == TRAVEL_STOPPED ? TRAVEL_BEGIN : result;
}

/* On the way back a process that has ended is there again, and is not shown; so neither is its birth. That of a process that is shown is told when it is not there any more. */
bool processes_concern(const struct server *server) {
  const struct debug_stop *stop = &server->session.stop;
  if (stop->reason == DEBUG_FORKED) return ids_have(&server->let_go, stop->number);
  return stop->reason != DEBUG_EXITS;
}

/* -- Processes that lived when the session began ------------------------------------------------------------------------------- */

static bool is_of_other_program(struct server *server, uint32_t slot, uint32_t other) {
  char *one = target_program(&server->session, slot), *two = target_program(&server->session, other);
  bool differs = one && two && strcmp(one, two);
  free(one);
  free(two);
  return differs;
}

/* The client takes the program of one that it was told the birth of for that of the thread that it was told of then. */
static bool tell_program(struct server *server, uint32_t slot) {
  int newborn = -1;
  while (newborn < 0 && server->programless.count) {
    newborn = target_find(&server->session, server->programless.list[--server->programless.count], 0);
    if (newborn >= 0 && !is_of_other_program(server, slot, (uint32_t)newborn)) newborn = -1;
  }
  if (newborn < 0 || !server->tells_programs) return false;
  char *program = target_program(&server->session, (uint32_t)newborn);
  reply_text(&server->reply, "T05thread:");
  server_name_thread(server, (uint32_t)newborn);
  reply_text(&server->reply, ";exec:");
  reply_hex(&server->reply, program, strlen(program));
  reply_text(&server->reply, ";");
  free(program);
  return true;
}

bool processes_tell_untold(struct server *server, uint32_t slot, bool steps) {
  struct session *session = &server->session;
  if (!steps && tell_program(server, slot)) return true;
  while (server->untold.count && server->multiprocess && server->tells_forks) {
    int32_t pid = server->untold.list[server->untold.count - 1];
    processes_born(server, pid);
    int newborn = target_find(session, pid, 0);
    if (newborn < 0) {
      target_hide(session, pid);
      continue;
    }
    ids_add(&server->programless, pid);
    reply_text(&server->reply, "T05thread:");
    server_name_thread(server, slot);
    reply_text(&server->reply, ";fork:");
    server_name_thread(server, (uint32_t)newborn);
    reply_text(&server->reply, ";");
    return true;
  }
  return false;
}
