/* opening.c: opens a recording to look into it, and says in one line why that can't be. */
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>

#include "debug/description.h"
#include "debug/session.h"
#include "recording/plain.h"
#include "travel/image.h"

enum { USAGE = 2, DIVERGED = 120, DAMAGED = 121, FAILED = 125 };

static int complain(int status, const char *what, const char *why) {
  fputs("reprise: ", stderr);
  plain_write(stderr, what);
  fprintf(stderr, "%s%s\n", *why ? ": " : "", why);
  return status;
}

int session_verdict(const struct session *session) {
  const struct debug_stop *stop = &session->stop;
  if (stop->reason != DEBUG_ENDS || stop->outcome == OUTCOME_NONE || stop->outcome == OUTCOME_LOG_ENDS)
    return 0;
  int status = stop->outcome == OUTCOME_DIVERGED  ? DIVERGED
               : stop->outcome == OUTCOME_DAMAGED ? DAMAGED
                                                  : FAILED;
  return complain(status, *stop->text ? stop->text : "the replay can't go on", "");
}

/* What a flight recorder has stored opens at its end, or at the signal that ended the program, which other processes may have outlived. */
static enum travel go_to_last(struct session *session) {
  const char *status = recording_get(session->reader, "status", 0);
  bool killed = status && !strncmp(status, "signal", 6);
  enum travel result = killed ? travel_to_crash(session) : TRAVEL_FAILED;
  return result == TRAVEL_FAILED ? travel_to_end(session) : result;
}

static enum travel go(struct session *session, const char *at, const struct place *place) {
  if (at) return travel_to_place(session, place);
  return image_begins(session->reader) < 0 ? TRAVEL_STOPPED : go_to_last(session);
}

static bool is_client_gone(struct session *session) {
  struct pollfd on = {.fd = session->client, .events = POLLIN};
  bool speaks = session->client >= 0 && !session->gone && poll(&on, 1, 0) > 0;
  if (speaks && !session->attend(session)) session->gone = true;
  return session->gone;
}

/* A replay that has ended before it stood anywhere has told why itself; errno is 0 if that was before it began. */
static int begin(struct session *session, const char *at, const struct place *place) {
  enum travel result = session_begin(session);
  if (result == TRAVEL_OVER) return FAILED;
  if (result == TRAVEL_FAILED && !errno)
    return WIFEXITED(session->run.status) ? WEXITSTATUS(session->run.status) : FAILED;
  if (is_client_gone(session)) return 0;
  if (result != TRAVEL_STOPPED) return complain(FAILED, "no replay could be started", strerror(errno));
  if (go(session, at, place) == TRAVEL_STOPPED || is_client_gone(session)) return 0;
  if (!at) at = "end";
  int status = session_verdict(session);
  return status ? status : complain(FAILED, at, "the recording has no such moment");
}

/* The order of such threads is known at their synchronisation only: they can't be replayed one at a time. */
static bool is_parallel_only(const struct recording_reader *reader) {
  const char *order = recording_get(reader, "order", 0);
  return order && !strcmp(order, "sync");
}

int session_open(struct session *session, const char *path, const char *at) {
  struct recording_error error;
  struct place place;
  session->path = path;
  if (!session->attend) session->client = -1;
  session->settings.magic = ENGINE_CONFIG_MAGIC;
  if (at && !place_parse(at, &place)) return complain(USAGE, at, "this is no moment");
  if (recording_open(path, 0, &session->reader, &error))
    return complain(error.kind == RECORDING_SYSTEM || error.kind == RECORDING_ABSENT ? FAILED : DAMAGED,
                    error.text, "");
  int status;
  if (!description_choose(recording_get(session->reader, "architecture", 0)))
    status = complain(DAMAGED, path, "recorded on a machine that can't be debugged here");
  else if (recording_get(session->reader, "values", 0))
    /* Memory that is open holds what the last thread there has seen. */
    status = complain(FAILED, path, "recorded with --values, which can't be debugged yet");
  else if (is_parallel_only(session->reader))
    status = complain(FAILED, path, "recorded with --order=sync, which can't be debugged yet");
  else {
    stored_open(&session->stored, session->reader);
    status = begin(session, at, &place);
  }
  if (status) session_close(session);
  return status;
}

void session_close(struct session *session) {
  session_end(session);
  stored_close(&session->stored);
  recording_reader_close(session->reader);
  session->reader = NULL;
}
