/* monitor.c: the `monitor` commands. Those of reprise.py are made of them. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "debug/server.h"
#include "input/input.h"

static void tell_when(struct server *server, FILE *out) {
  char text[MOMENT_TEXT];
  moment_print(&server->session.stop.moment, text);
  fprintf(out, "%s\n", text);
}

/* Moves the replay; the client learns of it by its next reverse-continue, which goes no further. A place that does not exist leaves the replay
 * where it was. */
static void seek(struct server *server, const char *text, FILE *out) {
  struct session *session = &server->session;
  struct debug_moment before = session->stop.moment;
  struct place place;
  char moment[MOMENT_TEXT];
  if (!place_parse(text, &place)) {
    fprintf(
        out,
        "no moment: %.80s (TURN:THREAD:POSITION:EVENT, THREAD@POSITION, event:N, N%%, begin, end or crash)\n",
        text);
    return;
  }
  enum travel result = travel_to_place(session, &place);
  server->moved = result == TRAVEL_STOPPED && processes_live(server);
  if (result == TRAVEL_STOPPED && !server->moved) {
    fprintf(out, "%.80s: the process that is shown does not live there (--at begins there with others)\n",
            text);
    travel_to(session, &before);
  } else if (server->moved) {
    moment_print(&session->stop.moment, moment);
    fprintf(out, "at %s\n", moment);
  } else if (result == TRAVEL_FAILED) {
    fprintf(out, "%.80s: the recording has no such moment\n", text);
    if (session->run.region) travel_to(session, &before);
  } else {
    fputs("the replay has ended\n", out);
  }
}

/* ADDRESS,BYTES, both hexadecimal. */
static void go_to_last_write(struct server *server, const char *text, FILE *out) {
  struct session *session = &server->session;
  int slot = server_slot(server);
  struct debug_watch watch = {.access = DEBUG_WRITES};
  const char *rest = packet_number(text, &watch.address);
  char moment[MOMENT_TEXT];
  if (*rest == ',') packet_number(rest + 1, &watch.bytes);
  if (slot >= 0) watch.pid = target_thread(session, (uint32_t)slot)->pid;
  if (!watch.bytes || watch.bytes > DEBUG_WATCH_BYTES) {
    fprintf(out, "the last write of what? (ADDRESS,BYTES; %d bytes at most)\n", DEBUG_WATCH_BYTES);
    return;
  }
  uint32_t oldest = processes_oldest(server);
  enum travel result = processes_return(server, travel_to_last_write(session, &watch), oldest);
  server->moved = result == TRAVEL_STOPPED || result == TRAVEL_BEGIN;
  moment_print(&session->stop.moment, moment);
  if (result == TRAVEL_BEGIN)
    fprintf(out, "at %s, the beginning: it was not written before\n", moment);
  else if (result == TRAVEL_STOPPED && session->stop.reason == DEBUG_INTERRUPT)
    fputs("interrupted: the replay stands where it was\n", out);
  else if (result == TRAVEL_STOPPED)
    fprintf(out, "at %s\n", moment);
  else
    fputs("the replay has ended\n", out);
}

/* -- Threads ----------------------------------------------------------------------------------------------------------------- */

static void describe(const struct session *session, uint32_t slot, FILE *out) {
  const struct debug_thread *thread = target_thread(session, slot);
  const struct rthread *rthread = &session->run.region->slots[slot];
  char name[16];
  target_name(session, slot, name);
  fprintf(out, "thread %u  process %d, id %d, %s, position %" PRIu64 ": ", rthread->number, thread->pid,
          thread->tid, name, thread->position);
  const struct input_row *row = thread->call > 0 ? input_row((unsigned)thread->call - 1) : NULL;
  if (slot == session->stop.runner)
    fputs("has the turn", out);
  else
    fputs("waits for its turn", out);
  if (row) fprintf(out, ", in %s", row->name);
  fputc('\n', out);
}

static void tell_threads(struct server *server, FILE *out) {
  for (int slot = -1; (slot = target_next_of_all(&server->session, (uint32_t)(slot + 1))) >= 0;)
    describe(&server->session, (uint32_t)slot, out);
}

char *command_perform(struct server *server, const char *line) {
  char *made = NULL;
  size_t count;
  FILE *out = open_memstream(&made, &count);
  if (!out) return NULL;
  if (!server->session.run.region)
    fputs("the replay has ended\n", out);
  else if (!strcmp(line, "when"))
    tell_when(server, out);
  else if (!strncmp(line, "seek ", 5))
    seek(server, line + 5, out);
  else if (!strncmp(line, "last ", 5))
    go_to_last_write(server, line + 5, out);
  else if (!strcmp(line, "threads"))
    tell_threads(server, out);
  else if (!strcmp(line, "digest"))
    fprintf(out, "%016" PRIx64 "\n", session_digest(&server->session));
  else
    fputs(
        "monitor when          the moment where the replay stands\n"
        "monitor seek PLACE    goes there, forwards or backwards; the client learns of it by "
        "reverse-continue\n"
        "monitor last ADDRESS,BYTES    goes back to the last write; the same\n"
        "monitor threads       what each thread does\n"
        "monitor digest        of all registers and memory: the same whenever the replay stands here\n",
        out);
  fclose(out);
  return made;
}
