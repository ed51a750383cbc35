/* travel.c: goes forwards and backwards in a replay.
 *
 * Backwards is forwards: the replay goes back to a checkpoint, or to its beginning, and runs to the target. If the target is not
 * known yet, a first run goes as far as the present moment, and notes the last hit. */
#include <stdlib.h>
#include <string.h>

#include "debug/session.h"

/* -- Running ----------------------------------------------------------------------------------------------------------------- */

static struct region_debug *debug_of(struct session *session) {
  return &session->run.region->debug;
}

/* In a replay that was started again, output up to where others came is known. */
static void show_new(void *context, int which, const uint8_t *bytes, size_t count) {
  struct session *session = context;
  uint64_t from = session->run.written[which], end = from + count;
  if (end <= session->shown[which]) return;
  size_t known = from < session->shown[which] ? (size_t)(session->shown[which] - from) : 0;
  session->shown[which] = end;
  if (session->shows) session->shows(session->context, which, bytes + known, count - known);
}

static enum travel wait_for_stop(struct session *session) {
  for (;;) {
    switch (run_wait(&session->run, session->client, show_new, session)) {
      case RUN_STOPPED:
        session->stop = debug_of(session)->stop;
        session->stop.text[sizeof session->stop.text - 1] = 0;
        return TRAVEL_STOPPED;
      case RUN_OVER:
        run_end(&session->run, false);
        return TRAVEL_OVER;
      case RUN_CLIENT:
        if (session->attend && session->attend(session)) break;
        session->gone = true;
        return TRAVEL_GONE;
    }
  }
}

static void install(struct session *session) {
  struct region_debug *debug = debug_of(session);
  memcpy(debug->breaks, session->breaks, session->break_count * sizeof *session->breaks);
  memcpy(debug->watches, session->watches, session->watch_count * sizeof *session->watches);
  memcpy(debug->chosen, session->chosen, session->chosen_count * sizeof *session->chosen);
  memcpy(debug->caught_calls, session->caught_calls, sizeof session->caught_calls);
  memcpy(debug->seams, session->seams, session->seam_count * sizeof *session->seams);
  memcpy(debug->guards, session->guards, session->guard_count * sizeof *session->guards);
  debug->seam_count = session->seam_count;
  debug->guard_count = session->guard_count;
  debug->break_count = session->break_count;
  debug->watch_count = session->watch_count;
  debug->chosen_count = session->chosen_count;
  debug->has_chosen = session->has_chosen;
  debug->catches_calls = session->catches_calls;
  debug->catches_processes = session->catches_processes;
  debug->passed_signals = session->passed_signals;
  atomic_store(&debug->generation, session->generation);
}

void session_changed(struct session *session) {
  if (session->run.region) install(session);
}

/* The replay goes on, and a diversion is thrown away. */
static enum travel resume(struct session *session) {
  diversion_end(session);
  session->other.reason = DEBUG_NOTHING;
  run_resume(&session->run, session->stop.reason);
  return wait_for_stop(session);
}

enum travel session_begin(struct session *session) {
  struct keeper_settings settings = {session->path, session->confined, session->apart, &session->settings};
  if (!run_start(&session->run, &settings)) return TRAVEL_FAILED;
  install(session);
  return wait_for_stop(session);
}

void session_end(struct session *session) {
  diversion_end(session);
  run_end(&session->run, true);
}

/* Goes back: to a checkpoint before the moment, or to the beginning. */
static enum travel go_before(struct session *session, const struct debug_moment *moment) {
  diversion_end(session);
  if (session->run.region && run_restart(&session->run, moment)) {
    install(session);
    return wait_for_stop(session);
  }
  session_end(session);
  return session_begin(session);
}

static enum travel begin_again(struct session *session) {
  session_end(session);
  return session_begin(session);
}

/* A run to a goal. An end of the recording stops it, too. */
static enum travel run_to(struct session *session, enum debug_goal goal, enum debug_hits hits,
                          const struct debug_moment *moment) {
  struct region_debug *debug = debug_of(session);
  debug->goal = goal;
  debug->hits = hits;
  debug->moment = moment ? *moment : (struct debug_moment){0};
  debug->range_start = debug->range_end = 0;
  debug->note_from = UINT64_MAX;
  debug->last.reason = DEBUG_NOTHING;
  debug->has_last_instruction = false;
  return resume(session);
}

/* -- Forwards ---------------------------------------------------------------------------------------------------------------- */

enum travel travel_on(struct session *session) {
  return run_to(session, GOAL_NONE, HITS_STOP, NULL);
}

static uint64_t position_of(const struct session *session, uint32_t thread) {
  for (int slot = -1; (slot = target_next(session, (uint32_t)(slot + 1))) >= 0;)
    if (session->run.region->slots[slot].number == thread)
      return target_thread(session, (uint32_t)slot)->position;
  return 0;
}

enum travel travel_step(struct session *session, uint32_t thread, uint64_t range_start, uint64_t range_end) {
  struct region_debug *debug = debug_of(session);
  struct debug_moment goal = {.thread = thread, .position = position_of(session, thread) + 1};
  /* Where a signal is taken the next instruction is that of the handler. */
  if (session->stop.reason == DEBUG_SIGNAL && session->stop.moment.thread == thread) goal.position--;
  debug->goal = GOAL_STEP;
  debug->hits = HITS_STOP;
  debug->moment = goal;
  debug->range_start = range_start;
  debug->range_end = range_end;
  return resume(session);
}

/* Goes to an image in the recording, or to the latest checkpoint of its moment. The output on the way there is not written: so only where nobody wants it. */
static enum travel leap_to(struct session *session, const struct stored_image *image) {
  struct debug_moment after = {.turn = image->moment.turn, .position = image->moment.position + 1};
  return go_before(session, &after);
}

static bool is_ahead(const struct session *session, const struct stored_image *image) {
  return image && !session->shows && debug_compare(&image->moment, &session->stop.moment) > 0;
}

enum travel travel_to(struct session *session, const struct debug_moment *moment) {
  diversion_end(session);
  int order = debug_compare(moment, &session->stop.moment);
  if (!order) return TRAVEL_STOPPED;
  struct debug_moment before = {.turn = moment->turn, .position = moment->position};
  const struct stored_image *image = stored_before(&session->stored, &before);
  enum travel result = TRAVEL_STOPPED;
  if (order < 0) result = go_before(session, moment);
  if (order > 0 && is_ahead(session, image)) result = leap_to(session, image);
  if (result != TRAVEL_STOPPED || debug_compare(moment, &session->stop.moment) <= 0) return result;
  return run_to(session, GOAL_MOMENT, HITS_IGNORE, moment);
}

enum travel travel_to_position(struct session *session, uint32_t thread, uint64_t position) {
  struct debug_moment goal = {.thread = thread, .position = position};
  const struct stored_image *image =
      session->shows ? NULL : stored_before_position(&session->stored, thread, position);
  enum travel result = image ? leap_to(session, image) : begin_again(session);
  if (result != TRAVEL_STOPPED || (!thread && !position)) return result;
  return run_to(session, GOAL_STEP, HITS_IGNORE, &goal);
}

enum travel travel_to_end(struct session *session) {
  diversion_end(session);
  if (session->stop.reason == DEBUG_ENDS) return TRAVEL_STOPPED;
  const struct stored_image *image = stored_last(&session->stored);
  enum travel result = is_ahead(session, image) ? leap_to(session, image) : TRAVEL_STOPPED;
  if (result != TRAVEL_STOPPED) return result;
  return run_to(session, GOAL_NONE, HITS_IGNORE, NULL);
}

/* -- Backwards --------------------------------------------------------------------------------------------------------------- */

static enum travel go_to_begin(struct session *session) {
  enum travel result = begin_again(session);
  return result == TRAVEL_STOPPED ? TRAVEL_BEGIN : result;
}

/* Notes of a run. */
struct notes {
  struct debug_stop last; /* reason DEBUG_NOTHING: there was no hit */
  bool has_instruction;
  bool interrupted; /* nothing is known, and the replay stands where it was */
  struct debug_moment instruction;
};

/* Runs from where the replay stands to the moment, and notes hits, and the thread's instructions from a position on. */
static enum travel note_until(struct session *session, const struct debug_moment *moment, uint32_t thread,
                              uint64_t from, struct notes *notes) {
  struct region_debug *debug = debug_of(session);
  debug->goal = GOAL_MOMENT;
  debug->hits = HITS_NOTE;
  debug->moment = *moment;
  debug->note_thread = thread;
  debug->note_from = from;
  debug->last.reason = DEBUG_NOTHING;
  debug->has_last_instruction = false;
  enum travel result = resume(session);
  if (result != TRAVEL_STOPPED) return result;
  *notes = (struct notes){.last = debug->last,
                          .has_instruction = debug->has_last_instruction,
                          .instruction = debug->last_instruction};
  notes->last.text[sizeof notes->last.text - 1] = 0;
  return TRAVEL_STOPPED;
}

/* A user who steps back once does so again: if the way to the moment is long, a checkpoint is made shortly before it. */
static enum travel approach(struct session *session, const struct debug_moment *end) {
  enum { LONG = 1 << 20, SHORT = 1 << 14 };
  const struct debug_moment *start = &session->stop.moment;
  if (start->turn != end->turn || end->position - start->position < LONG) return TRAVEL_STOPPED;
  struct debug_moment near = {.turn = end->turn, .thread = end->thread, .position = end->position - SHORT};
  enum travel result = run_to(session, GOAL_MOMENT, HITS_IGNORE, &near);
  if (result == TRAVEL_STOPPED) run_keep(&session->run);
  return result;
}

/* The client wants no more: what was noted so far need not be the last of all. */
static enum travel give_up(struct session *session, const struct debug_moment *origin, struct notes *notes) {
  enum travel result = travel_to(session, origin);
  session->stop.reason = DEBUG_INTERRUPT;
  notes->interrupted = true;
  return result;
}

/* Looks for the last hit before now: from the latest checkpoint on; if there is none, from the checkpoint before that. A checkpoint may have been made behind the
 * point that has its moment, in the middle of a call: so the way from the one before leads past that point. wants_instruction: for the thread's last
 * instruction from a position on instead. TRAVEL_BEGIN: there is none, and the replay stands at its beginning. */
static enum travel search_back(struct session *session, bool wants_instruction, uint32_t thread,
                               uint64_t from, struct notes *notes) {
  const struct debug_moment origin = session->stop.moment;
  struct debug_moment end = origin, start = end, last = end;
  if (wants_instruction && thread == end.thread && from < start.position) start.position = from;
  for (;;) {
    *notes = (struct notes){0};
    enum travel result = go_before(session, &start);
    if (result != TRAVEL_STOPPED) return result;
    bool at_begin = session->stop.reason == DEBUG_BEGINS;
    struct debug_moment began = session->stop.moment;
    if (debug_compare(&began, &last) >= 0) return TRAVEL_BEGIN;
    if (wants_instruction) result = approach(session, &end);
    bool goes_on = session->stop.reason != DEBUG_INTERRUPT;
    if (result == TRAVEL_STOPPED && goes_on) result = note_until(session, &end, thread, from, notes);
    if (result != TRAVEL_STOPPED) return result;
    if (session->stop.reason == DEBUG_INTERRUPT) return give_up(session, &origin, notes);
    if (wants_instruction ? notes->has_instruction : notes->last.reason != DEBUG_NOTHING)
      return TRAVEL_STOPPED;
    if (at_begin) return go_to_begin(session);
    start = end = last = began;
    end.event++;
  }
}

/* Stands where the hit was; with its reason. */
static enum travel go_to_hit(struct session *session, const struct debug_stop *hit) {
  enum travel result = travel_to(session, &hit->moment);
  if (result != TRAVEL_STOPPED) return result;
  uint32_t slot = session->stop.slot, runner = session->stop.runner;
  struct debug_stop other = session->stop;
  other.reason = other.hit;
  session->stop = *hit;
  session->stop.runner = runner;
  /* The thread may have another slot this time. */
  if (hit->slot == hit->runner) session->stop.slot = slot;
  if (hit->done && other.reason != hit->reason) session->other = other;
  return TRAVEL_STOPPED;
}

/* A call that does not wait, or a signal, comes at the same moment as what it writes. */
static bool has_other(struct session *session) {
  if (!session->other.reason || debug_compare(&session->other.moment, &session->stop.moment)) return false;
  session->stop = session->other;
  session->other.reason = DEBUG_NOTHING;
  return true;
}

enum travel travel_back(struct session *session) {
  struct notes notes;
  if (has_other(session)) return TRAVEL_STOPPED;
  enum travel result = search_back(session, false, 0, UINT64_MAX, &notes);
  return result == TRAVEL_STOPPED && !notes.interrupted ? go_to_hit(session, &notes.last) : result;
}

enum travel travel_step_back(struct session *session, uint32_t thread) {
  struct notes notes;
  uint64_t position = position_of(session, thread);
  enum travel result = search_back(session, true, thread, position ? position - 1 : 0, &notes);
  return result == TRAVEL_STOPPED && !notes.interrupted ? travel_to(session, &notes.instruction) : result;
}

/* -- Searches ---------------------------------------------------------------------------------------------------------------- */

/* The client's breakpoints, watchpoints and catchpoints, put aside. */
struct wishes {
  uint64_t passed_signals;
  bool catches_calls, catches_processes;
  uint32_t break_count, watch_count;
  struct debug_watch first_watch;
};

static struct wishes put_aside(struct session *session) {
  struct wishes wishes = {session->passed_signals, session->catches_calls, session->catches_processes,
                          session->break_count,    session->watch_count,   session->watches[0]};
  session->passed_signals = UINT64_MAX;
  session->catches_calls = session->catches_processes = false;
  session->break_count = session->watch_count = 0;
  return wishes;
}

static void take_back(struct session *session, const struct wishes *wishes) {
  session->passed_signals = wishes->passed_signals;
  session->catches_calls = wishes->catches_calls;
  session->catches_processes = wishes->catches_processes;
  session->break_count = wishes->break_count;
  session->watch_count = wishes->watch_count;
  session->watches[0] = wishes->first_watch;
  session_changed(session);
}

/* Back to where this signal was taken. */
static enum travel back_to_signal(struct session *session, uint32_t signo) {
  session->passed_signals = ~(1UL << (signo - 1));
  session_changed(session);
  return travel_back(session);
}

/* Back to the end of a process that was killed by a signal: others may have outlived it. */
static enum travel back_to_killed(struct session *session) {
  enum travel result = TRAVEL_STOPPED;
  session->catches_processes = true;
  session_changed(session);
  while (result == TRAVEL_STOPPED && !session->stop.signo) result = travel_back(session);
  session->catches_processes = false;
  return result;
}

enum travel travel_to_crash(struct session *session) {
  enum travel result = travel_to_end(session);
  if (result != TRAVEL_STOPPED) return result;
  struct wishes wishes = put_aside(session);
  if (!session->stop.signo) result = back_to_killed(session);
  if (result == TRAVEL_STOPPED) result = back_to_signal(session, session->stop.signo);
  take_back(session, &wishes);
  return result == TRAVEL_BEGIN ? TRAVEL_FAILED : result;
}

enum travel travel_to_last_write(struct session *session, const struct debug_watch *watch) {
  struct wishes wishes = put_aside(session);
  enum travel result = TRAVEL_FAILED;
  if (watches_add(session, watch)) result = travel_back(session);
  take_back(session, &wishes);
  return result;
}
