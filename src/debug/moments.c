/* moments.c: how moments and places are written.
 *
 *   TURN:THREAD:POSITION:EVENT   a moment, as it is printed
 *   THREAD@POSITION              the instruction of an R-thread at a position, as in messages and `reprise dump`
 *   event:N                      the N-th line of `reprise dump`, from 0 on
 *   N%                           so much of the instructions of the thread that has executed most; 0% is the beginning, 100% the end
 *   begin, end, crash            the first instruction, the last moment, the signal that ended the program */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "debug/session.h"
#include "inspect/logs.h"
#include "inspect/summary.h"

void moment_print(const struct debug_moment *moment, char text[MOMENT_TEXT]) {
  snprintf(text, MOMENT_TEXT, "%" PRIu64 ":%u:%" PRIu64 ":%u", moment->turn, moment->thread, moment->position,
           moment->event);
}

/* A number, and what follows it; NULL: there is none, or it is too large. */
static const char *number(const char *text, uint64_t most, uint64_t *value) {
  *value = 0;
  if (*text < '0' || *text > '9') return NULL;
  for (; *text >= '0' && *text <= '9'; text++) {
    unsigned digit = (unsigned)(*text - '0');
    if (*value > (most - digit) / 10) return NULL;
    *value = *value * 10 + digit;
  }
  return text;
}

static bool parse_moment(const char *text, struct debug_moment *moment) {
  uint64_t thread, event;
  if (!(text = number(text, INT64_MAX, &moment->turn)) || *text++ != ':') return false;
  if (!(text = number(text, RECORDING_THREAD_MAX, &thread)) || *text++ != ':') return false;
  if (!(text = number(text, INT64_MAX, &moment->position)) || *text++ != ':') return false;
  if (!(text = number(text, UINT32_MAX, &event)) || *text) return false;
  moment->thread = (uint32_t)thread;
  moment->event = (uint32_t)event;
  return true;
}

static bool parse_position(const char *text, struct debug_moment *moment) {
  uint64_t thread;
  if (!(text = number(text, RECORDING_THREAD_MAX, &thread)) || *text++ != '@') return false;
  if (!(text = number(text, INT64_MAX, &moment->position)) || *text) return false;
  moment->thread = (uint32_t)thread;
  return true;
}

/* "N%" or "N.M%", in thousandths of a percent; three digits behind the point at most. */
static bool parse_share(const char *text, uint64_t *share) {
  uint64_t whole, digit = PLACE_WHOLE / 1000;
  if (!(text = number(text, 100, &whole))) return false;
  *share = whole * (PLACE_WHOLE / 100);
  if (*text == '.') {
    const char *start = ++text;
    for (; *text >= '0' && *text <= '9' && digit; text++, digit /= 10)
      *share += (uint64_t)(*text - '0') * digit;
    if (text == start) return false;
  }
  return !strcmp(text, "%") && *share <= PLACE_WHOLE;
}

bool place_parse(const char *text, struct place *place) {
  static const struct {
    const char *name;
    int kind;
  } names[] = {{"begin", PLACE_BEGIN}, {"end", PLACE_END}, {"crash", PLACE_CRASH}};
  *place = (struct place){0};
  for (size_t i = 0; i < sizeof names / sizeof *names; i++)
    if (!strcmp(text, names[i].name)) return place->kind = names[i].kind, true;
  if (!strncmp(text, "event:", 6)) {
    place->kind = PLACE_EVENT;
    const char *rest = number(text + 6, INT64_MAX, &place->event);
    return rest && !*rest;
  }
  place->kind = PLACE_SHARE;
  if (parse_share(text, &place->share)) return true;
  place->kind = PLACE_MOMENT;
  if (parse_moment(text, &place->moment)) return true;
  place->kind = PLACE_POSITION;
  return parse_position(text, &place->moment);
}

/* The thread and position of an event. */
static bool find_event(struct session *session, uint64_t wanted, struct debug_moment *moment) {
  struct logs *logs;
  struct log_entry entry;
  bool found = false;
  if (logs_open(session->reader, NULL, NULL, &logs, NULL)) return false;
  for (uint64_t i = 0; !found && !logs_next(logs, &entry, NULL); i++) found = i == wanted;
  logs_close(logs);
  *moment = (struct debug_moment){.thread = entry.thread, .position = entry.position};
  return found;
}

/* Of a recording that begins at a checkpoint, where the thread is then. */
static uint64_t first_position(const struct session *session, uint32_t thread) {
  int64_t first = image_begins(session->reader);
  for (size_t i = 0; i < session->stored.count; i++) {
    const struct stored_image *image = &session->stored.all[i];
    for (uint32_t j = 0; image->number == first && j < image->position_count; j++)
      if (image->positions[j].thread == thread) return image->positions[j].position;
  }
  return 0;
}

/* Threads have no common measure of time but their turns, which may be of any length; the positions of one thread are even. */
static bool find_share(struct session *session, uint64_t share, struct debug_moment *moment) {
  struct summary summary;
  uint64_t most = 0, start = 0;
  *moment = (struct debug_moment){0};
  bool counted = !summary_count(session->reader, &summary, NULL);
  for (uint32_t i = 0; i < summary.thread_count; i++) {
    uint64_t first = first_position(session, i), end = summary.threads[i].instructions;
    if (end <= first || end - first <= most) continue;
    most = end - first;
    start = first;
    moment->thread = i;
  }
  summary_free(&summary);
  moment->position = start + most / PLACE_WHOLE * share + most % PLACE_WHOLE * share / PLACE_WHOLE;
  return counted;
}

/* Fails unless the replay stands at the moment: a travel to a moment that does not exist ends somewhere else. */
static enum travel checked(struct session *session, enum travel result, const struct debug_moment *moment) {
  if (result != TRAVEL_STOPPED || !debug_compare(moment, &session->stop.moment)) return result;
  return TRAVEL_FAILED;
}

/* At the first instruction of the moment's thread at its position or later. */
static enum travel arrive_at(struct session *session, const struct debug_moment *moment) {
  enum travel result = travel_to_position(session, moment->thread, moment->position);
  bool there = session->stop.moment.thread == moment->thread && session->stop.reason != DEBUG_ENDS;
  return result == TRAVEL_STOPPED && !there ? TRAVEL_FAILED : result;
}

enum travel travel_to_place(struct session *session, const struct place *place) {
  struct debug_moment moment = place->moment;
  switch (place->kind) {
    case PLACE_SHARE:
      if (!place->share) return travel_to_position(session, 0, 0);
      if (place->share == PLACE_WHOLE) return travel_to_end(session);
      if (!find_share(session, place->share, &moment)) return TRAVEL_FAILED;
      return arrive_at(session, &moment);
    case PLACE_MOMENT:
      return checked(session, travel_to(session, &moment), &moment);
    case PLACE_EVENT:
      if (!find_event(session, place->event, &moment)) return TRAVEL_FAILED;
      return arrive_at(session, &moment);
    case PLACE_POSITION:
      return arrive_at(session, &moment);
    case PLACE_BEGIN:
      return travel_to_position(session, 0, 0);
    case PLACE_END:
      return travel_to_end(session);
    case PLACE_CRASH:
      return travel_to_crash(session);
  }
  return TRAVEL_FAILED;
}
