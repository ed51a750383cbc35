/* replay.c: the manager of a replay, from opening the recording to how it ended. */
#include "sphere/replay.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "recording/plain.h"
#include "recording/recording.h"
#include "recording/stream_id.h"
#include "sphere/ahead.h"
#include "sphere/feed.h"
#include "sphere/manager.h"
#include "inspect/locations.h"

enum { DIVERGED = 120, DAMAGED = 121, FAILED = 125 };

/* -- The whole --------------------------------------------------------------------------------------------------------------------- */

/* How the recorded program ended, where the replay can't show it: the recording ends with the death of the sphere. */
static int recorded_status(const struct recording_reader *reader) {
  const char *text = recording_get(reader, "status", 0);
  int number;
  if (text && sscanf(text, "signal %d", &number) == 1 && number > 0 && number < 65) return number;
  if (text && sscanf(text, "exit %d", &number) == 1) return (number & 0xff) << 8;
  return 9; /* it was cut off with its manager */
}

/* Finds the function and line of the divergence, from the mappings in the log. */
static void find_place(struct feed *feed, const struct early_end *ending, char *text, size_t size) {
  struct logs *logs;
  struct log_entry entry;
  struct places *places = places_new(feed->reader);
  *text = 0;
  if (places && !logs_open(feed->reader, NULL, NULL, &logs, NULL)) {
    while (!logs_next(logs, &entry, NULL) && places_follow(places, &entry))
      if (entry.thread == ending->thread && entry.position >= ending->position) break;
    logs_close(logs);
    snprintf(text, size, "%s", places_text(places, ending->thread, ending->pc));
  }
  places_free(places);
}

/* The epoch in which the thread was, as text; "" for a recording without epochs. */
static void find_epoch(const struct feed *feed, const struct region *region, char *text, size_t size) {
  *text = 0;
  for (uint32_t i = 0; i < region_slots(region) && recording_get(feed->reader, "epoch", 0); i++) {
    const struct rthread *slot = &region->slots[i];
    if (atomic_load(&slot->state) != SLOT_FREE && slot->number == region->ending.thread)
      snprintf(text, size, " in epoch %u", atomic_load(&slot->epoch) + 1);
  }
}

static int tell_divergence(struct feed *feed, const struct region *region) {
  const struct early_end *ending = &region->ending;
  char place[256], text[513] = "", epoch[32];
  find_epoch(feed, region, epoch, sizeof epoch);
  find_place(feed, ending, place, sizeof place);
  memcpy(text, ending->text, sizeof text - 1);
  plain_text(place);
  plain_text(text);
  fprintf(stderr, "reprise: replay diverged: thread %u at position %lu%s, %s%spc 0x%lx: %s\n", ending->thread,
          (unsigned long)ending->position, epoch, place, *place ? ", " : "", (unsigned long)ending->pc, text);
  return DIVERGED;
}

/* True if a signal from outside ended the replay. */
static bool was_sent(int status) {
  int signo = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
  return signo == SIGKILL || signo == SIGTERM || signo == SIGINT || signo == SIGHUP || signo == SIGQUIT;
}

static void tell_leftover(const struct leftover *leftover, const char *what) {
  if (leftover->of_sphere)
    fprintf(stderr, "reprise: %s: all threads ended before the end of the order log\n", what);
  else
    fprintf(stderr, "reprise: %s: thread %u ended at position %lu, before the end of its %s log\n", what,
            leftover->thread, (unsigned long)leftover->position, leftover->of_order ? "order" : "input");
}

/* A thread that never began is no fault if its parent may have been killed before it could log the birth. The child's own logs are in
 * the recording, and can't be replayed. */
static bool tell_lost_birth(const struct manager *manager, const struct feed *feed) {
  uint32_t killed = manager->region->killed;
  if (!feed->absent || !killed) return false;
  fprintf(
      stderr,
      "reprise: thread %u was killed before it had logged the birth of thread %u: this is as far as can be "
      "replayed\n",
      killed - 1, feed->absent - 1);
  return true;
}

/* A log that ends without the exit that its thread made is not that of a thread that was killed. */
static bool tell_cut_short(const struct feed *feed) {
  if (feed->cut_short)
    fprintf(stderr, "reprise: the recording is damaged: the input log of thread %u %s\n", feed->cut_short - 1,
            thread_set_has(&feed->exits, feed->cut_short - 1) ? "ends before its exit"
                                                              : "is not as long as it was");
  return feed->cut_short;
}

/* The end of a replay that did what the recording did. */
static int leave(const struct manager *manager, int status) {
  return manager->verifies ? 0 : manager_leave(status);
}

/* A replay that could not go to the end of the recording does not end as if it had: it breaks off. */
static int leave_short(const struct manager *manager, int status) {
  return leave(manager, WIFEXITED(status) ? SIGKILL : status);
}

/* The engines have seen nothing wrong; but one that dies of a fault of its own sees nothing any more. */
static int compare_ends(const struct manager *manager, const struct feed *feed) {
  const char *diverged = "reprise: replay diverged:";
  char is[ENDING_TEXT], was[ENDING_TEXT];
  manager_tell_ending(manager->status, is);
  manager_tell_ending(recorded_status(feed->reader), was);
  if (feed->leftover.found)
    tell_leftover(&feed->leftover, "replay diverged");
  else if (tell_lost_birth(manager, feed))
    return leave_short(manager, manager->status);
  else if (feed->absent)
    fprintf(stderr, "%s thread %u of the recording never began\n", diverged, feed->absent - 1);
  else if (strcmp(is, was))
    fprintf(stderr, "%s the program ended with %s, in the recording with %s\n", diverged, is, was);
  else
    return tell_cut_short(feed) ? DAMAGED : leave(manager, manager->status);
  return DIVERGED;
}

/* Prints why an unfinished recording ends where it does; `word` is the engines' reason, or "". */
static void tell_break(const struct recording_reader *reader, const char *word) {
  const char *reason = *word ? word : recording_get(reader, "breaks-off", 0);
  if (!reason)
    reason = recording_reader_state(reader) == RECORDING_LIVE ? "it is still being made"
                                                              : "its recorder was killed";
  fputs("reprise: the recording breaks off here: ", stderr);
  plain_write(stderr, reason);
  fputc('\n', stderr);
}

/* As any command whose output can't be written: a reader that has closed a pipe has read enough. */
static int tell_unwritable(const struct early_end *ending) {
  if (ending->unwritable.error == EPIPE) return manager_leave(SIGPIPE);
  fprintf(stderr, "reprise: standard %s: %s\n",
          ending->unwritable.descriptor == STDOUT_FILENO ? "output" : "error",
          strerror(ending->unwritable.error));
  return FAILED;
}

/* A confined process sends no signals, not even to itself: it tells by which it should have ended. */
static void take_signal(struct manager *manager) {
  uint32_t signo = atomic_load(&manager->region->signo);
  if (WIFEXITED(manager->status) && signo > 0 && signo < 65) manager->status = (int)signo;
}

/* The order says that the sphere was killed here. In a recording that was closed nothing follows then: it would make no sense; unless the engines
 * have told what can't be replayed. */
static int end_as_killed(const struct manager *manager, const struct feed *feed, bool complete) {
  int status = recorded_status(feed->reader);
  if (!complete) return leave(manager, status);
  if (*manager->region->ending.text) return leave_short(manager, status);
  if (feed->leftover.found)
    tell_leftover(&feed->leftover, "the recording is damaged");
  else if (feed->parallel && WIFEXITED(status))
    fputs("reprise: the recording is damaged: its first process ends by itself, and its log ends before\n",
          stderr);
  else if (tell_lost_birth(manager, feed))
    return leave_short(manager, status);
  else if (!feed->absent && !tell_cut_short(feed))
    return leave(manager, status);
  else if (feed->absent)
    fprintf(stderr, "reprise: the recording is damaged: the order log ends before thread %u begins\n",
            feed->absent - 1);
  return DAMAGED;
}

/* The end of a replay that follows a recording; false: it can't be judged. */
static bool follow_end(struct manager *manager, struct feed *feed) {
  uint32_t outcome = atomic_load(&manager->region->outcome);
  bool killed = follow_was_killed(manager);
  if (feed->follow.again)
    fputs("reprise: a file that was mapped has changed: the replay has to begin again\n", stderr);
  else if (killed)
    fputs("reprise: the replay was killed\n", stderr);
  if (feed->follow.again || killed) return false;
  if (!feed->failed && (!outcome || outcome == OUTCOME_LOG_ENDS)) follow_settle(manager);
  return true;
}

static int finish(struct manager *manager, struct feed *feed) {
  if (feed->follow.begun && !follow_end(manager, feed)) return FAILED;
  if (manager_was_told()) return manager_leave(manager_was_told());
  if (feed->halted && !feed->failed && !atomic_load(&manager->region->outcome)) return 0;
  take_signal(manager);
  uint32_t outcome = atomic_load(&manager->region->outcome);
  bool complete = recording_reader_state(feed->reader) == RECORDING_COMPLETE;
  /* The core flag depends on where the program runs. */
  bool as_recorded = !outcome && (manager->status & ~WCOREFLAG) == recorded_status(feed->reader);
  bool at_end = as_recorded || atomic_load(&manager->region->finished) || outcome == OUTCOME_LOG_ENDS;
  bool by_itself = !outcome && complete && (as_recorded || !was_sent(manager->status));
  if ((at_end || by_itself) && !feed->failed) feed_look_for_leftovers(manager, feed);
  if (at_end && !feed->failed) feed_check_rest(manager, feed);
  if (feed->failed) {
    fprintf(stderr, "reprise: %s\n", feed->error.text);
    bool own = feed->error.kind == RECORDING_SYSTEM || feed->error.kind == RECORDING_MISUSE ||
               feed->error.kind == RECORDING_ABSENT;
    return own ? FAILED : DAMAGED;
  }
  bool breaks_off = !complete && (!outcome || outcome == OUTCOME_LOG_ENDS);
  if (breaks_off)
    tell_break(feed->reader, manager->region->ending.text);
  else if (outcome != OUTCOME_DIVERGED)
    manager_tell_reason(manager);
  switch (outcome) {
    case OUTCOME_NONE:
      if (by_itself) return compare_ends(manager, feed);
      return complete ? manager_leave(manager->status) : leave(manager, manager->status);
    case OUTCOME_DIVERGED:
      return tell_divergence(feed, manager->region);
    case OUTCOME_DAMAGED:
      return DAMAGED;
    case OUTCOME_UNWRITABLE:
      return tell_unwritable(&manager->region->ending);
    case OUTCOME_LOG_ENDS:
      return end_as_killed(manager, feed, complete);
    default:
      return FAILED;
  }
}

static unsigned long number_of(const struct recording_reader *reader, const char *key, int base,
                               unsigned long absent) {
  const char *text = recording_get(reader, key, 0);
  return text ? strtoul(text, NULL, base) : absent;
}

/* Restores what the recorded program inherited. False if no program could have begun with it: the kernel puts STACK_LEAST bytes of its
 * arguments on every stack. */
static bool inherit(const struct recording_reader *reader, struct engine_config *settings) {
  enum { STACK_LEAST = 1 << 12 };
  struct rlimit limit;
  settings->ignored = number_of(reader, "signals-ignored", 16, 0);
  settings->mask = number_of(reader, "signals-blocked", 16, 0);
  if (getrlimit(RLIMIT_STACK, &limit)) return true;
  limit.rlim_cur = number_of(reader, "stack-limit", 10, limit.rlim_cur);
  if (limit.rlim_cur < STACK_LEAST) return false;
  if (limit.rlim_cur <= limit.rlim_max) setrlimit(RLIMIT_STACK, &limit);
  return true;
}

/* Only of a replay in which one thread ran at a time. */
static void tell_turns(const struct region *region) {
  fprintf(stderr, "reprise: %lu turns, digest %016lx\n", (unsigned long)atomic_load(&region->turns),
          (unsigned long)region->turns_digest);
}

/* Which order the recording has; -1: one that can't be replayed, which is told. */
static int find_order(const struct feed *feed, const char *path) {
  const char *order = recording_get(feed->reader, "order", 0);
  int scheme = order ? manager_order_named(order) : -1;
  if (scheme >= 0) return scheme;
  fputs("reprise: ", stderr);
  plain_write(stderr, path);
  if (recording_get(feed->reader, "substrate", 0)) {
    fputs(": recorded on the simulated machine: `reprise sim replay` repeats it\n", stderr);
  } else {
    fputs(": recorded with the order ", stderr);
    plain_write(stderr, order ? order : "?");
    fputs(", which this version can't replay\n", stderr);
  }
  return -1;
}

/* The settings that the manifest decides; false: it is damaged, which is told. */
static bool read_manifest(struct feed *feed, const char *path, int scheme, struct engine_config *settings) {
  const char *values = recording_get(feed->reader, "values", 0),
             *program = recording_get(feed->reader, "program", 0);
  int which = values ? manager_values_named(values) : VALUES_OFF;
  if (which < 0 || (which != VALUES_OFF && scheme != ENGINE_DAG)) {
    fprintf(stderr, "reprise: %s/manifest: damaged: such values are not recorded in this order\n", path);
    return false;
  }
  snprintf(settings->program, sizeof settings->program, "%s", program ? program : "?");
  plain_text(settings->program); /* it is for messages alone */
  snprintf(settings->execfn, sizeof settings->execfn, "%s", settings->program);
  if (!inherit(feed->reader, settings)) {
    fprintf(stderr, "reprise: %s/manifest: damaged: no program begins with the stack-limit %s\n", path,
            recording_get(feed->reader, "stack-limit", 0));
    return false;
  }
  if (!feed_read_exits(feed)) {
    fprintf(stderr, "reprise: %s/manifest: damaged: it has a bad list of exits\n", path);
    return false;
  }
  settings->order = (uint32_t)scheme;
  settings->values = feed->solved ? VALUES_OFF : (uint32_t)which;
  settings->solved = feed->solved != NULL;
  if (settings->values != VALUES_OFF) settings->check = CHECK_ALL;
  settings->whole = recording_reader_state(feed->reader) == RECORDING_COMPLETE || feed->follow.live;
  return true;
}

static int tell_unsolved(const struct feed *feed, const char *path) {
  if (feed->error.kind == RECORDING_ABSENT)
    fprintf(stderr, "reprise: %s: it has no solved order: see `reprise help solve'\n", path);
  else
    fprintf(stderr, "reprise: %s\n", feed->error.text);
  return feed->error.kind == RECORDING_ABSENT || feed->error.kind == RECORDING_SYSTEM ? FAILED : DAMAGED;
}

static void set_options(const struct replay_options *options, bool parallel, struct engine_config *settings) {
  settings->mode = MODE_REPLAY;
  settings->first = 1;
  settings->program_fd = -1;
  settings->quiet = options->quiet;
  settings->confined = options->confined;
  settings->serial = (options->serial || options->driver) && parallel;
  settings->checkpoints = options->driver != NULL;
  settings->tells = options->tells;
  settings->output_roles[0] = OUTPUT_ROLE(STDOUT_FILENO, STDOUT_FILENO);
  settings->output_roles[1] = OUTPUT_ROLE(STDERR_FILENO, STDERR_FILENO);
}

static int start(struct manager *manager, bool from_image, struct engine_config *settings,
                 struct launch_problem *problem) {
  char *argv[] = {settings->program, NULL}, *none[] = {NULL};
  if (from_image) return manager_open(manager, settings, problem);
  return manager_start(manager, settings, argv, none, 0, false, CHUNK_SIZE, problem);
}

int replay(const char *path, const struct replay_options *options, struct engine_config *settings) {
  static struct feed feed;
  static struct manager manager;
  struct launch_problem problem;
  allowance_take(&manager.allowance);
  if (recording_open(path, 0, &feed.reader, &feed.error)) {
    fprintf(stderr, "reprise: %s\n", feed.error.text);
    return feed.error.kind == RECORDING_SYSTEM || feed.error.kind == RECORDING_ABSENT ? FAILED : DAMAGED;
  }
  if (options->follows) follow_begin(&feed);
  bool complete = recording_reader_state(feed.reader) == RECORDING_COMPLETE;
  if (!recording_get(feed.reader, "order", 0) && !complete) { /* it had not begun */
    tell_break(feed.reader, "");
    return manager_leave(SIGKILL);
  }
  if (recording_get(feed.reader, "flight", 0) && !recording_get(feed.reader, "stored", 0)) {
    fprintf(stderr,
            "reprise: %s: its flight recorder has not stored the last part, or was killed while it did\n",
            path);
    return FAILED;
  }
  int scheme = find_order(&feed, path);
  if (scheme < 0) return DAMAGED;
  struct recording_stream_id id = {RECORDING_ORDER, RECORDING_SPHERE};
  if (!feed_open(&feed, &feed.order, id)) {
    fprintf(stderr, "reprise: %s\n", feed.error.text);
    return DAMAGED;
  }
  if (options->solved && solved_load(feed.reader, &feed.solved, &feed.error))
    return tell_unsolved(&feed, path);
  if (!read_manifest(&feed, path, scheme, settings)) return DAMAGED;
  if (scheme == ENGINE_SYNC && (options->serial || options->driver)) {
    fprintf(stderr,
            "reprise: %s: recorded with --order=sync, which can't be replayed one thread at a time yet\n",
            path);
    return FAILED;
  }
  bool begins_later = recording_get(feed.reader, "begins", 0);
  bool from_image = begins_later || (options->driver && options->driver->from_image);
  if (begins_later && !options->driver) {
    fprintf(stderr,
            "reprise: %s: begins at a checkpoint, and can't be replayed from its program's beginning\n",
            path);
    return FAILED;
  }
  feed.parallel = scheme != ENGINE_CHUNK;
  feed.tells = options->tells;
  set_options(options, feed.parallel, settings);
  manager.context = &feed;
  manager.serve = feed_serve;
  manager.answer = feed_answer;
  manager.is_replay = true;
  manager.verifies = options->verifies;
  if (options->driver) options->driver->prepare(&manager, &feed);
  if (start(&manager, from_image, settings, &problem)) {
    fprintf(stderr, "reprise: %s\n", problem.text);
    return problem.status;
  }
  feed.watcher = options->watcher;
  if (feed.watcher && !from_image) feed.watcher->started(&manager, feed.watcher->context);
  feed.mapped.ahead = ahead_begin(path);
  progress_begin(&feed.progress, options->quiet);
  feed.total = number_of(feed.reader, "instructions", 10, 0);
  feed.progress.wanted &= feed.total != 0;
  if (!options->driver)
    manager_run(&manager);
  else if (!options->driver->run(&manager, &feed))
    return FAILED;
  progress_end(&feed.progress);
  ahead_end(feed.mapped.ahead);
  if (options->turns && (options->serial || !feed.parallel)) tell_turns(manager.region);
  return finish(&manager, &feed);
}
